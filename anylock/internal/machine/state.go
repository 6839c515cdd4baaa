package machine

import (
	"encoding/binary"
	"slices"
)

// A coder writes states down, and reads them, or visits the pointers in them: where these are is said once.
//
// The first objects are the same in all states, and so are their numbers. Others are numbered in the order in which they are
// reached: those that are shared from the last of the first ones on, and those that only one thread reaches from 1 for each.
type coder struct {
	m     *Machine
	visit func(w *uint64) // if not nil, it is called with each pointer to an object, and nothing is written or read
	reads bool
	b     []byte // what was written, or is read
	at    int    // what is to be read next

	numbers []uint32 // of the other objects, in that order
	owners  []int8   // the thread that reaches an object; shared; or none
	order   []int    // the objects that were reached
	owner   int8     // of what is reached now
	own     int      // the objects that only the thread reaches which is read come after this one
	beyond  []int    // the words of the first objects that may point to others
	buf     []byte
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
	c.m, c.reads, c.b, c.order = m, false, c.buf[:0], c.order[:0]
	n := len(m.objects) - 1 - m.last
	c.numbers, c.owners = append(c.numbers[:0], make([]uint32, n)...), c.owners[:0]
	for range n {
		c.owners = append(c.owners, none)
	}
	if n > 0 {
		c.find(order)
	}
	var ends [MostThreads + 1]int
	c.objects(shared)
	ends[0] = len(c.b)
	for k, t := range order {
		own := 0
		for _, id := range c.order {
			own += int(bit(c.owners[id] == int8(k)))
		}
		number(c, own)
		c.objects(int8(k))
		c.thread(&m.threads[t])
		ends[k+1] = len(c.b)
	}
	for k := range order {
		parts = append(parts, c.b[ends[k]:ends[k+1]])
	}
	c.buf = c.b
	return c.b[:ends[0]], parts
}

// Decode makes a machine have a state: of its words, which are set, and what Encode has returned.
func (m *Machine) Decode(rest []byte, parts [][]byte) {
	m.arena.reset()
	m.objects = m.objects[:m.last+1]
	m.threads = slices.Grow(m.threads[:0], len(parts))[:len(parts)]
	c := &m.code
	c.reads, c.b, c.at = true, rest, 0
	read := func(shared bool) {
		o := object{shared: shared}
		c.object(&o)
		m.objects = append(m.objects, o)
	}
	for c.at < len(c.b) {
		read(true)
	}
	for t, part := range parts {
		c.b, c.at, c.own = part, 0, len(m.objects)-1
		for range number(c, 0) {
			read(false)
		}
		c.thread(&m.threads[t])
	}
}

// find finds the objects that are not the first ones, and numbers them.
func (c *coder) find(order []int) {
	m := c.m
	c.visit, c.owner = c.reached, shared
	beyond := uint64(m.last+1) << 32
	c.beyond = c.beyond[:0]
	for _, at := range m.pointers {
		if m.fixed[at] >= beyond { // few are
			c.beyond = append(c.beyond, at)
			c.word(m.kinds[at], m.fixed, at)
		}
	}
	c.reach(0)
	for k, t := range order {
		from := len(c.order)
		c.owner = int8(k)
		c.thread(&m.threads[t])
		c.reach(from)
	}
	c.visit = c.share
	for _, id := range c.order {
		if c.owners[id] == shared {
			c.inside(id)
		}
	}
	var next [MostThreads + 1]uint32
	for _, id := range c.order {
		k := c.owners[id] + 1
		next[k]++
		c.numbers[id] = next[k]
	}
	c.visit = func(w *uint64) { // they are all to objects that are shared
		if id := c.other(*w); id >= 0 {
			*w = uint64(m.last)<<32 + uint64(c.numbers[id])<<32 | *w&(1<<32-1)
		}
	}
	for _, at := range c.beyond {
		c.word(m.kinds[at], m.fixed, at)
	}
	c.visit = nil
}

// other returns to which of the objects that are not the first ones a pointer points; negative: to none.
func (c *coder) other(w uint64) int { return int(w>>32) - c.m.last - 1 }

func (c *coder) reached(w *uint64) {
	id := c.other(*w)
	switch {
	case id < 0:
	case c.owners[id] == none:
		c.order = append(c.order, id)
		c.owners[id] = c.owner
	case c.owners[id] != c.owner:
		c.owners[id] = shared
	}
}

func (c *coder) reach(from int) {
	for k := from; k < len(c.order); k++ {
		c.inside(c.order[k])
	}
}

// share marks an object as shared, and all that it points to.
func (c *coder) share(w *uint64) {
	if id := c.other(*w); id >= 0 && c.owners[id] != shared {
		c.owners[id] = shared
		c.inside(id)
	}
}

// inside visits what an object points to.
func (c *coder) inside(id int) { c.object(&c.m.objects[c.m.last+1+id]) }

// objects codes those of an owner.
func (c *coder) objects(owner int8) {
	for _, id := range c.order {
		if c.owners[id] == owner {
			c.inside(id)
		}
	}
}

// number codes a number that is not negative: it returns it, or what is read instead.
func number[N ~int | ~uint8 | ~uint64](c *coder, n N) N { return N(c.number(uint64(n))) }

