package interleave

// step has thread t go on by one step: its next operation, which is given the
// answer if it can be answered in several ways, and those that can be made
// together with it. It returns what went wrong. If record is not nil, it is
// told of each operation.
//
// Together, for orders that differ only in when an operation is made of which
// no other thread can tell need not all be run. R. J. Lipton, "Reduction: a
// method of proving properties of parallel programs", Communications of the
// ACM 18(12), 1975: operations that could as well be made later (right movers:
// to lock a mutex), then any one operation, then operations that could as well
// have been made earlier (left movers: to unlock it) are as good as one. No
// operation that can be blocked is among those that follow the first, so a
// thread never waits in the middle, and no state that is left out is one in
// which nobody can go on.
func (e *explorer) step(s *state, t int, answer uint8, record func(n *node, answer uint8)) string {
	later := true            // all operations so far could be made later
	for made := range 1000 { // that is enough: a thread may poll for ever what nobody else uses
		n := s.at[t]
		o := e.nodes[n].operation
		m := e.moves(s, t, o)
		if made > 0 { // does it belong to the step?
			if o.kind == end || o.kind == failed || m&left == 0 && !later {
				return ""
			}
			if o.kind == critical || o.kind == receive || o.kind == lock {
				return "" // a step of its own, for it has to be seen, or may be blocked
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

// do makes an operation, and returns how it is answered.
func (e *explorer) do(s *state, t int, o operation, answer uint8) uint8 {
	switch o.kind {
	case load:
		return s.value(o.x)
	case store:
		s.put(o.x, o.v)
	case swap:
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

// A mover is how an operation can be moved past those of other threads.
type mover uint8

const (
	right mover = 1 << iota // it could as well be made later
	left                    // it could as well have been made earlier
	both  = right | left
)

// moves returns how an operation moves.
//
// That a variable is used by one thread alone, is never written, or only with
// a mutex locked, is found out in the course of the exploration: if it turns out
// not to be so when it has been relied on, all begins anew. That is sound: of
// the uses that show it, in all orders of all operations, take the first. Up to
// it, everything was as taken to be, so the thread comes there in the orders
// explored as well.
func (e *explorer) moves(s *state, t int, o operation) mover {
	if e.s.Fine {
		return 0
	}
	switch o.kind {
	case lock:
		return right
	case unlock:
		return left
	case load, store, swap:
	default:
		return 0
	}
	x := &e.vars[o.x]
	reads := o.kind == load
	switch guarded := x.guard >= 0 && s.value(x.guard) == uint8(t)+1; {
	case x.by&^(1<<t) == 0: // nobody else uses it
	case reads && !x.written:
	case guarded && !x.bareWrite && (reads || !x.barely):
	default:
		return 0
	}
	x.relied = true
	return both
}

// use notes how a variable is used.
func (e *explorer) use(s *state, t int, o operation) {
	switch o.kind {
	case load, store, swap:
	default:
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
		x.barely = x.barely || !writes || o.kind == swap
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
