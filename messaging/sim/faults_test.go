package sim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

func TestLossAndDuplication(t *testing.T) {
	c := sim.Config{Algorithm: ricartagrawala.New, Nodes: 4, Load: sim.LowLoad{}, Entries: 1, Loss: 1}
	r, err := sim.Run(c)
	if !errors.Is(err, sim.ErrStuck) || r.Messages != 3 || r.Lost != 3 || r.Delivered != 0 {
		t.Errorf("%d lost of %d, %v", r.Lost, r.Messages, err)
	}
	// Replies to the copies are sent, but replies are never to be counted twice.
	c.Loss, c.Duplication, c.Algorithm = 0, 1, fair
	c.Load = sim.LowLoad{Users: ids(1)}
	c.Algorithm = of(handlers{
		request: func(_ *handlers, out messaging.Out) { out.Send(0, Ask{}); out.Enter() },
		receive: ignore,
	})
	r = run(t, c)
	if r.Messages != 1 || r.Duplicated != 1 || r.Delivered != 2 {
		t.Errorf("%d delivered, %d duplicated of %d", r.Delivered, r.Duplicated, r.Messages)
	}
	c.Loss, c.Duplication = 0.25, 0.5
	c.Entries = 10000
	r = run(t, c)
	if r.Lost < 2400 || r.Lost > 2600 || r.Duplicated < 3600 || r.Duplicated > 3900 {
		t.Errorf("%d lost and %d duplicated of %d", r.Lost, r.Duplicated, r.Messages)
	}
}

// TestCrash has nodes crash that are idle, that wait, and that are inside.
func TestCrash(t *testing.T) {
	c := sim.Config{Algorithm: fair, Nodes: 3, Order: true, Load: sim.Script{
		{Node: 1, Stay: 10 * sim.T}, {Node: 2, At: 5 * sim.T}, {Node: 2, At: 20 * sim.T},
	}}
	for _, tt := range []struct {
		crash   sim.Crash
		entries int
		stuck   bool
	}{
		{sim.Crash{Node: 0, At: 0}, 0, true},         // nobody is there to grant anything
		{sim.Crash{Node: 0, At: 3 * sim.T}, 1, true}, // nor to hear of the exit
		{sim.Crash{Node: 1, At: 3 * sim.T}, 1, true}, // it never leaves
		{sim.Crash{Node: 2, At: 6 * sim.T}, 1, false},
		{sim.Crash{Node: 1, At: tenths(125)}, 3, false}, // its exit is on its way
		{sim.Crash{Node: 1, At: 99 * sim.T}, 3, false},  // all is over
		{sim.Crash{Node: 2, At: 5 * sim.T}, 1, false},   // before it asks
		{sim.Crash{Node: 1, At: 2 * sim.T}, 0, true},    // before it is granted anything
	} {
		c.Crashes = []sim.Crash{tt.crash, tt.crash}
		r, err := sim.Run(c)
		if r.Entries != tt.entries || errors.Is(err, sim.ErrStuck) != tt.stuck {
			t.Errorf("%+v: %d entries, %v", tt.crash, r.Entries, err)
		}
		if tt.crash.Node == 1 && tt.stuck && r.Entries > 0 {
			want(t, "left", r.Order[0].Left, -1)
		}
		if r.Time > 99*sim.T/2 {
			t.Errorf("%+v: the run ends at %v", tt.crash, r.Time)
		}
	}
}

// TestCrashedInside has somebody enter after a crash inside: no violation.
func TestCrashedInside(t *testing.T) {
	r := run(t, sim.Config{
		Algorithm: of(handlers{request: enter}), Nodes: 2,
		Load:    sim.Script{{Node: 0, Stay: 10 * sim.T}, {Node: 1, At: 5 * sim.T}},
		Crashes: []sim.Crash{{Node: 0, At: 4 * sim.T}},
	})
	want(t, "entries", r.Entries, 2)
	want(t, "responses", r.Response.Count, 1)
}

// TestCrashesUnderLoad has all nodes crash one after the other. The rest goes on
// until nobody is left.
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

