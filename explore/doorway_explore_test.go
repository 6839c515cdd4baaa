//go:build doorway_explore

package explore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// ticket draws a number by compare-and-swap, in its doorway, and awaits its turn.
func ticket(l *lock, p *register.Process) {
	register.Repeat(func() register.Outcome {
		n := l.reg[0].Load()
		if !l.reg[0].CompareAndSwap(n, (n+1)%4) {
			return register.Again
		}
		l.reg[1].Set(n)
		return register.Entered
	})
	p.Doorway()
}

// fetching draws a number in one step.
func fetching(l *lock, p *register.Process) {
	l.reg[p.ID()].Store(1)
	p.Doorway()
	l.turn.Await(p, zero)
}

// In an entry that ends with its doorway no process waits, so FIFO is not applicable.
func TestDoorwayIsEntry(t *testing.T) {
	whole := func(l *lock, p *register.Process) {
		testAndSet(l, p)
		p.Doorway()
	}
	turns := func(l *lock, p *register.Process) {
		l.turn.Await(p, func(v uint64) bool { return v == uint64(p.ID()) })
	}
	next := func(l *lock, p *register.Process) { l.turn.Store(uint64(1 - p.ID())) }
	const remark = "the doorway is the whole entry                FIFO and the bypasses say nothing"
	for _, c := range []struct {
		name        string
		entry, exit protocol
		is          bool
	}{
		{"its end", whole, reset, true},
		{"a first wait and no more", turns, next, true},
		{"a wait after it", fetching, lower, false},
		{"not marked", testAndSet, reset, false},
	} {
		cfg := explore.Config{New: making(c.entry, c.exit), Processes: 2, Only: explore.Properties{MutualExclusion: true, FIFO: true}}
		r := check(t, cfg)
		assert.Equal(t, c.is, r.DoorwayIsEntry, c.name)
		assert.Equal(t, c.is, strings.Contains(r.String(), remark), c.name)
		if c.is {
			assert.Equal(t, explore.Holds, r.FIFO.Status, c.name)
			assert.ErrorContains(t, r.Err(explore.Properties{FIFO: true}), "deadlock-free, FIFO (the doorway is the whole entry) and race-free", c.name)
		}
		cfg.New = func(n int) mutex.Mutex { return &claim{making(c.entry, c.exit)(n), func() bool { return true }} }
		_, err := explore.Check(cfg)
		if c.is {
			assert.EqualError(t, err, "explore: the lock declares FIFO, but its doorway is its whole entry, so FIFO says nothing: call Process.Doorway before the process waits", c.name)
		} else {
			assert.NoError(t, err, c.name)
		}
		cfg.Processes = 1
		assert.False(t, check(t, cfg).DoorwayIsEntry, c.name)
	}
}

// The places where a doorway may last forever are reported.
func TestDoorwayWaits(t *testing.T) {
	late := func(l *lock, p *register.Process) {
		l.reg[p.ID()].Store(1)
		l.turn.Await(p, zero)
		p.Doorway()
		testAndSet(l, p)
	}
	first := func(l *lock, p *register.Process) {
		l.turn.Await(p, zero)
		testAndSet(l, p)
	}
	for _, c := range []struct {
		name   string
		entry  protocol
		source []string
	}{
		{"a retry", ticket, []string{"if !l.reg[0].CompareAndSwap(n, (n+1)%4) {"}},
		{"wait-free", fetching, nil},
		{"an await", late, []string{"l.turn.Await(p, zero)"}},
		{"an await that begins the entry", first, []string{"l.turn.Await(p, zero)"}},
		{"a retry after the doorway", testAndSet, nil},
		{"Peterson", petersons, nil},
	} {
		r := check(t, explore.Config{New: making(c.entry, lower), Processes: 2, Only: explore.Properties{RaceFree: true}})
		var source []string
		for _, p := range r.DoorwayWaits {
			source = append(source, p.Source)
		}
		assert.Equal(t, c.source, source, c.name)
		if len(source) == 0 {
			assert.NotContains(t, r.String(), "wait-free", c.name)
		} else {
			assert.Regexp(t, `(?m)^  the doorway is not wait-free: it waits at +doorway_explore_test.go:\d+$`, r.String(), c.name)
		}
	}
}
