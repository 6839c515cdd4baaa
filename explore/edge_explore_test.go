//go:build doorway_explore

package explore

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/space"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A custom lock has given protocols, which may differ by process and method.
type custom struct {
	procs                  register.Processes
	r                      [3]register.Word
	steps                  [2]register.Step
	lock, try, context, un func(l *custom, p *register.Process) bool
}

func (l *custom) Processes() int { return l.procs.Len() }

func (l *custom) Lock(i int) {
	p := l.procs.Entry(i)
	l.lock(l, p)
	p.Inside()
}

func (l *custom) TryLock(i int) bool {
	return l.procs.Try(i, func(p *register.Process) bool { return l.try(l, p) })
}

func (l *custom) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool { return l.context(l, p) })
}

func (l *custom) Unlock(i int) { l.un(l, l.procs.Exit(i)) }

type protocols func(l *custom, p *register.Process) bool

// explored checks a custom lock without examining its source.
func explored(t *testing.T, cfg Config, lock, un protocols) (*Report, error) {
	t.Helper()
	if cfg.New == nil {
		cfg.New = func(n int) mutex.Mutex {
			return &custom{procs: register.MakeProcesses("custom", n), lock: lock, try: lock, context: lock, un: un}
		}
	}
	if cfg.Processes == 0 {
		cfg.Processes = 2
	}
	c, err := begin(&cfg, false)
	if err != nil {
		return nil, err
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report, nil
}

func nothingToDo(*custom, *register.Process) bool { return true }

func isZero(v uint64) bool { return v == 0 }

func swapIn(l *custom, p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.r[0].CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.Again
	})
}

func open(l *custom, _ *register.Process) bool {
	l.r[0].Store(0)
	return true
}

// Failures at the edges of protocols are detected.
func TestEdges(t *testing.T) {
	step := func(l *custom, s int, i uint64) bool {
		return register.Repeat(func() register.Outcome {
			in := false
			l.steps[s].Do(func() {
				if l.r[0].Load() == 0 {
					l.r[0].Store(i)
					in = true
				}
			})
			if in {
				return register.Entered
			}
			return register.AgainIf(true)
		})
	}
	for _, c := range []struct {
		name     string
		cfg      Config
		lock, un protocols
		want     func(r *Report) bool
	}{
		{
			"an entry without an operation",
			Config{},
			nothingToDo, open,
			func(r *Report) bool { return r.MutualExclusion.Status == Fails && r.MutualExclusion.Trace != nil },
		},
		{
			"no operation at all, races",
			Config{Only: Properties{RaceFree: true}},
			nothingToDo, nothingToDo,
			func(r *Report) bool { return r.RaceFree.Status == Fails },
		},
		{
			"alone, an exit without an operation",
			Config{Processes: 1},
			nothingToDo, nothingToDo,
			func(r *Report) bool {
				return r.MutualExclusion.Status == Holds && r.StarvationFree.Status == Holds && r.Reads+r.Writes == 0
			},
		},
		{
			"an exit without an operation, beside one that waits",
			Config{Only: Properties{FIFO: true, StarvationFree: true}},
			func(l *custom, p *register.Process) bool {
				if p.ID() == 1 {
					l.r[2].CompareAndSwap(0, 0)
					return true
				}
				return register.Repeat(func() register.Outcome {
					l.r[1].Load()
					return register.Again
				})
			}, nothingToDo,
			func(r *Report) bool { return r.Bypasses == unbounded && r.FIFO.Status == Fails },
		},
		{
			"one Step for all",
			Config{},
			func(l *custom, p *register.Process) bool { return step(l, 0, p.Name()) }, open,
			func(r *Report) bool { return r.MutualExclusion.Status == Holds && r.DeadlockFree.Status == Holds },
		},
		{
			"a Step for each",
			Config{},
			func(l *custom, p *register.Process) bool { return step(l, p.ID(), p.Name()) }, open,
			func(r *Report) bool { return r.MutualExclusion.Status == Fails },
		},
		{
			"a Step, and a swap outside of it",
			Config{},
			func(l *custom, p *register.Process) bool {
				if p.ID() == 0 {
					return step(l, 0, 1)
				}
				return swapIn(l, p)
			}, open,
			func(r *Report) bool { return r.MutualExclusion.Status == Fails },
		},
		{
			"an exit that does not end",
			Config{},
			swapIn,
			func(l *custom, p *register.Process) bool {
				open(l, p)
				return l.r[1].Await(p, func(v uint64) bool { return v == 1 })
			},
			func(r *Report) bool { return r.DeadlockFree.Status == Fails && r.StarvationFree.Status == Fails },
		},
		{
			"an exit that begins by waiting forever",
			Config{},
			swapIn,
			func(l *custom, p *register.Process) bool {
				l.r[1].Await(p, func(v uint64) bool { return v == 1 })
				return open(l, p)
			},
			func(r *Report) bool {
				return r.MutualExclusion.Status == Holds && r.DeadlockFree.Status == Fails && r.StarvationFree.Status == Fails && r.Reads == unbounded
			},
		},
		{
			"an exit that begins with a retry",
			Config{},
			swapIn,
			func(l *custom, p *register.Process) bool {
				return register.Repeat(func() register.Outcome {
					if l.r[0].CompareAndSwap(p.Name(), 0) {
						return register.Entered
					}
					return register.Again
				})
			},
			func(r *Report) bool { return r.MutualExclusion.Status == Holds && r.DeadlockFree.Status == Holds },
		},
		{
			"a rest that does not end",
			Config{GiveUp: true},
			func(l *custom, p *register.Process) bool {
				if !l.r[0].Await(p, isZero) {
					p.Absorb(func() { l.r[1].Await(p, func(v uint64) bool { return v == 1 }) })
					return false
				}
				return swapIn(l, p)
			}, open,
			func(r *Report) bool { return r.DeadlockFree.Status == Fails },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := explored(t, c.cfg, c.lock, c.un)
			require.NoError(t, err)
			assert.True(t, c.want(r), "%v%v", r, r.Failures())
		})
	}
}

