//go:build doorway_explore

package view_test

import "testing"

// More than a million states.
func TestExploredLarge(t *testing.T) {
	explored(t, []*model{
		{name: "three, a crash", lease: 2, members: 3, atomic: true, faults: 1},
		{name: "two, lossy, a crash", lease: 2, members: 2, lossy: true, faults: 1},
		{name: "two, one joins", lease: 2, members: 2, joins: 1, atomic: true},
		{name: "two, one leaves, a crash", lease: 2, members: 2, leaves: 1, faults: 1},
		{name: "one joins, one leaves, a crash, in time", lease: 3, members: 1, joins: 1, leaves: 1, faults: 1, atomic: true, calm: true},
		{name: "drift, a crash, in time", lease: 4, drift: 1, grace: 1, members: 2, faults: 1, atomic: true, calm: true},
		{name: "swaps take time, in time", lease: 3, members: 2, calm: true},
	})
}
