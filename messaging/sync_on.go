//go:build doorway_explore

package messaging

import (
	"reflect"

	"example.org/doorway/internal/seam"
)

// What runners and users synchronise by: as in any other build, unless a
// scheduler stands behind it ([seam.Schedule]): behind all but what Lockers and
// the goroutines of a cluster do.

// A slot is two variables of a scheduler: what is in it, and whether it is worth
// a look, by which a thread sleeps. It may say so in vain, but never keeps a
// thread asleep. A latch makes of several operations one, as that of a channel is.
type (
	slot      chan answer
	content   slot
	slotLatch slot
)

// nothing is the content of an empty slot.
const nothing answer = 255

func (s slot) Initial() any      { return false }
func (s content) Initial() any   { return nothing }
func (s slotLatch) Initial() any { return false }

func (s slot) offer(a answer) {
	if by := seam.Scheduled(); by != nil {
		by.Lock(slotLatch(s))
		if by.CompareAndSwap(content(s), nothing, a) {
			by.CompareAndSwap(s, false, true)
		}
		by.Unlock(slotLatch(s))
		return
	}
	select {
	case s <- a:
	default:
	}
}

func (s slot) receive() answer {
	if seam.Scheduled() == nil {
		return <-s
	}
	a, _ := s.receiveOr(nil)
	return a
}

func (s slot) receiveOr(done <-chan struct{}) (answer, bool) {
	by := seam.Scheduled()
	if by == nil {
		select {
		case a := <-s:
			return a, true
		case <-done:
			return 0, false
		}
	}
	var or []seam.Variable
	if done != nil {
		or = []seam.Variable{seam.Closing(done)}
	}
	for by.Receive(s, or...) {
		if a, ok := s.poll(); ok {
			return a, true
		}
	}
	return 0, false
}

func (s slot) poll() (answer, bool) {
	if by := seam.Scheduled(); by != nil {
		by.Lock(slotLatch(s))
		a := by.Load(content(s)).(answer)
		by.Store(content(s), nothing)
		by.Unlock(slotLatch(s))
		return a, a != nothing
	}
	select {
	case a := <-s:
		return a, true
	default:
		return 0, false
	}
}

// A gate is left open by a scheduler: only callers of Lockers wait for it.
type gate chan struct{}

func (g gate) close() {
	if seam.Scheduled() == nil {
		close(g)
	}
}

type inbox struct{ list []delivery }

// letters are the inbox of a node as the scheduler keeps it.
type letters struct {
	n   int
	all [8]delivery
}

func (b *inbox) Initial() any {
	v := letters{n: len(b.list)}
	copy(v.all[:], b.list)
	return v
}

func (b *inbox) add(d delivery) {
	if s := seam.Scheduled(); s != nil {
		v := s.Load(b).(letters)
		v.all[v.n] = d
		v.n++
		s.Store(b, v)
	} else {
		b.list = append(b.list, d)
	}
}

func (b *inbox) empty(q *fifo[delivery]) {
	all := b.list
	if s := seam.Scheduled(); s != nil {
		v := s.Load(b).(letters)
		all = v.all[:v.n]
		s.Store(b, letters{})
	}
	for _, d := range all {
		q.push(d)
	}
	clear(b.list)
	b.list = b.list[:0]
}

// A scheduler knows no memory that passes from one thread to another. So what
// belongs to the owner of a node passes through a variable: the new owner takes
// it from there, and puts it there when it lets go.

type (
	property      member
	propertyLatch member
)

// A possession is what belongs to the owner of a node. Its queue is empty when
// the node changes hands.
type possession struct {
	phase    Phase
	absorbed bool
	node     any // what the node points to, which must be comparable
}

// owned says that somebody has it.
var owned = possession{phase: 255}

func (x *property) Initial() any      { return (*member)(x).possession() }
func (x *propertyLatch) Initial() any { return false }

func (m *member) possession() possession {
	return possession{m.site.phase, m.site.absorbed, reflect.ValueOf(m.site.node).Elem().Interface()}
}

func (m *member) possess(p possession) {
	m.site.phase, m.site.absorbed = p.phase, p.absorbed
	reflect.ValueOf(m.site.node).Elem().Set(reflect.ValueOf(p.node))
}

func (m *member) taken() {
	s := seam.Scheduled()
	if s == nil {
		return
	}
	s.Lock((*propertyLatch)(m))
	p := s.Load((*property)(m)).(possession)
	s.Store((*property)(m), owned)
	s.Unlock((*propertyLatch)(m))
	if p == owned {
		panic("two runners have the same node")
	}
	m.possess(p)
}

func (m *member) letGo() {
	s := seam.Scheduled()
	if s == nil {
		return
	}
	if m.queue.len > 0 {
		panic("a runner lets go of a node that has messages")
	}
	s.Lock((*propertyLatch)(m))
	s.Store((*property)(m), m.possession())
	s.Unlock((*propertyLatch)(m))
}
