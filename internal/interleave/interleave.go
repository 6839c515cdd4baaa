package interleave

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A Scenario is the input of an exploration.
type Scenario struct {
	// World points to the memory that the threads share. Before every run it is
	// restored to its initial content, as far as pointers, slices and structs lead.
	World any

	// Threads has at most eight threads.
	Threads []Thread

	// Attach makes the variables of the world ask r; nil detaches them.
	Attach func(r *Run)

	// Mute are the ends of the names of functions that return nothing, or whether
	// a [Run.Receive] within returned true, and that write nothing but memory of
	// the world; see memory.go.
	Mute []string

	// Fine makes every single operation a step.
	Fine bool

	// Preemptions is the largest number of switches away from a thread that could
	// continue and has not finished; 0: no limit. With a bound, not all
	// interleavings are run.
	Preemptions int

	// Limit is the largest number of states; 0: a million. It is a failure if there
	// are more.
	Limit int
}

// A Thread is one thread of a scenario.
type Thread struct {
	Name string
	Run  func(r *Run) // deterministic, but for the answers of r and of the world

	// Asleep reports, from the values of variables, whether this thread need not
	// have finished in the end, when no thread can continue; nil: it must have.
	Asleep func(holds func(x Variable) any) bool
}

// A Result is the result of an exploration.
type Result struct {
	States  int    // of all threads and variables together
	Steps   int    // between them
	Threads int    // states of single threads
	Depth   int    // steps to the state furthest away
	Whole   bool   // all interleavings have been run
	Failure string // the first failure; "": none
	Trace   Trace  // a shortest run to it
}

// Explore runs a scenario in all interleavings, or up to the first failure.
func Explore(s Scenario) Result {
	if s.Limit == 0 {
		s.Limit = 1e6
	}
	e := &explorer{s: s, world: explore(s.World), numbers: map[Variable]int{}, merged: map[string]int32{}, points: map[string]int32{}}
	e.stacks = stacks{names: map[string]int32{}, known: map[string]int32{}}
	defer e.world.restore()
	start := state{at: make([]int32, len(s.Threads))}
	for t := range s.Threads {
		start.at[t] = e.run(t, -1, 0)
	}
	if !s.Fine {
		e.walk(start)
	}
	for {
		if r, ok := e.explore(start); ok {
			return r
		}
	}
}

// Check explores a scenario and fails the test at a failure, or if not all interleavings
// were run and preemptions are not limited.
func Check(tb testing.TB, s Scenario) {
	tb.Helper()
	r := Explore(s)
	if r.Failure != "" {
		tb.Fatalf("%s\n%v", r.Failure, r.Trace)
	}
	if !r.Whole && s.Preemptions == 0 {
		tb.Error("not all interleavings were run")
	}
	tb.Logf("%d states, %d steps, %d states of threads; longest path: %d", r.States, r.Steps, r.Threads, r.Depth)
}

type explorer struct {
	s       Scenario
	world   *world
	vars    []entry
	numbers map[Variable]int // their indices in vars

	nodes  []node
	merged map[string]int32 // nodes, by what the thread remembers
	points map[string]int32 // see Forget
	stacks stacks

	stale bool // what was taken to be so of a variable, see entry, is not; or words were too few
	words int  // that a state takes

	path    []int32 // for reuse
	answers []uint8
	chosen  []choice
}

// An entry has what is known of a variable.
type entry struct {
	x       Variable
	values  []any // that it may hold; 0: its initial value
	mutexed bool  // it is a mutex, and holds 0 if it is free, and 1 more than the thread that has it

	// How it has been used. As long as that is little, an operation on it can be
	// made together with the one before; see together.
	by        uint8 // threads that did
	written   bool
	guard     int  // a mutex; -1: none
	barely    bool // read, without the mutex
	bareWrite bool // written, without the mutex
	relied    bool // on what is said here
}

// number returns the number of value v of a variable.
func (x *entry) number(v any) uint8 {
	for i, w := range x.values {
		if v == w {
			return uint8(i)
		}
	}
	if len(x.values) == 256 {
		panic("interleave: a variable takes more than 256 values")
	}
	x.values = append(x.values, v)
	return uint8(len(x.values) - 1)
}

