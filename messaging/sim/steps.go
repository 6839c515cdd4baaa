package sim

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// A Simulation is a run whose caller decides what happens next. [Start] and
// [Scenario.Start] begin one. [Simulation.Next] lets happen what [Run] would, and
// [Simulation.Do] what the caller chooses. It is not safe for concurrent use, and
// Config.Observe must not call its methods.
type Simulation struct {
	c          Config
	directives string // of the run as text, and the checksum of the rules; "": not determined yet
	rules      string
	run        *simulation
	choices    []choice

	events   []messaging.Event
	observed int // how many of them the observer has got

	alone bool                                   // no choices are made
	watch func(s *simulation, e messaging.Event) // called before the event has any effect; nil: not
}

// Start begins a run that goes on as its caller decides. If c is invalid, the error names
// the field and the rule. If a node panics when it is created, the run has ended:
// [Simulation.Err] says so.
func Start(c Config) (*Simulation, error) { return start(c, false, nil) }

func start(c Config, alone bool, watch func(s *simulation, e messaging.Event)) (*Simulation, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	r := &Simulation{c: c, alone: alone, watch: watch}
	r.restart()
	if err := r.run.err; err != nil && Failure(err) == "" {
		return nil, fmt.Errorf("sim: %w", err) // a load of nodes that are no locks
	}
	r.show()
	return r, nil
}

// restart takes the run back to its beginning.
func (r *Simulation) restart() {
	c := r.c
	c.Observe = func(e messaging.Event) {
		if r.watch != nil {
			r.watch(r.run, e)
		}
		if !r.alone {
			r.events = append(r.events, e)
		}
	}
	r.choices, r.events = nil, make([]messaging.Event, 0, len(r.events))
	r.run = newSimulation(c, !r.alone)
	r.run.guard(r.run.begin)
}

// Next lets happen what is due first, up to the next event, and reports whether an event
// occurred. It returns false if nothing is left to do, if a node that is inside has to be
// told to leave, or if the run has ended.
func (r *Simulation) Next() bool {
	before := r.run.Number
	_, err := r.step(nil)
	return err == nil && r.run.Number > before
}

// step is Next with these results of Choose. It reports whether anything was done, be it without an event.
func (r *Simulation) step(results []int) (done bool, err error) {
	if r.ended() != nil {
		return false, nil
	}
	err = r.decide(choice{do: step, n: 1, results: results}, func(s *simulation) bool {
		for before := s.Number; s.Number == before && s.next(); {
			done = true
		}
		done = done || s.over || s.err != nil
		return done
	})
	return done || r.run.err != nil, err
}

// Undo takes back the last n choices, of which each step of Next is one. The observer is
// not called: events with numbers above that of the last of Events did not happen. Undo
// replays the choices before. If fewer than n were made, it returns an error, and the run
// is as before.
func (r *Simulation) Undo(n int) error {
	made := r.made()
	if n < 0 || n > made {
		return fmt.Errorf("sim: cannot undo %d choices: %d were made", n, made)
	}
	if err := r.keep(made - n); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return nil
}

// keep replays the first n choices.
func (r *Simulation) keep(n int) error {
	choices, observe := r.choices, r.c.Observe
	r.c.Observe = nil
	defer func() { r.c.Observe, r.observed = observe, len(r.events) }()
	r.restart()
	for _, c := range choices {
		if n == 0 {
			break
		}
		if c.do == step {
			c.n = min(c.n, uint64(n))
		}
		n -= c.count()
		if err := r.make(c); err != nil {
			return fmt.Errorf("the nodes are not deterministic: %v cannot be repeated: %w", c, err)
		}
	}
	return nil
}

// Err returns the error that ended the run, as [Run] returns it; of a deadlock, too, as
// long as nothing else can happen without the caller. Otherwise it returns nil.
func (r *Simulation) Err() error { return r.run.failure() }

// ended returns why no choice can be made any more, or nil.
func (r *Simulation) ended() error {
	switch {
	case r.run.err != nil:
		return fmt.Errorf("the run has ended: %w", r.run.err)
	case r.run.over:
		return fmt.Errorf("the run has ended at %s T, as Config.Until says", inT(r.run.Now))
	}
	return nil
}

// Report returns what has been measured so far.
func (r *Simulation) Report() Report {
	report := r.run.report()
	report.Order, report.Emits = slices.Clone(report.Order), slices.Clone(report.Emits)
	return report
}

// Events returns the events so far. The caller must not change them.
func (r *Simulation) Events() []messaging.Event { return slices.Clip(r.events) }

// A NodeState is what a node and its user are in.
type NodeState struct {
	Phase   messaging.Phase
	Crashed bool

	// Fields are the exported fields of the node, which have the names of its paper, in
	// their order. Nodes are S1 to Sn in the values; S1 is node 0.
	Fields []struct{ Name, Value string }
}

// Node returns the state of node i. It panics unless 0 <= i < nodes.
func (r *Simulation) Node(i messaging.ID) NodeState {
	if i < 0 || int(i) >= r.c.Nodes {
		panic(fmt.Sprintf("sim: state of node %d: the nodes are 0 to %d", i, r.c.Nodes-1))
	}
	return r.run.state(i)
}

func (s *simulation) state(i messaging.ID) NodeState {
	return NodeState{s.Sites[i].Phase(), s.Lives[i].Crashed, state.Fields(layer.Innermost(s.Sites[i].Node()), name)}
}

// A Pending is what may happen next: a message in transit, a timer, or what the user of a
// node will do.
type Pending struct {
	// Number identifies it as long as it is pending. It counts, from 1, whatever was
	// scheduled in the run, and is the same in each replay.
	Number uint64

	// Action is that of the event that will occur: delivered, expired, requested, left,
	// gave up, crashed, told, restarted or input. From, To, Message and Cause are those of this event too.
	// (A message to a crashed node will be lost, and an input missed.)
	Action   string
	From, To messaging.ID
	Message  messaging.Message
	Cause    uint64

	// Sent is the time of the cause, if there is one, and Due when it happens unless the
	// caller decides otherwise.
	Sent, Due time.Duration

	// Behind is the number of the message in front of this one on its link, which is
	// FIFO; only then can this one not happen yet. Otherwise it is 0.
	Behind uint64
}

// Pending returns what is pending, in the order in which it happens unless the caller
// decides otherwise. A node that stays inside until it is told to leave has nothing
// pending.
func (r *Simulation) Pending() []Pending {
	s := r.run
	all := make([]Pending, 0, len(s.queue.book.Pages))
	last := map[[2]int32]uint64{} // by link
	for n, p := range s.queue.book.Pages {
		e := s.queue.book.Event(n)
		if !s.effective(e) {
			continue
		}
		next := r.pending(p, e)
		if e.Kind == steps.Deliver && !s.c.Unordered {
			link := [2]int32{e.From, e.To}
			next.Behind, last[link] = last[link], p.Number
		}
		all = append(all, next)
	}
	return all
}

func (r *Simulation) pending(page steps.Page, e *steps.Event) Pending {
	p := Pending{
		Number: page.Number, Action: e.Kind.Action(), From: messaging.ID(e.From), To: messaging.ID(e.To), Message: e.Message, Cause: e.Cause, Due: page.At,
	}
	switch e.Kind {
	case steps.Leave, steps.GiveUp, steps.Restart:
		p.Cause = r.run.Lives[e.To].Since
	}
	if p.Cause > 0 {
		p.Sent = r.events[p.Cause-1].At
	}
	return p
}
