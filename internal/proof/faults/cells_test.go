package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// A fault happens at most once in a run, at any time.
type fault struct {
	name    string
	in      *messaging.Phase // of a crash: the phase of the node that crashes; nil: any
	heard   bool             // it is what a detector of crashes tells
	happens func(c *explore.NodesConfig)
}

// The faults, by what they are of.
var (
	none     = fault{name: "no fault", happens: func(*explore.NodesConfig) {}}
	crash    = fault{name: "crash", happens: func(c *explore.NodesConfig) { c.Crashes = 1 }}
	restart  = fault{name: "restart", happens: func(c *explore.NodesConfig) { c.Crashes, c.Restarts = 1, 1 }}
	detected = fault{name: "detected crash", heard: true, happens: func(c *explore.NodesConfig) { c.Crashes, c.Detected = 1, true }}

	suspicion  = fault{name: "wrong suspicion", heard: true, happens: func(c *explore.NodesConfig) { c.Suspicions = 1 }}
	loss       = fault{name: "loss", happens: func(c *explore.NodesConfig) { c.Losses = 1 }}
	duplicate  = fault{name: "duplicate", happens: func(c *explore.NodesConfig) { c.Duplicates = 1 }}
	overtaking = fault{name: "overtaking", happens: func(c *explore.NodesConfig) { c.Unordered = true }}
	early      = fault{name: "early timeout", happens: func(c *explore.NodesConfig) { c.Early = 1 }}
)

// byPhase returns a fault of nodes in each phase of their users.
func (f fault) byPhase() (all []fault) {
	for _, in := range []messaging.Phase{messaging.Idle, messaging.Waiting, messaging.Inside} {
		one := f
		one.name, one.in = f.name+", "+strings.ToLower(in.String()), &in
		one.happens = func(c *explore.NodesConfig) {
			f.happens(c)
			c.CrashIn = []messaging.Phase{in}
		}
		all = append(all, one)
	}
	return all
}

// A cell is what becomes of an algorithm after a fault.
type cell struct {
	of    subject
	fault fault

	// verdict is "survives"; "blocks …", with the nodes that may wait forever; "two
	// inside"; "refuses", if a node panics on an impossible message; "endless", if
	// messages are sent forever; or, of an algorithm that is no lock, what is wrong.
	verdict string
	states  int // that were visited

	// history is a shortest run that shows it, and its scenario. It is "" if the algorithm
	// survives, or is not told of crashes: then it is that of the crash itself.
	history string
}

const survives = "survives"

// cellOf computes a cell. An error is one of the check, or of a node.
func cellOf(s subject, f fault) (c cell, err error) {
	c = cell{of: s, fault: f}
	defer func() {
		if f.heard && !s.canBeTold() {
			c.history = ""
		}
	}()
	r, err := check(s, f, nil)
	if err != nil {
		return c, fmt.Errorf("%s, %s: %w", s.name, f.name, err)
	}
	c.states = r.States
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
			c.history = history(v.History.String(), v.History.Scenario)
			c.verdict, err = v.fails()
			return c, err
		}
	}
	c.verdict = survives
	return c, nil
}

// check visits every schedule with the fault; of a crash, of one of the nodes, or of any if
// nodes is nil.
func check(s subject, f fault, nodes []messaging.ID) (*explore.NodesReport, error) {
	c := s.config
	c.CrashOf = nodes
	f.happens(&c)
	return explore.CheckNodes(c)
}

// blocked describes who may wait forever. Of a crash in a phase it says whose crash has whom wait.
func blocked(s subject, f fault, starving []messaging.ID) (string, error) {
	if f.in == nil {
		if len(starving) == len(s.asking()) {
			return "blocks all", nil
		}
		return "blocks " + numbers(starving), nil
	}
	all, whom := true, []string(nil)
	for i := range messaging.ID(s.config.Nodes) {
		if !slices.Contains(s.asking(), i) && *f.in != messaging.Idle {
			continue // it is never in that phase
		}
		r, err := check(s, f, []messaging.ID{i})
		if err != nil {
			return "", fmt.Errorf("%s, %s of node %d: %w", s.name, f.name, i, err)
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

// word returns in a word or two what a history is titled that shows a refusal, wrong results, or a
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
	{" follows S", "two leaders"},
	{"there is no root", "no root"},
	{"has no parent", "no parent"},
	{"knows no candidate", "not all know"},
	{"has known S", "forgets"},
	{"has not delivered message", "not delivered"},
	{" twice", "twice"},
	{"after message", "twice"},
	{" where S", "two orders"},
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
