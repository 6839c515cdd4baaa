//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
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
	for _, a := range catalog.Algorithms {
		s := a.Checked[0]
		s.Numbers = min(s.Numbers, 3)
		r := check(t, explore.Config{New: of(a), Processes: s.Processes, Cap: a.Cap(s), Only: explore.Properties{MutualExclusion: true}})
		assert.Empty(t, r.DoorwayWaits, a.Name)
	}
}
