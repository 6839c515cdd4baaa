// Package search visits every state of goroutines that package machine runs.
package search

import (
	"go/token"
	"slices"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/internal/space"
)

// A Search is the states of goroutines.
type Search struct {
	Space   *space.Space[K]
	m       *machine.Machine
	n       int // goroutines
	globals *machine.Globals
	parts   []component
	found   *Found
	others  [Starvation + 1]*Found // if All: the first of each kind
	All     bool                   // find each kind
	sets    [][]machine.Access
	bytes   int64
	guarded int // the number of the variable that the lock guards
	order   []int
	encoded [][]byte
	states  [][]byte
}

// K is a state: the number of its memory, and those of its goroutines, in 32 bits each.
type K = [4]uint64

const most = 7

// A component is one part of states: what is written down of it, by number.
type component struct {
	numbers map[string]uint32
	all     [][]byte
}

func (c *component) number(b []byte) (n uint32, added bool) {
	n, ok := c.numbers[string(b)]
	if !ok {
		n = uint32(len(c.all)) + 1
		c.all = append(c.all, slices.Clone(b))
		c.numbers[string(b)] = n
	}
	return n, !ok
}

// A Kind is what is wrong.
type Kind uint8

// The kinds of what is wrong.
const (
	Exclusion  Kind = iota // two goroutines have the lock
	Race                   // two access the same memory, one writes, and nothing orders them
	Panic                  // or a fatal error
	Deadlock               // some wait, and nothing can happen
	Livelock               // some run on for ever, and none gets anywhere
	Starvation             // one waits for ever, while others get the lock
)

// Found is a state or a step in which something is wrong.
type Found struct {
	At     K
	Thread int // that makes the step; negative: it is the state
	Choice int
	Kind   Kind
	What   string
	Pos    token.Pos
	Races  [2]machine.Access
	Both   [2]int // who would make them
	Loop   []int  // slots that can repeat for ever from there
}

// New returns a search from the state of a machine.
func New(m *machine.Machine, guarded int, limit int, memory int64) *Search {
	s := &Search{m: m, n: m.Users(), guarded: guarded, globals: m.Globals()}
	for range 2 {
		s.parts = append(s.parts, component{numbers: map[string]uint32{}})
	}
	for t := range m.Threads() {
		m.Begin(t)
	}
	s.Space = space.New(s.pack(), s, space.Options{Workers: 1, Keep: true, Limit: limit, Memory: memory, Beside: func() int64 { return s.bytes }})
	return s
}

// Run visits the states until something fails.
func (s *Search) Run() (complete bool, err error) {
	complete, err = s.Space.Explore(func() bool { return s.found != nil })
	return complete && s.found == nil, err
}

// Found returns what fails; nil: nothing.
func (s *Search) Found() *Found { return s.found }

// pack returns the state of the machine.
func (s *Search) pack() (k K) {
	s.order = s.m.Order(s.order[:0])
	s.encoded = s.m.Encode(s.order, s.encoded)
	for i, b := range s.encoded {
		n, added := s.parts[min(i, 1)].number(b)
		if added {
			s.bytes += int64(len(b)) + 80
		}
		k[i/2] |= uint64(n) << (32 * (i % 2))
	}
	return k
}

func (s *Search) unpack(k *K) int {
	parts := s.states[:0]
	for i := range most + 1 {
		n := uint32(k[i/2] >> (32 * (i % 2)))
		if n == 0 {
			break
		}
		parts = append(parts, s.parts[min(i, 1)].all[n-1])
	}
	s.states = parts
	s.m.Decode(parts, s.globals)
	return len(parts) - 1
}

// each makes each step that is possible in a state, and calls f when the machine has made it.
func (s *Search) each(k *K, f func(t, choice int, rested bool)) {
	n := s.unpack(k)
	for len(s.sets) < n {
		s.sets = append(s.sets, nil)
	}
	s.sets = s.sets[:n]
	for t := range n {
		s.sets[t] = s.sets[t][:0]
		for choice, choices := 0, 1; choice < choices; choice++ {
			if t > 0 || choice > 0 {
				s.unpack(k)
			}
			if !s.m.Enabled(t) {
				break
			}
			rested := s.m.Resting(t)
			s.m.Advance(t, choice)
			choices = s.m.Choices()
			if choice == 0 {
				s.sets[t] = append(s.sets[t], s.m.Accesses()...)
			}
			if s.m.Blocked() {
				break
			}
			f(t, choice, rested)
		}
	}
}

// Steps implements space.System.
func (s *Search) Steps(k *K, _ int, out *space.Steps[K]) bool {
	if s.found != nil {
		return true
	}
	stuck := true
	s.each(k, func(t, choice int, rested bool) {
		stuck = stuck && rested
		if f := s.m.Failure(); f != nil {
			s.fail(&Found{At: *k, Thread: t, Choice: choice, Kind: Panic, What: f.What, Pos: f.Pos})
			out.No(-1)
			return
		}
		to := s.pack()
		out.To(&to)
	})
	s.races(k)
	if stuck {
		s.unpack(k)
		if !s.m.AllRest() {
			s.fail(&Found{At: *k, Thread: -1, Kind: Deadlock})
		}
	}
	return true
}

func (s *Search) fail(f *Found) {
	if s.others[f.Kind] == nil {
		s.others[f.Kind] = f
	}
	if s.found == nil && !s.All {
		s.found = f
	}
}

// Has reports whether something of a kind was found.
func (s *Search) Has(k Kind) bool { return s.others[k] != nil }

// races looks for two goroutines of which the next steps access the same memory.
func (s *Search) races(k *K) {
	for t := range s.sets {
		for u := range t {
			for _, a := range s.sets[u] {
				if i := slices.IndexFunc(s.sets[t], a.Conflicts); i >= 0 {
					f := &Found{At: *k, Thread: -1, Kind: Race, Races: [2]machine.Access{a, s.sets[t][i]}, Both: [2]int{u, t}}
					if int(a.At>>32) == s.guarded {
						f.Kind = Exclusion
					}
					s.fail(f)
					if !s.All {
						return
					}
				}
			}
		}
	}
}

// Learn implements space.System.
func (s *Search) Learn(*K) {}
