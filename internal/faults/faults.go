// Package faults computes what becomes of each message-passing algorithm of the catalog
// after one fault, in every schedule of a small instance, and makes the tables of
// docs/faults.md.
package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
)

// A Fault is one that happens at most once in a run, at any time.
type Fault struct {
	Name    string
	In      *messaging.Phase // of a crash: the phase of the node that crashes; otherwise nil
	happens func(c *explore.NodesConfig)
	applies func(p catalog.Protocol) bool // nil: to all
}

// All are the faults that every algorithm meets, and Detectors those that concern only
// algorithms with a detector of crashes or timeouts.
var (
	All = []Fault{
		crash("crash, idle", messaging.Idle, false), crash("crash, waiting", messaging.Waiting, false), crash("crash, inside", messaging.Inside, false),
		{Name: "loss", happens: func(c *explore.NodesConfig) { c.Losses = 1 }},
		{Name: "duplicate", happens: func(c *explore.NodesConfig) { c.Duplicates = 1 }},
		{Name: "overtaking", happens: func(c *explore.NodesConfig) { c.Unordered = true }},
	}
	Detectors = []Fault{
		crash("detected crash, idle", messaging.Idle, true), crash("detected crash, waiting", messaging.Waiting, true), crash("detected crash, inside", messaging.Inside, true),
		{Name: "wrong suspicion", happens: func(c *explore.NodesConfig) { c.Suspicions = 1 }, applies: catalog.Protocol.Survives},
		{Name: "early timeouts", happens: func(c *explore.NodesConfig) { c.AnyTime = true }, applies: func(p catalog.Protocol) bool { return p.Timed != nil }},
	}
)

func crash(name string, in messaging.Phase, detected bool) Fault {
	f := Fault{Name: name, In: &in, happens: func(c *explore.NodesConfig) {
		c.Crashes, c.CrashIn, c.Detected = 1, []messaging.Phase{in}, detected
	}}
	if detected {
		f.applies = catalog.Protocol.Survives
	}
	return f
}

// Applies reports whether p can meet the fault.
func (f Fault) Applies(p catalog.Protocol) bool { return f.applies == nil || f.applies(p) }

// Nodes is the number of nodes of each instance.
const Nodes = 3

// memory limits an exploration.
const memory = 128 << 20

// requests are those of each node: one, but node 0 makes none in the algorithms that would
// have a hundred thousand states or more with a fault.
func requests(p catalog.Protocol) []int {
	switch p.Name {
	case "lamport", "lamport-suppressed", "ricartagrawala-acknowledged", "echo":
		return []int{0, 1, 1}
	}
	return []int{1, 1, 1}
}

// A Cell is what becomes of an algorithm after a fault.
type Cell struct {
	Protocol catalog.Protocol
	Fault    Fault

	// Verdict is "survives"; "blocks …", with the nodes that may wait forever; "two
	// inside"; "refuses", if a node panics on an impossible message; "restless", if
	// messages are sent forever; "not finished", if the memory does not suffice; or "–",
	// if the fault does not apply.
	Verdict string
	States  int    // that were visited
	History string // a shortest run that shows it, and its scenario; "" if it survives
}

// Survives reports whether nothing goes wrong.
func (c Cell) Survives() bool { return c.Verdict == "survives" }

// Of computes a cell. An error is one of the check.
func Of(p catalog.Protocol, f Fault) (Cell, error) {
	cell := Cell{Protocol: p, Fault: f, Verdict: "–"}
	if !f.Applies(p) {
		return cell, nil
	}
	r, err := check(p, f, nil)
	switch {
	case errors.Is(err, explore.ErrMemory):
		cell.Verdict = "not finished"
		return cell, nil
	case nodetest.Failure(err) == "panic":
		cell.Verdict, cell.History = "refuses", history(err.Error(), nodetest.Scenario(err))
		return cell, nil
	case err != nil:
		return cell, fmt.Errorf("%s, %s: %w", p.Name, f.Name, err)
	}
	cell.States = r.States
	switch {
	case r.MutualExclusion.Status == explore.Fails:
		cell.Verdict, cell.History = "two inside", told(r.MutualExclusion)
	case r.StarvationFree.Status == explore.Fails:
		cell.History = told(r.StarvationFree)
		cell.Verdict, err = blocked(p, f, r.Starving)
	case r.Quiescent.Status == explore.Fails:
		cell.Verdict, cell.History = "restless", told(r.Quiescent)
	default:
		cell.Verdict = "survives"
	}
	return cell, err
}

// check visits every schedule with the fault; of a crash, of one of the nodes, or of any if
// nodes is nil.
func check(p catalog.Protocol, f Fault, nodes []messaging.ID) (*explore.NodesReport, error) {
	c := explore.NodesConfig{
		New: p.New(Nodes), Name: p.Name, Nodes: Nodes, Requests: requests(p), Perpetual: p.Perpetual,
		CrashOf: nodes, Memory: memory, Workers: 1,
	}
	f.happens(&c)
	return explore.CheckNodes(c)
}

// blocked describes who may wait forever. Of a crash it says whose crash has whom wait.
func blocked(p catalog.Protocol, f Fault, starving []messaging.ID) (string, error) {
	if f.In == nil {
		if len(starving) == len(asking(p)) {
			return "blocks all", nil
		}
		return "blocks " + numbers(starving), nil
	}
	all, whom := true, []string(nil)
	for i := range messaging.ID(Nodes) {
		asks := slices.Contains(asking(p), i)
		if !asks && *f.In != messaging.Idle {
			continue // it is never in that phase
		}
		r, err := check(p, f, []messaging.ID{i})
		if err != nil {
			return "", fmt.Errorf("%s, %s of node %d: %w", p.Name, f.Name, i, err)
		}
		others := len(asking(p))
		if asks {
			others--
		}
		all = all && len(r.Starving) == others
		if len(r.Starving) > 0 {
			whom = append(whom, fmt.Sprintf("%d blocks %s", i, numbers(r.Starving)))
		}
	}
	if all {
		return "blocks all", nil
	}
	return strings.Join(whom, ", "), nil
}

// asking returns the nodes that request.
func asking(p catalog.Protocol) (all []messaging.ID) {
	for i, r := range requests(p) {
		if r > 0 {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}

// numbers returns nodes as "1 2".
func numbers(nodes []messaging.ID) string { return strings.Trim(fmt.Sprint(nodes), "[]") }

func told(v explore.NodesVerdict) string { return history(v.History.String(), v.History.Scenario) }

func history(events, scenario string) string {
	events = strings.TrimSpace(events) + "\n"
	if scenario != "" {
		events += "scenario: " + scenario + "\n"
	}
	return events
}
