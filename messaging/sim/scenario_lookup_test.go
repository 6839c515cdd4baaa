package sim_test

import (
	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// lookup knows the algorithms of the library.
var lookup = catalog.Scenario

// lookupFor knows what is right of their results, too, and their messages, for inputs.
func lookupFor(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		if system, is := internal.FindSystem(setting.Algorithm); is {
			s.Kinds, s.Results = system.Protocol.Kinds, system.Protocol.Results
		}
		return lookup(setting)
	}
}
