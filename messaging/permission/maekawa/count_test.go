package maekawa_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/lecture"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// Three that ask at once each get a lock that the next one needs. It is built on
// the quorums of Reiser 2002, slides 5.18 to 5.22, whose nodes 7, 8 and 11 are 6,
// 7 and 10 here: each two of them share one member, and there the request of the
// older is slow.
func TestThreeWayConflict(t *testing.T) {
	n := newNetwork(maekawa.New(lecture.Reiser()), 13, 10)
	n.delay = func(from, to messaging.ID, m messaging.Message) int {
		slow := map[messaging.ID]messaging.ID{6: 12, 7: 9, 10: 0}
		if _, ok := m.(maekawa.Request); ok && slow[from] == to {
			return 3
		}
		return 1
	}
	for _, i := range []messaging.ID{6, 7, 10} {
		n.request(0, i)
	}
	const want = "map[maekawa.Failed:2 maekawa.Inquire:1 maekawa.Locked:10 maekawa.Release:9 maekawa.Relinquish:1 maekawa.Request:9]"
	assert.Equal(t, want, n.run())
	assert.Equal(t, "[{6 6 16} {7 18 28} {10 30 40}]", fmt.Sprint(n.visit), "entries")
}

// A node that is not in its own quorum asks one node more.
func TestMessagesOfStranger(t *testing.T) {
	s, err := quorum.Sets([][]messaging.ID{{1, 2}, {0, 2}, {0, 1}})
	require.NoError(t, err)
	n := newNetwork(maekawa.New(s), 3, 1)
	n.request(0, 0)
	assert.Equal(t, "map[maekawa.Locked:2 maekawa.Release:2 maekawa.Request:2]", n.run())
}

// Any two of seven nodes share one member. The second asks while the first is inside.
func TestSynchronisationDelay(t *testing.T) {
	s := system(t, quorum.Plane, 7)
	for i := range messaging.ID(7) {
		for j := range messaging.ID(7) {
			if i == j {
				continue
			}
			n := newNetwork(maekawa.New(s), 7, 10)
			n.request(0, i)
			n.request(3, j)
			n.run()
			want := 2
			if between := shared(s.Of(i), s.Of(j)); between == i || between == j {
				want = 1
			}
			assert.Equal(t, want, n.visit[1].entry-n.visit[0].exit, "the time from the exit of %d to the entry of %d", i, j)
		}
	}
}

func shared(a, b []messaging.ID) messaging.ID {
	for _, x := range a {
		if slices.Contains(b, x) {
			return x
		}
	}
	panic("no member in common")
}

// In all schedules there is one Locked for each entry and other member of the
// quorum, and one for each Relinquish. On average an entry takes at most 5(K-1)
// messages, but single ones take more.
func TestMessagesOfConflicts(t *testing.T) {
	for _, s := range []quorum.System{
		system(t, quorum.Plane, 3), system(t, quorum.Plane, 7), system(t, quorum.Plane, 13), system(t, quorum.Grid, 9),
	} {
		k := s.Properties().Size.Most
		worst := 0
		for seed := range uint64(100) {
			of := map[any]int{} // messages by request, the first field of each kind
			r, err := sim.Run(sim.Config{
				Algorithm: maekawa.New(s), Nodes: s.Nodes(), Load: sim.HighLoad{}, Entries: 3 * s.Nodes(), Latency: sim.Exponential(sim.T),
				Seed: seed, Unordered: seed%2 == 0,
				Observe: func(e messaging.Event) {
					if e.Action == "sent" {
						of[reflect.ValueOf(e.Message).Field(0).Interface()]++
					}
				},
			})
			require.NoError(t, err)
			assert.Equal(t, (k-1)*r.Entries+r.Kinds["RELINQUISH"], r.Kinds["LOCKED"], "%v, seed %d: times Locked", s, seed)
			assert.LessOrEqual(t, r.Messages, 5*(k-1)*r.Entries, "%v, seed %d: messages for %d entries", s, seed, r.Entries)
			for _, n := range of {
				worst = max(worst, n)
			}
		}
		if s.Nodes() == 13 {
			assert.Greater(t, worst, 5*(k-1), "%v: the most messages to an entry", s)
		}
	}
}
