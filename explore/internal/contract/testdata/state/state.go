// Package state has locks that read fields: some that only constructors write, and some
// that something else can write while the lock is in use.
package state

import (
	"time"

	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	x     register.Word
	Flags []register.Word

	limit, width, tries, depth     int
	cfg                            Config // a copy
	shared                         *Config
	base                           // embedded
	part                           struct{ limit, used int }
	nodes                          []*node
	closed, shut, ended            bool
	late, slow, stopped, unchanged bool
	rounds                         *int
	counts, order                  []int
	whole                          options
	table                          [2]entry
}

type Config struct {
	Tries int
	delay int
}

// SetDelay is for a Config before it is given to New.
func (c *Config) SetDelay(n int) { c.delay = n }

type base struct {
	own  int
	Wide int
}

type node struct {
	id     int
	closed bool
	Next   *node // no other package can have a node
}

type options struct{ limit int }

type entry struct{ open bool }

type Option func(*Lock)

func WithTries(n int) Option { return func(l *Lock) { l.tries = n } }

// A Depth is an option.
type Depth int

type setting interface{ apply(l *Lock) }

func (d Depth) apply(l *Lock) { l.depth = int(d) }

// New may write what it likes.
func New(n int, c Config, shared *Config, delays []int, settings ...setting) (*Lock, func()) {
	l := &Lock{limit: n, cfg: c, shared: shared, counts: delays}
	for _, s := range settings {
		s.apply(l)
	}
	l.setup(n)
	l.order = make([]int, n)
	l.order[0] = n
	for i := range 2 {
		x := &node{}
		x.id = i
		l.nodes = append(l.nodes, x)
	}
	for i, x := range l.nodes {
		x.Next = l.nodes[1-i]
	}
	go func() { l.late = true }()
	time.AfterFunc(time.Second, func() { l.slow = true })
	return l, func() { l.stopped = true }
}

func (l *Lock) setup(n int) { l.widen(n) }

func (l *Lock) widen(n int) { l.width = n }

// With applies its options to a new lock.
func With(opts ...Option) *Lock {
	l, _ := New(2, Config{}, nil, nil, Depth(3))
	for _, o := range opts {
		o(l)
	}
	return l
}

// Scratch writes a lock of its own.
func Scratch() int {
	var l Lock
	l.limit, l.unchanged = 1, true
	return l.limit
}

var last *Lock

func NewLast() { last = With() }

func CloseLast() { last.closed = true }

func (l *Lock) Shut() { set(&l.shut) }

func set(b *bool) { *b = true }

func (l *Lock) End() { m := l; m.ended = true }

func (l *Lock) Close() {
	for _, n := range l.nodes {
		n.closed = true
	}
	for i := range l.table {
		e := &l.table[i]
		e.open = false
	}
}

func (l *Lock) Used() int {
	l.part.used++
	return l.part.used
}

func (l *Lock) Narrow() { l.whole.limit-- }

func (l *Lock) Round() { *l.rounds++ }

func (l *Lock) Count() { l.counts[0]++ }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	if l.closed || // want "Lock: reads field closed, which is written at state.go:\\d+ while the lock may be in use: a process may know only what it has read from registers"
		l.shut || // want "Lock: reads field shut, .*"
		l.ended || // want "Lock: reads field ended, .*"
		l.nodes[i].closed || // want "Lock: reads field closed, .*"
		l.table[i].open || // want "Lock: reads field open, .*"
		l.late || // want "Lock: reads field late, .*"
		l.slow || // want "Lock: reads field slow, .*"
		l.stopped || // want "Lock: reads field stopped, .*"
		*l.rounds > 3 || // want "Lock: reads memory of type int that it did not make, and such memory is written at .*"
		l.counts[i] > 3 || // want "Lock: reads memory of type int that it did not make, and such memory is written at .*"
		l.Wide > 3 || // want "Lock: reads exported field Wide, which other packages can write: a process may know only what it has read from registers"
		l.shared.Tries > 3 { // want "Lock: reads exported field Tries, .*"
		l.x.Store(1)
	}
	c := *l.shared  // want "Lock: reads exported field Tries, .*"
	opts := l.whole // want "Lock: reads field limit, .*"
	l.x.Store(uint64(c.Tries + opts.limit))
	p.Inside()
}

func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	total := l.limit + l.width + l.tries + l.depth + l.cfg.Tries + l.cfg.delay + l.own + l.part.limit + l.order[0] // want "Unlock: reads memory of type int that it did not make, and such memory is written at .*"
	if l.unchanged || l.nodes[i].Next.id == total {                                                                // want "Unlock: reads exported field Next, which other packages can write: .*"
		l.Flags[i].Store(1)
	}
}

// A ring is a lock whose type only this package can name; others get one from NewRing.
type ring struct {
	procs register.Processes
	x     register.Word
	Hops  int
}

func NewRing() *ring { return &ring{} }

func (r *ring) Lock(i int) {
	r.procs.Entry(i)
	if r.Hops > 2 { // want "Lock: reads exported field Hops, .*"
		r.x.Store(1)
	}
}

// A valve is a lock that others get from a Plant.
type valve struct {
	procs register.Processes
	x     register.Word
	Turns int
}

// A Plant has a valve.
type Plant struct{ v *valve }

func (p *Plant) Valve() *valve { return p.v }

func (v *valve) Lock(i int) {
	v.procs.Entry(i)
	if v.Turns > 2 { // want "Lock: reads exported field Turns, .*"
		v.x.Store(1)
	}
}

// A latch is reset as a whole.
type latch struct {
	procs register.Processes
	word  *register.Word
	state setup
}

type setup struct{ limit int }

func (l *latch) Reset() { l.state = setup{} }

func (l *latch) Lock(i int) {
	l.procs.Entry(i)
	if l.state.limit > 2 { // want "Lock: reads field state, .*" "Lock: reads field limit, .*"
		l.word.Store(1)
	}
}

type clasp struct {
	procs register.Processes
	word  register.Word
	limit int
}

func (c *clasp) Reset() { *c = clasp{} }

func (c *clasp) Lock(i int) {
	c.procs.Entry(i) // want "Lock: reads field procs, .*"
	if c.limit > 2 { // want "Lock: reads field limit, .*"
		c.word.Store(1) // want "Lock: reads field word, .*"
	}
}
