//go:build doorway_explore

package explore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A hole is Peterson's lock, whose processes wait only if some condition holds: in each
// of the locks below, one that a check once took for true, and that fails in a run.
type hole struct {
	procs register.Processes
	want  [2]register.Word
	turn  register.Word
	e     weary
	b     []byte
}

func makeHole() hole { return hole{procs: register.MakeProcesses("hole", 2), b: make([]byte, 0, 8)} }

func (h *hole) Processes() int { return h.procs.Len() }

func (h *hole) Unlock(i int) { h.procs.Exit(i); h.want[i].Store(0) }

func (h *hole) begin(i int) *register.Process {
	p := h.procs.Entry(i)
	h.want[i].Store(1)
	h.turn.Store(uint64(i))
	p.Doorway()
	return p
}

func (h *hole) wait(p *register.Process) bool { //nolint:unparam // a forgotten result is what is refused
	i := p.ID()
	return register.AwaitEither(p,
		&h.want[1-i], func(v uint64) bool { return v == 0 },
		&h.turn, func(v uint64) bool { return v != uint64(i) })
}

// comparing reads a register by a comparison, which the host does not see.
type comparing struct{ hole }

func (h *comparing) Lock(i int) {
	p := h.begin(i)
	if h.turn == (register.Word{}) {
		h.wait(p)
	}
	p.Inside()
}

// showing reads a register by reflection.
type showing struct{ hole }

func (h *showing) Lock(i int) {
	p := h.begin(i)
	if !strings.Contains(fmt.Sprint(&h.turn), "1") {
		h.wait(p)
	}
	p.Inside()
}

// A weary error counts how often it was the target.
type weary struct{ n int }

func (weary) Error() string { return "" }

type targeting struct{ hole }

func (h *targeting) Lock(i int) {
	p := h.begin(i)
	_ = errors.As(weary{h.e.n + 1}, &h.e)
	if h.e.n < 100_000 {
		h.wait(p)
	}
	p.Inside()
}

// appending keeps a count in a buffer of the lock.
type appending struct{ hole }

func (h *appending) Lock(i int) {
	p := h.begin(i)
	n, _ := strconv.Atoi(string(h.b[:cap(h.b)]))
	_ = strconv.AppendInt(h.b[:0], int64(10_000_001+n%10_000_000), 10)
	if n < 10_100_000 {
		h.wait(p)
	}
	p.Inside()
}

// two reaches the lock through the second of two pointers.
type two struct{ hole }

type link struct{ to *two }

func (h *two) Lock(i int) {
	p := h.begin(i)
	var own link
	a, b := &own, &own
	a.to = h
	if b.to.e.n++; h.e.n < 100_000 {
		h.wait(p)
	}
	p.Inside()
}

// forgetting forgets that its await was aborted.
type forgetting struct{ hole }

func (h *forgetting) Lock(i int) { h.enter(h.begin(i)) }

func (h *forgetting) enter(p *register.Process) { h.wait(p); p.Inside() }

func (h *forgetting) TryLock(i int) bool { return h.procs.Try(i, h.entry) }

func (h *forgetting) LockContext(ctx context.Context, i int) error {
	return h.procs.Context(ctx, i, h.entry)
}

func (h *forgetting) entry(p *register.Process) bool {
	h.want[p.ID()].Store(1)
	h.turn.Store(uint64(p.ID()))
	h.wait(p)
	return true
}

func TestHoles(t *testing.T) {
	for want, make := range map[string]func() mutex.Mutex{
		"copies registers in a comparison":      func() mutex.Mutex { return &comparing{makeHole()} },
		"passes *register.Word to fmt.Sprint":   func() mutex.Mutex { return &showing{makeHole()} },
		"calls errors.As":                       func() mutex.Mutex { return &targeting{makeHole()} },
		"calls strconv.AppendInt":               func() mutex.Mutex { return &appending{makeHole()} },
		"writes plain memory reached through b": func() mutex.Mutex { return &two{makeHole()} },
		"does not use the result of wait":       func() mutex.Mutex { return &forgetting{makeHole()} },
	} {
		t.Run(want, func(t *testing.T) {
			r, err := Check(Config{New: func(int) mutex.Mutex { return make() }, Processes: 2})
			assert.Nil(t, r)
			var e *LockError
			require.ErrorAs(t, err, &e)
			require.ErrorContains(t, err, want)
			assert.True(t, strings.HasSuffix(e.File, "holes_explore_test.go"), "it is in %s", e.File)
		})
	}
}

// scanning looks for others up to a bound, and enters by a compare-and-swap.
type scanning struct {
	procs register.Processes
	x     []register.Word
	taken register.Word
}

func (l *scanning) Processes() int { return l.procs.Len() }

func (l *scanning) Lock(i int) {
	p := l.procs.Entry(i)
	n := len(l.x)
	l.x[i].Store(1)
	for j := 0; j < n && l.x[j].Load() == 0; j++ {
		continue
	}
	found := false
	for j := n - 1; j >= 0 && !found; j-- {
		found = l.x[j].Load() != 0
	}
	register.Repeat(func() register.Outcome {
		if l.taken.CompareAndSwap(0, 1) {
			return register.Entered
		}
		l.taken.Await(p, func(v uint64) bool { return v == 0 })
		return register.Again
	})
	p.Inside()
}

func (l *scanning) Unlock(i int) {
	l.procs.Exit(i)
	l.x[i].Store(0)
	l.taken.Store(0)
}

// A scan up to a bound is no loop of plain loads, and a lock that is never aborted may
// ignore that its awaits might be.
func TestScan(t *testing.T) {
	r, err := Check(Config{
		New: func(n int) mutex.Mutex {
			return &scanning{procs: register.MakeProcesses("scanning", n), x: make([]register.Word, n)}
		},
		Processes: 2,
	})
	require.NoError(t, err)
	assert.True(t, r.Vetted)
	assert.Equal(t, Holds, r.MutualExclusion.Status)
	assert.Equal(t, Holds, r.DeadlockFree.Status)
	assert.Equal(t, Fails, r.StarvationFree.Status)
}

// retrying enters by a compare-and-swap that it tries again and again.
type retrying struct{ scanning }

func (l *retrying) Lock(i int) {
	p := l.procs.Entry(i)
	for tries := 0; !l.taken.CompareAndSwap(0, 1); tries++ {
		l.taken.Await(p, func(v uint64) bool { return v == 0 })
	}
	p.Inside()
}

// A loop of tries that counts is no loop of plain loads, but has no longest history: the error names
// its place and its cure.
func TestRetryLoop(t *testing.T) {
	_, err := Check(Config{
		New: func(n int) mutex.Mutex {
			return &retrying{scanning{procs: register.MakeProcesses("retrying", n), x: make([]register.Word, n)}}
		},
		Processes: 2,
	})
	var e *LockError
	require.ErrorAs(t, err, &e)
	assert.True(t, strings.HasSuffix(e.File, "holes_explore_test.go"), "it is in %s", e.File)
	assert.Contains(t, e.What, "a loop that only registers end must be a register.Repeat")
	assert.NotContains(t, e.What, "plain loads")
}
