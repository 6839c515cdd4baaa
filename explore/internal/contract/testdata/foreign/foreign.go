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

	"example.org/doorway/mutex"
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
	parts  []mutex.Mutex
	choose func(i int) bool
	turns  func(yield func(n uint8) bool)
	others func(yield func(n uint16) bool)
}

func New(choose func(i int) bool) *Lock {
	return &Lock{choose: choose, turns: func(yield func(n uint8) bool) {
		yield(uint8(rand.Int()))
	}}
}

type other struct{ n int }

func (o *other) Lock(i int) {
	o.n = i // want "Lock: writes plain memory reached through o: .*"
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	go l.x.Store(1)  // want "Lock: uses a go statement: a process is explored alone, without other goroutines"
	defer p.Inside() // want "Lock: uses a defer statement: a run may be abandoned at any operation, and a deferred call must not run then"
	l.c <- 1         // want "Lock: uses a channel: processes may share only registers"
	<-l.c            // want "Lock: uses a channel: .*"
	for range l.c {  // want "Lock: uses a channel: .*"
	}
	select { // want "Lock: uses a channel: .*"
	default:
	}
	close(l.c)           // want "Lock: uses a channel: .*"
	recover()            // want "Lock: calls recover: a run is abandoned by a panic, which must not be recovered"
	l.mu.Lock()          // want "Lock: reads field mu, .*" "Lock: calls sync.Mutex.Lock: of the standard library, a protocol may call only functions of their arguments, from cmp, errors, fmt, math, math/bits, slices, strconv, strings, unicode and unicode/utf8" "Lock: writes plain memory reached through l: .*"
	l.n.Add(1)           // want "Lock: calls atomic.Uint64.Add: .*" "Lock: writes plain memory reached through l: .*"
	time.Sleep(1)        // want "Lock: calls time.Sleep: .*"
	_ = rand.Int()       // want "Lock: calls rand.Int: .*"
	_ = os.Args          // want "Lock: uses os.Args: .*"
	fmt.Println(i)       // want "Lock: calls fmt.Println: .*"
	for k := range l.m { // want "Lock: ranges over a map: its order does not depend only on the values read"
		l.x.Store(uint64(k))
	}
	_ = *(*int)(unsafe.Pointer(l)) // want "Lock: uses unsafe.Pointer: the memory that it reaches cannot be examined"
	l.inner.Lock(i)                // want "Lock: calls foreign.inner.Lock through an interface that other packages can implement: .*"
	l.parts[i].Lock(i)             // a part of the lock, which is examined too
	l.parts[1:][0].Lock(i)         // want "Lock: calls mutex.Mutex.Lock through an interface that other packages can implement: .*"
	l.Inner.Lock(i)                // want "Lock: reads exported field Inner, which other packages can write: .*" "Lock: calls foreign.Inner.Lock through an interface that other packages can implement: .*"
	if l.choose(i) {               // want "Lock: calls l.choose, a function value that other packages can set by argument choose of New: its effects are unknown"
		_ = register.MakeProcesses("other", 2) // want "Lock: calls register.MakeProcesses, .*"
	}
	for range l.turns { // want "Lock: ranges over a function: .*"
		l.x.Set(1)
	}
	for range l.others { // want "Lock: ranges over a function: .*"
		l.x.Set(1)
	}
	for k := range slices.All([]int{1}) {
		l.x.Set(uint64(k))
	}
	l.allowed(p)
}

func (l *Lock) LockContext(ctx context.Context, i int) error {
	if ctx.Err() != nil { // want "LockContext: calls context.Context.Err through an interface that other packages can implement: .*"
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

// Outside protocols, all this is allowed.
func (l *Lock) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.c)
	time.Sleep(1)
}

type (
	adder    interface{ Add(n uint64) uint64 }
	swapper  interface{ Swap(n uint64) uint64 }
	loader   interface{ Load() uint64 }
	storer   interface{ Store(n uint64) }
	subtract interface{ Sub(n uint64) uint64 }
	ander    interface{ And(n uint64) uint64 }
	orer     interface{ Or(n uint64) uint64 }
	clean    interface{ Clean() uint64 }
)

type own struct{ w register.Word }

func (o *own) Add(n uint64) uint64  { return n }
func (o *own) Swap(n uint64) uint64 { return n }
func (o *own) Load() uint64         { return 1 }
func (o *own) Store(uint64)         {}
func (o *own) Sub(n uint64) uint64  { return n }
func (o *own) And(n uint64) uint64  { return n }
func (o *own) Or(n uint64) uint64   { return n }
func (o *own) Clean() uint64        { return o.w.Load() }

// A promoter has its method from elsewhere.
type promoter struct{ atomic.Uint64 }

type noter interface{ Note() uint64 }

func (o *own) Note() uint64 { return 1 }

type sayer interface{ Say() uint64 }

func (o *own) Say() uint64 { return 1 }

// Noter can be set by other packages.
var Noter noter = &own{}

// Behind calls methods through interfaces that only this package can name: of its own
// types, and of others.
type Behind struct {
	noter   noter
	procs   register.Processes
	x       register.Word
	adder   adder
	swapper []swapper
	loader  loader
	storer  storer
	Orer    orer
	Sayer   sayer
	ander   ander
	clean   clean
}

