package search

import (
	"fmt"
	"slices"

	"example.org/doorway/anylock/internal/machine"
)

// A thread is what is known of a goroutine in some state.
type thread struct {
	enabled bool    // it can make a step, unless that finds that it must wait
	rests   bool    // it has ended, or may stop where it is
	moves   []*move // the next step, by choice
}

// A move is a step, as far as it is known: a word that it reads, and what follows for each value, or what it does.
type move struct {
	at     int
	values []uint64
	then   []*move
	does   *effect
}

// An effect is what a step does.
type effect struct {
	choices  int // how many alternatives it has
	blocked  bool
	clock    bool // it looks at the clock
	accesses []machine.Access
	failure  *machine.Failure
	guards   bool   // it accesses what the lock guards
	passes   bool   // it completes the doorway
	to       uint32 // its goroutine
	writes   []machine.Word
}

// A step is one that is possible in a state.
type step struct {
	t, choice int
	to        K
	*effect
}

// find finds the steps that are possible in a state. Unless it may learn, it reports whether it could.
func (s *Search) find(k *K, c *scratch, learn bool) bool {
	c.steps = c.steps[:0]
	plain := s.memory.plain(memoryOf(k))
	switch {
	case plain:
		c.words = slices.Grow(c.words[:0], len(s.m.Words()))[:len(s.m.Words())]
		s.memory.words(memoryOf(k), c.words)
	case !learn:
		return false
	}
	for t := 0; t < most && part(k, t) != 0; t++ {
		number := part(k, t) - 1
		if !s.threads[number].enabled {
			continue
		}
		for choice, choices := 0, 1; choice < choices; choice++ {
			st := step{t: t, choice: choice}
			known := false
			if plain {
				st.effect = s.threads[number].known(choice, c.words)
			}
			if known = st.effect != nil; known {
				if st.to, known = s.apply(k, &st, c, learn); !known {
					return false
				}
			}
			if !known && !learn {
				return false
			}
			if !known || s.Doubt {
				again := s.run(k, st.t, choice, plain)
				if known {
					s.same(k, st, again)
				}
				st = again
			}
			c.steps = append(c.steps, st)
			if choices = st.choices; st.blocked {
				break
			}
		}
	}
	if s.Preemptions > 0 {
		s.bound(k, c)
	}
	return true
}

// bound leaves out the steps that would be one preemption too many, and counts.
func (s *Search) bound(k *K, c *scratch) {
	last, n := int(get(k, 0)>>counts&7), int(get(k, 0)>>(counts+3))
	goesOn := slices.ContainsFunc(c.steps, func(st step) bool { return st.t+1 == last && !st.blocked })
	c.steps = slices.DeleteFunc(c.steps, func(st step) bool {
		return !st.blocked && goesOn && st.t+1 != last && n == s.Preemptions
	})
	for i := range c.steps {
		st, by := &c.steps[i], n
		if goesOn && st.t+1 != last {
			by++
		}
		set(&st.to, 0, memoryOf(&st.to)|uint32(st.t+1)<<counts|uint32(by)<<(counts+3))
	}
}

// known returns what a step does, if it is known; words are those of memory.
func (t *thread) known(choice int, words []uint64) *effect {
	if choice >= len(t.moves) {
		return nil
	}
	m := t.moves[choice]
	for m != nil && m.does == nil {
		k := slices.Index(m.values, words[m.at])
		if k < 0 {
			return nil
		}
		m = m.then[k]
	}
	if m == nil {
		return nil
	}
	return m.does
}

// apply returns the state after a step that is known.
func (s *Search) apply(k *K, st *step, c *scratch, learn bool) (to K, ok bool) {
	to = *k
	if st.blocked || st.failure != nil {
		return to, true
	}
	setPart(&to, st.t, st.effect.to, s.phase(k, st.t, st.effect))
	if len(st.writes) == 0 {
		return to, true
	}
	var few [8]uint64
	before := few[:0]
	c.pieces = c.pieces[:0]
	for _, w := range st.writes {
		before = append(before, c.words[w.At])
		c.words[w.At] = w.Value
		if !slices.Contains(c.pieces, w.At/size) {
			c.pieces = append(c.pieces, w.At/size)
		}
	}
	n, ok := s.memory.change(memoryOf(k), c.words, c.pieces, &c.buf, learn)
	for i, w := range st.writes {
		c.words[w.At] = before[i]
	}
	set(&to, 0, n)
	return to, ok
}

// run makes a step, and remembers what it does if that is possible.
func (s *Search) run(k *K, t, choice int, plain bool) step {
	s.unpack(k)
	s.m.Advance(t, choice)
	e := &effect{
		choices: s.m.Choices, blocked: s.m.Blocked, clock: s.m.Did.Both, accesses: slices.Clone(s.m.Accesses), failure: s.m.Failure,
	}
	if endless := s.m.Endless; endless != nil && s.endless == nil {
		s.endless = endless
	}
	e.guards = slices.ContainsFunc(e.accesses, s.guards)
	st := step{t: t, choice: choice, to: *k, effect: e}
	simple := plain && s.m.Simple()
	reads := slices.Clone(s.m.Reads)
	if !e.blocked && e.failure == nil {
		e.writes = slices.Clone(s.m.Writes())
		st.to = s.pack(k)
		e.to = part(&st.to, t)
		for u := range most {
			if number := part(&st.to, u); number != 0 && u != t {
				setPart(&st.to, u, number, phaseOf(k, u))
			}
		}
		e.passes = s.m.Doorway == nil || s.m.Passed
		setPart(&st.to, t, e.to, s.phase(k, t, e))
		// Nor is one that ends a goroutine: whether that is still part of the state may depend on others.
		simple = simple && s.memory.plain(memoryOf(&st.to)) && (s.m.Enabled(t) || !s.m.Resting(t))
		for u := range most {
			if simple && u != t && part(&st.to, u) != part(k, u) {
				panic(fmt.Sprintf("search: a step of goroutine %d changes goroutine %d", t, u))
			}
		}
	}
	if simple {
		s.threads[part(k, t)-1].remember(choice, reads, e)
	}
	return st
}

func (t *thread) remember(choice int, reads []machine.Word, e *effect) {
	for choice >= len(t.moves) {
		t.moves = append(t.moves, nil)
	}
	at := &t.moves[choice]
	for _, r := range reads {
		if *at == nil {
			*at = &move{at: r.At}
		}
		m := *at
		if m.does != nil || m.at != r.At {
			panic("search: a step depends on something else")
		}
		k := slices.Index(m.values, r.Value)
		if k < 0 {
			k = len(m.values)
			m.values, m.then = append(m.values, r.Value), append(m.then, nil)
		}
		at = &m.then[k]
	}
	*at = &move{does: e}
}

// same panics unless a step does what was expected of it. Accesses to memory of its own are at another place in each state.
func (s *Search) same(k *K, a, b step) {
	sameAccess := func(x, y machine.Access) bool { return x == y || !s.m.First(x.At) && !s.m.First(y.At) }
	if a.to != b.to || a.choices != b.choices || a.blocked != b.blocked || a.clock != b.clock || (a.failure == nil) != (b.failure == nil) || !slices.EqualFunc(a.accesses, b.accesses, sameAccess) {
		panic(fmt.Sprintf("search: in state %v, goroutine %d does %v, and not %v", *k, a.t, b, a))
	}
}
