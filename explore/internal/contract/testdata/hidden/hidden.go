// Package hidden has locks whose state is changed behind their protocols' backs, each in another way.
package hidden

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"example.org/doorway/register"
)

type base struct {
	procs register.Processes
	x     register.Word
}

func (b *base) enter(i int, set bool) {
	p := b.procs.Entry(i)
	if set {
		b.x.Store(1)
	}
	p.Inside()
}

// A method outside of the protocol hands out a reference, or writes through one.

type getter struct {
	base
	listed []int8
}

func (l *getter) Listed() []int8 { return l.listed }
func (l *getter) Lock(i int)     { l.enter(i, l.listed[0] > 0) } // want "Lock: reads memory of type int8 that it did not make, and such memory is written at .*"

type counter struct {
	base
	counted int32
}

func (l *counter) Count()     { atomic.AddInt32(&l.counted, 1) }
func (l *counter) Lock(i int) { l.enter(i, l.counted > 0) } // want "Lock: reads field counted, which is written at .*"

type decoder struct {
	base
	decoded struct{ Limit float32 }
}

func (l *decoder) Decode(b []byte) { _ = json.Unmarshal(b, &l.decoded) }
func (l *decoder) Lock(i int)      { l.enter(i, l.decoded.Limit > 0) } // want "Lock: reads field Limit, which is written at .*"

type scanner struct {
	base
	scanned uint64
}

func (l *scanner) Scan(s string) {
	args := []any{&l.scanned}
	_, _ = fmt.Sscan(s, args...)
}

func (l *scanner) Lock(i int) { l.enter(i, l.scanned > 0) } // want "Lock: reads field scanned, which is written at .*"

type copier struct {
	base
	copied []int16
}

func (l *copier) Copy()      { s := l.copied; s[0] = 1 }
func (l *copier) Lock(i int) { l.enter(i, l.copied[0] > 0) } // want "Lock: reads memory of type int16 that it did not make, and such memory is written at .*"

type slicer struct {
	base
	sliced [2]uint16
}

func (l *slicer) Slice()     { s := l.sliced[:]; s[0] = 1 }
func (l *slicer) Lock(i int) { l.enter(i, l.sliced[0] > 0) } // want "Lock: reads field sliced, which is written at .*"

type pointer struct {
	base
	pointed uint8
	to      *uint8
}

func NewPointer() *pointer {
	l := &pointer{}
	l.to = &l.pointed
	return l
}

func (l *pointer) Set()       { *l.to = 1 }
func (l *pointer) Lock(i int) { l.enter(i, l.pointed > 0) } // want "Lock: reads field pointed, which is written at .*"

type reader struct {
	base
	limit complex64
	to    *complex64
}

func NewReader() *reader {
	l := &reader{}
	l.to = &l.limit
	return l
}

func (l *reader) Set()       { l.limit = 1 }
func (l *reader) Lock(i int) { l.enter(i, *l.to == 0) } // want "Lock: reads memory of type complex64 that it did not make, .*"

type mapper struct {
	base
	mapped map[string]int64
}

func (l *mapper) Map()       { l.mapped["x"]++ }
func (l *mapper) Lock(i int) { l.enter(i, l.mapped["x"] > 0) } // want "Lock: reads memory of type int64 that it did not make, and such memory is written at .*"

type box[T any] struct{ boxed T }

func (b *box[T]) set(v T) { b.boxed = v }

type boxer struct {
	base
	b box[bool]
}

func (l *boxer) Box()       { l.b.set(true) }
func (l *boxer) Lock(i int) { l.enter(i, l.b.boxed) } // want "Lock: reads field boxed, which is written at .*"

// A type with the same fields has other names for them.

type level struct{ levelled int }
type other struct{ levelled int }

type converter struct {
	base
	level level
}

func (l *converter) Convert()   { (*other)(&l.level).levelled++ }
func (l *converter) Lock(i int) { l.enter(i, l.level.levelled > 0) } // want "Lock: reads field levelled, which is written at .*"

type hold struct{ held *int }

type holder struct {
	base
	held *int
}

func (l *holder) Lock(i int) {
	var h hold = struct{ held *int }{l.held}
	*h.held = 1 // want "Lock: writes plain memory reached through h: .*"
	l.enter(i, true)
}

type argued struct{ argument int }

type arguer struct {
	base
	to *argued
}

