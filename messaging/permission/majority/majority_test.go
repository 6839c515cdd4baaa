package majority_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/sim"
)

// asked returns the nodes that one has asked, itself not among them, in that order.
func asked(s *messaging.Site) []messaging.ID {
	var all []messaging.ID
	for _, m := range s.Sends {
		if _, ok := m.Message.(maekawa.Request); ok {
			all = append(all, m.To)
		}
	}
	return all
}

// Node 1 of five chooses one of four and one of three: each of its six majorities
// comes of two choices.
func TestEveryMajorityIsChosenEquallyOften(t *testing.T) {
	times := map[string]int{}
	for first := range 4 {
		for second := range 3 {
			choices, of := []int{first, second}, []int{4, 3}
			choose := func(n int) int {
				assert.Equal(t, of[0], n, "how many it chooses among")
				c := choices[0]
				choices, of = choices[1:], of[1:]
				return c
			}
			s := messaging.NewSite(majority.NewChoosing, messaging.Start{Self: 1, Nodes: 5}, choose)
			s.Request()
			all := asked(s)
			if len(all) != 2 || slices.Contains(all, 1) || !slices.IsSorted(all) {
				t.Errorf("choices %d, %d: asks %v", first, second, all)
			}
			times[fmt.Sprint(all)]++
		}
	}
	for set, n := range times {
		assert.Equal(t, 2, n, "times of 12 that %s is chosen", set)
	}
	assert.Len(t, times, 6, "majorities")
}

// Two of five have crashed, and no node is told. Node 0 always asks 1 and 2, which are live; but 1
// asks 3, and 2 asks both crashed nodes. A node that chooses eventually finds a majority.
func TestWithoutTheDead(t *testing.T) {
	for a, all := range map[*messaging.Protocol]bool{&majority.Protocol: false, &majority.Choosing: true} {
		algorithm, err := a.New(5)
		require.NoError(t, err)
		var again sim.Script
		for k := range 300 {
			again = append(again, sim.Request{Node: messaging.ID(k % 3), At: time.Duration(20*k) * sim.T, GiveUp: time.Duration(20*k+10) * sim.T})
		}
		r, err := sim.Run(sim.Config{Algorithm: algorithm, Nodes: 5, Load: again, Crashes: []sim.Crash{{Node: 3}, {Node: 4}}})
		require.NoError(t, err)
		for i, entries := range r.EntriesOf[:3] {
			assert.Equal(t, all || i == 0, entries > 0, "%s: node %d has %d entries", a.Name, i, entries)
		}
	}
}
