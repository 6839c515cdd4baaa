package machine

import "encoding/binary"

// A coder writes states down.
type coder struct {
	numbers []uint32 // of objects: 0, not reached
	owners  []int8   // the thread that reached an object first; -1: it is shared
	order   []int    // the objects that were reached, by number
	bytes   []byte
}

// Encode writes the state of a machine down: its memory, and each thread, in the order that is given. What it appends
// to parts are equal for states that differ only in where objects lie in memory. They are valid until the next call.
func (m *Machine) Encode(order []int, parts [][]byte) [][]byte {
	c := &m.code
	globals := m.p.roots
	c.numbers = append(c.numbers[:0], make([]uint32, len(m.objects))...)
	c.owners = append(c.owners[:0], make([]int8, len(m.objects))...)
	c.order, c.bytes = c.order[:0], c.bytes[:0]
	for id := 1; id <= globals; id++ {
		c.numbers[id], c.owners[id] = uint32(id), -1
		c.order = append(c.order, id)
	}
	m.reach(0, -1)
	for k, t := range order {
		from := len(c.order)
		m.threads[t].each(m, func(kd kind, words []uint64, at int) { m.reached(kd, words, at, int8(k)) })
		m.reach(from, int8(k))
	}
	for _, id := range c.order { // what is shared
		if c.owners[id] == -1 {
			m.share(id)
		}
	}
	var ends [9]int
	m.encodeMemory()
	ends[0] = len(c.bytes)
	for k, t := range order {
		m.encodeThread(t)
		ends[k+1] = len(c.bytes)
	}
	parts, from := parts[:0], 0
	for k := range len(order) + 1 {
		parts = append(parts, c.bytes[from:ends[k]])
		from = ends[k]
	}
	return parts
}

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
	id := m.target(kd, words, at, words[at])
	if id == 0 {
		return
	}
	c := &m.code
	if c.numbers[id] == 0 {
		c.order = append(c.order, id)
		c.numbers[id], c.owners[id] = uint32(len(c.order)), owner
	} else if c.owners[id] != owner && c.owners[id] != -1 {
		c.owners[id] = -1
	}
}

func (m *Machine) reach(from int, owner int8) {
	c := &m.code
	for k := from; k < len(c.order); k++ {
		o := &m.objects[c.order[k]]
		n := len(o.shape.kinds)
		for at := range o.w {
			if kd := o.shape.kinds[at%n]; kd == pointer || kd == dynamic {
				m.reached(kd, o.w, at, owner)
			}
		}
	}
}

// share marks all that an object points to as shared.
func (m *Machine) share(id int) {
	o := &m.objects[id]
	n := len(o.shape.kinds)
	for at := range o.w {
		if kd := o.shape.kinds[at%n]; kd == pointer || kd == dynamic {
			if to := m.target(kd, o.w, at, o.w[at]); to > 0 && m.code.owners[to] != -1 {
				m.code.owners[to] = -1
				m.share(to)
			}
		}
	}
}

func (m *Machine) encodeMemory() {
	c := &m.code
	b := c.bytes
	b = binary.AppendUvarint(b, uint64(len(c.order)))
	for k, id := range c.order {
		o := &m.objects[id]
		if k >= m.p.roots {
			shared := uint64(0)
			if c.owners[id] == -1 {
				shared = 1
			}
			b = binary.AppendUvarint(b, uint64(o.shape.number)<<1|shared)
			b = binary.AppendUvarint(b, uint64(o.n))
		}
		n := len(o.shape.kinds)
		for at, w := range o.w {
			b = m.word(b, o.shape.kinds[at%n], o.w, at, w)
		}
	}
	c.bytes = b
}

func (m *Machine) word(b []byte, kd kind, words []uint64, at int, w uint64) []byte {
	if id := m.target(kd, words, at, w); id > 0 {
		b = binary.AppendUvarint(b, uint64(m.code.numbers[id])<<1|1)
		return binary.AppendUvarint(b, uint64(uint32(w)))
	}
	if kd == pointer || kd == dynamic && m.p.pointing(words[at-1]) {
		return binary.AppendUvarint(b, (w&^isFunction)<<2|w>>63<<1)
	}
	return binary.AppendVarint(b, int64(w))
}

