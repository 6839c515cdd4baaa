package machine

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The queues of the runtime: of channels, semaphores and sync.Cond. Each thread has its places in them.

// A place is one in a queue.
type place struct {
	at     ptr // 0: of a nil channel, which has no queue
	before int // how many are before it
	number int // of the case of a select
	does   waiting
	value  []uint64 // that it sends
}

// A waiting is for what one waits.
type waiting uint8

const (
	forWake    waiting = iota // of a semaphore, or a sync.Cond
	forReceive                // it receives
	forSend
)

// queue returns the places in a queue, and the threads that have them.
func (m *Machine) queue(at ptr) iter.Seq2[int, *place] {
	return func(yield func(int, *place) bool) {
		for t := range m.threads {
			for k := range m.threads[t].places {
				if p := &m.threads[t].places[k]; p.at == at && !yield(t, p) {
					return
				}
			}
		}
	}
}

// first returns the first thread in a queue that waits for something, and its place; nil: there is none.
func (m *Machine) first(at ptr, does waiting) (thread int, first *place) {
	for t, p := range m.queue(at) {
		if p.does == does && (first == nil || p.before < first.before) {
			thread, first = t, p
		}
	}
	return thread, first
}

// park puts the thread at the end of a queue, or at its front.
func (m *Machine) park(p place, front bool) {
	for _, other := range m.queue(p.at) {
		if front {
			other.before++
		} else {
			p.before++
		}
	}
	th := &m.threads[m.cur]
	th.places = append(th.places, p)
	m.lengthen(p.at, 1)
}

// leave takes a thread out of a queue.
func (m *Machine) leave(t int, at ptr) {
	th := &m.threads[t]
	is := func(p place) bool { return p.at == at }
	for k := slices.IndexFunc(th.places, is); k >= 0; k = slices.IndexFunc(th.places, is) {
		before := th.places[k].before
		th.places = slices.Delete(th.places, k, k+1)
		for _, other := range m.queue(at) {
			other.before -= int(bit(other.before > before))
		}
		m.lengthen(at, -1)
	}
}

// lengthen records that the queues at an object get longer or shorter.
func (m *Machine) lengthen(at ptr, by int) {
	m.queued = true
	if id := at >> 32; m.word(at) >= 0 {
		m.objects[m.queues>>32].w[id] += uint64(by)
	}
}

// communicate makes one of the operations on channels that are possible, and delivers what it gives. If none is, it makes
// none, or waits.
func (m *Machine) communicate(f *frame, blocking bool, cases ...place) signal {
	if m.after {
		return stopped
	}
	m.simple = true
	var ready []int
	for k, c := range cases {
		if c.at == 0 {
			continue
		}
		m.alone(c.at)
		m.channel(c.at, false)
		if m.canCommunicate(c) {
			ready = append(ready, k)
		}
	}
	m.does("wait for one of several channels", 0)
	name := func(c place, what string) {
		if m.Did.At, m.Did.What = c.at, what+"receive"; c.does == forSend {
			m.Did.What = what + "send"
		}
	}
	if len(cases) == 1 {
		name(cases[0], "wait to ")
	}
	if len(ready) == 0 {
		if !blocking {
			m.Did.What = "find no channel ready"
			f.deliver(-1, nil, false)
			return done
		}
		for k, c := range cases {
			if c.number = k; c.at == 0 {
				continue
			}
			if c.value = slices.Clone(c.value); c.does == forSend {
				m.publish(m.objects[c.at>>32].shape.chanOf.kinds, c.value)
			}
			m.park(c, false)
		}
		return parked
	}
	k := ready[m.choose(len(ready))]
	c := cases[k]
	m.channel(c.at, true)
	name(c, "")
	if c.does == forSend {
		if sig := m.send(c); sig != done {
			return sig
		}
		f.deliver(k, nil, false)
		return done
	}
	value, ok := m.receive(c.at)
	f.deliver(k, value, ok)
	return done
}

// deliver sets what a channel gives the instruction of a frame, for a case.
func (f *frame) deliver(number int, value []uint64, ok bool) {
	if set := f.fn.deliver[f.pc]; set != nil {
		set(f, number, value, ok)
	}
}

// channel records that a step depends on a channel, or changes it.
func (m *Machine) channel(ch ptr, changes bool) {
	n := len(m.objects[ch>>32].w)
	m.idle(ch)
	if m.reading(ch, n); changes {
		m.writing(ch, n)
	}
}

func (m *Machine) canCommunicate(c place) bool {
	o := &m.objects[c.at>>32]
	_, other := m.first(c.at, forSend+forReceive-c.does)
	switch {
	case other != nil || o.w[chanClosed] != 0:
		return true
	case c.does == forSend:
		return o.w[chanCount] < o.w[chanRoom]
	}
	return o.w[chanCount] > 0
}

func (m *Machine) send(c place) signal {
	o := &m.objects[c.at>>32]
	if o.w[chanClosed] != 0 {
		return m.fail("panics: send on closed channel")
	}
	m.publish(o.shape.chanOf.kinds, c.value)
	if t, p := m.first(c.at, forReceive); p != nil {
		m.wake(t, p, c.value, true)
		return done
	}
	n := o.shape.chanOf.size()
	copy(o.w[chanHeader+int(o.w[chanCount])*n:], c.value)
	o.w[chanCount]++
	return done
}

