package machine

import (
	"go/token"
	"slices"
)

// An Access is one of plain memory, or the atomic one at the end of a step.
type Access struct {
	At     ptr
	n      int
	write  bool
	atomic bool
	Pos    token.Pos
}

// A Word is one of the first objects, by its place among all their words, and what it holds.
type Word struct {
	At    int
	Value uint64
}

// word returns the place of a word of the first objects; -1: it is of another.
func (m *Machine) word(at ptr) int {
	if id := int(at >> 32); id <= m.last {
		return m.objects[id].at + int(uint32(at))
	}
	return -1
}

// known refuses what is not known.
func (m *Machine) known(at ptr) {
	if why := m.objects[at>>32].unknown; why != "" {
		refuse("%s", why)
	}
}

// reading records that n words are read, and writing that they are written.
func (m *Machine) reading(at ptr, n int) {
	m.known(at)
	from := m.word(at)
	if m.simple = true; from < 0 {
		return
	}
	for k := range n {
		is := func(w Word) bool { return w.At == from+k }
		if !slices.ContainsFunc(m.writes, is) && !slices.ContainsFunc(m.Reads, is) {
			m.Reads = append(m.Reads, Word{from + k, m.fixed[from+k]})
		}
	}
}

func (m *Machine) writing(at ptr, n int) {
	m.known(at)
	from := m.word(at)
	if m.simple = true; from < 0 {
		return
	}
	for k := range n {
		if !slices.ContainsFunc(m.writes, func(w Word) bool { return w.At == from+k }) {
			m.writes = append(m.writes, Word{At: from + k})
		}
	}
}

// idle records that the step depends on whether a thread waits at an object.
func (m *Machine) idle(at ptr) {
	if id := at >> 32; m.word(at) >= 0 {
		m.reading(m.queues+id, 1)
		m.complex = m.complex || m.objects[m.queues>>32].w[id] != 0
	}
}

// Writes reports whether it writes.
func (a Access) Writes() bool { return a.write }

// Conflicts reports whether two accesses of goroutines that are not ordered are a data race.
func (a Access) Conflicts(b Access) bool {
	return (a.write || b.write) && (!a.atomic || !b.atomic) &&
		a.At>>32 == b.At>>32 && a.At < b.At+uint64(b.n) && b.At < a.At+uint64(a.n)
}

// alone refuses what a constructor does after it has started a goroutine, which would have to be interleaved: but what it does to
// memory that no other reaches.
func (m *Machine) alone(at ptr) {
	if m.Users == 0 && len(m.threads) > 1 && m.objects[at>>32].shared {
		refuse("an operation of a constructor on memory that a goroutine can reach, which it has started: start it last")
	}
}

// see returns n words of plain memory to read or write, or stops if a step cannot go on with that.
func (m *Machine) see(at ptr, n int, write bool) (words []uint64, sig signal) {
	id, off := int(at>>32), int(uint32(at))
	if id == 0 {
		return nil, m.nilPointer()
	}
	m.known(at)
	if write {
		m.alone(at)
	}
	o := &m.objects[id]
	fine := m.p.Fine && m.Users > 0
	if (o.shared || fine) && !o.shape.frozen && n > 0 {
		if m.after {
			return nil, stopped
		}
		if fine {
			sig = done
		}
		a := Access{At: at, n: n, write: write, Pos: m.pos()}
		if th := &m.threads[m.cur]; n == 1 && o.shape.kinds[off%len(o.shape.kinds)] == scalar && th.frames[len(th.frames)-1].fn.relaxed {
			a.atomic, sig = true, done
			m.Did = Event{Thread: m.cur, What: "load", Pos: a.Pos, At: at, Old: o.w[off], New: o.w[off], Reads: true, Writes: write}
			if write {
				m.Did.What = "store"
			}
		}
		if id < m.born {
			m.saw = m.made
			m.Accesses = append(m.Accesses, a)
		}
		if write {
			m.writing(at, n)
		} else {
			m.reading(at, n)
		}
	}
	return o.w[off : off+n], sig
}

// write stores words of these kinds in an object.
func (m *Machine) store(at ptr, kinds []kind, words []uint64) signal {
	to, s := m.see(at, len(words), true)
	if !s.ran() {
		return s
	}
	copy(to, words)
	if m.objects[at>>32].shared {
		m.publish(kinds, words)
	}
	return s
}

// publish marks what words point to as shared, and what that points to.
func (m *Machine) publish(kinds []kind, words []uint64) {
	for k, w := range words {
		if id := m.target(kinds[k%len(kinds)], words, k, w); id > 0 && !m.objects[id].shared {
			o := &m.objects[id]
			o.shared = true
			m.publish(o.shape.kinds, o.w)
		}
	}
}

// target returns the object to which word k of some points; 0 if to none.
func (m *Machine) target(kd kind, words []uint64, k int, w uint64) int {
	switch kd {
	case pointer:
	case dynamic:
		if !m.p.pointing(words[k-1]) {
			return 0
		}
	default:
		return 0
	}
	if w&isFunction != 0 {
		return 0
	}
	return int(w >> 32)
}

// alloc returns a pointer to n new zero elements.
func (m *Machine) alloc(s *shape, n int) ptr {
	m.objects = append(m.objects, object{shape: s, n: n, w: m.arena.words(s.size() * n), shared: false})
	return pointTo(len(m.objects) - 1)
}

// atomic makes an operation on a word, which others observe if it is shared.
func (m *Machine) atomic(at ptr, what string, writes bool, do func(w uint64) uint64) signal {
	if at>>32 == 0 {
		return m.nilPointer()
	}
	m.known(at)
	m.alone(at)
	o := &m.objects[at>>32]
	w := &o.w[uint32(at)]
	if !o.shared && !m.p.Fine && m.made < fewInstructions {
		*w = do(*w)
		return next
	}
	if m.after {
		return stopped
	}
	if what == "store" {
		m.writing(at, 1)
	} else if m.reading(at, 1); writes {
		m.writing(at, 1)
	}
	m.shows(what, at, writes)
	*w = do(*w)
	m.Did.New = *w
	if *w != m.Did.Old && o.shape.kinds[int(uint32(at))%len(o.shape.kinds)] == pointer {
		m.publish([]kind{pointer}, o.w[uint32(at):uint32(at)+1])
	}
	return done
}

// shows records an atomic operation on a word, which ends the step.
func (m *Machine) shows(what string, at ptr, writes bool) {
	w, pos := m.objects[at>>32].w[uint32(at)], m.pos()
	m.Accesses = append(m.Accesses, Access{At: at, n: 1, write: writes, atomic: true, Pos: pos})
	m.Did = Event{Thread: m.cur, What: what, Pos: pos, At: at, Old: w, New: w, Reads: true, Writes: writes}
}

// changes records an operation that reads a word and writes it.
func (m *Machine) changes(what string, at ptr) {
	m.alone(at)
	m.reading(at, 1)
	m.writing(at, 1)
	m.shows(what, at, true)
}
