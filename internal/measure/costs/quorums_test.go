package costs_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// The table of quorum systems and crashes in docs/which-algorithm.md is what is computed: every set of
// crashed nodes, and every request of which one arbiter has crashed.
func TestQuorumsAndCrashes(t *testing.T) {
	var b strings.Builder
	b.WriteString("| quorums | members | after crashes, at most | crashes, any | crashes, at best | messages, low load | of an entry that moves |\n")
	b.WriteString("| --- |" + strings.Repeat(" ---: |", 6) + "\n")
	for _, c := range []struct {
		build func(int) (quorum.System, error)
		nodes int
	}{
		{quorum.Plane, 7},
		{quorum.Plane, 13},
		{quorum.Folded, 15},
		{quorum.Grid, 9},
		{quorum.Grid, 16},
		{quorum.Majority, 7},
		{quorum.Majority, 15},
		{quorum.Tree, 7},
		{quorum.Tree, 15},
	} {
		s, err := c.build(c.nodes)
		require.NoError(t, err)
		largest, anyone, best := afterCrashes(s)
		alone, moved := entries(t, s)
		size := s.Properties().Size
		members := fmt.Sprint(size.Least)
		if size.Most > size.Least {
			members += fmt.Sprintf(" to %d", size.Most)
		}
		fmt.Fprintf(&b, "| %v | %s | %d | %d | %d | %.4g | %.4g |\n", s, members, largest, anyone, best, alone, moved)
	}
	page.Generated(t, "../../../docs/which-algorithm.md", "quorums", "go test ./internal/measure/costs -update", b.String())
}

// afterCrashes returns the size of the largest quorum without crashed nodes, and how many may have
// crashed: whichever they are, and if they are the right ones.
func afterCrashes(s quorum.System) (largest, anyone, best int) {
	anyone = s.Nodes()
	for down := range uint64(1) << s.Nodes() {
		members, ok := s.Without(0, messaging.Set{down})
		if n := bits.OnesCount64(down); ok {
			largest, best = max(largest, len(members)), max(best, n)
		} else {
			anyone = min(anyone, n-1)
		}
	}
	return largest, anyone, best
}

// entries returns the mean number of messages of an entry that nothing contends for, and of one
// of which an arbiter, another node, has crashed. That one enters 2T after its node is told.
func entries(t *testing.T, s quorum.System) (alone, moved float64) {
	t.Helper()
	const told = 3 * sim.T
	runs := 0
	for i := range messaging.ID(s.Nodes()) {
		c := sim.Config{Algorithm: maekawa.New(s), Nodes: s.Nodes(), Load: sim.Script{{Node: i}}, Detection: sim.Constant(told)}
		r, err := sim.Run(c)
		require.NoError(t, err)
		alone += float64(r.Messages) / float64(s.Nodes())
		for _, q := range s.Of(i) {
			if q == i {
				continue
			}
			c.Crashes = []sim.Crash{{Node: q}}
			r, err := sim.Run(c)
			require.NoError(t, err)
			assert.Equal(t, 1, r.Entries)
			assert.Equal(t, told+2*sim.T, r.Waiting.Sum, "%v: node %d waits, and %d has crashed", s, i, q)
			moved += float64(r.Messages)
			runs++
		}
	}
	return alone, moved / float64(runs)
}

// A node that waits while another one crashes inside enters 2T after all are told, if it must ask
// another arbiter; T, if an arbiter gives it the lock that the other had; or at once, if that
// arbiter is the node itself.
func TestEntryAfterACrashInside(t *testing.T) {
	const crash, told = 20 * sim.T, 23 * sim.T
	for _, build := range []func(int) (quorum.System, error){quorum.Plane, quorum.Majority, quorum.Tree} {
		s, err := build(7)
		require.NoError(t, err)
		after := map[time.Duration]int{}
		for i := range messaging.ID(7) {
			for j := range messaging.ID(7) {
				if i == j {
					continue
				}
				r, err := sim.Run(sim.Config{
					Algorithm: maekawa.New(s), Nodes: 7, Load: sim.Script{{Node: i, Stay: 100 * sim.T}, {Node: j, At: 10 * sim.T}},
					Crashes: []sim.Crash{{Node: i, At: crash}}, Detection: sim.Constant(told - crash), Order: true,
				})
				require.NoError(t, err)
				require.Equal(t, 2, r.Entries, "%v: %d crashes inside, %d waits", s, i, j)
				after[r.Order[1].Entered-told]++
			}
		}
		assert.Equal(t, 42, after[0]+after[sim.T]+after[2*sim.T], "%v: times after all are told: %v", s, after)
		t.Log(s, after)
	}
}
