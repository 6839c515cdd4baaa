package machine

// Block is what the number of Words is a multiple of.
const Block = 16

// Words returns the words of the first objects, and then zeros.
func (m *Machine) Words() []uint64 { return m.fixed }

// First reports whether a place is in one of them.
func (m *Machine) First(at uint64) bool { return m.word(at) >= 0 }

// Writes returns those of these words that the last step has written; they are valid until the next one.
func (m *Machine) Writes() []Word {
	for k := range m.writes {
		m.writes[k].Value = m.fixed[m.writes[k].At]
	}
	return m.writes
}

// Simple reports whether the last step depended on nothing else than its goroutine and these words, and changed nothing else.
func (m *Machine) Simple() bool { return !m.complex && !m.queued && !m.p.Fine }

// Threads returns the number of goroutines.
func (m *Machine) Threads() int { return len(m.threads) }

// Begin runs what a new goroutine does before others can observe anything.
func (m *Machine) Begin(t int) {
	m.after = true
	m.advance(t)
}

// Advance makes one step of a goroutine: the choice is one of [Made.Choices], of which there is one if that is 1.
func (m *Machine) Advance(t, choice int) {
	m.after, m.choice = false, choice
	m.advance(t)
}

// Enabled reports whether a goroutine can make a step.
func (m *Machine) Enabled(t int) bool {
	th := &m.threads[t]
	return len(th.frames) > 0 && !th.parked
}

// Resting reports whether a goroutine has ended, or may stop where it is.
func (m *Machine) Resting(t int) bool {
	frames := m.threads[t].frames
	if len(frames) == 0 {
		return true
	}
	f := &frames[len(frames)-1]
	return f.fn.rest > 0 && f.pc == f.fn.rest
}

// Order appends the goroutines that are part of a state: not those that others have started, and that have ended.
func (m *Machine) Order(order []int) []int {
	n := len(m.threads) // the last ones only, so that the others keep their numbers
	for n > m.Users && len(m.threads[n-1].frames) == 0 {
		n--
	}
	for t := range n {
		order = append(order, t)
	}
	return order
}
