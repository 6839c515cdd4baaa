package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

func TestLossAndDuplication(t *testing.T) {
	c := sim.Config{Algorithm: ricartagrawala.New, Nodes: 4, Load: sim.LowLoad{}, Entries: 1, Loss: 1}
	r, err := sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.Equal(t, 3, r.Messages, "messages")
	assert.Equal(t, 3, r.Lost, "lost")
	assert.Equal(t, 0, r.Delivered, "delivered")
	// Every message is delivered twice, and counts once.
	c.Loss, c.Duplication, c.Algorithm = 0, 1, fair
	c.Load = sim.LowLoad{Users: ids(1)}
	c.Algorithm = of(handlers{
		request: func(_ *handlers, out messaging.Out) { out.Send(0, Ask{}); out.Enter() },
		receive: ignore,
	})
	r = run(t, c)
	assert.Equal(t, 1, r.Messages, "messages")
	assert.Equal(t, 1, r.Duplicated, "duplicated")
	assert.Equal(t, 2, r.Delivered, "delivered")
	c.Loss, c.Duplication = 0.25, 0.5
	c.Entries = 10000
	r = run(t, c)
	if r.Lost < 2400 || r.Lost > 2600 || r.Duplicated < 3600 || r.Duplicated > 3900 {
		t.Errorf("%d lost and %d duplicated of %d", r.Lost, r.Duplicated, r.Messages)
	}
}

// TestCrash crashes nodes that are idle, waiting and inside.
func TestCrash(t *testing.T) {
	c := sim.Config{Algorithm: fair, Nodes: 3, Order: true, Load: sim.Script{
		{Node: 1, Stay: 10 * sim.T}, {Node: 2, At: 5 * sim.T}, {Node: 2, At: 20 * sim.T},
	}}
	for _, tt := range []struct {
		crash   sim.Crash
		entries int
		stuck   bool
	}{
		{sim.Crash{Node: 0, At: 0}, 0, true},         // no node can grant
		{sim.Crash{Node: 0, At: 3 * sim.T}, 1, true}, // no node learns of the exit
		{sim.Crash{Node: 1, At: 3 * sim.T}, 1, true}, // it never leaves
		{sim.Crash{Node: 2, At: 6 * sim.T}, 1, false},
		{sim.Crash{Node: 1, At: tenths(125)}, 3, false}, // its release is in transit
		{sim.Crash{Node: 1, At: 99 * sim.T}, 3, false},  // after the run
		{sim.Crash{Node: 2, At: 5 * sim.T}, 1, false},   // before it asks
		{sim.Crash{Node: 1, At: 2 * sim.T}, 0, true},    // before the grant arrives
	} {
		c.Crashes = []sim.Crash{tt.crash, tt.crash}
		r, err := sim.Run(c)
		assert.Equal(t, tt.entries, r.Entries, "%+v: entries", tt.crash)
		assert.Equal(t, tt.stuck, sim.Failure(err) == "deadlock", "%+v: %v", tt.crash, err)
		if tt.crash.Node == 1 && tt.stuck && r.Entries > 0 {
			assert.Equal(t, time.Duration(-1), r.Order[0].Left, "left")
		}
		assert.LessOrEqual(t, r.Time, 99*sim.T/2, "%+v: the run ends", tt.crash)
	}
}

// A mourner emits the crashed node when it learns of a crash.
type mourner struct{ handlers }

func (m *mourner) Down(peer messaging.ID, out messaging.Out) { out.Emit(peer) }

func TestDetection(t *testing.T) {
	c := sim.Config{
		Algorithm: func(messaging.Start) messaging.Node { return &mourner{handlers{request: wait}} },
		Nodes:     3,
		Load:      sim.Script{{Node: 0, At: 0}, {Node: 1, At: 0}},
		Crashes:   []sim.Crash{{Node: 1, At: 2 * sim.T}, {Node: 2, At: 3 * sim.T}},
		Detection: sim.Constant(5 * sim.T),
	}
	r, err := sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.Equal(t, []messaging.Event{ // node 2 has crashed before it would learn of node 1
		{Number: 6, Cause: 5, At: 7 * sim.T, Action: "emitted", Message: messaging.ID(1)},
		{Number: 8, Cause: 7, At: 8 * sim.T, Action: "emitted", Message: messaging.ID(2)},
	}, r.Emits)
	c.Detection = sim.Distribution{}
	r, err = sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.Empty(t, r.Emits)
}