func NewBehind(ands ander, any any) *Behind {
	l := &Behind{adder: &own{}, clean: &own{}, noter: Noter, loader: any.(loader), ander: ands}
	l.adder = new(atomic.Uint64)
	l.swapper = append(l.swapper, new(atomic.Uint64))
	l.storer = &promoter{}
	return l
}

func (l *Behind) Lock(i int) {
	p := l.procs.Entry(i)
	l.adder.Add(1)       // want "Lock: calls foreign.adder.Add through an interface that other packages can implement: .*"
	l.swapper[0].Swap(1) // want "Lock: calls foreign.swapper.Swap through an interface that other packages can implement: .*"
	l.loader.Load()      // want "Lock: calls foreign.loader.Load through an interface that other packages can implement: .*"
	l.storer.Store(1)    // want "Lock: calls foreign.storer.Store through an interface that other packages can implement: .*"
	l.Orer.Or(1)         // want "Lock: reads exported field Orer, which other packages can write: .*" "Lock: calls foreign.orer.Or through an interface that other packages can implement: .*"
	l.ander.And(1)       // want "Lock: calls foreign.ander.And through an interface that other packages can implement: .*"
	l.Sayer.Say()        // want "Lock: reads exported field Sayer, which other packages can write: .*" "Lock: calls foreign.sayer.Say through an interface that other packages can implement: .*"
	l.noter.Note()       // want "Lock: calls foreign.noter.Note through an interface that other packages can implement: .*"
	sub(&own{})          // want "Lock: makes a register: .*"
	l.clean.Clean()      // want "Lock: calls foreign.clean.Clean through an interface that other packages can implement: .*"
	p.Inside()
}

func sub[T subtract](v T) {
	v.Sub(1) // want "sub: calls foreign.subtract.Sub through an interface that other packages can implement: .*"
}

type node struct {
	want  register.Word
	limit int
}

// Copies uses registers as values, and not through their methods.
type Copies struct {
	procs register.Processes
	turn  register.Word
	gate  register.Gate
	relay register.Relay
	want  [2]register.Word
	nodes []node
	ptrs  []*node
}

func (l *Copies) Lock(i int) {
	p := l.procs.Entry(i)
	_ = l.turn == (register.Word{})         // want "Lock: copies registers in a comparison: a protocol may use a register only through its methods"
	_ = (register.Word{}) != (l.turn)       // want "Lock: copies registers in a comparison: .*"
	_ = l.want == [2]register.Word{}        // want "Lock: copies registers in a comparison: .*"
	_ = l.gate == (register.Gate{})         // want "Lock: copies registers in a comparison: .*"
	_ = l.relay == (register.Relay{})       // want "Lock: copies registers in a comparison: .*"
	_ = any(l.turn) == any(register.Word{}) // want "Lock: copies registers in a call: .*"
	turn := l.turn                          // want "Lock: copies registers in an assignment: .*"
	turn.Store(1)
	copied := *l.ptrs[0]        // want "Lock: copies registers in an assignment: .*"
	same(l.nodes[0])            // want "Lock: copies registers in a call: .*"
	for _, n := range l.nodes { // want "Lock: copies registers in a range: .*"
		_ = n.limit
	}
	for range slices.Values(l.nodes) { // want "Lock: passes registers to slices.Values: .*"
	}
	_ = l.nodes[0].value() // want "Lock: copies registers in a method with such a receiver: .*"
	q := *p                // want "Lock: copies registers in an assignment: .*"
	_ = q.ID() + copied.limit
	l.allowed(p)
	p.Inside()
}

func same(n node) int { return n.limit }

func (n node) value() int { return n.limit }

func (n *node) pointed() *register.Word { return &n.want }

func (l *Copies) allowed(p *register.Process) {
	for i := range l.want {
		l.want[i].Store(0)
	}
	for i := range l.nodes {
		n := &l.nodes[i]
		n.want.Store(uint64(n.limit))
		(&n.want).Set(1)
		(*n).pointed().Set(2)
	}
	for _, n := range l.ptrs {
		if n == nil || n == l.ptrs[0] {
			n.want.Set(1)
		}
	}
	first := l.nodes[0].pointed()
	first.Set(uint64(len(l.want[:1])))
}

func (l *Copies) Unlock(i int) {
	l.procs.Exit(i)
	new(register.Word).Store(1)             // want "Unlock: makes a register: the constructor makes the registers of a lock, for all its processes"
	own := &node{limit: len(l.want)}        // want "Unlock: makes a register: .*"
	var plain register.Word                 // want "Unlock: makes a register: .*"
	all := make([]register.Word, own.limit) // want "Unlock: makes a register: .*"
	some := []node{{}}                      // want "Unlock: makes a register: .*"
	zero := register.Word{}                 // want "Unlock: makes a register: .*"
	var none *register.Word
	if none == nil {
		none = &all[0]
	}
	plain.Store(none.Load() + zero.Load() + uint64(len(some)) + uint64(len(make([]*register.Word, 1))))
}
