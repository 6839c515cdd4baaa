package machine

import (
	"encoding/binary"
	"slices"
)

// A coder writes states down.
//
// The first objects are the same in all states, and so are their numbers. Others are numbered in the order in which they are
// reached: those that are shared from the last of the first ones on, and those that only one thread reaches from 1 for each.
type coder struct {
	numbers []uint32 // of the other objects, in that order
	owners  []int8   // the thread that reaches an object; shared; or none
	order   []int    // the objects that were reached
	bytes   []byte
}

const (
	shared = -1
	none   = -2
)

// What a pointer points to, in the last two bits of what is written down of it.
const (
	toNothing = iota // or to a function
	toFirst
	toShared
	toOwn
)

// Encode writes down what states consist of beside [Machine.Words]: the other objects that are shared, and each thread with those that it alone reaches,
// in the order that is given. The results are equal for states that differ only in where objects lie in memory, and valid until
// the next call. The words get the form that they have in all such states, so the machine is to be decoded next.
func (m *Machine) Encode(order []int, parts [][]byte) (rest []byte, threads [][]byte) {
	c := &m.code
	c.order, c.bytes = c.order[:0], c.bytes[:0]
	n := len(m.objects) - 1 - m.last
	c.numbers, c.owners = append(c.numbers[:0], make([]uint32, n)...), c.owners[:0]
	for range n {
		c.owners = append(c.owners, none)
	}
	if n > 0 {
		m.number(order)
	}
	var ends [9]int
	m.encodeShared()
	ends[0] = len(c.bytes)
	for k, t := range order {
		m.encodeThread(t, k)
		ends[k+1] = len(c.bytes)
	}
	for k := range order {
		parts = append(parts, c.bytes[ends[k]:ends[k+1]])
	}
	return c.bytes[:ends[0]], parts
}

// number numbers the objects that are not the first ones.
func (m *Machine) number(order []int) {
	c := &m.code
	beyond := uint64(m.last+1) << 32
	for _, at := range m.pointers {
		if m.fixed[at] >= beyond { // few are
			m.reached(m.kinds[at], m.fixed, at, shared)
		}
	}
	m.reach(0, shared)
	for k, t := range order {
		from := len(c.order)
		m.threads[t].each(m, func(kd kind, words []uint64, at int) { m.reached(kd, words, at, int8(k)) })
		m.reach(from, int8(k))
	}
	for _, id := range c.order {
		if c.owners[id] == shared {
			m.share(id)
		}
	}
	var next [mostParts]uint32
	for _, id := range c.order {
		k := c.owners[id] + 1
		next[k]++
		c.numbers[id] = next[k]
	}
	for _, at := range m.pointers { // they are all to objects that are shared
		if m.fixed[at] < beyond {
			continue
		}
		if id := m.target(m.kinds[at], m.fixed, at, m.fixed[at]); id > m.last {
			m.fixed[at] = uint64(m.last)<<32 + uint64(c.numbers[id-m.last-1])<<32 | m.fixed[at]&(1<<32-1)
		}
	}
}

// mostParts is one more than how many threads there may be.
const mostParts = MostThreads + 1

// each calls f with each word of a thread: of the registers that are needed, of arguments of deferred calls, and of what
// it sends.
func (th *thread) each(m *Machine, f func(kd kind, words []uint64, at int)) {
	for k := range th.frames {
		fr := &th.frames[k]
		for _, s := range th.needed(k) {
			f(s.kind, fr.r, int(s.at))
		}
		for _, d := range fr.defers {
			for at := range d.args {
				f(d.fn.params[at], d.args, at)
			}
		}
	}
	for _, c := range th.cases {
		f(pointer, []uint64{c.ch}, 0)
		if c.ch != 0 {
			kinds := m.objects[c.ch>>32].shape.chanOf.kinds
			for at := range c.value {
				f(kinds[at], c.value, at)
			}
		}
	}
}

// needed returns the registers of frame k that are read later.
func (th *thread) needed(k int) []slot {
	f := &th.frames[k]
	if k == len(th.frames)-1 || th.frames[k+1].dst < 0 {
		return f.fn.live[f.pc]
	}
	return f.fn.across[f.pc]
}

func (m *Machine) reached(kd kind, words []uint64, at int, owner int8) {
	id := m.target(kd, words, at, words[at]) - m.last - 1
	if id < 0 {
		return
	}
	c := &m.code
	switch {
	case c.owners[id] == none:
		c.order = append(c.order, id)
		c.owners[id] = owner
	case c.owners[id] != owner:
		c.owners[id] = shared
	}
}

