package proof

import (
	"fmt"
	"slices"
	"strings"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Refutation is the smallest instance in which a message-passing algorithm fails. If no messages
// overtake each other and no node crashes, its algorithm is a wrong variant of the catalog.
type Refutation struct {
	Protocol string // its name in the catalog
	Rule     string // what is wrong
	Given    string // the quorums or links, as directives of a scenario; "": those of the catalog

	Requests    []int // by node
	Withdrawals int
	Crashes     int
	Unordered   bool

	Violates variant.Property
	Events   int // of a shortest history
}

// Refutations are those of permission-based algorithms, then of those with a token.
var Refutations = refutations()

func refutations() (all []Refutation) {
	for _, p := range catalog.Protocols {
		for _, v := range variant.Nodes {
			if v.Of == p.Name && v.Requests != nil {
				all = append(all, Refutation{
					Protocol: v.Name, Rule: v.Rule, Given: v.Given,
					Requests: v.Requests, Withdrawals: v.Withdrawals, Violates: v.Refuted, Events: v.Events,
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
		Requests: []int{1, 1}, Unordered: true, Violates: variant.Exclusion, Events: 4,
	},
	"ricartagrawala": {
		Rule:     "a node crashes that has not answered",
		Requests: []int{1, 0}, Crashes: 1, Violates: variant.Progress, Events: 2,
	},
	"huntedring": {
		Rule:     "messages of a link overtake each other",
		Requests: []int{0, 1, 1}, Unordered: true, Violates: variant.Progress, Events: 8,
	},
}

// RefutationOf returns the refutation of a wrong variant, and whether there is one.
func RefutationOf(variant string) (Refutation, bool) {
	k := slices.IndexFunc(Refutations, func(r Refutation) bool { return r.Protocol == variant && strings.Contains(variant, "/") })
	if k < 0 {
		return Refutation{}, false
	}
	return Refutations[k], true
}

// Algorithm returns the algorithm with its quorums or links.
func (r Refutation) Algorithm() (a messaging.Algorithm, err error) {
	if r.Given == "" {
		return named.Protocol(r.Protocol, len(r.Requests))
	}
	line := fmt.Sprintf("nodes %d; algorithm %s; at 0 S1 asks", len(r.Requests), r.Protocol)
	s, err := sim.ReadScenario(r.Protocol, strings.NewReader(r.Scenario(line)))
	if err != nil {
		return nil, err
	}
	_, err = s.Start(func(setting sim.Setting) (messaging.Algorithm, error) {
		a, err = named.Scenario(setting)
		return a, err
	})
	return a, err
}

// Scenario adds the quorums or links to a scenario of the protocol.
func (r Refutation) Scenario(line string) string {
	if r.Given == "" {
		return line
	}
	algorithm := "; algorithm " + r.Protocol
	return strings.Replace(line, algorithm, algorithm+"; "+r.Given, 1)
}
