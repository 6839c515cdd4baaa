package stress

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// The calls of process i of a lock.
var calls = []struct {
	name, what string
	call       func(m mutex.Abortable, i int)
}{
	{"lock", "lock", func(m mutex.Abortable, i int) { m.Lock(i) }},
	{"trylock", "lock", func(m mutex.Abortable, i int) { m.TryLock(i) }},
	{"lockcontext", "lock", func(m mutex.Abortable, i int) { _ = m.LockContext(context.Background(), i) }},
	{"lockcontext, over already", "lock", func(m mutex.Abortable, i int) { _ = m.LockContext(over(), i) }},
	{"unlock", "unlock", func(m mutex.Abortable, i int) { m.Unlock(i) }},
}

func over() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Every misuse panics with the process and the rule, and leaves the lock intact.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		misuse := func(name, want string, prepare, do, undo func(m mutex.Abortable)) {
			t.Run(a.Name+"/"+name, func(t *testing.T) {
				m := a.New(2)
				prepare(m)
				require.PanicsWithValue(t, packageOf(a)+": "+want, func() { do(m) })
				undo(m)
				run1(t, m, Config{Entries: 20, GiveUp: 0.2})
			})
		}
		nothing := func(mutex.Abortable) {}
		for _, c := range calls {
			for _, i := range []int{-1, 2, 1 << (bits.UintSize * 5 / 8)} { // the last is 0 to code that keeps only the lower half of its bits
				misuse(fmt.Sprint(c.name, i), fmt.Sprintf("%s of process %d: the processes are 0 to 1", c.what, i), nothing, func(m mutex.Abortable) { c.call(m, i) }, nothing)
			}
			if c.what == "lock" {
				unlock := func(m mutex.Abortable) { m.Unlock(1) }
				misuse(c.name+" inside", "lock of process 1, which is inside already", func(m mutex.Abortable) { m.Lock(1) }, func(m mutex.Abortable) { c.call(m, 1) }, unlock)
				misuse(c.name+" inside after trylock", "lock of process 1, which is inside already", func(m mutex.Abortable) { m.TryLock(1) }, func(m mutex.Abortable) { c.call(m, 1) }, unlock)
			}
		}
		unlock0 := func(m mutex.Abortable) { m.Unlock(0) }
		for name, c := range map[string]struct{ prepare, undo func(m mutex.Abortable) }{
			"first":                         {nothing, nothing},
			"twice":                         {func(m mutex.Abortable) { m.Lock(1); m.Unlock(1) }, nothing},
			"by another":                    {func(m mutex.Abortable) { m.Lock(0) }, unlock0},
			"after giving up":               {func(m mutex.Abortable) { m.Lock(0); m.TryLock(1) }, unlock0},
			"after a context that was over": {func(m mutex.Abortable) { _ = m.LockContext(over(), 1) }, nothing},
		} {
			misuse("unlock "+name, "unlock of process 1, which is not inside", c.prepare, func(m mutex.Abortable) { m.Unlock(1) }, c.undo)
		}
	}
}

func TestMisuseOfConstructors(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		if !strings.Contains(a.Import, "(n)") {
			continue // a constructor that takes no number cannot be given a wrong one
		}
		for _, n := range []int{0, -1, -64} {
			assert.PanicsWithValue(t, fmt.Sprintf("%s: %d processes: there must be at least one", packageOf(a), n), func() { a.New(n) })
		}
		for _, n := range []int{1<<20 + 1, 1 << 30, math.MaxInt - 2, math.MaxInt} { // before it allocates
			assert.PanicsWithValue(t, fmt.Sprintf("%s: %d processes: there can be at most 1048576", packageOf(a), n), func() { a.New(n) })
		}
	}
}

func packageOf(a catalog.Algorithm) string {
	name, _, _ := strings.Cut(a.Import, ".")
	return name
}
