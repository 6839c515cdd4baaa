// Package copies has locks that use registers as values, and not through their methods.
package copies

import (
	"slices"

	"example.org/doorway/register"
)

type node struct {
	want  register.Word
	limit int
}

type Lock struct {
	procs register.Processes
	turn  register.Word
	gate  register.Gate
	relay register.Relay
	want  [2]register.Word
	nodes []node
	ptrs  []*node
}

func (l *Lock) Lock(i int) {
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

func (l *Lock) allowed(p *register.Process) {
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

func (l *Lock) Unlock(i int) {
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
