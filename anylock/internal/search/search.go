// Package search visits every state of goroutines that package machine runs.
//
// A step that has been run once is not run again: what it does depends on its goroutine and on the words of memory that it
// reads, so it is looked up by these, and only the numbers of the new state are to be found. That is so as long as all memory
// that goroutines share was there when they began, and the step changes no queue; others are run in each state.
package search

import (
	"fmt"
	"go/token"
	"math"
	"slices"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/internal/space"
)

// A Search is the states of goroutines.
type Search struct {
	Space *space.Space
	All   bool // find each kind
	Doubt bool // run steps although they are known, and panic unless they do the same

	// Preemptions is the largest number of steps by another goroutine than that of the last one, which could make one; 0: no
	// limit. With it not all runs are visited.
	Preemptions int

	// Doorway is set if goroutines have a doorway, which their first step completes, or one in the doorway of the machine; see Orders.
	Doorway bool

	// Stop, if not nil, reports whether to give up: then nothing has been found.
	Stop func() bool

	m       *machine.Machine
	n       int // goroutines
	guarded int // the number of the variable that the lock guards
	memory  memory
	parts   component // of goroutines
	threads []thread  // by number, from 1
	shards  [space.Shards]scratch
	endless *machine.Refusal
	only    map[K]int // the slot of the one step that is made in a state; nil: all are
	loaded  uint32    // the memory of the machine; 0: it has changed
	learnt  K         // the state whose steps were found last
	found   scratch
	rows    []row // by state; see Live
	order   []int
	encoded [][]byte
	states  [][]byte
}

// K is a state: the number of its memory, and those of its goroutines, in 32 bits each. If preemptions are counted, above the
// number of the memory are that of the goroutine that has made the last step, from 1, and how many there were. Above the number
// of a goroutine is its phase, if there are doorways.
type K = [4]uint64

const (
	most   = machine.MostThreads
	counts = 26
	phases = 30
)

// The phases of a goroutine.
const (
	remainder = iota
	doorway
	waiting // when the doorway is complete
	exit    // from the access of what the lock guards on
)

func get(k *K, i int) uint32 { return uint32(k[i/2] >> (32 * (i % 2))) }

// part returns the number of goroutine t; 0: there is none.
func part(k *K, t int) uint32 { return get(k, 1+t) & (1<<phases - 1) }

func phaseOf(k *K, t int) uint32 { return get(k, 1+t) >> phases }

func setPart(k *K, t int, number, phase uint32) { set(k, 1+t, number|phase<<phases) }

func memoryOf(k *K) uint32 { return get(k, 0) & (1<<counts - 1) }

func set(k *K, i int, n uint32) {
	k[i/2] = k[i/2]&^((1<<32-1)<<(32*(i%2))) | uint64(n)<<(32*(i%2))
}

// A scratch is for the steps from one state.
type scratch struct {
	steps  []step
	words  []uint64
	buf    []byte
	pieces []int
	sets   [most][]machine.Access
	first  [Starvation + 1]*Found // of each kind
}

// A Kind is what is wrong.
type Kind uint8

// The kinds of what is wrong, in the order of the properties of a report.
const (
	Exclusion  Kind = iota // two goroutines have the lock
	Race                   // two access the same memory, one writes, and nothing orders them
	Panic                  // or a fatal error
	Deadlock               // some wait, and nothing can happen
	Livelock               // some run on for ever, and none gets anywhere
	Starvation             // one waits for ever, while others get the lock
	Overtaking             // one gets the lock before another that has waited since before it came
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
	Both   [2]int // who would make them, or overtakes whom
	Way    []int  // slots from the root to there; nil: any shortest way
	Loop   []int  // slots that can repeat for ever from there
}

// New returns a search from the state of a machine.
func New(m *machine.Machine, guarded int, limit int, memory int64, progress func(int, int64)) *Search {
	s := &Search{m: m, n: m.Users, guarded: guarded, memory: newMemory(), parts: newComponent()}
	for t := range m.Threads() {
		m.Begin(t)
	}
	root := s.pack(nil)
	s.Space = space.New(root[:], s, space.Options{Workers: 2, Keep: true, Limit: limit, Memory: memory, Beside: s.bytes, Progress: progress})
	return s
}

func (s *Search) bytes() int64 {
	if len(s.memory.all) >= 1<<counts {
		return math.MaxInt64 / 2 // their numbers do not fit
	}
	return s.memory.bytes + s.memory.rest.bytes + s.parts.bytes + 100*int64(len(s.threads))
}

// Run visits the states until something fails.
func (s *Search) Run() (complete bool, err error) {
	if s.Doubt {
		s.Space.Sequential()
	}
	complete, err = s.Space.Explore(func() bool { return s.Found() != nil || s.stopped() })
	if f := s.Found(); s.endless != nil && (f == nil || f.Kind > Race) {
		panic(s.endless)
	}
	return complete && s.Found() == nil, err
}

func (s *Search) stopped() bool { return s.Stop != nil && s.Stop() }

// A schedule has for each step the goroutine that makes it, plus so many times the alternative that it takes.
const alternative = 8

