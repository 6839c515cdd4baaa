package main

import (
	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// lookup returns the function that looks up the algorithm of s. Its invariant is held in the
// run, and so is what is right of its results.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		p, _ := internal.FindProtocol(setting.Algorithm)
		s.Invariant, s.Kinds = p.Invariant, p.Kinds
		if system, is := internal.FindSystem(setting.Algorithm); is {
			s.Invariant, s.Kinds, s.Results = system.Protocol.Invariant, system.Protocol.Kinds, system.Protocol.Results
		}
		return catalog.Scenario(setting)
	}
}
