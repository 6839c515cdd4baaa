package recovery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
)

// Nodes that are circling pass a token on at once, forever, while none of them wants it.
type circling struct {
	start      messaging.Start
	Wants, Has bool
}

type (
	pass   struct{}
	begins struct{ Holder messaging.ID } // emitted by each node at its start
)

func (c *circling) Start(out messaging.Out) {
	out.Emit(begins{c.start.Holder})
	if c.start.Self == c.start.Holder {
		c.pass(out)
	}
}

func (c *circling) Request(messaging.Out) { c.Wants = true }

func (c *circling) Release(out messaging.Out) {
	c.Wants, c.Has = false, false
	c.pass(out)
}

func (c *circling) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	if c.Has = c.Wants; c.Has {
		out.Enter()
	} else {
		c.pass(out)
	}
}

func (c *circling) pass(out messaging.Out) {
	out.Send((c.start.Self+1)%messaging.ID(c.start.Nodes), pass{})
}

// If no node waits, the token circles when an epoch begins, and who has it then sends it. If some wait, one enters
// with the Begin: that which the token comes to first. Each node emits what it does when it starts, once.
func TestTokenOnItsWay(t *testing.T) {
	p := messaging.Protocol{
		Name: "circling", Kinds: []messaging.Message{pass{}}, Perpetual: true,
		New: func(int) (messaging.Algorithm, error) {
			return func(start messaging.Start) messaging.Node { return &circling{start: start} }, nil
		},
	}
	for _, asked := range []sim.Script{
		{{Node: 0, At: 20 * sim.T}, {Node: 1, At: 21 * sim.T}}, // in the epoch
		{{Node: 0, At: 6 * sim.T}, {Node: 1, At: 6 * sim.T}},   // after the crash, before any node is told
	} {
		var began []any
		report, err := sim.Run(sim.Config{
			Algorithm: recovery.Over(p, recovery.Config{}), Nodes: 4, Perpetual: true, Order: true,
			Load: asked, Crashes: []sim.Crash{{Node: 3, At: 5 * sim.T}}, Detection: sim.Constant(2 * sim.T),
			Observe: func(e messaging.Event) {
				if b, is := e.Message.(begins); is && e.At > 0 {
					began = append(began, b.Holder)
				}
			},
		})
		require.NoError(t, err)
		assert.Len(t, report.Order, 2)
		assert.Len(t, began, 3)
		assert.Len(t, slices.Compact(began), 1, "the nodes that are left agree on the first to have the token")
	}
}

// Of at most 32 members the first that waits enters with the Begin. More of them ask anew; all enter then, too.
func TestManyMembers(t *testing.T) {
	for members, rehearsed := range map[int]bool{32: true, 33: false} {
		var all sim.Script
		for i := range messaging.ID(members) {
			all = append(all, sim.Request{Node: i, At: sim.T})
		}
		var begun time.Duration
		report, err := sim.Run(sim.Config{
			Algorithm: recovery.Over(ricartagrawala.Protocol, recovery.Config{}), Nodes: members + 1, Load: all, Order: true,
			Crashes: []sim.Crash{{Node: messaging.ID(members), At: 1}}, Detection: sim.Constant(sim.T),
			Observe: func(e messaging.Event) {
				if _, is := e.Message.(recovery.Began); is {
					begun = e.At
				}
			},
		})
		require.NoError(t, err)
		require.Len(t, report.Order, members)
		assert.Equal(t, rehearsed, report.Order[0].Entered <= begun, "%d members", members)
	}
}

// Whichever nodes wait, one of them is inside when the epoch begins, nothing is in transit, and the invariant of the
// algorithm holds.
func TestRehearsals(t *testing.T) {
	for _, row := range recoverable() {
		p := messaging.Protocol{Name: row.Name, Kinds: row.Kinds, New: func(n int) (messaging.Algorithm, error) { return row.New(n), nil }}
		for n := 1; n <= tier.Pick(4, 7); n++ {
			for mask := uint64(1); mask < 1<<n; mask++ {
				nodes, inside, left := recovery.Rehearse(p, n, messaging.Set{mask})
				assert.Equal(t, 1, inside.Len(), "%s, %b of %d", p.Name, mask, n)
				assert.Zero(t, left, "%s, %b of %d", p.Name, mask, n)
				if row.Invariant != nil {
					assert.NoError(t, row.Invariant(nodes, nil), "%s, %b of %d", p.Name, mask, n)
				}
			}
		}
	}
}