// Restrict leaves one run, that of a schedule as Schedule returns it.
func (s *Search) Restrict(schedule []int) error {
	k := *s.key(s.Space.Root)
	s.only = map[K]int{}
	for n, e := range schedule {
		slot, to := 0, k
		ok := slices.ContainsFunc(s.stepsOf(&k), func(st step) bool {
			is := !st.blocked && st.t+alternative*st.choice == e
			if to = st.to; !is && !st.blocked {
				slot++
			}
			return is
		})
		if _, again := s.only[k]; again {
			return fmt.Errorf("step %d of Config.Schedule is made where another was: it leads back there", n)
		}
		if !ok {
			return fmt.Errorf("no goroutine can make step %d of Config.Schedule, which is %d: it waits there, or the code has changed", n, e)
		}
		s.only[k] = slot
		k = to
	}
	return nil
}

// Found returns what fails, the first kind of it; nil: nothing.
func (s *Search) Found() *Found {
	for kind := range s.shards[0].first {
		for k := range s.shards {
			if f := s.shards[k].first[kind]; f != nil && !s.All {
				return f
			}
		}
	}
	return nil
}

// Has reports whether something of a kind was found.
func (s *Search) Has(k Kind) bool {
	return slices.ContainsFunc(s.shards[:], func(c scratch) bool { return c.first[k] != nil })
}

// pack returns the state of the machine, which came from another by a step; nil: from none.
func (s *Search) pack(from *K) (k K) {
	s.order = s.m.Order(s.order[:0])
	rest, parts := s.m.Encode(s.order, s.encoded[:0])
	s.encoded = parts
	var of uint32
	if from != nil {
		of = memoryOf(from)
	}
	s.loaded = s.memory.add(of, s.m.Words(), rest)
	set(&k, 0, s.loaded)
	for i, b := range parts {
		n, _ := s.parts.number(b, true)
		if int(n) > len(s.threads) {
			s.threads = append(s.threads, thread{enabled: s.m.Enabled(i), rests: s.m.Resting(i)})
		}
		set(&k, 1+i, n)
	}
	return k
}

// unpack makes the machine have a state.
func (s *Search) unpack(k *K) {
	s.memory.load(s.loaded, memoryOf(k), s.m.Words())
	s.loaded = 0 // when it goes on
	s.states = s.states[:0]
	for t := 0; t < most && part(k, t) != 0; t++ {
		s.states = append(s.states, s.parts.all[part(k, t)-1])
	}
	s.m.Decode(s.memory.others(memoryOf(k)), s.states)
}

// key returns a state of the space.
func (s *Search) key(i space.ID) *K { return (*K)(s.Space.Words(i)) }

// Learn implements space.Learner.
func (s *Search) Learn(words []uint64) { s.learn((*K)(words)) }

func (s *Search) learn(k *K) {
	s.find(k, &s.found, true)
	s.learnt = *k
}

// stepsOf returns the steps from a state; they are valid until the next call.
func (s *Search) stepsOf(k *K) []step {
	if s.learnt != *k {
		s.learn(k)
	}
	return s.found.steps
}

// Steps implements space.System.
func (s *Search) Steps(words []uint64, shard int, out *space.Steps) bool {
	k, c := (*K)(words), &s.shards[shard]
	if s.stopped() {
		return true
	}
	if *k == s.learnt {
		c.steps = append(c.steps[:0], s.found.steps...)
	} else if !s.find(k, c, false) {
		return false
	}
	for t := range c.sets {
		c.sets[t] = nil
	}
	stuck, slot := true, -1
	only, one := s.only[*k]
	for i := range c.steps {
		st := &c.steps[i]
		if st.choice == 0 {
			c.sets[st.t] = st.accesses
		}
		if st.blocked {
			continue
		}
		stuck = stuck && s.threads[part(k, st.t)-1].rests
		if slot++; s.only != nil && (!one || slot != only) {
			out.No(-1)
			continue
		}
		if f := st.failure; f != nil {
			c.fail(&Found{At: *k, Thread: st.t, Choice: st.choice, Kind: Panic, What: f.What, Pos: f.Pos})
			out.No(-1)
			continue
		}
		out.To(st.to[:])
	}
	s.races(k, c)
	if stuck && !s.allRest(k) {
		c.fail(&Found{At: *k, Thread: -1, Kind: Deadlock})
	}
	return true
}

// guards reports whether an access is of what the lock guards.
func (s *Search) guards(a machine.Access) bool { return int(a.At>>32) == s.guarded }

// phase returns the phase of a goroutine after a step.
func (s *Search) phase(k *K, t int, e *effect) uint32 {
	before := phaseOf(k, t)
	switch {
	case !s.Doorway || t >= s.n || e.to == 0 || s.threads[e.to-1].rests:
		return remainder
	case e.guards || before == exit:
		return exit
	case e.passes || before == waiting:
		return waiting
	}
	return doorway
}

// allRest reports whether all goroutines rest; those that they have started need not.
func (s *Search) allRest(k *K) bool {
	for t := range s.n {
		if !s.threads[part(k, t)-1].rests {
			return false
		}
	}
	return true
}

func (c *scratch) fail(f *Found) {
	if c.first[f.Kind] == nil {
		c.first[f.Kind] = f
	}
}

// races looks for two goroutines of which the next steps access the same memory.
func (s *Search) races(k *K, c *scratch) {
	for t := range c.sets {
		for u := range t {
			for _, a := range c.sets[u] {
				if i := slices.IndexFunc(c.sets[t], a.Conflicts); i >= 0 {
					f := &Found{At: *k, Thread: -1, Kind: Race, Races: [2]machine.Access{a, c.sets[t][i]}, Both: [2]int{u, t}}
					if s.guards(a) {
						f.Kind = Exclusion
					}
					c.fail(f)
				}
			}
		}
	}
}
