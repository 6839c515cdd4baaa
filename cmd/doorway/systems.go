package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/notation"
)

// ofUsers are flags for users of a lock.
var ofUsers = []string{"rounds", "withdrawals"}

// runSystem checks an algorithm that is no lock, in its trial.
func (u *checkup) runSystem(ctx context.Context, s streams, system catalog.System) error {
	if given := u.given(slices.Concat(ofLocks, ofUsers)); len(given) > 0 {
		return u.mistaken("-%s is for a lock, and %s is none: its users %s, one each", given[0], system.Name, system.Trial.Text)
	}
	if system.Trial.Nodes == 0 {
		return u.mistaken("%s: its states grow forever, so not every schedule can be visited; trace shows a run", system.Name)
	}
	w := u.workload()
	if wrong := w.mistake(); wrong != "" {
		return u.mistaken("%s", wrong)
	}
	w.Users = system.Trial.Text
	n := cmp.Or(*u.n, system.Trial.Nodes)
	p := system.Protocol
	a, err := p.New(n)
	if err != nil {
		return err
	}
	c := explore.NodesConfig{New: a, Name: p.Name, Nodes: n, Inputs: system.Trial.Inputs(n), Perpetual: p.Perpetual, Invariant: p.Invariant, Results: p.Results}
	f := &nodesFinding{name: system.Name, source: system.Source, nodes: n, workload: w}
	if err := u.exploreNodes(ctx, newProgress(s.err), f, w.onto(c)); err != nil {
		return err
	}
	return u.concludeNodes(s, f)
}

// scenarioOf returns the trial of a system, as a scenario. Nodes that are locks ask, too.
func scenarioOf(system catalog.System, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "nodes %d\nalgorithm %s\n", n, system.Name)
	if system.Trial.Round > 0 {
		fmt.Fprintf(&b, "until %d\n", system.Trial.Round)
	}
	for i, of := range system.Trial.Inputs(n) {
		for _, m := range of {
			fmt.Fprintf(&b, "at 0 S%d gets %s\n", i+1, notation.Message(m))
		}
		if system.Locks() {
			fmt.Fprintf(&b, "at 0 S%d asks\n", i+1)
		}
	}
	return b.String()
}
