package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// A node is checked in random schedules of these numbers of nodes, with that many seeds.
var (
	sizes = []int{2, 3, 1, 4, 5, 7}
	seeds = uint64(40)
)

// An instance is explored: the requests of each node, and how many may be aborted.
type instance struct {
	requests []int
	aborted  int
}

// instances are the same for all algorithms, the cheapest first. Some are too large for
// some algorithms, and are explored in part.
var instances = []instance{
	{[]int{2, 2}, 2}, {[]int{1, 1, 1}, 1}, {[]int{2, 1, 1}, 0}, {[]int{1, 1, 1, 0}, 0},
}

// most is the number of states of an exploration after which it ends without a verdict.
const most = 10_000

// RunNodes judges the algorithms of a package. It stops at the first check that fails:
// random schedules, the costs, and the contract of nodes, each for all of the algorithms.
func RunNodes(protocols []catalog.Protocol) Result {
	return runNodes(protocols, (*Result).schedules, (*Result).costs, (*Result).contract)
}

// ExploreNodes judges the algorithms of a package by explorations of small instances. They
// take longer than the rest, and refute few mutants that the rest does not.
func ExploreNodes(protocols []catalog.Protocol) Result {
	return runNodes(protocols, (*Result).explorations)
}

func runNodes(protocols []catalog.Protocol, checks ...func(*Result, catalog.Protocol)) (r Result) {
	for _, check := range checks {
		for _, p := range protocols {
			r.protect(p.Name, func() { check(&r, p) })
			if r.Fails != "" || r.Error != "" {
				return r
			}
		}
	}
	return r
}

// protect calls check, and records a panic: one in a handler is found by the check, but not
// that of a constructor.
func (r *Result) protect(name string, check func()) {
	defer func() {
		if p := recover(); p != nil {
			r.Setup, r.Fails, r.Detail = name, names["panic"], fmt.Sprint(p)
		}
	}()
	check()
}

// schedule returns the config of a random schedule of n nodes.
func schedule(p catalog.Protocol, n int, seed uint64) nodetest.Config {
	return nodetest.Config{
		Nodes: n, Holder: messaging.ID(seed) % messaging.ID(n), Seed: seed, Unordered: !p.FIFO && seed%2 == 0, Withdraw: float64(seed%3) / 5,
		Perpetual: p.Perpetual, Invariant: p.Invariant, Steps: 20_000,
	}
}

func (r *Result) schedules(p catalog.Protocol) {
	for seed := range seeds {
		for _, n := range sizes {
			end := watch(p.Name, n)
			err := nodetest.Run(p.New(n), schedule(p, n, seed))
			end()
			if r.failed(err, fmt.Sprintf("%s n=%d seed %d", p.Name, n, seed)); r.Fails != "" {
				return
			}
		}
	}
}

func (r *Result) contract(p catalog.Protocol) {
	var all []nodetest.Config
	for seed := range uint64(6) {
		c := schedule(p, 3, seed)
		all = append(all, c)
		if p.Timed != nil && p.Survives() { // it notices crashes itself
			c.Crashes, c.Withdraw = 1, 0
			all = append(all, c)
		}
	}
	r.failed(nodetest.Check(p.New(3), p.Kinds, all...), p.Name+" n=3")
}

func (r *Result) costs(p catalog.Protocol) {
	if p.Costs.Alone.Of == nil {
		return
	}
	p.Timed = nil // the nodes that users get
	for _, n := range []int{2, 3, 5, 9} {
		r.Setup = fmt.Sprintf("%s n=%d", p.Name, n)
		row, err := costs.Measure(p, n)
		if err != nil {
			r.Fails, r.Detail = "costs", err.Error()
			return
		}
		for _, f := range []struct {
			what string
			of   costs.Figure
		}{{"messages at low load", row.Alone}, {"messages at high load", row.Loaded}, {"delay", row.Delay}, {"response", row.Response}} {
			if !f.of.Holds() {
				r.Fails, r.Detail = f.what, fmt.Sprintf("%.3f, claimed is %s", f.of.Measured, f.of.Claim)
				return
			}
		}
	}
	r.Setup = ""
}

// explorations explores each instance with links that need not keep the order of messages. As
// they may keep it, only what is explored in part is explored with FIFO links too.
func (r *Result) explorations(p catalog.Protocol) {
	for _, in := range instances {
		for _, unordered := range []bool{true, false} {
			if unordered && p.FIFO {
				continue
			}
			setup := fmt.Sprintf("%s requests %v, %d aborted", p.Name, in.requests, in.aborted)
			if unordered {
				setup += ", unordered"
			}
			all, err := explored(p, in, unordered)
			if r.failed(err, setup); r.Fails != "" {
				return
			}
			if all {
				break
			}
		}
	}
}

// explored explores an instance, and reports whether it has explored all of it.
func explored(p catalog.Protocol, in instance, unordered bool) (all bool, err error) {
	found, err := explore.CheckNodes(explore.NodesConfig{
		New: p.New(len(in.requests)), Nodes: len(in.requests), Requests: in.requests, Withdrawals: in.aborted, Unordered: unordered,
		Perpetual: p.Perpetual, Invariant: p.Invariant, Memory: most * stateBytes,
	})
	switch {
	case errors.Is(err, explore.ErrMemory):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, found.Err()
}

// stateBytes is about how many bytes a state takes.
const stateBytes = 100

// names are what does not hold, by the kind of failure; all others violate the contract of
// nodes.
var names = map[string]string{
	"exclusion": "mutual exclusion",
	"fencing":   "tokens of entries grow",
	"deadlock":  "deadlock-free",
	"endless":   "every schedule ends",
	"panic":     "no node panics",
	"invariant": "the invariant",
}

// failed records the failure of a check.
func (r *Result) failed(err error, setup string) {
	if err == nil {
		return
	}
	r.Setup = setup
	kind := sim.Failure(err)
	if kind == "" {
		r.Error = err.Error()
		return
	}
	first, trace, _ := strings.Cut(err.Error(), "\n")
	r.Fails, r.Detail = cmp.Or(names[kind], "the contract of nodes"), first
	r.Steps = len(slices.Collect(strings.Lines(trace)))
}

// patience is the time limit for a random schedule, which takes a millisecond: only one in
// which a handler does not return reaches it.
const patience = 3 * time.Second

// watch ends the program, with a result, unless the schedule ends soon. It returns a function
// that tells it so.
func watch(name string, n int) (end func()) {
	t := time.AfterFunc(patience, func() {
		r := Result{
			Setup: fmt.Sprintf("%s n=%d", name, n), Fails: names["endless"],
			Detail: fmt.Sprintf("a handler has not returned within %v", patience),
		}
		if r.print() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	})
	return func() { t.Stop() }
}
