// Package foreign has protocols that are no function of what they read.
package foreign

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"example.org/doorway/register"
)

type inner interface{ Lock(i int) }

type Inner interface{ Lock(i int) }

type Lock struct {
	procs  register.Processes
	x      register.Word
	mu     sync.Mutex
	n      atomic.Uint64
	m      map[int]int
	c      chan int
	inner  inner
	Inner  Inner
	choose func(i int) bool
	turns  func(yield func(n uint8) bool)
	others func(yield func(n uint16) bool)
}

func New(choose func(i int) bool) *Lock {
	return &Lock{choose: choose, turns: func(yield func(n uint8) bool) {
		yield(uint8(rand.Int())) // want "New: rand.Int is called: .*"
	}}
}

type other struct{ n int }

func (o *other) Lock(i int) {
	o.n = i // want "Lock: plain memory reached through o .*"
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	go l.x.Store(1)  // want "Lock: a go statement: a process is explored alone, without other goroutines"
	defer p.Inside() // want "Lock: a defer statement: a run is abandoned at any operation, and what is deferred must not run then"
	l.c <- 1         // want "Lock: a channel operation: processes share registers and nothing else"
	<-l.c            // want "Lock: a channel operation: .*"
	for range l.c {  // want "Lock: a channel operation: .*"
	}
	select { // want "Lock: a channel operation: .*"
	default:
	}
	close(l.c)           // want "Lock: a channel operation: .*"
	recover()            // want "Lock: recover: a run is abandoned by a panic, which must not be caught"
	l.mu.Lock()          // want "Lock: sync.Mutex.Lock is called: of the standard library, a protocol calls only what depends on its arguments alone" "Lock: plain memory reached through l .*"
	l.n.Add(1)           // want "Lock: atomic.Uint64.Add is called: .*" "Lock: plain memory reached through l .*"
	time.Sleep(1)        // want "Lock: time.Sleep is called: .*"
	_ = rand.Int()       // want "Lock: rand.Int is called: .*"
	_ = os.Args          // want "Lock: os.Args is used: .*"
	fmt.Println(i)       // want "Lock: fmt.Println is called: .*"
	for k := range l.m { // want "Lock: a range over a map: its order is not a function of the values that were read"
		l.x.Store(uint64(k))
	}
	_ = *(*int)(unsafe.Pointer(l)) // want "Lock: unsafe.Pointer: what is reached by it cannot be seen"
	l.inner.Lock(i)
	l.Inner.Lock(i)  // want "Lock: foreign.Inner.Lock is called through an interface, behind which anything may stand"
	if l.choose(i) { // want "Lock: a function is called that comes from outside of the package: what it does cannot be seen"
		_ = register.MakeProcesses("other", 2) // want "Lock: register.MakeProcesses is called, .*"
	}
	for range l.turns {
		l.x.Set(1)
	}
	for range l.others { // want "Lock: a function is called that comes from outside of the package: .*"
		l.x.Set(1)
	}
	for k := range slices.All([]int{1}) {
		l.x.Set(uint64(k))
	}
	l.allowed(p)
}

func (l *Lock) LockContext(ctx context.Context, i int) error {
	if ctx.Err() != nil { // want "LockContext: context.Context.Err is called: .*"
		return fmt.Errorf("process %d", i)
	}
	return l.procs.Context(ctx, i, l.allowed)
}

func (l *Lock) allowed(p *register.Process) bool {
	if bits.Len(uint(p.ID())) > 60 {
		panic(fmt.Sprintf("foreign: process %d", p.ID()))
	}
	for range [3]int{} {
		l.x.Set(1)
	}
	return true
}

// Not in a protocol, all this is nobody's business.
func (l *Lock) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.c)
	time.Sleep(1)
}
