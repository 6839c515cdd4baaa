package anylock

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
)

type texted struct {
	mu sync.Mutex
	by string
}

func (l *texted) Lock()   { l.mu.Lock(); l.by = string([]byte{1}) }
func (l *texted) Unlock() { l.mu.Unlock() }

type timed struct{ mu sync.Mutex }

func (l *timed) Lock() {
	if time.Now().IsZero() {
		return
	}
	l.mu.Lock()
}
func (l *timed) Unlock() { l.mu.Unlock() }

type recovering struct{ mu sync.Mutex }

func (l *recovering) Lock() { l.mu.Lock() }
func (l *recovering) Unlock() {
	defer func() { _ = recover() }()
	l.mu.Unlock()
	panic("caught")
}

type early struct {
	mu sync.Mutex
	n  int
}

func (l *early) Lock()   { l.mu.Lock() }
func (l *early) Unlock() { l.mu.Unlock() }
func (l *early) serve()  { _ = l.n }

func newEarly() sync.Locker {
	l := new(early)
	go l.serve()
	l.n = 1
	return l
}

type endless struct{}

func (l *endless) Lock() {
	n := 0
	for {
		n++
	}
}
func (l *endless) Unlock() {}

func newServed() sync.Locker {
	go func() { new(early).Lock() }()
	go func() { new(early).Lock() }()
	return new(early)
}

func newClosing() sync.Locker {
	c, l := make(chan int), new(early)
	go func() { <-c; l.mu.Lock() }()
	close(c)
	return l
}

var ofTest sync.Mutex

func deferring() []func() {
	return []func(){func() {
		for range func(yield func() bool) { yield() } {
			defer ofTest.Lock()
		}
	}}
}

func spinning() []func() {
	f := false
	spin := func() {
		for n := 0; !f; n++ {
			_ = n
		}
	}
	return []func(){spin, spin}
}

// What a package's initialization cannot run is unknown, and so is what depends on it: a lock that uses that is refused.
func TestInitializers(t *testing.T) {
	const inits = "example.org/doorway/anylock/testdata/inits"
	for _, of := range []string{"both", "literal", "method", "pool", "hooked", "cell", "roles", "before", "target"} {
		pkg := inits
		if of == "before" || of == "target" {
			pkg += "/later"
		}
		_, err := Explore(t.Context(), Config{Name: pkg + "." + strings.ToUpper(of[:1]) + of[1:]})
		assert.ErrorContains(t, err, "which is not followed", of)
		if of != "cell" && of != "roles" { // of which what they point to is unknown
			assert.ErrorContains(t, err, pkg+"."+of+", which is set by")
		}
	}
	for _, name := range []string{inits + ".Room", inits + "/later.After"} {
		r, err := Explore(t.Context(), Config{Name: name})
		require.NoError(t, err)
		assert.ErrorContains(t, r.Err(), "free of panics fails", "what else is set is known")
	}
}

// A counted context is done when it has been asked so often.
type counted struct {
	context.Context
	left atomic.Int64
}

func (c *counted) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// The error of a context ends the exploration soon, whatever it is at: it is asked in each state.
func TestEndsSoon(t *testing.T) {
	for _, n := range []int64{0, 10, 200, 200_000} {
		ctx := &counted{Context: context.Background()}
		ctx.left.Store(n)
		_, err := Explore(ctx, Config{Name: "sync.RWMutex"})
		require.ErrorIs(t, err, context.Canceled)
		var states int64
		if _, after, ok := strings.Cut(err.Error(), "not finished after "); ok {
			_, err = fmt.Sscan(after, &states)
			require.NoError(t, err)
		}
		assert.LessOrEqual(t, states, 10*n)
	}
}

