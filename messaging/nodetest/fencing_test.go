package nodetest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// A reckless node enters without asking.
type reckless struct{ Current uint64 }

func (n *reckless) Request(out messaging.Out) { out.Enter() }
func (n *reckless) Release(messaging.Out)     {}
func (n *reckless) Receive(from messaging.ID, m messaging.Message, _ messaging.Out) {
	messaging.Refuse("reckless", 0, from, m, "none is sent")
}

// An entry that does not follow from the one before it is found in a schedule in which no two
// nodes are inside.
func TestFencing(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(100) {
		err := nodetest.Run(func(messaging.Start) messaging.Node { return new(reckless) }, nodetest.Config{Nodes: 2, Entries: 2, Seed: seed})
		found[sim.Failure(err)]++
		if kind := sim.Failure(err); kind == "fencing" {
			assert.Regexp(t, `: S([12]) enters with token 0\.1 after S[12] with 0\.1\n`, err.Error())
			assert.Contains(t, err.Error(), "leaves")
		}
	}
	assert.Greater(t, found["fencing"], 10, "%v", found)
	assert.Greater(t, found["exclusion"], 10, "%v", found)
	assert.Equal(t, 100, found["fencing"]+found["exclusion"]+found[""], "%v", found)
}

// A dated node is one of an algorithm whose epochs go up with its entries, or down.
type dated struct {
	messaging.Exclusion
	Entries uint64
	up      bool
}

func (n *dated) Epoch() uint64 {
	if n.Entries++; n.up {
		return n.Entries
	}
	return 100 - n.Entries
}

// An epoch goes before a count.
func TestFencingOfEpochs(t *testing.T) {
	for _, up := range []bool{true, false} {
		a := func(s messaging.Start) messaging.Node {
			return &dated{Exclusion: of[arbiter](s).(messaging.Exclusion), up: up}
		}
		err := nodetest.Run(a, nodetest.Config{Nodes: 2, Users: []int{0}})
		if up {
			require.NoError(t, err)
		} else {
			assert.Equal(t, "fencing", sim.Failure(err))
			assert.ErrorContains(t, err, "S1 enters with token 98.2 after S1 with 99.1")
		}
	}
}
