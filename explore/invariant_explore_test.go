//go:build doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
)

// raised says of Peterson's algorithm that a process that waits or is inside has raised
// its flag.
func raised(l mutex.Mutex, phases []string) error {
	for i, phase := range phases {
		if (phase == "waiting" || phase == "inside") && l.(*lock).reg[i].Load() == 0 {
			return fmt.Errorf("process %d is %s, with its flag down", i, phase)
		}
	}
	return nil
}

// lonely says, wrongly, that only one process has raised its flag.
func lonely(l mutex.Mutex, _ []string) error {
	if l.(*lock).reg[0].Load()+l.(*lock).reg[1].Load() == 2 {
		return errors.New("two flags are up")
	}
	return nil
}

func TestInvariant(t *testing.T) {
	for _, c := range []struct {
		name      string
		invariant func(mutex.Mutex, []string) error
		status    string
		steps     int
		title     string
	}{
		{"none", nil, explore.Unknown, 0, ""},
		{"raised", raised, explore.Holds, 0, ""},
		{"lonely", lonely, explore.Fails, 2, "the invariant fails: two flags are up"},
		{"panics", func(_ mutex.Mutex, phases []string) error {
			if phases[1] == "inside" {
				panic("inside")
			}
			return nil
		}, explore.Fails, 3, "the invariant panics: inside"},
		{"initially", func(mutex.Mutex, []string) error { return errors.New("never") }, explore.Fails, 0, "the invariant fails: never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := explore.Config{New: making(petersons, lower), Processes: 2, Invariant: c.invariant, Only: explore.Properties{FIFO: true}}
			r := check(t, config)
			require.Equal(t, c.status, r.Invariant.Status)
			assert.Equal(t, explore.Holds, r.FIFO.Status, "the others are checked too")
			if c.status != explore.Fails {
				return
			}
			trace := r.Invariant.Trace
			assert.Equal(t, c.title, trace.Title)
			assert.Len(t, trace.Schedule, c.steps)

			w := walk(t, config, trace.Schedule)
			assert.EqualError(t, w.Err(), c.title)
			assert.Equal(t, trace, w.Trace())
			if c.steps > 0 {
				require.NoError(t, w.Undo(1))
				assert.NoError(t, w.Err(), "one step before")
			}
		})
	}
}

// An invariant that writes a register, or runs a protocol, is no verdict.
func TestInvariantWrites(t *testing.T) {
	for name, c := range map[string]struct {
		does func(*lock)
		want string
	}{
		"store":            {func(l *lock) { l.reg[0].Store(1) }, "writes or awaits register reg[0]"},
		"set":              {func(l *lock) { l.reg[0].Set(1) }, "writes or awaits register reg[0]"},
		"compare-and-swap": {func(l *lock) { l.reg[0].CompareAndSwap(0, 1) }, "writes or awaits register reg[0]"},
		"fetch-and-add":    {func(l *lock) { l.turn.FetchAdd(1) }, "writes or awaits register turn"},
		"swap":             {func(l *lock) { l.turn.Swap(1) }, "writes or awaits register turn"},
		"another register": {func(l *lock) { l.gate.Store(1) }, "writes or awaits a register"},
		"protocol":         {func(l *lock) { l.Lock(0) }, "calls an entry or exit protocol"},
		"another goroutine": {func(l *lock) {
			done := make(chan bool)
			go func() {
				defer close(done)
				l.reg[0].Store(1)
			}()
			<-done
		}, "writes or awaits register reg[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := explore.Check(explore.Config{
				New: making(petersons, lower), Processes: 2,
				Invariant: func(l mutex.Mutex, _ []string) error { c.does(l.(*lock)); return nil },
			})
			var refused *explore.LockError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "Config.Invariant "+c.want+": it may only load registers", refused.What)
			assert.NotZero(t, refused.Line)
		})
	}
}

// An invariant that ends its goroutine is no verdict.
func TestInvariantEnds(t *testing.T) {
	_, err := explore.Check(explore.Config{
		New: making(petersons, lower), Processes: 2,
		Invariant: func(mutex.Mutex, []string) error { runtime.Goexit(); return nil },
	})
	assert.EqualError(t, err, "explore: Config.Invariant does not return: it must not wait, nor end its goroutine")
}
