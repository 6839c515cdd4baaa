package spacetime

import (
	"fmt"
	"regexp"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// choices is the line of a scenario whose events are chosen one by one.
var choices = regexp.MustCompile(`(?m)(^|;)\s*run\s`)

// OfScenario runs a scenario, and returns its run, from where the scenario shows it on. The
// title has the name, unless that is empty or the algorithm. OfScenario returns the error of
// [sim.Scenario.Run]; that the algorithm fails is none.
func OfScenario(name string, s *sim.Scenario, lookup func(sim.Setting) (messaging.Algorithm, error)) (*Run, error) {
	r := &Run{From: s.From}
	s.Observe = r.Observe
	var output strings.Builder
	_, err := s.Run(&output, func(setting sim.Setting) (messaging.Algorithm, error) {
		a, err := lookup(setting)
		if err != nil || r.Nodes > 0 { // it is run again, to know whether the holder matters
			return a, err
		}
		r.Title, r.Nodes = name+": "+setting.Algorithm, setting.Nodes
		if name == "" || name == setting.Algorithm {
			r.Title = fmt.Sprintf("%s, %d nodes", setting.Algorithm, setting.Nodes)
		}
		if choices.MatchString(s.Directives) {
			return r.meet(a), nil // nodes have handled more than an event when it is observed
		}
		return r.Watch(a), nil
	})
	r.Settle()
	if _, failure, fails := strings.Cut("\n"+output.String(), "\nfails at "); fails {
		r.Failure = "fails at " + strings.TrimSpace(failure)
	}
	return r, err
}
