// Package refutation has an instance for each wrong rule of a message-passing algorithm: the
// smallest that fails. It makes the table of docs/checker.md, and the histories in testdata.
package refutation

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/topology"
)

// A Refutation is an instance in which a protocol fails. If no messages overtake each other
// and no node crashes, its protocol is a wrong variant of the catalog.
type Refutation struct {
	Protocol string // its name in the catalog
	Rule     string // what is wrong

	Quorums [][]messaging.ID // nil: those of the catalog
	Links   topology.Graph   // likewise

	Requests    []int // by node
	Withdrawals int
	Crashes     int
	Unordered   bool

	Violates string // as [Refutation.Run] returns it
	Events   int    // of a shortest history
}

// All are the refutations: of permission-based algorithms, then of those with a token.
var All = all()

func all() (all []Refutation) {
	for _, p := range catalog.Protocols {
		for _, v := range variant.Nodes {
			if v.Of == p.Name && v.Requests != nil {
				all = append(all, Refutation{
					Protocol: v.Name, Rule: v.Rule, Quorums: quorums[v.Name], Links: links[v.Name],
					Requests: v.Requests, Withdrawals: v.Withdrawals, Violates: violations[v.Refuted], Events: v.Events,
				})
			}
		}
		if r, fails := faulty[p.Name]; fails {
			r.Protocol = p.Name
			all = append(all, r)
		}
	}
	return all
}

// faulty are algorithms that are right, where a fault happens that they do not tolerate.
var faulty = map[string]Refutation{
	"lamport": {
		Rule:     "messages of a link overtake each other",
		Requests: []int{1, 1}, Unordered: true, Violates: Exclusion, Events: 4,
	},
	"ricartagrawala": {
		Rule:     "a node crashes that has not answered",
		Requests: []int{1, 0}, Crashes: 1, Violates: Deadlock, Events: 2,
	},
	"huntedring": {
		Rule:     "messages of a link overtake each other",
		Requests: []int{0, 1, 1}, Unordered: true, Violates: Deadlock, Events: 8,
	},
}

// allAsk0 are quorums of node 0 only.
var allAsk0 = [][]messaging.ID{{0}, {0}, {0}}

// Some variants fail with other quorums or links than those of the catalog.
var (
	quorums = map[string][][]messaging.ID{"caosinghal/eager": allAsk0, "caosinghal/early-release": allAsk0}
	links   = map[string]topology.Graph{"snepscheut/unstamped": {{1, 2}, {0, 2, 3}, {0, 1}, {1}}}
)

// What a Refutation violates.
const (
	Exclusion = "mutual exclusion"
	Deadlock  = "deadlock-free"
	Refusal   = "a node gets an impossible message"
)

var violations = map[variant.Property]string{variant.Exclusion: Exclusion, variant.Progress: Deadlock, variant.Contract: Refusal}

// Of returns the refutation of a wrong variant, and whether there is one.
func Of(variant string) (Refutation, bool) {
	k := slices.IndexFunc(All, func(r Refutation) bool { return r.Protocol == variant && strings.Contains(variant, "/") })
	if k < 0 {
		return Refutation{}, false
	}
	return All[k], true
}

// Algorithm returns the algorithm with its quorums or links.
func (r Refutation) Algorithm() (messaging.Algorithm, error) {
	p, ok := catalog.FindProtocol(r.Protocol)
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no protocol %s", r.Protocol)
	case p.Lacking() != nil:
		return nil, p.Lacking()
	case r.Quorums != nil:
		return p.Given(r.Quorums, nil)
	case r.Links != nil:
		return p.Over(r.Links)
	}
	return p.New(len(r.Requests)), nil
}

// Run checks the instance, and returns what it violates, with a shortest history; "" if
// nothing fails.
func (r Refutation) Run() (violates string, h *explore.History, err error) {
	a, err := r.Algorithm()
	if err != nil {
		return "", nil, err
	}
	found, err := explore.CheckNodes(explore.NodesConfig{
		New: a, Name: r.Protocol, Nodes: len(r.Requests), Requests: r.Requests,
		Withdrawals: r.Withdrawals, Crashes: r.Crashes, Unordered: r.Unordered,
	})
	switch {
	case err != nil:
		return "", nil, err
	case found.NoPanic.History != nil:
		violates, h = Refusal, found.NoPanic.History
	case found.MutualExclusion.History != nil:
		violates, h = Exclusion, found.MutualExclusion.History
	case found.DeadlockFree.History != nil:
		violates, h = Deadlock, found.DeadlockFree.History
	default:
		return "", nil, found.Err()
	}
	h.Scenario = r.Scenario(h.Scenario)
	return violates, h, nil
}

// Sets describes the quorums or links; "" if they are those of the catalog.
func (r Refutation) Sets() string {
	var all []string
	for _, q := range r.Quorums {
		all = append(all, "{"+strings.Trim(fmt.Sprint(q), "[]")+"}")
	}
	for i, neighbors := range r.Links {
		for _, j := range neighbors {
			if messaging.ID(i) < j {
				all = append(all, fmt.Sprintf("%d-%d", i, j))
			}
		}
	}
	switch {
	case r.Quorums != nil:
		return "quorums " + strings.Join(all, " ")
	case r.Links != nil:
		return "links " + strings.Join(all, " ")
	}
	return ""
}

// Scenario adds the quorums or links to a scenario of the protocol.
func (r Refutation) Scenario(line string) string {
	var sets strings.Builder
	write := func(directive string, all [][]messaging.ID) {
		for i, set := range all {
			fmt.Fprintf(&sets, "; %s S%d =", directive, i+1)
			for _, j := range set {
				fmt.Fprintf(&sets, " S%d", j+1)
			}
		}
	}
	write("set", r.Quorums)
	write("links", r.Links)
	algorithm := "; algorithm " + r.Protocol
	return strings.Replace(line, algorithm, algorithm+sets.String(), 1)
}
