// Package system visits the states of a transition system, whatever it describes, and
// finds what holds in them and in the runs that are fair.
//
// A state is plain data. Its encoding has a number, and the numbers are the states of a
// [space.Space]; number 0 leads to the initial states.
package system

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/space"
)

// A Config is an explore.System.
type Config[S any] struct {
	Initial   []S
	Next      func(s S, will, may func(event string, to S))
	Invariant func(s S) error
	Terminal  func(s S) bool
	Leads     map[string]func(s S) (due, done bool)
	Memory    int64
	Progress  func(doing string, states int, bytes int64)
}

func (c *Config[S]) complete() error {
	switch {
	case len(c.Initial) == 0:
		return errors.New("System.Initial is empty: a system begins in one state at least")
	case c.Next == nil:
		return errors.New("System.Next is nil")
	case c.Memory < 0:
		return fmt.Errorf("System.Memory is %d: it must be at least 0", c.Memory)
	}
	for name, at := range c.Leads {
		if at == nil {
			return fmt.Errorf("System.Leads[%q] is nil", name)
		}
	}
	if err := state.CheckBare(reflect.TypeFor[S]()); err != nil {
		return fmt.Errorf("a state of a System must be plain data: %w", err)
	}
	c.Memory = cmp.Or(c.Memory, 4<<30)
	return nil
}

// A graph is the states of a system, and the events between them.
type graph[S any] struct {
	*space.Space
	c      *Config[S]
	states space.Table // a state has the number of its code and one more
	length int         // of all codes together
	leads  []string    // the names of the properties

	names  []string          // of the events, by number
	fair   []bool            // by number: it is weakly fair
	number map[string]uint32 // by name
	events []uint32          // of each state, one after the other
	first  []uint64          // by state: where its events begin

	due, done []space.Bits // by property, the states that are
	ends      int
	stuck     int // the first state that is a deadlock; 0: none
	wrong     *failure

	scratch space.Scratch
	code    []byte // the last successor
	again   []byte // the state itself, after Next
	moves   []move // of the last state
	word    [1]uint64
}

// A move is an event, and the state that it leads to.
type move struct {
	event uint32
	to    int
}

// A failure is what is wrong in a state.
type failure struct {
	state   int
	err     error
	verdict bool // the invariant is violated; otherwise the system is no System
}

func newGraph[S any](c *Config[S]) *graph[S] {
	g := &graph[S]{c: c, number: map[string]uint32{}, due: make([]space.Bits, len(c.Leads)), done: make([]space.Bits, len(c.Leads))}
	g.leads = slices.Sorted(maps.Keys(c.Leads))
	g.Space = space.New([]uint64{0}, g, space.Options{
		Workers: 1, Keep: true, Memory: c.Memory, Beside: g.beside,
		Progress: func(states int, bytes int64) {
			if c.Progress != nil {
				c.Progress("states", states, bytes)
			}
		},
	})
	return g
}

// codeBytes is about how many bytes a code takes in a table, beside its length.
const codeBytes = 64

// beside returns the memory that is not of the space: with properties, that of the search
// for runs too.
func (g *graph[S]) beside() int64 {
	states := int64(len(g.states.Codes))
	n := codeBytes*states + int64(g.length) + 4*int64(cap(g.events)) + 8*int64(cap(g.first))
	if len(g.leads) > 0 {
		n += states * (space.ScratchBytes + searchBytes + int64(len(g.leads)+3)/4)
	}
	return n
}

// Steps implements [space.System].
func (g *graph[S]) Steps(k []uint64, _ int, out *space.Steps) bool {
	at := int(k[0])
	for len(g.first) <= at {
		g.first = append(g.first, 0)
	}
	g.first[at] = uint64(len(g.events))
	if g.wrong != nil {
		return true
	}
	if at == 0 {
		for _, s := range g.c.Initial {
			g.to(out, g.numberOf(s))
		}
		return true
	}
	if g.wrong = g.examine(at); g.wrong != nil {
		return true
	}
	for _, m := range g.moves {
		g.to(out, m.to)
		g.events = append(g.events, m.event)
	}
	return true
}

