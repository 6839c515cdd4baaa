package nodetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/history"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/repeat"
	"example.org/doorway/internal/steps"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Run runs nodes of a in the schedule determined by the seed. It returns nil if mutual
// exclusion and the invariant held, the tokens of entries grew ([messaging.Token]), every request
// entered or was aborted, no [messaging.Sharer] waited for nodes that it need not wait for, and
// no message is in transit at the end.
// Otherwise the error lists the last 200 events, in which S1 is node 0, and [Failure] classifies it.
// If the config is invalid, the error names the field and the rule.
func Run(a messaging.Algorithm, c Config) error { return run(a, a, c) }

// run is Run of a, whose nodes may watch those of the algorithm that a failure is one of.
func run(a, algorithm messaging.Algorithm, c Config) (err error) {
	if err := c.check(); err != nil {
		return fmt.Errorf("nodetest: %w", err)
	}
	w := &walk{
		c: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), left: cmp.Or(c.Entries, 4*c.Nodes), crashes: c.Crashes, restarts: c.Restarts,
		locks: make([]bool, c.Nodes), tokens: make([]messaging.Token, c.Nodes), entered: none,
		acts: make([]act, 0, 128), users: make([]act, 0, c.Nodes), phases: make([]messaging.Phase, c.Nodes), messages: make([]uint64, 0, 16),
	}
	if len(c.Users) == 0 {
		for i := range c.Nodes {
			w.c.Users = append(w.c.Users, i)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = w.failure(algorithm, history.Caught(r))
		}
	}()
	w.start(a)
	w.walk()
	return nil
}

// fails ends the walk if there is an error.
func fails(err error) {
	if err != nil {
		panic(history.Breach{Err: err})
	}
}

// A walk is a run in which chance decides what happens next.
type walk struct {
	c                       Config
	rand                    *rand.Rand
	run                     steps.Run
	left, crashes, restarts int               // what is still to come; left counts requests
	locks                   []bool            // by node, whether it is an Exclusion
	tokens                  []messaging.Token // by node, of its last entry

	making  messaging.ID // the node that was made last
	entered messaging.ID // the node that has entered in this step, or none
	past    [200]messaging.Event
	events  int  // how many there were: event k is at index k mod 200 of past
	outside bool // the next message comes from outside the node, and is noted
	alone   int  // the number of consecutive messages of a node to itself

	acts []act // all so far; what nodes draw in one is behind it

	// What can happen next, but for faults; the buffers are reused.
	messages []uint64 // numbers of Pending, and so are the following
	notices  []uint64
	expiries []uint64          // timers that may expire while something else is possible
	phases   []messaging.Phase // by node
	users    []act
	others   []steps.Pending
	timers   []steps.Pending // all of them
}

// none is no node.
const none messaging.ID = -1

// An act is a choice of sim.Simulation.Do.
type act struct {
	what   byte
	number uint64 // of the node, or of what is pending
}

func (w *walk) start(a messaging.Algorithm) {
	config := w.config()
	config.Algorithm, config.Observe, config.Perpetual = w.observed(a), w.note, w.c.Perpetual
	w.make(config)
	w.run.Start()
	fails(w.run.Failed())
}

// make makes the nodes.
func (w *walk) make(config sim.Config) {
	defer history.Made(&w.making)
	w.run = steps.New(config, w.choose)
}

// choose draws for a node.
func (w *walk) choose(n int) int {
	k := w.rand.IntN(n)
	w.acts = append(w.acts, act{'c', uint64(k)})
	return k
}

// config returns the run whose steps are taken, and that repeats a failure.
func (w *walk) config() sim.Config {
	c := sim.Config{
		Name: w.c.Name, Nodes: w.c.Nodes, Holder: w.c.Holder, Unordered: w.c.Unordered, Invariant: w.c.Invariant,
		Inputs: repeat.Inputs(w.c.Inputs), Results: w.c.Results,
	}
	if w.c.Detected {
		c.Detection = sim.Constant(sim.T)
	}
	return c
}

// observed is a, but its nodes report messages to themselves to the walk, since a
// site does not.
func (w *walk) observed(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		w.making = start.Self
		node := a(start)
		if history.Missing(node) {
			return nil
		}
		_, w.locks[start.Self] = messaging.As[messaging.Exclusion](node)
		return observed{wrap.Around(node), start.Self, w}
	}
}

type observed struct {
	wrap.Whole
	self messaging.ID
	walk *walk
}

func (o observed) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	o.walk.observe(o.self, m)
	o.Node.Receive(from, m, out)
}

// mostAlone is how many messages a node may send to itself while nothing else happens.
const mostAlone = 10_000

// observe notes m if node i has sent it to itself. It panics if a node seems to do so
// forever: a site delivers all these messages in one event, so the walk would never
// reach its last step.
func (w *walk) observe(i messaging.ID, m messaging.Message) {
	if w.outside {
		w.outside, w.alone = false, 0
		return
	}
	w.note(messaging.Event{Action: toItself, From: i, To: i, Message: m})
	if w.alone++; w.alone > mostAlone {
		history.Fail(history.Endless, "%s has sent %d messages to itself, and nothing else has happened", notation.Node(i), w.alone)
	}
}

