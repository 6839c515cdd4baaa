package messaging_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func TestTokenOrder(t *testing.T) {
	tokens := []messaging.Token{{}, {Count: 1}, {Count: 2}, {Epoch: 1}, {Epoch: 1, Count: 1}, {Epoch: 2}}
	for i, a := range tokens {
		for j, b := range tokens {
			assert.Equal(t, i < j, a.Before(b), "%v before %v", a, b)
		}
	}
	assert.Equal(t, "2.17", messaging.Token{Epoch: 2, Count: 17}.String())
}

// A host that does not carry the clock of entries on replies gives two entries the same token, with two nodes already.
// That the clock numbers the entries of every algorithm in their order is what package nodetest holds in each run.
func TestTokensOfForgetfulHost(t *testing.T) {
	for forgets, want := range map[bool]uint64{false: 2, true: 1} {
		site := func(i messaging.ID) *messaging.Site {
			return messaging.NewSite(ricartagrawala.New, messaging.Start{Self: i, Nodes: 2}, nil)
		}
		a, b := site(0), site(1)
		deliver := func(from, to *messaging.Site, id messaging.ID, entries uint64) {
			to.Witness(entries)
			to.Receive(id, from.Sends[0].Message)
			from.Done()
		}
		a.Request()
		deliver(a, b, 0, a.Entries())
		deliver(b, a, 1, b.Entries())
		assert.Equal(t, messaging.Token{Count: 1}, a.Token())
		a.Release()
		b.Request()
		deliver(b, a, 1, b.Entries())
		entries := a.Entries()
		if forgets {
			entries = 0
		}
		deliver(a, b, 0, entries)
		assert.Equal(t, messaging.Token{Count: want}, b.Token())
	}
}