// What is not followed, or cannot be meant, is one sentence with its place.
func TestRefused(t *testing.T) {
	var captured sync.Mutex
	for want, c := range map[string]Config{
		"anylock: exactly one of Config.New, Config.Roles and Config.Name must be set":                                                        {},
		"anylock: Config.Goroutines is 7, want 1 to 6, or 0":                                                                                  {Name: "sync.Mutex", Goroutines: 7},
		"anylock: Config.Rounds is -2, want at least 0, or Unbounded":                                                                         {Name: "sync.Mutex", Rounds: -2},
		"anylock: Config.Memory is -1, want at least 0":                                                                                       {Name: "sync.Mutex", Memory: -1},
		`anylock: Config.Name is "Mutex", want a package and a name in it, such as sync.Mutex`:                                                {Name: "Mutex"},
		"anylock: sync has no function or type mutex":                                                                                         {Name: "sync.mutex"},
		"anylock: bytes.Buffer is of a package whose code is not followed":                                                                    {Name: "bytes.Buffer"},
		"anylock: sync.Once is a *sync.Once, which has no methods Lock and Unlock":                                                            {Name: "sync.Once"},
		"anylock: sync.OnceFunc is a func(f func()) func(), want a function without parameters that returns a lock":                           {Name: "sync.OnceFunc"},
		"refused_test.go:24, in (*example.org/doorway/anylock.texted).Lock: it has the conversion of []byte to string, which is not followed": {New: func() sync.Locker { return new(texted) }},
		"refused_test.go:30, in (*example.org/doorway/anylock.timed).Lock: it has a call of (time.Time).IsZero, which is not followed":        {New: func() sync.Locker { return new(timed) }},
		"refused_test.go:43, in (*example.org/doorway/anylock.recovering).Unlock: it has a panic that is recovered, which is not followed":    {New: func() sync.Locker { return new(recovering) }},
		"captures captured, a variable of the function around it: make all that is used within it":                                            {New: func() sync.Locker { return &captured }},

		"it has an operation of a constructor on memory that a goroutine can reach, which it has started: start it last": {New: newEarly},

		"refused_test.go:81, in example.org/doorway/anylock.newClosing: it has an operation of a constructor": {New: newClosing},

		"anylock: no goroutine can make step 2 of Config.Schedule, which is 9: it waits there, or the code has changed": {Name: "sync.Mutex", Schedule: []int{0, 1, 9}},
		"of Config.Schedule is made where another was: it leads back there":                                             {Name: targets + "Spin", Schedule: make([]int, 9)},
		"anylock: Config.Schedule is [0 -1], want no negative number":                                                   {Name: "sync.Mutex", Schedule: []int{0, -1}},
		"anylock: Config.Mixed is set, and Config.Rounds is Unbounded, want a number, or 0":                             {Name: "sync.Mutex", Mixed: true, Rounds: explore.Unbounded},
		"anylock: Config.Doorway is set, and FIFO is not decided if":                                                    {Name: "sync.Mutex", Mixed: true, Doorway: "x"},
		"anylock: Config.Goroutines is set, and so is Config.Roles, one for each goroutine":                             {Roles: func() []func() { return nil }, Goroutines: 2},
		"it has more than 262144 instructions on plain memory without an operation that others can see":                 {Roles: spinning},
		"it has a defer in a loop over a function":                                                                      {Roles: deferring},
		"anylock: Config.Mixed is set, and the lock has no other way to enter than Lock":                                {Name: targets + "Spin", Mixed: true},
		"anylock: Config.Mixed, Doorway and Rounds are for locks: roles say what goroutines do":                         {Roles: func() []func() { return nil }, Mixed: true},
		`anylock: Config.Doorway is "Enter(", and no line with that has an operation that goroutines`:                   {Name: "sync.Mutex", Goroutines: 1, Doorway: "Enter("},

		"anylock: 6 goroutines and those that the constructor starts are 8, want at most 7": {New: newServed, Goroutines: 6},

		"anylock: the lock is nil": {New: func() sync.Locker { return nil }},
	} {
		_, err := Explore(t.Context(), c)
		assert.ErrorContains(t, err, want, want)
	}
	_, err := Explore(t.Context(), Config{Name: "sync.Mutex", Memory: 1 << 20})
	require.ErrorIs(t, err, explore.ErrMemory)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err = Explore(ctx, Config{Name: "sync.Mutex"})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "anylock: not begun: context canceled: enough")

	_, err = Explore(t.Context(), Config{New: func() sync.Locker { return new(endless) }})
	require.ErrorContains(t, err, "refused_test.go:67, in (*example.org/doorway/anylock.endless).Lock: it has more than 16777216 instructions without an operation that others can see")
	type locker = sync.Locker
	r, err := Explore(t.Context(), Config{New: func() locker { return &ofTest }})
	require.NoError(t, err)
	assert.NoError(t, r.Err(), "a variable of a package is a lock, too")
}

type timedOut struct{ early }

func (l *timedOut) LockContext(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// A lock that may be entered in a way that cannot be followed does not pass.
func TestWaysThatAreNotFollowed(t *testing.T) {
	r, err := Explore(t.Context(), Config{New: func() sync.Locker { return new(timedOut) }})
	require.NoError(t, err)
	assert.ErrorContains(t, r.Err(), "a call of time.After, which is not followed; only entries by Lock are explored")
}