// to tells that the next step leads to the state of that number.
func (g *graph[S]) to(out *space.Steps, number int) {
	g.word[0] = uint64(number)
	out.To(g.word[:])
}

// numberOf returns the number of a state.
func (g *graph[S]) numberOf(s S) int {
	g.code = state.Append(g.code[:0], s)
	n, known := g.states.Number(g.code)
	if !known {
		g.length += len(g.code)
	}
	return int(n) + 1
}

// decode returns a state by its number.
func (g *graph[S]) decode(number int) S {
	s, err := state.Decode[S]([]byte(g.states.Codes[number-1]))
	if err != nil {
		panic("explore: internal error: " + err.Error())
	}
	return s
}

// examine finds what holds in a state, and its moves.
func (g *graph[S]) examine(at int) *failure {
	s := g.decode(at)
	if err := g.holds(s); err != nil {
		return &failure{at, err, true}
	}
	for k := range g.leads {
		if err := g.note(at, k, s); err != nil {
			return &failure{state: at, err: err}
		}
	}
	moves, err := g.next(s, g.moves[:0])
	if g.moves = moves; err == nil {
		err = g.unchanged(at, s)
	}
	if err == nil {
		err = g.twice(at)
	}
	if err == nil && len(g.moves) == 0 {
		err = g.end(at, s)
	}
	if err != nil {
		return &failure{state: at, err: err}
	}
	return nil
}

// holds returns an error if the invariant is violated.
func (g *graph[S]) holds(s S) (violated error) {
	if g.c.Invariant == nil {
		return nil
	}
	if err := call("Invariant", func() { violated = g.c.Invariant(s) }); err != nil {
		return err
	}
	return violated
}

// note adds a state to those that are due, or done, of a property.
func (g *graph[S]) note(at, k int, s S) error {
	return call("Leads", func() {
		due, done := g.c.Leads[g.leads[k]](s)
		if due {
			g.due[k].Add(at)
		}
		if done {
			g.done[k].Add(at)
		}
	})
}

// next appends the moves in a state.
func (g *graph[S]) next(s S, moves []move) (_ []move, err error) {
	step := func(fair bool) func(event string, to S) {
		return func(event string, to S) {
			e, known := g.number[event]
			switch {
			case err != nil:
				return
			case event == "":
				err = errors.New("System.Next names an event with the empty string")
				return
			case !known:
				e = uint32(len(g.names))
				g.number[event] = e
				g.names, g.fair = append(g.names, event), append(g.fair, fair)
			case g.fair[e] != fair:
				err = fmt.Errorf("the event %q is will in one place and may in another: it must be one of them in all", event)
				return
			}
			moves = append(moves, move{e, g.numberOf(to)})
		}
	}
	if e := call("Next", func() { g.c.Next(s, step(true), step(false)) }); err == nil {
		err = e
	}
	if err == nil && len(moves) > space.MostSteps {
		err = fmt.Errorf("System.Next has %d events in one state: there may be %d", len(moves), space.MostSteps)
	}
	return moves, err
}

// unchanged returns an error if the user's functions have changed a state that they got by
// value.
func (g *graph[S]) unchanged(at int, s S) error {
	if g.again = state.Append(g.again[:0], s); string(g.again) != g.states.Codes[at-1] {
		return errors.New("a function of the System changes a slice of the state that it is given: it must change a copy")
	}
	return nil
}

// twice returns an error if the moves of a state are others the second time.
func (g *graph[S]) twice(at int) error {
	moves, err := g.next(g.decode(at), nil)
	if err == nil && !slices.Equal(moves, g.moves) {
		err = errors.New("System.Next has other events the second time: it must depend on nothing but the state")
	}
	return err
}

// end notes a state without events.
func (g *graph[S]) end(at int, s S) (err error) {
	g.ends++
	terminal := false
	if g.c.Terminal != nil {
		err = call("Terminal", func() { terminal = g.c.Terminal(s) })
	}
	if !terminal && g.stuck == 0 {
		g.stuck = at
	}
	return err
}

// call calls a function of the user.
func call(field string, f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the function System.%s panicked: %v", field, r)
		}
	}()
	f()
	return nil
}