func (m *Machine) receive(ch ptr) (value []uint64, ok bool) {
	o := &m.objects[ch>>32]
	n := o.shape.chanOf.size()
	t, sender := m.first(ch, forSend)
	switch {
	case o.w[chanCount] > 0:
		elements := o.w[chanHeader:]
		value = slices.Clone(elements[:n])
		copy(elements, elements[n:])
		o.w[chanCount]--
		clear(elements[int(o.w[chanCount])*n:])
		if sender != nil {
			copy(elements[int(o.w[chanCount])*n:], sender.value)
			o.w[chanCount]++
		}
	case sender != nil:
		value = sender.value
	default:
		return nil, false // it is closed
	}
	if sender != nil {
		m.wake(t, sender, nil, false)
	}
	return value, true
}

func (m *Machine) closes(ch ptr) signal {
	if m.after {
		return stopped
	}
	if ch == 0 {
		return m.fail("panics: close of nil channel")
	}
	m.alone(ch)
	m.channel(ch, true)
	o := &m.objects[ch>>32]
	if o.w[chanClosed] != 0 {
		return m.fail("panics: close of closed channel")
	}
	o.w[chanClosed] = 1
	for _, does := range []waiting{forSend, forReceive} {
		for t, p := m.first(ch, does); p != nil; t, p = m.first(ch, does) {
			m.threads[t].doomed = does == forSend
			m.wake(t, p, nil, false)
		}
	}
	return m.does("close", ch)
}

// wake lets a thread that waits for a channel at a place go on, with what it has got.
func (m *Machine) wake(t int, p *place, value []uint64, ok bool) {
	th := &m.threads[t]
	f := &th.frames[len(th.frames)-1]
	f.deliver(p.number, value, ok)
	f.pc++
	for _, p := range slices.Clone(th.places) {
		if p.does != forWake {
			m.leave(t, p.at)
		}
	}
	th.parked = false
}

func (c *compiler) selects(i *ssa.Select, to, at int) instruction {
	type state struct {
		ch, value *operand
		to, n     int // where what is received goes
	}
	var all []state
	free := to + 2
	for _, s := range i.States {
		st := state{ch: c.use(s.Chan), value: c.optional(s.Send)}
		if s.Dir == types.RecvOnly {
			st.to, st.n = free, c.layout.of(s.Chan.Type().Underlying().(*types.Chan).Elem()).size()
			free += st.n
		}
		all = append(all, st)
	}
	c.fn.deliver[at] = func(f *frame, number int, value []uint64, ok bool) {
		clear(f.r[to:free])
		f.r[to], f.r[to+1] = uint64(number), bit(ok)
		if number >= 0 {
			copy(f.r[all[number].to:all[number].to+all[number].n], value)
		}
	}
	return func(m *Machine, f *frame) signal {
		cases := make([]place, len(all))
		for k, s := range all {
			if cases[k] = (place{at: f.one(s.ch), does: forReceive}); s.value != nil {
				cases[k].does, cases[k].value = forSend, f.val(s.value)
			}
		}
		return m.communicate(f, i.Blocking, cases...)
	}
}

// acquire is runtime.semacquire, whose second argument, if there is one, is whether to wait in front of others: a thread
// that is woken without a ticket tries again, and may have to wait again.
func acquire(m *Machine, a, _ []uint64) signal {
	at := a[0]
	th, w := &m.threads[m.cur], &m.objects[at>>32].w[uint32(at)]
	m.changes("acquire", at)
	ticket := th.ticket
	th.ticket = false
	switch {
	case ticket:
	case *w > 0:
		*w--
	default:
		m.Did.What = "wait for"
		m.park(place{at: at}, len(a) > 1 && a[1] != 0)
		return parked
	}
	m.Did.New = *w
	return done
}

// release is runtime.semrelease.
func release(m *Machine, a, _ []uint64) signal {
	at, handoff := a[0], a[1] != 0
	w := &m.objects[at>>32].w[uint32(at)]
	m.idle(at)
	m.changes("release", at)
	*w++
	if t, p := m.first(at, forWake); p != nil {
		th := &m.threads[t]
		m.leave(t, at)
		th.parked = false
		if handoff {
			*w--
			th.ticket = true
		}
	}
	m.Did.New = *w
	return done
}

// notify wakes one or all of those that wait for a sync.Cond.
func notify(m *Machine, at ptr, all bool) signal {
	m.does("signal", at)
	m.alone(at)
	m.idle(at)
	m.simple = true
	n, nth := 0, -1
	for range m.queue(at) {
		n++
	}
	if !all && n > 1 { // the documentation does not say which
		nth = m.choose(n)
	}
	var woken []int
	for t, p := range m.queue(at) {
		if nth < 0 || p.before == nth {
			woken = append(woken, t)
		}
	}
	for _, t := range woken {
		th := &m.threads[t]
		m.leave(t, at)
		if th.awaits { // else it is yet to wait
			th.parked, th.awaits = false, false
			th.frames[len(th.frames)-1].pc++
		}
	}
	return done
}