func (m *Machine) encodeThread(t int) {
	th, c := &m.threads[t], &m.code
	b := c.bytes
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
			b = m.word(b, s.kind, f.r, int(s.at), f.r[s.at])
		}
		for _, d := range f.defers {
			b = binary.AppendUvarint(b, uint64(d.fn.number))
			for at, w := range d.args {
				b = m.word(b, d.fn.params[at], d.args, at, w)
			}
		}
	}
	b = append(b, byte(len(th.cases)))
	for _, cs := range th.cases {
		b = append(b, byte(bit(cs.send)))
		b = m.word(b, pointer, nil, 0, cs.ch)
		if cs.ch != 0 {
			kinds := m.objects[cs.ch>>32].shape.chanOf.kinds
			for at, w := range cs.value {
				b = m.word(b, kinds[at], cs.value, at, w)
			}
		}
	}
	// Its places in queues: where, and behind how many.
	n := 0
	for _, w := range m.waiters {
		n += int(bit(w.thread == t))
	}
	b = append(b, byte(n))
	for k, w := range m.waiters {
		if w.thread != t {
			continue
		}
		before := 0
		for _, v := range m.waiters[:k] {
			before += int(bit(v.at == w.at))
		}
		b = append(b, byte(before), byte(w.number))
		b = m.word(b, pointer, nil, 0, w.at)
	}
	c.bytes = b
}

// A reader reads a state.
type reader struct {
	m *Machine
	b []byte
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
	if w&1 != 0 {
		return w>>1<<32 | r.uint()
	}
	return w>>2 | w>>1<<63
}

func (m *Machine) decodeMemory(part []byte, declared []object) {
	r := reader{m, part}
	n := int(r.uint())
	m.objects = append(m.objects[:0], object{})
	for k := 1; k <= n; k++ {
		o := object{n: 1, shared: true}
		if k < len(declared) {
			o.shape = declared[k].shape
		} else {
			w := r.uint()
			o.shape, o.shared = m.p.layout.all[w>>1], w&1 != 0
			o.n = int(r.uint())
		}
		size := o.shape.size()
		o.w = m.arena.words(size * o.n)
		before := uint64(0)
		for at := range o.w {
			before = r.word(o.shape.kinds[at%size], before)
			o.w[at] = before
		}
		m.objects = append(m.objects, o)
	}
}

// remember keeps the memory as it is, and recall restores that: it reports whether it can. Steps from one state follow each
// other, and reading it takes longer.
func (m *Machine) remember() {
	m.words = append(m.words[:0], m.arena.block[:m.arena.at]...)
	m.kept = append(m.kept[:0], m.objects...)
	m.block = &m.arena.block[0]
}

func (m *Machine) recall() bool {
	if m.block != &m.arena.block[0] {
		return false
	}
	copy(m.arena.block, m.words)
	m.arena.at = len(m.words)
	m.objects = append(m.objects[:0], m.kept...)
	return true
}

// Decode makes a machine of a program have a state: that of the parts that Encode has returned.
func (m *Machine) Decode(parts [][]byte, globals *Globals) {
	m.waiters = m.waiters[:0]
	if m.last != &parts[0][0] || !m.recall() {
		m.last = &parts[0][0]
		for size := -1; size != len(m.arena.block); { // again if the arena has grown: all must be in one block
			size = len(m.arena.block)
			m.arena.reset()
			m.decodeMemory(parts[0], globals.objects)
		}
		m.remember()
	}
	r := reader{m: m}
	for len(m.threads) < len(parts)-1 {
		m.threads = append(m.threads, thread{})
	}
	m.threads = m.threads[:len(parts)-1]
	type place struct {
		waiter
		before int
	}
	var few [8]place
	places := few[:0]
	for t, part := range parts[1:] {
		r.b = part
		r.thread(&m.threads[t], func(before int, w waiter) {
			w.thread = t
			places = append(places, place{w, before})
		})
	}
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
	var defers [256]int
	for k := range r.byte() {
		fn := r.m.p.functions[r.uint()]
		th.frames = append(th.frames, frame{fn: fn, pc: int(r.uint()), dst: int(r.int()), r: r.m.arena.words(fn.size)})
		defers[k] = r.byte()
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
