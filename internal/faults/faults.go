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
	"example.org/doorway/messaging"
)

// A Fault is one that happens at most once in a run, at any time.
type Fault struct {
	Name    string
	In      *messaging.Phase // of a crash: the phase of the node that crashes; nil: any
	heard   bool             // it is what a detector of crashes tells
	happens func(c *explore.NodesConfig)
}

// The faults, by what they are of.
var (
	none     = Fault{Name: "no fault", happens: func(*explore.NodesConfig) {}}
	crash    = Fault{Name: "crash", happens: func(c *explore.NodesConfig) { c.Crashes = 1 }}
	restart  = Fault{Name: "restart", happens: func(c *explore.NodesConfig) { c.Crashes, c.Restarts = 1, 1 }}
	detected = Fault{Name: "detected crash", heard: true, happens: func(c *explore.NodesConfig) { c.Crashes, c.Detected = 1, true }}

	suspicion  = Fault{Name: "wrong suspicion", heard: true, happens: func(c *explore.NodesConfig) { c.Suspicions = 1 }}
	loss       = Fault{Name: "loss", happens: func(c *explore.NodesConfig) { c.Losses = 1 }}
	duplicate  = Fault{Name: "duplicate", happens: func(c *explore.NodesConfig) { c.Duplicates = 1 }}
	overtaking = Fault{Name: "overtaking", happens: func(c *explore.NodesConfig) { c.Unordered = true }}
	early      = Fault{Name: "early timeout", happens: func(c *explore.NodesConfig) { c.Early = 1 }}
)

// byPhase returns a fault of nodes in each phase of their users.
func (f Fault) byPhase() (all []Fault) {
	for _, in := range []messaging.Phase{messaging.Idle, messaging.Waiting, messaging.Inside} {
		one := f
		one.Name, one.In = f.Name+", "+strings.ToLower(in.String()), &in
		one.happens = func(c *explore.NodesConfig) {
			f.happens(c)
			c.CrashIn = []messaging.Phase{in}
		}
		all = append(all, one)
	}
	return all
}

// A Cell is what becomes of an algorithm after a fault.
type Cell struct {
	Subject Subject
	Fault   Fault

	// Verdict is "survives"; "blocks …", with the nodes that may wait forever; "two
	// inside"; "refuses", if a node panics on an impossible message; "endless", if
	// messages are sent forever; or, of an algorithm that is no lock, what is wrong.
	Verdict string
	States  int // that were visited

	// History is a shortest run that shows it, and its scenario. It is "" if the algorithm
	// survives, or is not told of crashes: then it is that of the crash itself.
	History string
}

// Survives reports whether nothing goes wrong.
func (c Cell) Survives() bool { return c.Verdict == survives }

const survives = "survives"

// Of computes a cell. An error is one of the check, or of a node.
func Of(s Subject, f Fault) (cell Cell, err error) {
	cell = Cell{Subject: s, Fault: f}
	defer func() {
		if f.heard && !s.Told() {
			cell.History = ""
		}
	}()
	r, err := check(s, f, nil)
	if err != nil {
		return cell, fmt.Errorf("%s, %s: %w", s.Name, f.Name, err)
	}
	cell.States = r.States
	for _, v := range []struct {
		explore.NodesVerdict
		fails func() (string, error)
	}{
		{r.NoPanic, func() (string, error) { return word(r.NoPanic.History.Title) }},
		{r.MutualExclusion, func() (string, error) { return "two inside", nil }},
		{r.Invariant, func() (string, error) { return word(r.Invariant.History.Title) }},
		{r.Results, func() (string, error) { return word(r.Results.History.Title) }},
		{r.StarvationFree, func() (string, error) { return blocked(s, f, r.Starving) }},
		{r.Quiescent, func() (string, error) { return "endless", nil }},
	} {
		if v.Status == explore.Fails {
			cell.History = history(v.History.String(), v.History.Scenario)
			cell.Verdict, err = v.fails()
			return cell, err
		}
	}
	cell.Verdict = survives
	return cell, nil
}

// check visits every schedule with the fault; of a crash, of one of the nodes, or of any if
// nodes is nil.
func check(s Subject, f Fault, nodes []messaging.ID) (*explore.NodesReport, error) {
	c := s.config
	c.CrashOf = nodes
	f.happens(&c)
	return explore.CheckNodes(c)
}

// blocked describes who may wait forever. Of a crash in a phase it says whose crash has whom wait.
func blocked(s Subject, f Fault, starving []messaging.ID) (string, error) {
	if f.In == nil {
		if len(starving) == len(s.asking()) {
			return "blocks all", nil
		}
		return "blocks " + numbers(starving), nil
	}
	all, whom := true, []string(nil)
	for i := range messaging.ID(s.config.Nodes) {
		if !slices.Contains(s.asking(), i) && *f.In != messaging.Idle {
			continue // it is never in that phase
		}
		r, err := check(s, f, []messaging.ID{i})
		if err != nil {
			return "", fmt.Errorf("%s, %s of node %d: %w", s.Name, f.Name, i, err)
		}
		for _, j := range s.asking() {
			all = all && (j == i || slices.Contains(r.Starving, j))
		}
		if len(r.Starving) > 0 {
			whom = append(whom, fmt.Sprintf("%d blocks %s", i, numbers(r.Starving)))
		}
	}
	if all {
		return "blocks all", nil
	}
	return strings.Join(whom, ", "), nil
}

// numbers returns nodes as "1 2".
func numbers(nodes []messaging.ID) string { return strings.Trim(fmt.Sprint(nodes), "[]") }

// word returns in a word or two what a History is titled that shows a refusal, wrong results, or a
// state that violates an invariant.
func word(title string) (string, error) {
	for _, w := range words {
		if strings.Contains(title, w.says) {
			return w.word, nil
		}
	}
	return "", errors.New("there is no word for this: " + title)
}

var words = []struct{ says, word string }{
	{" refused ", "refuses"},
	{"no leader is elected", "no leader"},
	{"knows no leader", "not all know"},
	{"which leads, is down", "leader is down"},
	{"follows node", "two leaders"},
	{"there is no root", "no root"},
	{"has no parent", "no parent"},
	{"knows no candidate", "not all know"},
	{"has known node", "forgets"},
	{"has not delivered message", "not delivered"},
	{" twice", "twice"},
	{"after message", "twice"},
	{" where node ", "two orders"},
	{"is down, and in view", "stays in view"},
	{"which is live", "removes a live one"},
	{"is not complete", "not complete"},
	{"there are 2 tokens", "two tokens"},
}

// history returns the lines of a history, whose last may be its scenario already.
func history(events, scenario string) string {
	events = strings.TrimSpace(events) + "\n"
	if scenario != "" {
		events += "scenario: " + scenario + "\n"
	}
	return events
}
