package interleave

// step advances thread t by one step: its next operation, which is given the answer
// if there are several, and the operations that can be combined with it. It returns
// the failure, if any. If record is not nil, it is called for each operation.
//
// Operations are combined because interleavings that differ only in the time of an
// operation that no other thread can observe need not all be run. R. J. Lipton,
// "Reduction: a method of proving properties of parallel programs", Communications
// of the ACM 18(12), 1975: a sequence of right movers (operations that could as well
// be made later, such as locking a mutex), then any one operation, then left movers
// (operations that could as well have been made earlier, such as unlocking it) is
// equivalent to one operation. No operation after the first can block, so a thread
// never waits in the middle of a step, and no deadlock is among the states that are
// left out.
func (e *explorer) step(s *state, t int, answer uint8, record func(n *node, answer uint8)) string {
	later := true            // all operations so far could be made later
	for made := range 1000 { // a bound: a thread may poll forever what no other thread uses
		n := s.at[t]
		o := e.nodes[n].operation
		m := e.moves(s, t, o)
		if made > 0 { // does it belong to the step?
			if o.kind == end || o.kind == failed || m&left == 0 && !later {
				return ""
			}
			if o.kind == critical || o.kind == receive || o.kind == lock {
				return "" // a step of its own: it is observable, or may block
			}
		}
		later = later && m&right != 0
		e.use(s, t, o)
		if o.kind == send && e.full(s, o.x) {
			if record != nil {
				record(&e.nodes[n], 0)
			}
			return e.s.Threads[t].Name + " sends to a channel that is full"
		}
		a := e.do(s, t, o, answer)
		if record != nil {
			record(&e.nodes[n], a)
		}
		s.at[t] = e.after(t, n, a)
	}
	return ""
}

// do performs an operation, and returns its answer.
func (e *explorer) do(s *state, t int, o operation, answer uint8) uint8 {
	switch o.kind {
	case load:
		return s.value(o.x)
	case store:
		s.put(o.x, o.v)
	case swap:
		was := s.value(o.x)
		s.put(o.x, o.v)
		return was
	case add:
		was, x := s.value(o.x), &e.vars[o.x]
		s.put(o.x, x.number(x.values[was].(uint64)+x.values[o.v].(uint64)))
		return was
	case compareAndSwap:
		if s.value(o.x) != o.old {
			return 0
		}
		s.put(o.x, o.v)
		return 1
	case lock:
		s.put(o.x, uint8(t)+1)
	case unlock:
		if s.value(o.x) != uint8(t)+1 {
			panic("interleave: " + e.s.Threads[t].Name + " unlocks a mutex that it does not have")
		}
		s.put(o.x, 0)
	case send:
		s.put(o.x, e.vars[o.x].number(true))
	case receive:
		if answer == 1 {
			s.put(o.x, e.vars[o.x].number(false))
		}
		return answer
	}
	return 0
}

// A mover is the direction in which an operation can be moved past those of other
// threads.
type mover uint8

const (
	right mover = 1 << iota // it could as well be made later
	left                    // it could as well have been made earlier
	both  = right | left
)

// moves returns the directions in which an operation moves.
//
// The exploration assumes that a variable is used by only one thread, is never
// written, or is written only with a mutex locked, until it finds a use to the
// contrary. If the assumption was relied on, the exploration starts over. That is
// sound: of all such uses, in all interleavings of all operations, take the first.
// Up to it the assumption holds, so the thread also reaches it in the interleavings
// that are explored.
func (e *explorer) moves(s *state, t int, o operation) mover {
	if e.s.Fine {
		return 0
	}
	switch {
	case o.kind == lock:
		return right
	case o.kind == unlock:
		return left
	case !o.accesses():
		return 0
	}
	x := &e.vars[o.x]
	reads := o.kind == load
	switch guarded := x.guard >= 0 && s.value(x.guard) == uint8(t)+1; {
	case x.by&^(1<<t) == 0: // no other thread uses it
	case reads && !x.written:
	case guarded && !x.bareWrite && (reads || !x.barely):
	default:
		return 0
	}
	x.relied = true
	return both
}

// use records how a variable is used.
func (e *explorer) use(s *state, t int, o operation) {
	if !o.accesses() {
		return
	}
	x := &e.vars[o.x]
	was := *x
	x.by |= 1 << t
	writes := o.kind != load
	x.written = x.written || writes
	if x.guard < 0 {
		x.guard = e.locked(s, t)
	}
	if x.guard < 0 || s.value(x.guard) != uint8(t)+1 {
		x.barely = x.barely || o.kind != store
		x.bareWrite = x.bareWrite || writes
	}
	if was.relied && (was.by != x.by || was.written != x.written || was.barely != x.barely || was.bareWrite != x.bareWrite) {
		x.relied = false
		e.stale = true
	}
}

// locked returns a mutex that thread t has, or -1.
func (e *explorer) locked(s *state, t int) int {
	for i, v := range s.holds {
		if v == uint8(t)+1 && e.vars[i].mutexed {
			return i
		}
	}
	return -1
}