// TryLock is explored in addition to LockContext if it differs.
func TestTry(t *testing.T) {
	withdraw := func(l *custom, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			if l.r[0].CompareAndSwap(0, p.Name()) {
				return register.Entered
			}
			return register.AgainIf(l.r[0].Await(p, isZero))
		})
	}
	for want, try := range map[string]protocols{
		Holds: withdraw,
		Fails: func(l *custom, p *register.Process) bool { l.r[0].Store(p.Name()); return true },
	} {
		r, err := explored(t, Config{GiveUp: true, New: func(n int) mutex.Mutex {
			return &custom{procs: register.MakeProcesses("custom", n), lock: withdraw, try: try, context: withdraw, un: open}
		}}, nil, nil)
		require.NoError(t, err)
		assert.Equal(t, want, r.MutualExclusion.Status, "%v", r)
	}
}

// A TryLock that does what LockContext does changes nothing: a process that waits
// before its first operation is in its doorway.
func TestTryTheSame(t *testing.T) {
	turn := func(l *custom, p *register.Process) bool {
		return l.r[0].Await(p, func(v uint64) bool { return v == uint64(p.ID()) })
	}
	next := func(l *custom, p *register.Process) bool {
		l.r[0].Store(uint64(1 - p.ID()))
		return true
	}
	for _, giveUp := range []bool{false, true} {
		r, err := explored(t, Config{GiveUp: giveUp}, turn, next)
		require.NoError(t, err, "giving up %v", giveUp)
		assert.Equal(t, 12, r.States, "giving up %v", giveUp)
		assert.Equal(t, Holds, r.FIFO.Status, "giving up %v: %v", giveUp, r)
		assert.Zero(t, r.Bypasses, "giving up %v", giveUp)
	}
}

// A withdrawing process is not bypassed.
func TestWithdrawing(t *testing.T) {
	ticket := func(l *custom, p *register.Process) bool { // r[0]: the first process
		l.r[1+p.ID()].Store(1)
		l.r[0].CompareAndSwap(0, p.Name())
		p.Doorway()
		if !l.r[0].Await(p, func(v uint64) bool { return v == p.Name() }) {
			l.r[0].CompareAndSwap(p.Name(), 2-l.r[1].Load())
			l.r[1+p.ID()].Store(0)
			l.r[2].Load()
			return false
		}
		return true
	}
	r, err := explored(t, Config{GiveUp: true, Only: Properties{FIFO: true}}, ticket, func(l *custom, p *register.Process) bool {
		l.r[1+p.ID()].Store(0)
		l.r[0].Store(0)
		return true
	})
	require.NoError(t, err)
	for _, trace := range r.Failures() {
		for _, s := range trace.Steps {
			assert.NotEqual(t, "give up", s.Do, "bypassed after giving up:\n%v", trace)
		}
	}
}

