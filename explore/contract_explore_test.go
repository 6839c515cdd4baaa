//go:build doorway_explore

package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A breaker is a test-and-set lock that breaks the contract. Each has its own type,
// since the source is examined by type.
type breaker struct {
	procs register.Processes
	reg   [2]register.Word
	plain [2]int
}

func (b *breaker) Processes() int { return b.procs.Len() }
func (b *breaker) Unlock(i int)   { b.procs.Exit(i); b.reg[0].Store(0) }

func (b *breaker) try(p *register.Process) register.Outcome {
	if b.reg[0].CompareAndSwap(0, p.Name()) {
		return register.Entered
	}
	return register.Again
}

// spinning loops over plain loads.
type spinning struct{ breaker }

func (b *spinning) Lock(i int) {
	p := b.procs.Entry(i)
	for b.reg[0].Load() != 0 {
		continue
	}
	b.reg[0].Store(p.Name())
	p.Inside()
}

// sneaky carries a count from one try to the next, and thereby violates mutual
// exclusion.
type sneaky struct{ breaker }

func (b *sneaky) Lock(i int) {
	p := b.procs.Entry(i)
	tries := 0
	register.Repeat(func() register.Outcome {
		if tries++; tries == 2 { // here
			b.reg[0].Store(p.Name())
			return register.Entered
		}
		return b.try(p)
	})
	p.Inside()
}

// leaking leaks more than its result from a Pure.
type leaking struct{ breaker }

func (b *leaking) Lock(i int) {
	p := b.procs.Entry(i)
	var seen uint64
	register.Pure(func() uint64 {
		seen = b.reg[0].Load() // here
		return 0
	})
	if seen == 0 {
		b.reg[1].Set(1)
	}
	register.Repeat(func() register.Outcome { return b.try(p) })
	p.Inside()
}

// hidden keeps a count from one round to the next in plain memory.
type hidden struct{ breaker }

func (b *hidden) Lock(i int) {
	p := b.procs.Entry(i)
	if b.plain[i]++; b.plain[i]%100 == 0 { // here
		b.reg[0].Store(p.Name())
		p.Inside()
		return
	}
	register.Repeat(func() register.Outcome { return b.try(p) })
	p.Inside()
}

// idle retries without a read.
type idle struct{ breaker }

func (b *idle) Lock(i int) {
	p := b.procs.Entry(i)
	for b.try(p) != register.Entered {
		register.Repeat(func() register.Outcome { return register.Again })
	}
	p.Inside()
}

// blocking blocks outside of registers.
type blocking struct{ breaker }

func (b *blocking) Lock(i int) {
	p := b.procs.Entry(i)
	register.Repeat(func() register.Outcome { return b.try(p) })
	<-make(chan int) // here
	p.Inside()
}

func breakers() map[string]mutex.Mutex {
	b := func() breaker { return breaker{procs: register.MakeProcesses("breaker", 2)} }
	return map[string]mutex.Mutex{
		"spinning": &spinning{b()}, "sneaky": &sneaky{b()}, "leaking": &leaking{b()}, "hidden": &hidden{b()},
		"idle": &idle{b()}, "blocking": &blocking{b()},
	}
}

// The source of a lock is examined before its protocols run.
func TestVet(t *testing.T) {
	for name, want := range map[string]string{
		"spinning": "loops over plain loads",
		"sneaky":   "assigns captured variable tries inside the function given to register.Repeat",
		"leaking":  "assigns captured variable seen inside the function given to register.Pure",
		"hidden":   "plain",
		"blocking": "channel",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Check(Config{New: func(int) mutex.Mutex { return breakers()[name] }, Processes: 2})
			assert.Nil(t, r)
			breaks(t, err, want)
		})
	}
}

// breaks fails the test unless err is a breach of the contract in this file with the
// given text.
func breaks(t *testing.T, err error, want string) {
	t.Helper()
	var c *LockError
	require.ErrorAs(t, err, &c)
	require.ErrorContains(t, err, want)
	assert.True(t, strings.HasSuffix(c.File, "contract_explore_test.go"), "it is in %s", c.File)
	assert.NotZero(t, c.Line, "the line of: %v", err)
	t.Log(err)
}

// If the source cannot be examined, running it detects the breach.
func TestDynamic(t *testing.T) {
	for name, want := range map[string]string{
		"sneaky":  "carries state out of a try of register.Repeat",
		"leaking": "carries state out of a function of register.Pure",
		"hidden":  "it keeps state outside of registers",
		"idle":    "retries without a read",
	} {
		t.Run(name, func(t *testing.T) {
			breaks(t, dynamic(breakers()[name]), want)
		})
	}
}

