package main

import (
	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// lookup returns the function that looks up the algorithm of s. Its invariant is held in the
// run.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		p, _ := internal.FindProtocol(setting.Algorithm)
		s.Invariant, s.Kinds = p.Invariant, p.Kinds
		return catalog.Scenario(setting)
	}
}
