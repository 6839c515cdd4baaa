package nodetest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// repeats requires that a failure of a is repeated from its scenario: the same failure, at
// the same nodes.
func repeats(t *testing.T, a messaging.Algorithm, failure error) {
	t.Helper()
	text := nodetest.Scenario(failure)
	require.NotEmpty(t, text, "%v", failure)
	assert.True(t, strings.HasSuffix(failure.Error(), "\nscenario: "+text) || len(text) > 2000)
	s, err := sim.ReadScenario("failure", strings.NewReader(text))
	require.NoError(t, err)
	r, err := s.Start(func(sim.Setting) (messaging.Algorithm, error) { return a, nil })
	require.NoError(t, err, text)
	if kind := sim.Failure(failure); kind != "endless" && kind != "fencing" {
		assert.Equal(t, kind, sim.Failure(r.Err()), text)
	}
	inside := 0
	for _, e := range r.Events() {
		if e.Action == "entered" {
			inside++
		}
	}
	if entered := len(anEntry.FindAllString(failure.Error(), -1)); !strings.Contains(failure.Error(), "\n...") && !strings.Contains(failure.Error(), " enters for the request it gave up") {
		assert.Equal(t, entered, inside, failure.Error())
	}
}

var anEntry = regexp.MustCompile(`(?m)^S\d+ enters$`)

// Every failure that random schedules find of random algorithms is repeated from its
// scenario.
func TestScenarios(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(tier.Pick(60, 150)) {
		a := random(seed, anything)
		if seed%2 == 0 {
			a = random(seed, question)
		}
		for k := range uint64(4) {
			err := nodetest.Run(a, nodetest.Config{Nodes: 2, Entries: int(1 + k%2), Seed: k, Unordered: seed%4 < 2, Withdraw: float64(k%3) / 4, Steps: 300})
			if err == nil {
				continue
			}
			found[sim.Failure(err)]++
			repeats(t, a, err)
		}
	}
	t.Log(found)
	assert.Greater(t, found["deadlock"], 20)
	assert.Greater(t, found["exclusion"], 20)
}

// A node that sends to itself forever is an event without end in the scenario, too.
func TestEndlessScenario(t *testing.T) {
	err := nodetest.Run(of[restless], nodetest.Config{Nodes: 1})
	repeats(t, of[restless], err)
}

// An invalid config has no scenario.
func TestNoScenario(t *testing.T) {
	assert.Empty(t, nodetest.Scenario(nodetest.Run(of[arbiter], nodetest.Config{})))
	assert.Empty(t, nodetest.Scenario(nil))
}