func (w *walk) walk() {
	for range cmp.Or(w.c.Steps, 1_000_000) {
		if !w.next() {
			fails(w.run.Over())
			return
		}
	}
	if !w.c.Perpetual || slices.Contains(w.locks, true) {
		fails(history.Endless)
	}
}

// next takes a random possible step, and reports whether there was one. A user acts with
// probability 1/4, so that most steps are deliveries.
func (w *walk) next() bool {
	w.look()
	idle := len(w.users)+len(w.messages) == 0
	switch {
	case w.fault(idle && len(w.notices) == 0):
	case len(w.notices) > 0 && (idle || w.rand.IntN(8) == 0):
		w.happen(w.notices)
	case w.c.Perpetual && len(w.users) == 0 && w.left == 0 && !w.anyoneWaits():
		return false
	case len(w.expiries) > 0 && (idle || w.rand.IntN(4) == 0):
		w.happen(w.expiries)
	case len(w.users) > 0 && (len(w.messages) == 0 || w.rand.IntN(4) == 0):
		w.act(w.users)
	case len(w.messages) > 0:
		w.happen(w.messages)
	case len(w.timers) > 0 && (w.anyoneWaits() || !slices.Contains(w.locks, true)):
		w.do('d', w.timers[0].Number)
	default:
		return false
	}
	return true
}

// look finds what can happen next, but for faults.
func (w *walk) look() {
	w.notices, w.timers, w.expiries = w.notices[:0], w.timers[:0], w.expiries[:0]
	w.run.Phases(w.phases)
	w.users = w.usersCan(w.users[:0])
	w.messages, w.others = w.run.Pending(w.messages[:0], w.others[:0])
	given := none // the last node with an input: they are given in order
	for _, p := range w.others {
		switch p.Action {
		case action.Expired:
			if w.mayExpire(p) {
				w.expiries = append(w.expiries, p.Number)
			}
			w.timers = append(w.timers, p)
		case action.Told:
			w.notices = append(w.notices, p.Number)
		case action.Input:
			if p.Node != given {
				given = p.Node
				w.users = append(w.users, act{'d', p.Number})
			}
		}
	}
}

// mayExpire reports whether a timer may be due first, as explore.CheckNodes defines it.
func (w *walk) mayExpire(t steps.Pending) bool {
	return (w.c.AnyTime || t.Due) && !slices.ContainsFunc(w.timers, func(earlier steps.Pending) bool {
		return earlier.Node == t.Node && (!w.c.AnyTime || earlier.Number < t.Number && earlier.After <= t.After)
	})
}

// usersCan appends what users can do with their requests.
func (w *walk) usersCan(all []act) []act {
	for _, i := range w.c.Users {
		switch p := w.phases[i]; {
		case !w.locks[i] || p == steps.Down:
		case p == messaging.Inside:
			all = append(all, act{'l', uint64(i)})
		case p == messaging.Waiting:
			if w.rand.Float64() < w.c.Withdraw {
				all = append(all, act{'g', uint64(i)})
			}
		case w.left > 0:
			all = append(all, act{'a', uint64(i)})
		}
	}
	return all
}

// fault crashes or restarts a node, or not, at random, and reports whether it did so. If
// nothing else can happen, it restarts one that is down.
func (w *walk) fault(idle bool) bool {
	if w.crashes > 0 && w.rand.IntN(10) == 0 {
		if up := w.those('k', true); len(up) > 0 {
			w.crashes--
			w.act(up)
			return true
		}
	}
	if w.restarts > 0 && (idle || w.rand.IntN(5) == 0) {
		if down := w.those('r', false); len(down) > 0 {
			w.restarts--
			w.act(down)
			return true
		}
	}
	return false
}

// those returns what each node that is up can do, or each that is down.
func (w *walk) those(can byte, up bool) (all []act) {
	for i, p := range w.phases {
		if up == (p != steps.Down) {
			all = append(all, act{can, uint64(i)})
		}
	}
	return all
}

func (w *walk) anyoneWaits() bool {
	return slices.Contains(w.phases, messaging.Waiting) || slices.Contains(w.phases, messaging.Absorbing)
}

// act has one of these happen.
func (w *walk) act(all []act) {
	a := all[w.rand.IntN(len(all))]
	if a.what == 'a' {
		w.left--
	}
	w.do(a.what, a.number)
}

// happen has one of what is pending happen.
func (w *walk) happen(numbers []uint64) { w.do('d', numbers[w.rand.IntN(len(numbers))]) }

// do makes a choice of sim.Simulation.Do, and checks what it leads to.
func (w *walk) do(what byte, number uint64) {
	w.acts = append(w.acts, act{what, number})
	w.run.Do(what, number)
	fails(w.run.Failed())
	if w.entered != none {
		w.order(w.entered)
		w.entered = none
	}
}

// order fails if node i has entered with a token that is not larger than those of all entries
// before it that exclude it. Then the entry does not follow from these by messages,
// and with other delays two nodes would be inside: this schedule shows what another one violates.
func (w *walk) order(i messaging.ID) {
	token := w.run.Token(i)
	for j, before := range w.tokens {
		if j := messaging.ID(j); (i == j || w.run.Excludes(i, j)) && !before.Before(token) {
			history.Fail(history.Fencing, "%s enters with token %v after %s with %v", notation.Node(i), token, notation.Node(j), before)
		}
	}
	w.tokens[i] = token
}