// Misuse is an error, not a panic.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		name     string
		cfg      Config
		lock, un protocols
		want     string
	}{
		{"cap", Config{Cap: 5}, func(l *custom, _ *register.Process) bool { l.r[0].Store(100); return true }, open, "Config.Cap = 5 is too low for process 0 to enter: r[0] would hold 100"},
		{"memory", Config{Memory: -1}, swapIn, open, "Config.Memory is -1"},
		{"nil", Config{New: func(int) mutex.Mutex { return nil }}, swapIn, open, "New returned nil"},
		{"constructor", Config{New: func(int) mutex.Mutex { panic("no") }}, swapIn, open, "panics: no"},
		{"wait in a step", Config{}, func(l *custom, p *register.Process) bool {
			l.steps[0].Do(func() { l.r[0].Await(p, isZero) })
			return swapIn(l, p)
		}, open, "waits within an atomic step"},
		{"step in a step", Config{}, func(l *custom, p *register.Process) bool {
			l.steps[p.ID()].Do(func() { l.steps[1-p.ID()].Do(func() { l.r[0].Load() }) })
			return swapIn(l, p)
		}, open, "begins an atomic step within another"},
		{"retry in a step", Config{}, func(l *custom, p *register.Process) bool {
			l.steps[0].Do(func() { swapIn(l, p) })
			return true
		}, open, "retries within an atomic step"},
		{"doorway in a try", Config{}, func(l *custom, p *register.Process) bool {
			return register.Repeat(func() register.Outcome {
				if l.r[0].CompareAndSwap(0, p.Name()) {
					return register.Entered
				}
				p.Doorway()
				return register.Again
			})
		}, open, "process 0 is in phase waiting at the end of a try of register.Repeat, and was in doorway at its beginning"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := explored(t, c.cfg, c.lock, c.un)
			assert.Nil(t, r)
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := registers.Uncontended(func(n int) mutex.Mutex {
		return &custom{procs: register.MakeProcesses("custom", n), un: open, lock: func(l *custom, _ *register.Process) bool {
			return register.Repeat(func() register.Outcome { l.r[0].Load(); return register.Again })
		}}
	}, 1)
	assert.ErrorContains(t, err, "process 0, uncontended: it makes more than")
}

// Concurrent checks do not interfere.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				r, err := explored(t, Config{New: func(n int) mutex.Mutex {
					l := &custom{procs: register.MakeProcesses("custom", n), lock: swapIn, un: open}
					l.r[1].Set(7) // not an operation of a protocol
					return l
				}}, nil, nil)
				if assert.NoError(t, err) {
					assert.Equal(t, Holds, r.MutualExclusion.Status, "%v", r)
					assert.Len(t, r.Registers, 1)
				}
				_, err = registers.Uncontended(func(n int) mutex.Mutex {
					return &custom{procs: register.MakeProcesses("custom", n), lock: swapIn, un: open}
				}, 2)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
}

// A state of two words behaves like a state of one.
func TestWide(t *testing.T) {
	var reports []string
	for _, wide := range []bool{false, true} {
		cfg := Config{New: func(int) mutex.Mutex { return newRight() }, Processes: 2, Only: Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}}
		c, err := begin(&cfg, false)
		require.NoError(t, err)
		y := graph.NewLayout(c.program, false)
		if wide {
			y.Registers[0] = graph.Field{Word: 1, Shift: 3, Mask: y.Registers[0].Mask}
			err = runOn[[2]uint64](c, y)
		} else {
			err = runOn[[1]uint64](c, y)
		}
		require.NoError(t, err)
		reports = append(reports, c.report.String())
	}
	assert.Equal(t, reports[0], reports[1])
}

// A property that takes too much memory does not lose the verdicts on others.
func TestUnanswered(t *testing.T) {
	c := &checking{report: &Report{States: 7}}
	require.NoError(t, c.unanswered("this", &space.MemoryError{Limit: 1 << 30, States: 5}))
	assert.Len(t, c.report.Unanswered, 1)
	assert.Error(t, c.unanswered("this", errors.New("else")), "an error is forgotten")
}
