//go:build doorway_explore

package register

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// dear are the scenarios of more than a hundred thousand states.
var dear = []string{
	"word: two waiters and two fetch-and-adds", "word: two go round and meet",
	"gate: opened, closed and opened", "gate: two take a lock twice and give way",
	"relay: two and a lock, twice", "relay: one waits elsewhere, at a word",
	"relay: one waits elsewhere, and gives up", "relay: one stands behind the baton, and gives up",
}

// No process sleeps forever, in any interleaving: nor in a crowd, where no process that
// awaits a word yields before it parks.
func TestNoWakeUpIsLost(t *testing.T) {
	for _, s := range scenarios {
		for _, crowd := range []bool{false, true} {
			if crowd && !strings.HasPrefix(s.name, "word: ") {
				continue
			}
			t.Run(fmt.Sprintf("%s/crowd=%t", s.name, crowd), func(t *testing.T) {
				if slices.Contains(dear, s.name) {
					tier.NeedsFull(t, "runs for seconds")
				}
				in := scenario(s.n, s.threads)
				if crowd {
					in.World.(*memory).ps.of[0].lot.crowd = 0
				}
				interleave.Check(t, in)
			})
		}
	}
}

// Every scenario with every single operation as a step and without merging states,
// where the number of states allows it.
func TestNoWakeUpIsLostInTheSmallestSteps(t *testing.T) {
	done := 0
	for _, s := range scenarios {
		fine := scenario(s.n, s.threads)
		fine.Fine, fine.Limit = true, tier.Pick(4_000, 100_000)
		switch r := interleave.Explore(fine); {
		case r.Whole:
			done++
		case r.Trace != nil:
			t.Errorf("%s: %s\n%v", s.name, r.Failure, r.Trace)
		}
	}
	t.Logf("%d scenarios of %d", done, len(scenarios))
	assert.GreaterOrEqual(t, done, len(scenarios)/tier.Pick(6, 3), "scenarios explored in full")
}

// The contract of a relay is necessary: a process that aborts without Pass leaves
// another asleep.
func TestWhoGivesUpMustPass(t *testing.T) {
	r := interleave.Explore(scenario(3, func(m *memory) threads {
		return append(waitElsewhere(m, func(m *memory, i int, _ func(*Process)) interleave.Thread {
			return aborter(m, i, func(p *Process) bool {
				return AwaitEitherRelay(p, &m.relay[0], equals(1), &m.relay[2], never) &&
					AwaitEitherRelay(p, &m.relay[1], equals(1), &m.relay[2], never)
			}, func() { m.ps.of[i].Pass() })
		}), canceller(m))
	}))
	assert.Equal(t, "process 1 sleeps forever", r.Failure, r.Trace)
}

const changes = "testdata/changes.txt"

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBrokenVariantsLoseWakeUps(t *testing.T) {
	variants.Check(t, "parking_scenarios_explore_test.go", variants.Read(t, changes))
}

// docs/checker.md has the numbers of scenarios and changes.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/checker.md")
	require.NoError(t, err)
	all, right := variants.Read(t, changes), 0
	for _, c := range all {
		if c.Right != "" {
			right++
		}
	}
	want := fmt.Sprintf("%d scenarios of threads that wait, store and abort, and %d changes to the source: %d lose", len(scenarios), len(all), len(all)-right)
	assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), want)
}
