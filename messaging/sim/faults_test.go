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

// TestCrashesUnderLoad crashes all nodes one after the other. The others continue
// until none is left.
func TestCrashesUnderLoad(t *testing.T) {
	alone := afterwards(0)
	for _, load := range []sim.Load{sim.LowLoad{}, sim.LowLoad{Random: true}, sim.HighLoad{Users: ids(2)}} {
		for _, perpetual := range []bool{false, true} {
			c := sim.Config{Algorithm: alone, Nodes: 4, Load: load, Until: 1000 * sim.T, Perpetual: perpetual}
			for i := range c.Nodes {
				c.Crashes = append(c.Crashes, sim.Crash{Node: messaging.ID(i), At: time.Duration(10*i)*sim.T + sim.T/2})
			}
			r := run(t, c)
			if _, low := load.(sim.LowLoad); low && (r.Entries != 31 || r.Time != 30*sim.T+sim.T/2) {
				t.Errorf("%+v: %d entries by %v", load, r.Entries, r.Time)
			}
		}
	}
}

// TestCrashWaiting crashes waiting nodes: others make their entries.
func TestCrashWaiting(t *testing.T) {
	for _, perpetual := range []bool{false, true} {
		r := run(t, sim.Config{
			Algorithm: afterwards(3 * sim.T), Nodes: 3, Load: sim.LowLoad{}, Entries: 10, Perpetual: perpetual,
			Crashes: []sim.Crash{{Node: 0, At: sim.T}, {Node: 1, At: 20 * sim.T}},
		})
		assert.Equal(t, []int{0, 2, 8}, r.EntriesOf, "perpetual %v: entries", perpetual)
		assert.Equal(t, 12, r.Requests, "perpetual %v: requests", perpetual)
	}
}

// TestGivenUp gives up requests that are never granted: the run deadlocks, unless the
// node crashes.
func TestGivenUp(t *testing.T) {
	c := sim.Config{Algorithm: of(handlers{request: wait}), Nodes: 1, Load: sim.Script{{GiveUp: 2 * sim.T}}}
	_, err := sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.ErrorContains(t, err, "node 0 has been giving up since 0 T")
	c.Crashes = []sim.Crash{{Node: 0, At: 3 * sim.T}}
	run(t, c)
}

// TestStale checks that a run ends at its last event, not when an entered request
// would have been given up or a crashed node would have asked.
func TestStale(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 3,
		Load:    sim.Script{{Node: 0, GiveUp: 100 * sim.T}, {Node: 1, At: 5 * sim.T}},
		Crashes: []sim.Crash{{Node: 2, At: 4 * sim.T}},
	})
	assert.Equal(t, 7*sim.T, r.Time, "time")
	assert.Equal(t, "deadlock", sim.Failure(err))
	assert.ErrorContains(t, err, "sim: at 7 T: ")
	r = run(t, sim.Config{
		Algorithm: fair, Nodes: 3,
		Load:    sim.Script{{Node: 1}, {Node: 2, At: 1000 * sim.T}},
		Crashes: []sim.Crash{{Node: 2, At: sim.T}},
	})
	assert.Equal(t, 4*sim.T, r.Time, "time")
}

// A mourner emits the crashed node when it learns of a crash, and enters.
type mourner struct{ handlers }

func (m *mourner) Down(peer messaging.ID, out messaging.Out) {
	out.Emit(peer)
	out.Enter()
}

func TestDetection(t *testing.T) {
	c := sim.Config{
		Algorithm: func(messaging.Start) messaging.Node { return &mourner{handlers{request: wait}} },
		Nodes:     3,
		Load:      sim.Script{{Node: 0, At: 0}, {Node: 1, At: 0}},
		Crashes:   []sim.Crash{{Node: 1, At: 2 * sim.T}, {Node: 2, At: 3 * sim.T}},
		Detection: sim.Constant(5 * sim.T),
	}
	r, err := sim.Run(c)
	// Node 2 has crashed before it would learn of node 1, and node 0 cannot enter a second time.
	assert.Equal(t, "panic", sim.Failure(err))
	assert.ErrorContains(t, err, "at 8 T: a node panicked: node 0 on the crash of node 2")
	assert.Equal(t, []messaging.Event{{Number: 7, Cause: 5, At: 7 * sim.T, Action: "emitted", Message: messaging.ID(1)}}, r.Emits)
	assert.Equal(t, 1, r.Entries, "entries")
	c.Detection = sim.Distribution{}
	_, err = sim.Run(c)
	assert.Equal(t, "deadlock", sim.Failure(err))
}
