// Package refutation has an instance for each wrong rule of a message-passing algorithm: the
// smallest that fails. It makes the table of docs/checker.md, and the histories in testdata.
package refutation

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
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
var All = []Refutation{
	{
		Protocol: "lamport", Rule: "messages of a link overtake each other",
		Requests: []int{1, 1}, Unordered: true, Violates: Exclusion, Events: 4,
	},
	{
		Protocol: "ricartagrawala/no-tie-break", Rule: "of requests with equal times none is older, and each node replies",
		Requests: []int{1, 1}, Violates: Exclusion, Events: 6,
	},
	{
		Protocol: "ricartagrawala/deferred-ties", Rule: "of requests with equal times none is older, and each node defers its reply",
		Requests: []int{1, 1}, Violates: Deadlock, Events: 4,
	},
	{
		Protocol: "ricartagrawala/unnamed-replies", Rule: "replies name no request, and requests are withdrawn",
		Requests: []int{2, 1}, Withdrawals: 1, Violates: Exclusion, Events: 8,
	},
	{
		Protocol: "ricartagrawala", Rule: "a node crashes that has not answered",
		Requests: []int{1, 0}, Crashes: 1, Violates: Deadlock, Events: 2,
	},
	{
		Protocol: "roucairolcarvalho/naive", Rule: "a reply to a withdrawn request is kept as a permission",
		Requests: []int{2, 1}, Withdrawals: 1, Violates: Exclusion, Events: 8,
	},
	{
		Protocol: "maekawa/no-deadlock-handling", Rule: "an arbiter whose lock is taken sends nothing",
		Requests: []int{1, 1}, Violates: Deadlock, Events: 4,
	},
	{
		Protocol: "maekawa/late-failed", Rule: "a request that an older one displaces from the head of the queue gets no FAILED",
		Requests: []int{1, 1, 1, 0}, Violates: Deadlock, Events: 13,
	},
	{
		Protocol: "maekawa/lock-only", Rule: "a request is compared with the one that has the lock, and not with those that wait",
		Requests: []int{1, 1, 1, 0}, Violates: Deadlock, Events: 13,
	},
	{
		Protocol: "sanders/printed", Rule: "there is no FAILED, INQUIRE or RELINQUISH",
		Requests: []int{1, 1}, Violates: Deadlock, Events: 4,
	},
	{
		Protocol: "caosinghal/eager", Rule: "an INQUIRE is answered before the lock has arrived",
		Quorums: allAsk0, Requests: []int{0, 2, 2}, Violates: Exclusion, Events: 20,
	},
	{
		Protocol: "caosinghal/early-release", Rule: "a RELEASE that arrives before the one that names its request is not kept",
		Quorums: allAsk0, Requests: []int{1, 1, 1}, Violates: Deadlock, Events: 13,
	},
	{
		Protocol: "huntedring", Rule: "messages of a link overtake each other",
		Requests: []int{0, 1, 1}, Unordered: true, Violates: Deadlock, Events: 8,
	},
	{
		Protocol: "suzukikasami/stale", Rule: "the token goes to whoever asks, although that request may be served",
		Requests: []int{1, 1, 1}, Violates: Refusal, Events: 15,
	},
	{
		Protocol: "raymond/still-asked", Rule: "a node that gets the token still counts as having asked",
		Requests: []int{1, 2}, Violates: Deadlock, Events: 9,
	},
	{
		Protocol: "snepscheut/unstamped", Rule: "an INVERT turns a link, however late it arrives",
		Links: topology.Graph{{1, 2}, {0, 2, 3}, {0, 1}, {1}}, Requests: []int{0, 1, 1, 1}, Violates: Deadlock, Events: 17,
	},
	{
		Protocol: "naimitrehel/next-kept", Rule: "the next node is kept when the token has been sent to it",
		Requests: []int{3, 2}, Violates: Exclusion, Events: 13,
	},
	{
		Protocol: "singhal/printed", Rule: "a request that is not new is ignored",
		Requests: []int{1, 1, 2}, Violates: Deadlock, Events: 15,
	},
}

// allAsk0 are quorums of node 0 only.
var allAsk0 = [][]messaging.ID{{0}, {0}, {0}}

// What a Refutation violates.
const (
	Exclusion = "mutual exclusion"
	Deadlock  = "deadlock-free"
	Refusal   = "a node gets an impossible message"
)

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