// TestCrashWaiting has nodes crash that wait: others make the entries they cannot.
func TestCrashWaiting(t *testing.T) {
	for _, perpetual := range []bool{false, true} {
		r := run(t, sim.Config{
			Algorithm: afterwards(3 * sim.T), Nodes: 3, Load: sim.LowLoad{}, Entries: 10, Perpetual: perpetual,
			Crashes: []sim.Crash{{Node: 0, At: sim.T}, {Node: 1, At: 20 * sim.T}},
		})
		if want := []int{0, 2, 8}; !slices.Equal(r.EntriesOf, want) || r.Requests != 12 {
			t.Errorf("perpetual %v: entries %v of %d requests, want %v of 12", perpetual, r.EntriesOf, r.Requests, want)
		}
	}
}

// TestGivenUp has requests be given up that nobody will ever grant: one goes on
// for ever, and of one the node crashes.
func TestGivenUp(t *testing.T) {
	c := sim.Config{Algorithm: of(handlers{request: wait}), Nodes: 1, Load: sim.Script{{GiveUp: 2 * sim.T}}}
	_, err := sim.Run(c)
	if !errors.Is(err, sim.ErrStuck) || !strings.Contains(err.Error(), "node 0 is giving up since 0 T") {
		t.Error(err)
	}
	c.Crashes = []sim.Crash{{Node: 0, At: 3 * sim.T}}
	run(t, c)
}

// TestGivenUpOnce has the time for giving up a request come when the next waits.
func TestGivenUpOnce(t *testing.T) {
	r := run(t, sim.Config{Algorithm: fair, Nodes: 2, Load: sim.Script{
		{Node: 1, At: 0, GiveUp: 30 * sim.T}, {Node: 1, At: 29 * sim.T},
	}})
	want(t, "entries", r.Entries, 2)
	want(t, "absorbed", r.Absorbed, 0)
}

// TestStale has a run end when something has last happened, and not when a request
// would have been given up that has long entered, or a node would ask that has crashed.
func TestStale(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 3,
		Load:    sim.Script{{Node: 0, GiveUp: 100 * sim.T}, {Node: 1, At: 5 * sim.T}},
		Crashes: []sim.Crash{{Node: 2, At: 4 * sim.T}},
	})
	want(t, "time", r.Time, 7*sim.T)
	if !errors.Is(err, sim.ErrStuck) || !strings.HasPrefix(err.Error(), "sim: at 7 T: ") {
		t.Error(err)
	}
	r = run(t, sim.Config{
		Algorithm: fair, Nodes: 3,
		Load:    sim.Script{{Node: 1}, {Node: 2, At: 1000 * sim.T}},
		Crashes: []sim.Crash{{Node: 2, At: sim.T}},
	})
	want(t, "time", r.Time, 4*sim.T)
}

// A mourner emits whose crash it is told of, and enters then.
type mourner struct{ handlers }

func (m *mourner) Down(peer messaging.ID, out messaging.Out) {
	out.Emit(peer)
	out.Enter()
}

func TestDetection(t *testing.T) {
	c := sim.Config{
		Algorithm: func(messaging.Start) messaging.Exclusion { return &mourner{handlers{request: wait}} },
		Nodes:     3,
		Load:      sim.Script{{Node: 0, At: 0}, {Node: 1, At: 0}},
		Crashes:   []sim.Crash{{Node: 1, At: 2 * sim.T}, {Node: 2, At: 3 * sim.T}},
		Detection: sim.Constant(5 * sim.T),
	}
	r, err := sim.Run(c)
	// Node 2 is dead when it would be told, and node 0 cannot enter a second time.
	if !errors.Is(err, sim.ErrPanic) || !strings.Contains(err.Error(), "at 8 T: a node panicked: node 0 on the crash of node 2") {
		t.Error(err)
	}
	if !slices.Equal(r.Emits, []sim.Emission{{At: 7 * sim.T, Node: 0, Value: messaging.ID(1)}}) || r.Entries != 1 {
		t.Errorf("%v, %d entries", r.Emits, r.Entries)
	}
	c.Detection = sim.Distribution{}
	if _, err = sim.Run(c); !errors.Is(err, sim.ErrStuck) {
		t.Error(err)
	}
}

// TestCrashAfterUntil has a deadlock with a crash to come after the end of the run.
func TestCrashAfterUntil(t *testing.T) {
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 2, Load: sim.Script{{Node: 0}}, Except: []sim.Exception{{Lose: true}},
		Until: 5 * sim.T, Crashes: []sim.Crash{{Node: 1, At: 6 * sim.T}},
	})
	assert.ErrorIs(t, err, sim.ErrStuck)
}