func (c *coder) number(n uint64) uint64 {
	switch {
	case !c.reads && n < 0x80: // most are small
		c.b = append(c.b, byte(n))
	case !c.reads:
		c.b = binary.AppendUvarint(c.b, n)
	case c.b[c.at] < 0x80:
		n = uint64(c.b[c.at])
		c.at++
	default:
		var size int
		n, size = binary.Uvarint(c.b[c.at:])
		c.at += size
	}
	return n
}

// sized codes the length of a slice: it returns that, or one of the length that is read.
func sized[E any](c *coder, s []E) []E {
	n := number(c, len(s))
	if c.reads {
		if s = s[:0]; n > 0 {
			s = slices.Grow(s, n)[:n]
			clear(s)
		}
	}
	return s
}

// pointer codes a pointer.
func (c *coder) pointer(w *uint64) {
	id, offset := int(*w>>32), *w&(1<<32-1)
	nothing := *w == 0 || *w&isFunction != 0
	switch {
	case c.visit != nil:
		if !nothing {
			c.visit(w)
		}
	case c.reads:
		c.readPointer(w)
	case nothing:
		number(c, (*w&^isFunction)<<3|*w>>63<<2)
	case id <= c.m.last:
		number(c, id<<2|toFirst)
		number(c, offset)
	default:
		to := uint64(toOwn)
		if c.owners[c.other(*w)] == shared {
			to = toShared
		}
		number(c, uint64(c.numbers[c.other(*w)])<<2|to)
		number(c, offset)
	}
}

func (c *coder) readPointer(to *uint64) {
	w := number(c, uint64(0))
	id := w >> 2
	switch w & 3 {
	case toNothing:
		*to = w>>3 | w>>2<<63
		return
	case toShared:
		id += uint64(c.m.last)
	case toOwn:
		id += uint64(c.own)
	}
	*to = id<<32 | number(c, uint64(0))
}

// word codes one of some words.
func (c *coder) word(kd kind, words []uint64, at int) {
	switch {
	case kd == pointer || kd == dynamic && c.m.p.pointing(words[at-1]):
		c.pointer(&words[at])
	case c.visit != nil:
	default: // negative ones are small, too
		w := words[at]
		w = number(c, w<<1^uint64(int64(w)>>63))
		words[at] = w>>1 ^ -(w & 1)
	}
}

// words codes words of these kinds, again and again, and returns them; n is how many are read.
func (c *coder) words(kinds []kind, words []uint64, n int) []uint64 {
	if c.reads && c.visit == nil {
		words = c.m.arena.words(n)
	}
	for at := range words {
		c.word(kinds[at%len(kinds)], words, at)
	}
	return words
}

func (c *coder) object(o *object) {
	switch {
	case c.visit != nil:
	case c.reads:
		o.shape, o.n = c.m.p.layout.all[number(c, 0)], number(c, 0)
	default:
		number(c, o.shape.number)
		number(c, o.n)
	}
	o.w = c.words(o.shape.kinds, o.w, o.n*o.shape.size())
}

func (c *coder) function(fn *function) *function {
	if c.reads {
		return c.m.p.functions[number(c, 0)]
	}
	number(c, fn.number)
	return fn
}

// thread codes a thread.
func (c *coder) thread(th *thread) {
	if c.visit == nil {
		c.outline(th)
	}
	for k := range th.frames {
		f := &th.frames[k]
		for _, s := range th.needed(k) {
			c.word(s.kind, f.r, int(s.at))
		}
		for k := range f.defers {
			d := &f.defers[k]
			d.args = c.words(d.fn.params, d.args, len(d.fn.params))
		}
	}
	for k := range th.places {
		p := &th.places[k]
		if c.pointer(&p.at); p.does == forSend {
			kinds := c.m.objects[p.at>>32].shape.chanOf.kinds
			p.value = c.words(kinds, p.value, len(kinds))
		}
	}
}

// outline codes what a thread has that is no word.
func (c *coder) outline(th *thread) {
	c.flags(th)
	th.frames = sized(c, th.frames)
	for k := range th.frames {
		f := &th.frames[k]
		f.fn, f.pc, f.dst = c.function(f.fn), number(c, f.pc), number(c, f.dst+1)-1
		f.defers = sized(c, f.defers)
		for k := range f.defers {
			f.defers[k].fn = c.function(f.defers[k].fn)
		}
		if c.reads {
			f.r = c.m.arena.words(f.fn.size)
		}
	}
	th.places = sized(c, th.places)
	for k := range th.places {
		p := &th.places[k]
		p.before, p.number, p.does = number(c, p.before), number(c, p.number), number(c, p.does)
	}
}

func (c *coder) flags(th *thread) {
	all := [...]*bool{&th.parked, &th.ticket, &th.doomed, &th.awaits}
	bits := th.clock
	for _, f := range all {
		bits = bits<<1 | uint8(bit(*f))
	}
	bits = number(c, bits)
	for _, f := range slices.Backward(all[:]) {
		*f = bits&1 != 0
		bits >>= 1
	}
	th.clock = bits
}

// needed returns the registers of frame k that are read later.
func (th *thread) needed(k int) []slot {
	f := &th.frames[k]
	if k == len(th.frames)-1 || th.frames[k+1].dst < 0 {
		return f.fn.live[f.pc]
	}
	return f.fn.across[f.pc]
}
