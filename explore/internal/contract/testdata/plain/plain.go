// Package plain has locks that keep things in plain memory, or in package-level variables.
package plain

import (
	"io"
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

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	l.held = true        // want "Lock: writes plain memory reached through l: a process may keep state only in local variables and registers"
	l.entries[i]++       // want "Lock: writes plain memory reached through l: .*"
	l.order[0] = i       // want "Lock: writes plain memory reached through l: .*"
	l.ranks[i] = l.limit // want "Lock: writes plain memory reached through l: .*"
	order := l.order[1:]
	order[0] = 2                 // want "Lock: writes plain memory reached through order: .*"
	order = append(order[:0], 1) // want "Lock: writes plain memory reached through order: .*"
	copy(l.order, order)         // want "Lock: writes plain memory reached through l: .*"
	delete(l.ranks, 1)           // want "Lock: writes plain memory reached through l: .*"
	l.said.WriteString("in")     // want "Lock: writes plain memory reached through l: .*"
	l.log.WriteString("in")      // want "Lock: writes plain memory reached through l: .*"
	h := l.head
	if h != nil {
		h.next.n++ // want "Lock: writes plain memory reached through h: .*"
	}
	l.first().n = 2 // want "Lock: writes plain memory reached through l: .*|Lock: writes memory that outlives the call: .*"
	q := &l.limit
	*q = 3 // want "Lock: writes plain memory reached through q: .*"
	p.Inside()
}

func (l *Lock) first() *node { return l.head }

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

var (
	entries   int
	verbose   bool
	late      uint64
	delays    = []uint64{1, 2, 3}
	table     [4]uint64
	named     = map[string]int{}
	turn      register.Word
	shared    = &struct{ want []register.Word }{}
	Spins     = 0 // other packages can write it
	predicate = func(v uint64) bool { return v == 0 }
)

func init() {
	for i := range table {
		table[i] = uint64(i)
	}
}

func (l *Lock) init() { late = 1 }

func SetVerbose(v bool) { verbose = v }

func (l *Lock) TryLock(i int) bool {
	p := l.procs.Entry(i)
	entries++    // want "TryLock: writes package-level variable entries, which all locks share: .*"
	if verbose { // want "TryLock: reads package-level variable verbose, written at plain.go:\\d+: all locks share it, and a process may know only what it has read from registers"
		l.x.Set(delays[i] + table[i])
	}
	l.x.Set(uint64(Spins))  // want "TryLock: reads package-level variable Spins, which other packages can write: all locks share it, and .*"
	named["x"] = 1          // want "TryLock: writes package-level variable named, .*"
	turn.Store(1)           // want "TryLock: uses package-level variable turn, whose registers all locks would share: make it a field"
	shared.want[0].Store(1) // want "TryLock: uses package-level variable shared, whose registers .*"
	l.x.Set(late)           // want "TryLock: reads package-level variable late, .*"
	l.x.Await(p, predicate)
	if io.EOF == nil {
		p.Inside()
	}
	return true
}
