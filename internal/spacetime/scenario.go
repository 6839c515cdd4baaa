package spacetime

import (
	"fmt"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// OfScenario runs a scenario, and returns its run, from where the scenario shows it on. It returns the error of
// [sim.Scenario.Run]; that the algorithm fails is none.
func OfScenario(s *sim.Scenario, lookup func(sim.Setting) (messaging.Algorithm, error)) (*Run, error) {
	r := &Run{From: s.From}
	s.Observe = r.Observe
	var output strings.Builder
	_, err := s.Run(&output, func(setting sim.Setting) (messaging.Algorithm, error) {
		a, err := lookup(setting)
		if err != nil || r.Nodes > 0 {
			return a, err
		}
		r.Title, r.Nodes = fmt.Sprintf("%s, %d nodes", setting.Algorithm, setting.Nodes), setting.Nodes
		return r.Watch(a), nil
	})
	r.Settle()
	if _, failure, fails := strings.Cut("\n"+output.String(), "\nfails at "); fails {
		r.Failure = "fails at " + strings.TrimSpace(failure)
	}
	return r, err
}
