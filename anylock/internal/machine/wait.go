package machine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The queues of the runtime: of channels, semaphores and sync.Cond.

// park puts the thread at the end of a queue, or at its front.
func (m *Machine) park(at ptr, number int, front bool) {
	m.queue(at, 1)
	w := waiter{at, m.cur, number}
	if front {
		m.waiters = slices.Insert(m.waiters, 0, w)
		return
	}
	m.waiters = append(m.waiters, w)
}

// first returns the first waiter at a place for which f holds.
func (m *Machine) waiting(at ptr, f func(w waiter) bool) (waiter, bool) {
	for _, w := range m.waiters {
		if w.at == at && (f == nil || f(w)) {
			return w, true
		}
	}
	return waiter{}, false
}

// leave takes a thread out of the queue at a place.
func (m *Machine) leave(t int, at ptr) {
	n := len(m.waiters)
	m.waiters = slices.DeleteFunc(m.waiters, func(w waiter) bool { return w.thread == t && w.at == at })
	m.queue(at, len(m.waiters)-n)
}

// queue records that the queues at an object get longer or shorter.
func (m *Machine) queue(at ptr, by int) {
	m.queued = true
	if id := at >> 32; m.word(at) >= 0 {
		m.objects[m.queues>>32].w[id] += uint64(by)
	}
}

func (m *Machine) chanWaiter(ch ptr, send bool) (waiter, bool) {
	return m.waiting(ch, func(w waiter) bool { return m.threads[w.thread].cases[w.number].send == send })
}

// communicate makes one of the operations on channels that are possible, and sets what it gives. If none is, it makes
// none, or waits.
func (m *Machine) communicate(cases []chanCase, blocking bool, set func(number int, value []uint64, ok bool)) signal {
	if m.after {
		return stopped
	}
	m.simple = true
	var ready []int
	for k, c := range cases {
		if c.ch != 0 {
			m.alone(c.ch)
			m.channel(c.ch, false)
		}
		if c.ch != 0 && m.canCommunicate(c) {
			ready = append(ready, k)
		}
	}
	m.does("wait for one of several channels", 0)
	name := func(c chanCase, what string) {
		if m.Did.At, m.Did.What = c.ch, what+"receive"; c.send {
			m.Did.What = what + "send"
		}
	}
	if len(cases) == 1 {
		name(cases[0], "wait to ")
	}
	if len(ready) == 0 {
		if !blocking {
			m.Did.What = "find no channel ready"
			set(-1, nil, false)
			return done
		}
		th := &m.threads[m.cur]
		th.cases = nil
		for k, c := range cases {
			c.value = slices.Clone(c.value)
			th.cases = append(th.cases, c)
			if c.ch != 0 {
				if c.send {
					m.publish(m.objects[c.ch>>32].shape.chanOf.kinds, c.value)
				}
				m.park(c.ch, k, false)
			}
		}
		return parked
	}
	k := ready[m.choose(len(ready))]
	m.channel(cases[k].ch, true)
	name(cases[k], "")
	if cases[k].send {
		if sig := m.send(cases[k]); sig != done {
			return sig
		}
		set(k, nil, false)
		return done
	}
	value, ok := m.receive(cases[k].ch)
	set(k, value, ok)
	return done
}

// channel records that a step depends on a channel, or changes it.
func (m *Machine) channel(ch ptr, changes bool) {
	n := len(m.objects[ch>>32].w)
	m.idle(ch)
	if m.reading(ch, n); changes {
		m.writing(ch, n)
	}
}

func (m *Machine) canCommunicate(c chanCase) bool {
	o := &m.objects[c.ch>>32]
	_, other := m.chanWaiter(c.ch, !c.send)
	switch {
	case other || o.w[chanClosed] != 0:
		return true
	case c.send:
		return o.w[chanCount] < o.w[chanRoom]
	}
	return o.w[chanCount] > 0
}