// A loop over plain loads has a local state for every history of its reads. It is found
// by counting its rounds, and not by the clock.
func TestSpinning(t *testing.T) {
	err := dynamic(breakers()["spinning"])
	assert.ErrorContains(t, err, "contract_explore_test.go:42: process 1 comes here 9 times in one entry, each time with more to remember: a loop that only registers end must be a register.Repeat")
}

// dynamic makes the automata of a lock without examining its source.
func dynamic(lock mutex.Mutex) error {
	_, err := begin(&Config{New: func(int) mutex.Mutex { return lock }, Processes: 2}, false)
	return err
}

// The minimal automaton is equivalent to all histories: their states differ only in
// number.
func TestMinimal(t *testing.T) {
	cfg := Config{New: func(int) mutex.Mutex { return newRight() }, Processes: 2}
	begun, err := begin(&cfg, false)
	require.NoError(t, err)
	x := begun.x
	var verdicts []string
	for _, smallest := range []bool{false, true} {
		c := &checking{cfg: &cfg, x: x, report: &Report{}, program: graph.Program{Variables: x.Variables, Ways: 1}}
		for _, tree := range x.Trees {
			nodes := automaton.Freeze(tree, x.Variables)
			if smallest {
				nodes = automaton.Minimal(tree, x.Variables)
			}
			automaton.Fuse(nodes)
			c.program.Automata = append(c.program.Automata, automaton.AtGates(nodes))
		}
		require.NoError(t, c.run())
		r := c.report
		verdicts = append(verdicts, fmt.Sprint(
			r.MutualExclusion.Status, r.DeadlockFree.Status, r.StarvationFree.Status, r.FIFO.Status, r.SafeRegisters.Status,
		))
		t.Logf("%d states", r.States)
	}
	assert.Equal(t, verdicts[0], verdicts[1], "of all histories, and of the smallest automata")
}

// right is a lock that computes a maximum, and so has many histories.
type right struct {
	procs            register.Processes
	choosing, number [2]register.Word
}

func newRight() mutex.Mutex { return &right{procs: register.MakeProcesses("right", 2)} }

func (l *right) Processes() int { return 2 }
func (l *right) Unlock(i int)   { l.number[l.procs.Exit(i).ID()].Store(0) }

func (l *right) Lock(i int) {
	p := l.procs.Entry(i)
	j := 1 - i
	l.choosing[i].Store(1)
	mine := min(3, 1+l.number[j].Load())
	l.number[i].Store(mine)
	l.choosing[i].Store(0)
	p.Doorway()
	l.choosing[j].Await(p, func(v uint64) bool { return v == 0 })
	l.number[j].Await(p, func(v uint64) bool { return v == 0 || v > mine || v == mine && j > i })
	p.Inside()
}

// nested has one Pure in another: both begin at the same point and can end with the
// same result, but different operations follow.
type nested struct{ breaker }

func (b *nested) Lock(i int) {
	p := b.procs.Entry(i)
	if register.Pure(func() uint64 {
		if register.Pure(func() uint64 { return min(b.reg[1].Load(), 1) }) == 1 {
			return 5 + b.reg[0].Load()
		}
		return 1 // like the inner one above
	}) == 1 {
		b.reg[1].Set(1)
	}
	register.Repeat(func() register.Outcome { return b.try(p) })
	p.Inside()
}

func TestNested(t *testing.T) {
	r, err := Check(Config{New: func(n int) mutex.Mutex { return &nested{breaker{procs: register.MakeProcesses("nested", n)}} }, Processes: 2})
	require.NoError(t, err)
	assert.Equal(t, Holds, r.MutualExclusion.Status, "%v", r)
}

// A lock that does not call Inside or Exit cannot be used, even if its registers
// are right.
type entering struct{ breaker }

func (b *entering) Lock(i int) {
	p := b.procs.Entry(i)
	register.Repeat(func() register.Outcome { return b.try(p) })
}

type leaving struct{ entering }

func (b *leaving) Lock(i int) {
	b.entering.Lock(i)
	b.procs.Entry(i).Inside()
}

func (b *leaving) Unlock(int) { b.reg[0].Store(0) }

func TestBoundaries(t *testing.T) {
	in, out := &entering{}, &leaving{}
	in.procs, out.procs = register.MakeProcesses("breaker", 2), register.MakeProcesses("breaker", 2)
	for want, lock := range map[string]mutex.Mutex{
		"Lock of process 0 returns without calling Process.Inside":   in,
		"Unlock of process 0 returns without calling Processes.Exit": out,
	} {
		assert.ErrorContains(t, dynamic(lock), want)
	}
}