func (m *Machine) reach(from int, owner int8) {
	c := &m.code
	for k := from; k < len(c.order); k++ {
		m.inside(c.order[k], func(kd kind, words []uint64, at int) { m.reached(kd, words, at, owner) })
	}
}

// inside calls f with each word of an object that may be a pointer.
func (m *Machine) inside(id int, f func(kd kind, words []uint64, at int)) {
	o := &m.objects[m.last+1+id]
	n := len(o.shape.kinds)
	for at := range o.w {
		if kd := o.shape.kinds[at%n]; kd == pointer || kd == dynamic {
			f(kd, o.w, at)
		}
	}
}

// share marks all that an object points to as shared.
func (m *Machine) share(id int) {
	m.inside(id, func(kd kind, words []uint64, at int) {
		if to := m.target(kd, words, at, words[at]) - m.last - 1; to >= 0 && m.code.owners[to] != shared {
			m.code.owners[to] = shared
			m.share(to)
		}
	})
}

// encodeShared writes down the objects that are shared.
func (m *Machine) encodeShared() {
	c := &m.code
	for _, id := range c.order {
		if c.owners[id] == shared {
			c.bytes = m.object(c.bytes, id)
		}
	}
}

func (m *Machine) object(b []byte, id int) []byte {
	o := &m.objects[m.last+1+id]
	b = binary.AppendUvarint(b, uint64(o.shape.number))
	b = binary.AppendUvarint(b, uint64(o.n))
	n := len(o.shape.kinds)
	for at, w := range o.w {
		b = m.write(b, o.shape.kinds[at%n], o.w, at, w)
	}
	return b
}

func (m *Machine) write(b []byte, kd kind, words []uint64, at int, w uint64) []byte {
	if id := m.target(kd, words, at, w); id > 0 {
		to, number := uint64(toFirst), uint64(id)
		if d := id - m.last - 1; d >= 0 {
			to, number = toShared, uint64(m.code.numbers[d])
			if m.code.owners[d] != shared {
				to = toOwn
			}
		}
		b = binary.AppendUvarint(b, number<<2|to)
		return binary.AppendUvarint(b, uint64(uint32(w)))
	}
	if kd == pointer || kd == dynamic && m.p.pointing(words[at-1]) {
		return binary.AppendUvarint(b, (w&^isFunction)<<3|w>>63<<2) // toNothing
	}
	return binary.AppendVarint(b, int64(w))
}

func (m *Machine) encodeThread(t, number int) {
	th, c := &m.threads[t], &m.code
	b := c.bytes
	own := 0
	for _, id := range c.order {
		own += int(bit(c.owners[id] == int8(number)))
	}
	b = binary.AppendUvarint(b, uint64(own))
	for _, id := range c.order {
		if c.owners[id] == int8(number) {
			b = m.object(b, id)
		}
	}
	flags := bit(th.parked) | bit(th.woken)<<1 | bit(th.ticket)<<2 | bit(th.notified)<<3 | bit(th.doomed)<<4 | uint64(th.clock)<<5 | bit(th.awaits)<<7
	b = append(b, byte(flags), byte(len(th.frames)))
	for k := range th.frames {
		f := &th.frames[k]
		b = binary.AppendUvarint(b, uint64(f.fn.number))
		b = binary.AppendUvarint(b, uint64(f.pc))
		b = binary.AppendVarint(b, int64(f.dst))
		b = append(b, byte(len(f.defers)))
	}
	for k := range th.frames {
		f := &th.frames[k]
		for _, s := range th.needed(k) {
			b = m.write(b, s.kind, f.r, int(s.at), f.r[s.at])
		}
		for _, d := range f.defers {
			b = binary.AppendUvarint(b, uint64(d.fn.number))
			for at, w := range d.args {
				b = m.write(b, d.fn.params[at], d.args, at, w)
			}
		}
	}
	b = append(b, byte(len(th.cases)))
	for _, cs := range th.cases {
		b = append(b, byte(bit(cs.send)))
		b = m.write(b, pointer, nil, 0, cs.ch)
		if cs.ch != 0 {
			kinds := m.objects[cs.ch>>32].shape.chanOf.kinds
			for at, w := range cs.value {
				b = m.write(b, kinds[at], cs.value, at, w)
			}
		}
	}
	c.bytes = m.encodePlaces(b, t)
}

// encodePlaces writes down the places of a thread in queues, by its cases: where, and behind how many.
func (m *Machine) encodePlaces(b []byte, t int) []byte {
	var few [8]int
	places := few[:0]
	for k, w := range m.waiters {
		if w.thread == t {
			places = append(places, k)
		}
	}
	slices.SortFunc(places, func(j, k int) int { return m.waiters[j].number - m.waiters[k].number })
	b = append(b, byte(len(places)))
	for _, k := range places {
		w, before := m.waiters[k], 0
		for _, v := range m.waiters[:k] {
			before += int(bit(v.at == w.at))
		}
		b = append(b, byte(before), byte(w.number))
		b = m.write(b, pointer, nil, 0, w.at)
	}
	return b
}

