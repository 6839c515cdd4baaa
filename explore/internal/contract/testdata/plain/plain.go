// Package plain has locks that keep things in plain memory.
package plain

import (
	"slices"
	"strings"

	"example.org/doorway/register"
)

type node struct {
	next *node
	n    int
}

type Lock struct {
	procs   register.Processes
	x       register.Word
	held    bool
	entries [2]int
	order   []int
	ranks   map[int]int
	head    *node
	said    strings.Builder
	log     *strings.Builder
	limit   int
	width   int
	closed  bool
	Tries   int // other packages can write it
	Wide    register.Word
	entry   func(p *register.Process)
}

// New may write what it likes: it is no protocol.
func New(n int) *Lock {
	l := &Lock{limit: n}
	l.ranks = map[int]int{}
	for i := range n {
		l.ranks[i] = i
		l.order = append(l.order, i)
	}
	l.held = false
	tries := 0
	var record node
	l.entry = func(p *register.Process) {
		tries++      // want "New: assigns variable tries, declared outside of the protocol: a process may keep state only in local variables and registers"
		record.n = 1 // want "New: assigns variable record, .*"
		mine := 0
		mine++
		l.x.Store(uint64(mine))
	}
	return l
}

// Close is no protocol, but writes what Lock reads.
func (l *Lock) Close() { l.closed = true }

// start is called by a constructor only.
func (l *Lock) start(n int) { l.width = n }

// NewWide is a constructor.
func NewWide(n int) *Lock {
	l := New(n)
	l.start(2 * n)
	return l
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	if l.closed || // want "Lock: reads field closed, which is written at plain.go:\\d+ while the lock may be in use: a process may know only what it has read from registers"
		l.Tries > l.width { // want "Lock: reads exported field Tries, which other packages can write: .*"
		l.Wide.Set(1)
	}
	l.held = true        // want "Lock: writes plain memory reached through l: a process may keep state only in local variables and registers"
	l.entries[i]++       // want "Lock: writes plain memory reached through l: .*"
	l.order[0] = i       // want "Lock: writes plain memory reached through l: .*"
	l.ranks[i] = l.limit // want "Lock: writes plain memory reached through l: .*"
	order := l.order[1:]
	order[0] = 2                 // want "Lock: writes plain memory reached through order: .*"
	order = append(order[:0], 1) // want "Lock: writes plain memory reached through order: .*"
	copy(l.order, order)         // want "Lock: writes plain memory reached through l: .*"
	slices.Sort(l.order)         // want "Lock: writes plain memory reached through l: .*"
	delete(l.ranks, 1)           // want "Lock: writes plain memory reached through l: .*"
	l.said.WriteString("in")     // want "Lock: writes plain memory reached through l: .*"
	l.log.WriteString("in")      // want "Lock: writes plain memory reached through l: .*"
	h := l.head
	if h != nil {
		h.next.n++ // want "Lock: writes plain memory reached through h: .*"
	}
	for _, n := range []*node{l.head} {
		n.n = 1 // want "Lock: writes plain memory reached through n: .*"
	}
	l.first().n = 2 // want "Lock: writes plain memory reached through l: .*|Lock: writes memory that outlives the call: .*"
	q := &l.limit
	*q = 3 // want "Lock: writes plain memory reached through q: .*"
	l.touch(&l.entries[0])
	p.Inside()
}

func (l *Lock) first() *node { return l.head }

func (l *Lock) touch(n *int) {
	*n = 0 // want "touch: writes plain memory reached through n: .*"
}

// What a process makes for itself is its own.
func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	values := make([]uint64, l.limit)
	for j := range values {
		values[j] = l.x.Load()
	}
	slices.Sort(values)
	var local struct {
		n    int
		next *node
	}
	local.n = i
	local.next = fresh(i)
	local.next.n++
	m := map[int]int{i: l.limit}
	m[i]++
	var b strings.Builder
	b.WriteString("x")
	set(&local.n, len(values))
	doubled := append([]uint64(nil), values...)
	doubled[0] *= 2
	assign := func() { local.n = 4 }
	assign()
	register.Repeat(func() register.Outcome { l.x.Set(doubled[0]); return register.Entered })
}

func fresh(i int) *node {
	n := &node{n: i}
	n.n++
	return n
}

func set(to *int, v int) { *to = v }