func (l *arguer) Lock(i int) {
	argue(l.to)
	l.enter(i, true)
}

func argue(v *argued) {
	p := &v
	(*p).argument = 1 // want "argue: writes plain memory .*"
}

// Something runs beside the protocol.

type runner interface{ run() }

type goer struct {
	base
	gone bool
}

func (l *goer) run() { l.gone = true }

func NewGoer() *goer {
	l := &goer{}
	go runner(l).run()
	return l
}

func (l *goer) Lock(i int) { l.enter(i, l.gone) } // want "Lock: reads field gone, which is written at .*"

type waiter struct {
	base
	waited bool
}

func (l *waiter) wait() { l.waited = true }

func NewWaiter() *waiter {
	l := &waiter{}
	var group sync.WaitGroup
	group.Go(l.wait)
	return l
}

func (l *waiter) Lock(i int) { l.enter(i, l.waited) } // want "Lock: reads field waited, which is written at .*"

var begun bool

func init() { go func() { begun = true }() }

type beginner struct{ base }

func (l *beginner) Lock(i int) { l.enter(i, begun) } // want "Lock: reads package-level variable begun, written at .*"

var table = map[int]uint32{}

func alias() map[int]uint32 { return table }

func Poke() { alias()[0] = 1 }

type aliaser struct{ base }

func (l *aliaser) Lock(i int) { l.enter(i, table[0] > 0) } // want "Lock: reads memory of type uint32 that it did not make, and such memory is written at .*"

// A part of the lock is copied by a method, or by a range.

type part struct{ parted int }

func (p part) get() int { return p.parted }

type parter struct {
	base
	part part
}

func (l *parter) Part()      { l.part.parted = 1 }
func (l *parter) Lock(i int) { l.enter(i, l.part.get() > 0) } // want "Lock: reads field parted, which is written at .*"

type item struct{ itemized int }

type ranger struct {
	base
	items []item
}

func (l *ranger) Range() { l.items[0].itemized = 1 }

func (l *ranger) Lock(i int) {
	for _, x := range l.items { // want "Lock: reads field itemized, which is written at .*"
		l.enter(i, x.itemized > 0)
	}
}

// A function value remembers something.

func ticks() func() bool {
	k := 0
	return func() bool {
		k++          // want "ticks: uses captured variable k, which may change, in a function that may return a function: .*"
		return k > 3 // want "ticks: uses captured variable k, which may change, in a function that may return a function: .*"
	}
}

type ticker struct {
	base
	tick func() bool
}

func NewTicker() *ticker { return &ticker{tick: ticks()} }

func (l *ticker) Lock(i int) {
	_ = ticks()
	l.enter(i, l.tick())
}

type tally struct{ n int }

func (t *tally) up() int8 { t.n++; return 0 } // want "up: writes plain memory reached through t: .*"

func tallies() func() int8 { return (&tally{}).up }

type tallier struct {
	base
	tally func() int8
}

func NewTallier() *tallier { return &tallier{tally: tallies()} }

func (l *tallier) Lock(i int) {
	_ = tallies()
	l.enter(i, l.tally() > 0)
}

type Option func(*optional)

func option(f func() int16) Option { return func(l *optional) { l.f = f } }

// Set is an option for others.
var Set = option

type optional struct {
	base
	f func() int16
}

func NewOptional() *optional {
	l := &optional{}
	option(nil)(l)
	return l
}

func (l *optional) Lock(i int) { l.enter(i, l.f() > 0) } // want "Lock: calls l.f, a function value that is argument f of option, which is not only called by name: .*"

type expression struct {
	base
	to *float64
}

type writer struct{}

func (*writer) write(_, to *float64) { *to = 1 } // want "write: writes plain memory reached through to: .*"

func (l *expression) Lock(i int) {
	(*writer).write(nil, nil, l.to)
	l.enter(i, true)
}

// A try of a recursive function has the variables of its caller.

type repeater struct{ base }

func (l *repeater) Lock(i int) {
	l.try(true)
	l.enter(i, true)
}

func (l *repeater) try(again bool) {
	tries := 0
	register.Repeat(func() register.Outcome {
		if again {
			l.try(false)
		}
		tries++ // want "try: assigns captured variable tries inside the function given to register.Repeat, which must carry nothing from one try to the next"
		return register.AgainIf(tries < 3 && l.x.Load() == 0)
	})
}