// A reader reads a state.
type reader struct {
	m   *Machine
	b   []byte
	own int // the objects that only the thread reaches come after this one
}

func (r *reader) uint() uint64 {
	w, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return w
}

func (r *reader) byte() int {
	v := r.b[0]
	r.b = r.b[1:]
	return int(v)
}

func (r *reader) int() int64 {
	w, n := binary.Varint(r.b)
	r.b = r.b[n:]
	return w
}

func (r *reader) word(kd kind, before uint64) uint64 {
	if kd == pointer || kd == dynamic && r.m.p.pointing(before) {
		return r.pointer()
	}
	return uint64(r.int())
}

func (r *reader) pointer() uint64 {
	w := r.uint()
	number := w >> 2
	switch w & 3 {
	case toNothing:
		return w>>3 | w>>2<<63
	case toShared:
		number += uint64(r.m.last)
	case toOwn:
		number += uint64(r.own)
	}
	return number<<32 | r.uint()
}

func (r *reader) object(shared bool) {
	o := object{shape: r.m.p.layout.all[r.uint()], shared: shared}
	o.n = int(r.uint())
	size := o.shape.size()
	o.w = r.m.arena.words(size * o.n)
	before := uint64(0)
	for at := range o.w {
		before = r.word(o.shape.kinds[at%size], before)
		o.w[at] = before
	}
	r.m.objects = append(r.m.objects, o)
}

// Decode makes a machine have a state: of its words, which are set, and what Encode has returned.
func (m *Machine) Decode(rest []byte, parts [][]byte) {
	m.arena.reset()
	m.objects = m.objects[:m.last+1]
	for r := (reader{m: m, b: rest}); len(r.b) > 0; {
		r.object(true)
	}
	for len(m.threads) < len(parts) {
		m.threads = append(m.threads, thread{})
	}
	m.threads = m.threads[:len(parts)]
	type place struct {
		waiter
		before int
	}
	var few [8]place
	places := few[:0]
	for t, part := range parts {
		r := reader{m: m, b: part, own: len(m.objects) - 1}
		for range r.uint() {
			r.object(false)
		}
		r.thread(&m.threads[t], func(before int, w waiter) {
			w.thread = t
			places = append(places, place{w, before})
		})
	}
	m.waiters = m.waiters[:0]
	for before := 0; len(m.waiters) < len(places); before++ {
		for _, p := range places {
			if p.before == before {
				m.waiters = append(m.waiters, p.waiter)
			}
		}
	}
}

func (r *reader) thread(th *thread, wait func(before int, w waiter)) {
	flags := r.byte()
	*th = thread{
		frames: th.frames[:0], parked: flags&1 != 0, woken: flags&2 != 0, ticket: flags&4 != 0, notified: flags&8 != 0, doomed: flags&16 != 0, clock: uint8(flags>>5) & 3, awaits: flags&128 != 0,
	}
	var few [16]int
	defers := few[:0]
	for range r.byte() {
		fn := r.m.p.functions[r.uint()]
		th.frames = append(th.frames, frame{fn: fn, pc: int(r.uint()), dst: int(r.int()), r: r.m.arena.words(fn.size)})
		defers = append(defers, r.byte())
	}
	for k := range th.frames {
		f := &th.frames[k]
		before := uint64(0)
		for _, s := range th.needed(k) {
			before = r.word(s.kind, before)
			f.r[s.at] = before
		}
		for range defers[k] {
			d := deferred{fn: r.m.p.functions[r.uint()]}
			d.args = r.m.arena.words(len(d.fn.params))
			for at := range d.args {
				d.args[at] = r.word(d.fn.params[at], d.args[max(0, at-1)])
			}
			f.defers = append(f.defers, d)
		}
	}
	for range r.byte() {
		c := chanCase{send: r.byte() != 0, ch: r.pointer()}
		if c.ch != 0 && c.send {
			kinds := r.m.objects[c.ch>>32].shape.chanOf.kinds
			c.value = r.m.arena.words(len(kinds))
			for at := range kinds {
				c.value[at] = r.word(kinds[at], c.value[max(0, at-1)])
			}
		}
		th.cases = append(th.cases, c)
	}
	for range r.byte() {
		before, number := r.byte(), r.byte()
		wait(before, waiter{at: r.pointer(), number: number})
	}
}
