// Package pair has Peterson's lock, and constructors of every kind.
package pair

import (
	"context"
	"fmt"
	"os"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	want  [2]register.Word
	turn  register.Word
}

func New(n int) mutex.Mutex {
	fmt.Println("a constructor may print")
	return NewLock(n)
}

func NewLock(n int) *Lock { return &Lock{procs: register.MakeProcesses("pair", n)} }
func NewPair() *Lock      { return NewLock(2) }

func NewNil(int) mutex.Mutex   { return nil }
func NewPanic(int) mutex.Mutex { panic("no lock today") }
func NewNamed(string) *Lock    { return NewPair() }
func NewHalf(int) *Half        { return nil }
func NewOf[T any](int) *Lock   { return NewPair() }
func newLock(int) *Lock        { return NewPair() }

// NewEndless never returns. It says on standard error that it is there.
func NewEndless(int) *Lock {
	fmt.Fprintln(os.Stderr, "endless")
	select {}
}

// A Half has an Unlock without a process.
type Half struct{}

func (*Half) Processes() int { return 2 }
func (*Half) Lock(int)       {}
func (*Half) Unlock()        {}

func (l *Lock) Processes() int     { return l.procs.Len() }
func (l *Lock) Lock(i int)         { l.enter(l.procs.Entry(i)) }
func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Lock) enter(p *register.Process) {
	l.entry(p)
	p.Inside()
}

func (l *Lock) entry(p *register.Process) bool {
	i := p.ID()
	j := 1 - i
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	p.Doorway()
	if !register.AwaitEither(p, &l.want[j], func(v uint64) bool { return v == 0 }, &l.turn, func(v uint64) bool { return v != uint64(i) }) {
		l.exit(p)
		return false
	}
	return true
}

func (l *Lock) exit(p *register.Process) { l.want[p.ID()].Store(0) }
