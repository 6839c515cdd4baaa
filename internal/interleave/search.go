package interleave

import (
	"encoding/binary"
	"fmt"

	"example.org/doorway/internal/space"
)

// explore visits all states, the nearest first. It returns false if an assumption
// about the variables has turned out wrong, or a state takes more words than were thought,
// and the exploration must start over.
func (e *explorer) explore(start state) (Result, bool) {
	e.stale = false
	switch {
	case e.words <= 4:
		return (&search[[4]uint64]{explorer: e}).run(start)
	case e.words <= 8:
		return (&search[[8]uint64]{explorer: e}).run(start)
	case e.words <= 16:
		return (&search[[16]uint64]{explorer: e}).run(start)
	}
	panic(fmt.Sprintf("interleave: a state takes %d words, more than 16: use fewer variables", e.words))
}

// A search visits the states of a scenario, packed into words: three bytes for each thread,
// two for the preemptions, and one for each variable.
type search[K space.Key] struct {
	*explorer
	now, next state
	bytes     []byte

	bounded bool // a step was left out, which exceeds the bound on preemptions
	failure string
	at      K        // the state of the failure, or where its last step begins
	last    []choice // that step
}

func (s *search[K]) run(start state) (r Result, ok bool) {
	// One worker: a step that is made for the first time runs a thread.
	states := space.New(s.pack(&start), s, space.Options{Workers: 1, Keep: true, Limit: s.s.Limit})
	complete, err := states.Explore(s.over)
	if s.stale {
		return Result{}, false
	}
	r = Result{States: states.States(), Steps: states.Transitions(), Threads: len(s.nodes), Depth: states.Depth(), Whole: complete && !s.bounded}
	switch {
	case err != nil:
		r.Failure = err.Error()
	case s.failure != "":
		way := s.way(states)
		r.Failure, r.Depth, r.Trace = s.failure, len(way), s.trace(start, way)
	case !complete:
		r.Failure = fmt.Sprintf("more than %d states", s.s.Limit)
	}
	return r, true
}

// over reports whether the search need not go on.
func (s *search[K]) over() bool { return s.stale || s.failure != "" }

// Steps tells where the steps of all threads lead, up to the first failure.
func (s *search[K]) Steps(k *K, _ int, out *space.Steps[K]) bool {
	if s.over() {
		return true
	}
	s.unpack(k, &s.now)
	choices := s.choices(&s.now)
	for _, c := range choices {
		s.next.copy(&s.now)
		if !s.allows(&s.next, c.thread) {
			s.bounded = true
			out.No(-1)
			continue
		}
		why := s.step(&s.next, c.thread, c.answer, nil)
		if why == "" {
			why = s.wrong(&s.next)
		}
		if why != "" {
			s.failure, s.at, s.last = why, *k, []choice{c}
		}
		to := s.pack(&s.next)
		if s.over() {
			return true
		}
		out.To(&to)
	}
	if why := s.stuck(&s.now); len(choices) == 0 && why != "" {
		s.failure, s.at = why, *k
	}
	return true
}

// Learn does nothing: Steps learns, since it is called by one worker.
func (s *search[K]) Learn(*K) {}

// pack returns a state as words. If they are too few, the exploration must start over.
func (s *search[K]) pack(t *state) (k K) {
	b := s.bytes[:0]
	for _, n := range t.at {
		b = append(b, byte(n), byte(n>>8), byte(n>>16))
	}
	b = append(append(b, t.running, t.preempted), t.holds...)
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	words := (len(b) + 7) / 8
	if words > len(k) {
		s.words, s.stale = words, true
		return k
	}
	for len(b) < 8*words {
		b = append(b, 0)
	}
	for i := range words {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	s.bytes = b
	return k
}

// unpack is the opposite of pack.
func (s *search[K]) unpack(k *K, t *state) {
	b := s.bytes[:0]
	for i := range len(*k) {
		b = binary.LittleEndian.AppendUint64(b, (*k)[i])
	}
	s.bytes = b
	t.at = t.at[:0]
	for range s.s.Threads {
		t.at = append(t.at, int32(b[0])|int32(b[1])<<8|int32(b[2])<<16)
		b = b[3:]
	}
	t.running, t.preempted = b[0], b[1]
	t.holds = append(t.holds[:0], b[2:min(len(b), 2+len(s.vars))]...)
}

// way returns a shortest run to the failure.
func (s *search[K]) way(states *space.Space[K]) (way []choice) {
	end, _ := states.Find(&s.at)
	id := states.Root
	for _, slot := range states.Paths().Shortest(states.Level(end), func(node int) bool { return space.ID(node) == end }) {
		s.unpack(states.Key(id), &s.now)
		way = append(way, s.choices(&s.now)[slot])
		id = states.Successor(id, slot)
	}
	return append(way, s.last...)
}
