package proof

import (
	"fmt"
	"strings"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Refutation is a message-passing algorithm that fails, with the smallest instance in which it does.
type Refutation struct{ variant.Variant }

// RefutationOf returns the refutation of a wrong variant of nodes, and whether there is one.
func RefutationOf(name string) (r Refutation, ok bool) {
	if p, _ := catalog.FindProtocol(name); p.Broken != nil {
		return Refutation{*p.Broken}, true
	}
	return r, false
}

// Algorithm returns the algorithm with its quorums or links.
func (r Refutation) Algorithm() (a messaging.Algorithm, err error) {
	if r.Given == "" {
		return named.Protocol(r.Name, len(r.Requests))
	}
	line := fmt.Sprintf("nodes %d; algorithm %s; at 0 S1 asks", len(r.Requests), r.Name)
	s, err := sim.ReadScenario(r.Name, strings.NewReader(r.Scenario(line)))
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
	algorithm := "; algorithm " + r.Name
	return strings.Replace(line, algorithm, algorithm+"; "+r.Given, 1)
}
