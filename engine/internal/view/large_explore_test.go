//go:build doorway_explore

package view_test

import (
	"slices"
	"testing"
)

// More than a million states.
func TestExploredLarge(t *testing.T) {
	explored(t, []*model{
		{name: "two", lease: 2, members: 2},
		{name: "three, a crash", lease: 2, members: 3, atomic: true, faults: 1},
		{name: "two, lossy, a crash", lease: 2, members: 2, lossy: true, faults: 1},
		{name: "two, one joins", lease: 2, members: 2, joins: 1, atomic: true},
		{name: "two, one leaves, a crash", lease: 2, members: 2, leaves: 1, faults: 1},
		{name: "one joins, one leaves, a crash, in time", lease: 3, members: 1, joins: 1, leaves: 1, faults: 1, atomic: true, calm: true},
		{name: "drift, a crash, in time", lease: 4, drift: 1, grace: 1, members: 2, faults: 1, atomic: true, calm: true},
		{name: "swaps take time, in time", lease: 3, members: 2, calm: true},
	})
}

// With the nodes of every protocol.
func TestEachNode(t *testing.T) {
	explored(t, slices.Concat(withEach(t, nodes), withEach(t, wild)))
}

// A fence is as good when the store forgets, if no two views have the same epoch or it tells guards apart; and whatever
// clocks do.
func TestFenceLarge(t *testing.T) {
	explored(t, []*model{
		{name: "forgets a renewal", lease: 1, members: 2, atomic: true, fence: byTokens, forgets: aRenewal},
		{name: "forgets a view", lease: 1, members: 2, atomic: true, fence: byTokens, forgets: aView},
		{name: "forgets all", lease: 1, members: 1, joins: 1, atomic: true, fence: byTokens, forgets: all},
		{name: "forgets a view, epochs again", lease: 1, members: 2, atomic: true, fence: byGuards, forgets: aView, reuses: true},
		{name: "forgets all, epochs again", lease: 1, members: 1, joins: 1, atomic: true, fence: byGuards, forgets: all, reuses: true},
		{name: "wild, a crash", lease: 1, members: 2, faults: 1, atomic: true, fence: byTokens, wild: true},
	})
}

func TestEpochsUsedAgainLarge(t *testing.T) {
	found(t, map[*model]int{{name: "a view", lease: 1, members: 2, atomic: true, fence: byTokens, forgets: aView, reuses: true}: 11})
}