func (e *explorer) variable(x Variable) int {
	i, ok := e.numbers[x]
	if !ok {
		i = len(e.vars)
		e.numbers[x] = i
		e.vars = append(e.vars, entry{x: x, values: []any{x.Initial()}, guard: -1})
	}
	return i
}

func (e *explorer) mutex(x Variable) int {
	i := e.variable(x)
	e.vars[i].mutexed = true
	return i
}

// A state is one of all threads and variables.
type state struct {
	at    []int32 // threads
	holds []uint8 // variables; what is not there is 0

	running, preempted uint8 // only where preemptions are counted: 1 more than the thread that made the last step, and how many there were
}

func (s *state) copy(t *state) {
	at, holds := append(s.at[:0], t.at...), append(s.holds[:0], t.holds...)
	*s = *t
	s.at, s.holds = at, holds
}

// allows records that thread t makes a step, and returns false if that exceeds the
// bound on preemptions.
func (e *explorer) allows(s *state, t int) bool {
	if e.s.Preemptions == 0 {
		return true
	}
	if r := int(s.running) - 1; r >= 0 && r != t && len(e.possible(s, r)) > 0 {
		s.preempted++
	}
	s.running = uint8(t) + 1
	return int(s.preempted) <= e.s.Preemptions
}

// value returns the value of variable x.
func (s *state) value(x int) uint8 {
	if x < len(s.holds) {
		return s.holds[x]
	}
	return 0
}

func (s *state) put(x int, v uint8) {
	for len(s.holds) <= x {
		s.holds = append(s.holds, 0)
	}
	s.holds[x] = v
}

// wrong describes the failure in a state; "" if there is none.
func (e *explorer) wrong(s *state) string {
	inside := ""
	for t, n := range s.at {
		switch e.nodes[n].kind {
		case critical:
			if inside != "" {
				return inside + " and " + e.s.Threads[t].Name + " are in their critical sections"
			}
			inside = e.s.Threads[t].Name
		case failed:
			return e.s.Threads[t].Name + " panics: " + e.nodes[n].failure
		}
	}
	return ""
}

// stuck describes the thread that sleeps forever, in a state in which no thread can
// continue.
func (e *explorer) stuck(s *state) string {
	for t, n := range s.at {
		th := e.s.Threads[t]
		if e.nodes[n].kind == end {
			continue
		}
		if th.Asleep == nil || !th.Asleep(func(x Variable) any {
			i := e.variable(x)
			return e.vars[i].values[s.value(i)]
		}) {
			return fmt.Sprintf("%s sleeps forever", th.Name)
		}
	}
	return ""
}

// A choice is the next step of a thread, with the answer that its first operation is given.
type choice struct {
	thread int
	answer uint8
}

// choices returns the steps that are possible in a state.
func (e *explorer) choices(s *state) (all []choice) {
	all = e.chosen[:0]
	for t := range s.at {
		for _, a := range e.possible(s, t) {
			all = append(all, choice{t, a})
		}
	}
	e.chosen = all
	return all
}

// possible returns the possible answers to the next operation of thread t; none if
// it is blocked.
func (e *explorer) possible(s *state, t int) []uint8 {
	n := &e.nodes[s.at[t]]
	switch n.kind {
	case end, failed:
		return nil
	case lock:
		if s.value(n.x) == 0 {
			return answers[:1]
		}
		return nil
	case receive:
		from, to := 1, 1
		if n.or >= 0 && e.full(s, n.or) {
			from = 0
		}
		if e.full(s, n.x) {
			to = 2
		}
		return answers[from:to]
	default:
		return answers[:1] // step finds out what it is
	}
}

var answers = [...]uint8{0, 1}

// full reports whether a channel has something in it, or is closed.
func (e *explorer) full(s *state, x int) bool { return e.vars[x].values[s.value(x)] == true }

// walk makes some random runs to learn how variables are used, so that the
// exploration rarely has to start over.
func (e *explorer) walk(start state) {
	random := rand.New(rand.NewPCG(1, 2))
	var s state
	for range 300 {
		s.copy(&start)
		for e.wrong(&s) == "" {
			choices := e.choices(&s)
			if len(choices) == 0 {
				break
			}
			c := choices[random.IntN(len(choices))]
			if e.step(&s, c.thread, c.answer, nil) != "" {
				break
			}
		}
	}
}
