package lecture_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// Reiser 2002, slide 5.13, prints n = p^n(p^n+1)+1, where the n on the left is not
// that on the right. For prime powers there are sets, and N = K(K-1)+1 (Prabhakaran,
// slide 17); for 6 and 10, which are none, there are not, and the conditions "must be loosened":
// Maekawa's algorithm still guarantees mutual exclusion then.
func TestReiser5_13PrimePowers(t *testing.T) {
	for k, prime := range map[int]bool{2: true, 3: true, 4: true, 5: true, 6: false, 7: true, 8: true, 9: true, 10: false} {
		n := k*(k+1) + 1
		_, err := quorum.Plane(n)
		assert.Equal(t, prime, err == nil, "order %d, %d nodes: %v", k, n, err)
		s := system(t, quorum.New, n)
		p := s.Properties()
		assert.Equal(t, prime, p.Balanced && p.Perfect && p.Size.Most == k+1, "order %d, %d nodes: the best sets have\n%v", k, n, p)
		run(t, sim.Config{Algorithm: maekawa.New(s), Nodes: n, Load: sim.HighLoad{}, Entries: 2 * n, Latency: sim.Exponential(T)})
	}
}

// Reiser 2002, slide 5.14: in a square grid a quorum has 2√N-1 members, and quorums
// have two in common "as a rule". The rule has exceptions: quorums of the same row
// or column have √N in common, which is 2(√N-1) of the N-1 others.
func TestReiser5_14Grid(t *testing.T) {
	for root := 2; root <= 10; root++ {
		n := root * root
		s := system(t, quorum.Grid, n)
		pairs, two := 0, 0
		for i := range messaging.ID(n) {
			assert.Len(t, s.Of(i), 2*root-1, "%d nodes: quorum %d", n, i)
			for _, j := range without(n, i) {
				pairs++
				common := 0
				for _, k := range s.Of(i) {
					if slices.Contains(s.Of(j), k) {
						common++
					}
				}
				if aligned := int(i)/root == int(j)/root || int(i)%root == int(j)%root; aligned {
					if common != root {
						t.Errorf("%d nodes: quorums %d and %d have %d in common, want %d", n, i, j, common, root)
					}
				} else if two++; common != 2 {
					t.Errorf("%d nodes: quorums %d and %d have %d in common, want 2", n, i, j, common)
				}
			}
		}
		assert.Equal(t, n*(n-1-2*(root-1)), two, "%d nodes: pairs of %d that follow the rule", n, pairs)
	}
}

// HAW Hamburg, slide 23: "a simple majority will do" — so the others may have
// crashed. With a new majority after each withdrawal, the remaining nodes enter as
// long as less than half have crashed, and none of these has a vote of a live node
// or has asked for one. If more have crashed, no node enters.
func TestHAW23MajorityToleratesMinority(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 4, 5, 7} {
		for dead := range n {
			want := 10 * n
			if dead > (n-1)/2 {
				want = 0
			}
			for seed := range tier.Pick[uint64](2, 20) {
				c := sim.Config{
					Algorithm: majority.NewChoosing, Nodes: n, Load: sim.HighLoad{Users: all(n)[dead:]}, Entries: 10 * n, Seed: seed,
					GiveUp: 1, GiveUpAfter: sim.Uniform(10*T, 30*T*time.Duration(n)), Until: 100_000 * T,
				}
				for i := range messaging.ID(dead) {
					c.Crashes = append(c.Crashes, sim.Crash{Node: i})
				}
				assert.Equal(t, want, run(t, c).Entries, "%d of %d nodes have crashed: entries", dead, n)
			}
		}
	}
}

// Reiser 2002, slide 5.18: the 13 sets of the example, which are a projective plane.
// The scenario maekawa has its circle of three, 7, 8 and 11, which takes 32 messages to resolve:
// slides 5.18 to 5.22 have lost the pictures, so that the nodes that ask there are what fits the
// slides' text.
func TestReiser5_18Sets(t *testing.T) {
	assert.True(t, catalog.Reiser13.Properties().Perfect, "the sets have\n%v", catalog.Reiser13.Properties())
}
