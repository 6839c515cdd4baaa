package stress

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// A misuse is a call on a free lock of two processes that must panic, and what
// undoes its preparation.
type misuse struct {
	name string
	do   func(m mutex.Abortable)
	undo func(m mutex.Abortable)
	want string // after the name of the package
}

func nothing(mutex.Abortable) {}

// farAbove is process 0 to code that keeps only the lower half of its bits.
const farAbove = 1 << (bits.UintSize * 5 / 8)

var misuses = []misuse{
	{"lock below", func(m mutex.Abortable) { m.Lock(-1) }, nothing, "lock of process -1: the processes are 0 to 1"},
	{"lock above", func(m mutex.Abortable) { m.Lock(2) }, nothing, "lock of process 2: the processes are 0 to 1"},
	{
		"lock far above", func(m mutex.Abortable) { m.Lock(farAbove) }, nothing,
		fmt.Sprintf("lock of process %d: the processes are 0 to 1", farAbove),
	},
	{"unlock below", func(m mutex.Abortable) { m.Unlock(-1) }, nothing, "unlock of process -1: the processes are 0 to 1"},
	{"unlock above", func(m mutex.Abortable) { m.Unlock(2) }, nothing, "unlock of process 2: the processes are 0 to 1"},
	{"trylock below", func(m mutex.Abortable) { m.TryLock(-1) }, nothing, "lock of process -1: the processes are 0 to 1"},
	{"trylock above", func(m mutex.Abortable) { m.TryLock(2) }, nothing, "lock of process 2: the processes are 0 to 1"},
	{
		"lockcontext above", func(m mutex.Abortable) { _ = m.LockContext(context.Background(), 2) }, nothing,
		"lock of process 2: the processes are 0 to 1",
	},
	{
		"lockcontext below, over already", func(m mutex.Abortable) { _ = m.LockContext(over(), -1) }, nothing,
		"lock of process -1: the processes are 0 to 1",
	},
	{"unlock first", func(m mutex.Abortable) { m.Unlock(0) }, nothing, "unlock of process 0, which is not inside"},
	{
		"unlock twice", func(m mutex.Abortable) { m.Lock(1); m.Unlock(1); m.Unlock(1) }, nothing,
		"unlock of process 1, which is not inside",
	},
	{
		"unlock by another", func(m mutex.Abortable) { m.Lock(0); m.Unlock(1) }, func(m mutex.Abortable) { m.Unlock(0) },
		"unlock of process 1, which is not inside",
	},
	{
		"unlock after giving up", func(m mutex.Abortable) { m.Lock(0); m.TryLock(1); m.Unlock(1) },
		func(m mutex.Abortable) { m.Unlock(0) },
		"unlock of process 1, which is not inside",
	},
	{
		"unlock after a context that was over", func(m mutex.Abortable) { _ = m.LockContext(over(), 1); m.Unlock(1) }, nothing,
		"unlock of process 1, which is not inside",
	},
	{
		"lock inside", func(m mutex.Abortable) { m.Lock(1); m.Lock(1) }, func(m mutex.Abortable) { m.Unlock(1) },
		"lock of process 1, which is inside already",
	},
	{
		"lock inside after trylock", func(m mutex.Abortable) { m.TryLock(1); m.Lock(1) }, func(m mutex.Abortable) { m.Unlock(1) },
		"lock of process 1, which is inside already",
	},
	{
		"trylock inside", func(m mutex.Abortable) { m.Lock(0); m.TryLock(0) }, func(m mutex.Abortable) { m.Unlock(0) },
		"lock of process 0, which is inside already",
	},
	{
		"lockcontext inside", func(m mutex.Abortable) { m.Lock(0); _ = m.LockContext(context.Background(), 0) },
		func(m mutex.Abortable) { m.Unlock(0) },
		"lock of process 0, which is inside already",
	},
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
		for _, u := range misuses {
			t.Run(a.Name+"/"+u.name, func(t *testing.T) {
				t.Parallel()
				m := a.New(2)
				require.PanicsWithValue(t, packageOf(a)+": "+u.want, func() { u.do(m) })
				u.undo(m)
				run1(t, m, Config{Entries: 20, GiveUp: 0.2})
			})
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
	}
}

func TestMisuseOfShared(t *testing.T) {
	t.Parallel()
	for _, a := range catalog.Algorithms {
		s := mutex.Share(a.New(2))
		assert.PanicsWithValue(t, "mutex: unlock of a Shared that is not locked", s.Unlock)
		goThrough(s)
		assert.PanicsWithValue(t, "mutex: unlock of a Shared that is not locked", s.Unlock)
		goThrough(s)
		for _, i := range []int{-1, 2} {
			want := fmt.Sprintf("mutex: locker of process %d: the processes are 0 to 1", i)
			assert.PanicsWithValue(t, want, func() { mutex.Locker(a.New(2), i) })
		}
	}
	assert.PanicsWithValue(t, "mutex: TryLock over a *stress.plain, which is not Abortable", func() { mutex.Share(&plain{n: 1}).TryLock() })
}

func packageOf(a catalog.Algorithm) string {
	name, _, _ := strings.Cut(a.Import, ".")
	return name
}