func (m *Machine) send(c chanCase) signal {
	o := &m.objects[c.ch>>32]
	if o.w[chanClosed] != 0 {
		return m.fail("panics: send on closed channel")
	}
	m.publish(o.shape.chanOf.kinds, c.value)
	if w, ok := m.chanWaiter(c.ch, false); ok {
		m.wake(w, c.value, true)
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
	w, sender := m.chanWaiter(ch, true)
	switch {
	case o.w[chanCount] > 0:
		elements := o.w[chanHeader:]
		value = slices.Clone(elements[:n])
		copy(elements, elements[n:])
		o.w[chanCount]--
		clear(elements[int(o.w[chanCount])*n:])
		if sender {
			copy(elements[int(o.w[chanCount])*n:], m.threads[w.thread].cases[w.number].value)
			o.w[chanCount]++
			m.wake(w, nil, false)
		}
		return value, true
	case sender:
		value = m.threads[w.thread].cases[w.number].value
		m.wake(w, nil, false)
		return value, true
	}
	return nil, false // it is closed
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
	m.does("close", ch)
	for {
		w, ok := m.waiting(ch, nil)
		if !ok {
			return done
		}
		if m.threads[w.thread].cases[w.number].send {
			m.threads[w.thread].doomed = true
		}
		m.wake(w, nil, false)
	}
}

// wake lets a thread that waits for a channel go on, with what it has got.
func (m *Machine) wake(w waiter, value []uint64, ok bool) {
	th := &m.threads[w.thread]
	f := &th.frames[len(th.frames)-1]
	f.fn.deliver[f.pc](f, w.number, value, ok)
	for _, c := range th.cases {
		m.leave(w.thread, c.ch)
	}
	th.parked, th.cases = false, nil
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
	set := func(f *frame, number int, value []uint64, ok bool) {
		clear(f.r[to:free])
		f.r[to], f.r[to+1] = uint64(number), bit(ok)
		if number >= 0 && all[number].value == nil {
			copy(f.r[all[number].to:all[number].to+all[number].n], value)
		}
	}
	c.fn.deliver[at] = func(f *frame, number int, value []uint64, ok bool) {
		set(f, number, value, ok)
		f.pc = at + 1
	}
	return func(m *Machine, f *frame) signal {
		cases := make([]chanCase, len(all))
		for k, s := range all {
			cases[k].ch = f.one(s.ch)
			if s.value != nil {
				cases[k].send, cases[k].value = true, f.val(s.value)
			}
		}
		return m.communicate(cases, i.Blocking, func(number int, value []uint64, ok bool) { set(f, number, value, ok) })
	}
}

// acquire is runtime.semacquire: who is woken without a ticket tries again, and may have to wait again.
func acquire(m *Machine, at ptr, front bool) signal {
	th, w := &m.threads[m.cur], &m.objects[at>>32].w[uint32(at)]
	m.changes("acquire", at)
	ticket := th.ticket
	th.woken, th.ticket = false, false
	switch {
	case ticket:
	case *w > 0:
		*w--
	default:
		m.Did.What = "wait for"
		m.park(at, 0, front)
		return parked
	}
	m.Did.New = *w
	return done
}

// release is runtime.semrelease.
func release(m *Machine, at ptr, handoff bool) signal {
	w := &m.objects[at>>32].w[uint32(at)]
	m.idle(at)
	m.changes("release", at)
	*w++
	if first, ok := m.waiting(at, nil); ok {
		th := &m.threads[first.thread]
		m.leave(first.thread, at)
		th.parked, th.woken = false, true
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
	var waiting []int
	for _, w := range m.waiters {
		if w.at == at {
			waiting = append(waiting, w.thread)
		}
	}
	if !all && len(waiting) > 1 { // the documentation does not say which
		k := m.choose(len(waiting))
		waiting = waiting[k : k+1]
	}
	for _, t := range waiting {
		th := &m.threads[t]
		m.leave(t, at)
		m.queued = true
		if th.notified = !th.awaits; th.awaits { // else it is yet to wait
			th.parked, th.awaits = false, false
			th.frames[len(th.frames)-1].pc++
		}
	}
	return done
}
