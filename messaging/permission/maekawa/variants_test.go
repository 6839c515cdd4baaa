//go:build doorway_explore

package maekawa_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
)

var (
	nodeadlockhandling, _ = catalog.FindProtocol("maekawa/no-deadlock-handling")
	latefailed, _         = catalog.FindProtocol("maekawa/late-failed")
	lockonly, _           = catalog.FindProtocol("maekawa/lock-only")
)

// staircase is the smallest system in which an older request displaces one from the
// head of the queue.
func staircase(int) (quorum.System, error) {
	return quorum.Sets([][]messaging.ID{{0, 1, 2}, {1, 2}, {2}})
}

// deadlocks returns the number of schedules with a deadlock. There must be no other
// failure.
func deadlocks(t *testing.T, a messaging.Algorithm, nodes, schedules int) int {
	t.Helper()
	stuck := 0
	for seed := range uint64(schedules) {
		err := nodetest.Run(a, nodetest.Config{Nodes: nodes, Seed: seed})
		if nodetest.Failure(err) == "deadlock" {
			stuck++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return stuck
}

func TestPrintedRulesDeadlock(t *testing.T) {
	for _, c := range []struct {
		name  string
		new   func(quorum.System) messaging.Algorithm
		build func(int) (quorum.System, error)
		nodes int
	}{
		{"without deadlock handling", nodeadlockhandling.With, all, 2},
		{"without deadlock handling", nodeadlockhandling.With, quorum.Plane, 3},
		{"without late failed", latefailed.With, staircase, 3},
		{"without late failed", latefailed.With, quorum.Majority, 4},
		{"without late failed", latefailed.With, quorum.Grid, 4},
		{"without late failed", latefailed.With, quorum.Plane, 7},
		{"comparing with lock only", lockonly.With, staircase, 3},
		{"comparing with lock only", lockonly.With, quorum.Majority, 4},
		{"comparing with lock only", lockonly.With, quorum.Grid, 4},
		{"comparing with lock only", lockonly.With, quorum.Plane, 7},
	} {
		s := system(t, c.build, c.nodes)
		schedules := tier.Pick(150, 400)
		stuck := deadlocks(t, c.new(s), c.nodes, schedules)
		t.Logf("%s, %v: %d deadlocks in %d schedules", c.name, s, stuck, schedules)
		assert.NotZero(t, stuck, "%s, %v: no deadlock in %d schedules", c.name, s, schedules)
		assert.Zero(t, deadlocks(t, maekawa.New(s), c.nodes, schedules), "corrected, %v: deadlocks in the same schedules", s)
	}
}

// With two requests, the second always gets a Failed or goes first; so no deadlock
// is found with two nodes, whatever their quorums, nor where each of three is in
// two quorums only, nor where each of three asks all.
func TestPrintedRulesHoldForTwo(t *testing.T) {
	sets := [][]messaging.ID{{0}, {1}, {0, 1}}
	systems := []quorum.System{system(t, quorum.Plane, 3), system(t, all, 3)}
	for _, a := range sets {
		for _, b := range sets {
			if s, err := quorum.Sets([][]messaging.ID{a, b}); err == nil {
				systems = append(systems, s)
			}
		}
	}
	for _, s := range systems {
		for _, a := range []func(quorum.System) messaging.Algorithm{
			latefailed.With, lockonly.With,
		} {
			assert.Zero(t, deadlocks(t, a(s), s.Nodes(), tier.Pick(150, 500)), "%v: deadlocks", s)
		}
	}
}

// The schedules in the comments of the variants. All ask at time 0.
func TestDeadlockSchedules(t *testing.T) {
	s := system(t, staircase, 3)
	for _, c := range []struct {
		name           string
		new            func(quorum.System) messaging.Algorithm
		slow0to2, stay int
		want           string
	}{
		{"without late failed", latefailed.With, 2, 5, "[0 1]"},
		{"without late failed, 0 before 1", latefailed.With, 1, 5, "[]"},
		{"comparing with lock only", lockonly.With, 2, 5, "[0 1]"},
		{"comparing with lock only, 0 before 1", lockonly.With, 1, 5, "[0 1]"},
		{"corrected", maekawa.New, 2, 5, "[]"},
		{"corrected, 0 before 1", maekawa.New, 1, 5, "[]"},
	} {
		n := newNetwork(c.new(s), 3, c.stay)
		n.delay = func(from, to messaging.ID, m messaging.Message) int {
			if fmt.Sprintf("%T", m) == "maekawa.Request" && from == 0 { // of whichever variant
				return map[messaging.ID]int{1: 10, 2: c.slow0to2}[to]
			}
			return 1
		}
		for i := range messaging.ID(3) {
			n.request(0, i)
		}
		n.run()
		assert.Equal(t, c.want, fmt.Sprint(n.waiting()), "%s: nodes that wait for good", c.name)
	}
}
