package majority_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/majority"
)

// asked returns the nodes that one has asked, itself not among them, in that order.
func asked(s *host.Site) []messaging.ID {
	var all []messaging.ID
	for _, m := range s.Sends {
		if messaging.Kind(m.Message) == "REQUEST" {
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
			s := host.NewSite(majority.NewChoosing, messaging.Start{Self: 1, Nodes: 5}, choose)
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
