package explore

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"example.org/doorway/internal/seam"
)

// A process that has made the waiters of a register.Relay due, or was woken at one and
// has the baton, passes it on by Process.Pass; else they are never woken. If every process
// calls Pass after its last use of a relay in an exit, or in an entry that is aborted,
// then, as package register shows, no wake-up is lost: an await is a step that is
// enabled while its condition holds, and the graph needs no baton. Of any other lock,
// the lines at its relays and the baton are part of the state, and the steps of waiting
// at a relay are steps of the graph.

// Relays notes a use of a relay.
func (r *run) Relays(awaited bool) {
	r.baton = true
	r.x.relays = r.x.relays || awaited
}

// Passes notes a call of Process.Pass.
func (r *run) Passes() { r.baton, r.passed = false, true }

func (r *run) Batons() bool { return r.x.batons }

// handsOn notes a run that ends without passing the baton on, by the protocol named. An
// exit passes it even if it uses no relay itself, because the entry may have.
func (r *run) handsOn(protocol string, exits bool) {
	if r.x.keeps == "" && (r.baton || exits && !r.passed) {
		r.x.keeps = fmt.Sprintf("%s of process %d ends without calling Process.Pass after its last use of a register.Relay", protocol, r.t.process)
	}
}

// larger says of an error for want of memory that the baton is part of the state.
func (x *extraction) larger(err error) error {
	var wide *wideError
	if x.batons && (errors.Is(err, ErrMemory) || errors.As(err, &wide)) {
		return fmt.Errorf("%w; the lines at the relays are part of it, because %s", err, x.keeps)
	}
	return err
}

// forgotten says, of a deadlock, which process sleeps at a relay although its condition
// holds, or "".
func (t *replay) forgotten() string {
	for p, id := range t.at {
		l := &t.x.trees[p].locals[id]
		if l.op != seam.OpPark {
			continue
		}
		for _, w := range []struct {
			reg   int16
			holds func(uint64) bool
		}{{l.reg, l.holds}, {l.other, l.otherHolds}} {
			if w.holds(t.holds[w.reg]) {
				return fmt.Sprintf(": process %d sleeps although its condition on %s holds, because no process passes the baton on (Process.Pass)", p, t.x.vars[w.reg].name)
			}
		}
	}
	return ""
}

// relayed reports whether an operation is a step of waiting at relays.
func relayed(op seam.Op) bool {
	switch op {
	case seam.OpDue, seam.OpStand, seam.OpQuit, seam.OpPass, seam.OpPark:
		return true
	}
	return false
}

// A baton is the state of waiting at the relays of a lock, as in package register. A
// process stands in the lines of two relays at a time, so one line for all has their
// order.
type baton struct {
	line   [maxProcesses]uint8 // those that are due, and then those at relays; from 1
	length int
	due    int   // the number of those that are due
	holder uint8 // of the baton, from 1; 0: none
	sent   uint8 // a bit for each process that was sent a token
}

// step makes a step of process p, and returns what it does that others can observe, or
// "". It reports whether p can make it. The function at reports whether a process in
// line stands at the relay of the step.
func (b *baton) step(op seam.Op, p int, at func(q int) bool) (does string, can bool) {
	switch op {
	case seam.OpDue:
		if b.makeDue(at) {
			does = "make due"
		}
	case seam.OpStand:
		b.remove(p)
		b.line[b.length] = uint8(p) + 1
		b.length++
	case seam.OpQuit:
		b.remove(p)
	case seam.OpPass:
		if b.pass(p) {
			does = "pass"
		}
	case seam.OpPark:
		if b.sent>>p&1 == 0 {
			return "", false
		}
		b.sent &^= 1 << p
		does = "wake"
	}
	return does, true
}

// makeDue moves the processes at a relay to the end of those that are due, and reports
// whether there are any.
func (b *baton) makeDue(at func(q int) bool) bool {
	was := b.due
	for k := b.due; k < b.length; k++ {
		if q := b.line[k]; at(int(q) - 1) {
			copy(b.line[b.due+1:k+1], b.line[b.due:k])
			b.line[b.due] = q
			b.due++
		}
	}
	return b.due > was
}

// remove takes p out of the line, if it is there.
func (b *baton) remove(p int) {
	k := slices.Index(b.line[:b.length], uint8(p)+1)
	if k < 0 {
		return
	}
	copy(b.line[k:], b.line[k+1:b.length])
	b.length--
	b.line[b.length] = 0
	if k < b.due {
		b.due--
	}
}

// pass is Process.Pass of p, and reports whether the baton changes hands.
func (b *baton) pass(p int) bool {
	if b.holder != 0 && b.holder != uint8(p)+1 {
		return false
	}
	was := b.holder
	b.holder = 0
	if b.due > 0 {
		b.holder = b.line[0]
		b.remove(int(b.holder) - 1)
		b.sent |= 1 << (b.holder - 1)
	}
	return b.holder != was
}

// A batonFields is the place of a baton in a key.
type batonFields struct {
	line              []field
	due, holder, sent field
}

func (y *layout) layBaton(n int) *batonFields {
	width := bits.Len(uint(n))
	f := &batonFields{due: y.lay(width), holder: y.lay(width), sent: y.lay(n)}
	for range n {
		f.line = append(f.line, y.lay(width))
	}
	return f
}

// relay makes a step of waiting at relays, and reports whether p can.
func (g *graph[K]) relay(k *K, p int, n *node) bool {
	f := g.baton
	if f == nil {
		return true // no process waits
	}
	b := baton{due: int(get(k, f.due)), holder: uint8(get(k, f.holder)), sent: uint8(get(k, f.sent))}
	for b.length < g.n {
		q := get(k, f.line[b.length])
		if q == 0 {
			break
		}
		b.line[b.length] = uint8(q)
		b.length++
	}
	_, can := b.step(n.op, p, func(q int) bool {
		return slices.ContainsFunc(g.nodes[q][get(k, g.locs[q])].watches, func(w watch) bool { return w.reg == n.reg })
	})
	set(k, f.due, uint64(b.due))
	set(k, f.holder, uint64(b.holder))
	set(k, f.sent, uint64(b.sent))
	for i, field := range f.line {
		set(k, field, uint64(b.line[i]))
	}
	return can
}
