//go:build doorway_explore

package caosinghal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/quorum"
)

var eager, _ = catalog.FindProtocol("caosinghal/eager")

// TestEager: random schedules over FIFO links find two nodes inside, with three
// nodes that all ask one, and in planes.
func TestEager(t *testing.T) {
	for _, s := range []quorum.System{
		system(t, central, 3), system(t, quorum.Plane, 7), system(t, quorum.Plane, 13),
	} {
		assert.True(t, refuted(eager.With(s), s.Nodes()), "%v: no schedule has two inside", s)
	}
}

func refuted(a messaging.Algorithm, nodes int) bool {
	for seed := range uint64(2000) {
		err := nodetest.Run(a, nodetest.Config{Nodes: nodes, Seed: seed})
		if nodetest.Failure(err) == "exclusion" {
			return true
		}
	}
	return false
}

func TestInquiryBeforeLockedEager(t *testing.T) {
	n := inquiredBeforeLocked(t, eager.With)
	n.deliver("Yield 2 0", "Locked 0 1", "Locked 1 2")
	n.wantPhases(idle, inside, inside)
}
