package proof_test

import (
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A system is what is measured and proved of an algorithm that is no lock, in its trial.
type system struct {
	catalog.System

	messages int     // of costs.Nodes nodes
	time     float64 // in T, until the last of them has emitted something

	// checked is of the trial's nodes on the links that it needs, FIFO ones or any; crashed of
	// as many on FIFO links, of which one crashes and the others are told. Both are nil if the states
	// grow forever.
	checked, crashed *explore.NodesReport
}

// ofSystem measures and checks a system.
func ofSystem(s catalog.System) (row system, err error) {
	row.System = s
	if row.messages, row.time, err = trial(s, costs.Nodes); err != nil {
		return row, err
	}
	if s.Trial.Nodes == 0 {
		return row, nil
	}
	c := explore.NodesConfig{
		New: s.New(s.Trial.Nodes), Name: s.Name, Nodes: s.Trial.Nodes, Inputs: s.Trial.Inputs(s.Trial.Nodes), Unordered: !s.FIFO,
		Losses: s.Trial.Losses, Perpetual: s.Perpetual, Invariant: s.Invariant, Results: s.Results,
	}
	if row.checked, err = checked(c); err != nil {
		return row, err
	}
	c.Unordered, c.Losses, c.Crashes, c.Detected = false, 0, 1, true
	row.crashed, err = checked(c)
	return row, err
}

// trial runs the trial of a system with n nodes, whose users all act at the beginning, for a round
// of it or until nothing more happens. It returns the number of messages, and the time in T until
// the last node has emitted something.
func trial(s catalog.System, n int) (messages int, t float64, err error) {
	c := sim.Config{
		Algorithm: s.Within(n, sim.T), Name: s.Name, Nodes: n, Results: s.Results,
		Until: time.Duration(s.Trial.Round) * sim.T,
	}
	if s.Locks() {
		c.Load = sim.Script{{Node: c.Holder}} // a run of locks needs a request; this one takes no message
	}
	for i, of := range s.Trial.Inputs(n) {
		for _, m := range of {
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: m})
		}
	}
	r, err := sim.Run(c)
	if err != nil {
		return 0, 0, fmt.Errorf("%s with %d nodes: %w", s.Name, n, err)
	}
	if last := len(r.Emits) - 1; last >= 0 {
		t = r.Emits[last].At.Seconds() / sim.T.Seconds()
	}
	return r.Messages, t, nil
}

// directory returns that of the package.
func (r system) directory() string {
	name, _, _ := strings.Cut(r.Import, ".")
	for _, k := range r.Kinds {
		if own := reflect.TypeOf(k).PkgPath(); path.Base(own) == name {
			return strings.TrimPrefix(own, "example.org/doorway/")
		}
	}
	panic("proof: no kind of message of " + r.Name + " is of its package")
}

// systemsHeading is that of a table of systems.
const systemsHeading = "| algorithm | source | a correct result | links | messages | measured | time | n | states | a crash |\n" +
	"| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"

// String returns the row of the table.
func (r system) String() string {
	links := "any"
	if r.FIFO {
		links = "FIFO"
	}
	settled, nodes, states, crash := "–", "–", "–", "–"
	if r.time > 0 {
		settled = fmt.Sprintf("%gT", r.time)
	}
	if r.checked != nil {
		nodes, states, crash = strconv.Itoa(r.checked.Nodes), spelling.Thousands(r.checked.States), verdict(r.crashed.Results)
	}
	return spelling.Row(
		fmt.Sprintf("[`%s`](../%s)", r.Import, r.directory()), r.Source, r.Right, links,
		r.Claims.Text, r.messages, settled, nodes, states, crash,
	)
}
