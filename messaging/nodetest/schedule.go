// Package nodetest tests nodes of message-passing algorithms, those of locks and others.
//
//   - [Run] runs them in a random schedule, with random message delays, and reports
//     the first violation with the events that led to it.
//   - [Check] also checks every handler against the contract of a [messaging.Node].
//
// Package [example.org/doorway/messaging/nodevet] checks the source of nodes, and CheckNodes of
// package [example.org/doorway/explore] visits every schedule of a small number of nodes,
// which is a proof for the instance.
//
// For example:
//
//	for seed := range uint64(1000) {
//		if err := nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 4, Seed: seed}); err != nil {
//			t.Fatal(err)
//		}
//	}
package nodetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/conflict"
	"example.org/doorway/internal/history"
	"example.org/doorway/internal/raw"
	"example.org/doorway/internal/state"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Config describes a schedule. Every field except Nodes may be zero.
type Config struct {
	Nodes     int          // at least 1
	Holder    messaging.ID // the node that initially has the privilege, in algorithms with one
	Entries   int          // the number of requests in total; 0: 4 per node
	Users     []int        // the nodes that request, by number; none: all
	Seed      uint64       // determines the schedule
	Unordered bool         // messages of a link may overtake each other
	Withdraw  float64      // the probability that a request is aborted, 0 to 1
	Steps     int          // the maximum number of events; 0: a million
	Name      string       // of the algorithm, in the scenario of a failure; default: that of its package

	// Crashes and Restarts are the numbers of nodes that crash and restart, at random
	// times, as far as the schedule goes on until then.
	Crashes, Restarts int

	// Detected has a perfect detector of crashes tell each live [messaging.Survivor] of each
	// crash, at a random time after it unless the node has started again by then; and one that
	// starts again, which nodes are down. Otherwise no node is told.
	Detected bool

	// AnyTime has running timers expire at any time; otherwise they expire only when
	// nothing else can happen, and in locks while a request is pending: no time passes
	// before, and the clocks of all nodes are equal. One that is due, as another at the same
	// instant has expired, expires at any time. Nothing is ever due behind a timer of no
	// delay that is always set again.
	AnyTime bool

	// Perpetual marks an algorithm that never comes to rest, such as one of heartbeats. The
	// schedule then ends when all requests are over, or, if there are none, after Steps; what it
	// has come to is never [messaging.Outcome.Over].
	Perpetual bool

	// Inputs are what the user of each node gives it, by node, in this order, at random
	// times; see [messaging.Cluster.Input]. Nil: nothing.
	Inputs [][]messaging.Message

	// Results, if not nil, is held when a node has emitted something, and when nothing more
	// can happen; see [messaging.Results].
	Results messaging.Results

	// Invariant, if not nil, is held in each state; see [messaging.Invariant].
	Invariant messaging.Invariant
}

// check returns an error if the config is invalid.
func (c Config) check() error {
	switch {
	case c.Nodes < 1:
		return fmt.Errorf("Config.Nodes is %d: it must be at least 1", c.Nodes)
	case c.Holder < 0 || int(c.Holder) >= c.Nodes:
		return fmt.Errorf("Config.Holder is %d: the nodes are 0 to %d", c.Holder, c.Nodes-1)
	case c.Entries < 0:
		return fmt.Errorf("Config.Entries is %d: it must be at least 0", c.Entries)
	case !(c.Withdraw >= 0 && c.Withdraw <= 1): // rejects NaN too
		return fmt.Errorf("Config.Withdraw is %v: a probability is 0 to 1", c.Withdraw)
	case c.Steps < 0:
		return fmt.Errorf("Config.Steps is %d: it must be at least 0", c.Steps)
	case c.Crashes < 0:
		return fmt.Errorf("Config.Crashes is %d: it must be at least 0", c.Crashes)
	case c.Inputs != nil && len(c.Inputs) != c.Nodes:
		return fmt.Errorf("Config.Inputs has length %d: Config.Nodes is %d", len(c.Inputs), c.Nodes)
	case c.Restarts < 0 || c.Restarts > c.Crashes:
		return fmt.Errorf("Config.Restarts is %d: it must be 0 to %d, as Crashes is", c.Restarts, c.Crashes)
	}
	for i, of := range c.Inputs {
		for k, m := range of {
			if err := state.CheckMessage(m); err != nil {
				return fmt.Errorf("Config.Inputs[%d][%d] is %T: %w", i, k, m, err)
			}
		}
	}
	for k, i := range c.Users {
		if i < 0 || i >= c.Nodes {
			return fmt.Errorf("Config.Users[%d] is %d: the nodes are 0 to %d", k, i, c.Nodes-1)
		}
	}
	return nil
}

// Run runs nodes of a in the schedule determined by the seed. It returns nil if mutual
// exclusion and the invariant held, the tokens of entries grew ([messaging.Token]), every request
// entered or was aborted, no [messaging.Sharer] waited for nodes that it need not wait for, and
// no message is in transit at the end.
// Otherwise the error lists the last 200 events, and [Failure] classifies it.
// If the config is invalid, the error names the field and the rule.
func Run(a messaging.Algorithm, c Config) error { return run(a, a, c) }

// run is Run of a, whose nodes may watch those of the algorithm that a failure is one of.
func run(a, algorithm messaging.Algorithm, c Config) (err error) {
	if err := c.check(); err != nil {
		return fmt.Errorf("nodetest: %w", err)
	}
	s := newSchedule(c)
	s.algorithm = algorithm
	defer func() {
		if r := recover(); r != nil {
			err = s.failure(history.Caught(r))
		}
	}()
	s.start(a)
	s.hold()
	s.run()
	return nil
}

// fails ends the schedule.
func fails(err error) { panic(history.Breach{Err: err}) }

type schedule struct {
	c      Config
	rand   *rand.Rand
	sites  []*raw.Site
	locks  []bool            // by node, whether it is an Exclusion
	inside []bool            // by node, as noted
	tokens []messaging.Token // by node, of its last entry
	graph  conflict.Graph
	sent   []flight // the messages in transit, in the order of sending
	timers []timer  // by due time, then in the order of setting; if Config.AnyTime, in that order only
	now    time.Duration
	left   int // requests not made yet

	algorithm         messaging.Algorithm
	decisions         []history.Decision // all that were made
	pending           uint64             // how many messages were sent and timers set: the number of the last
	early             bool               // a node has drawn before the first decision
	down              []bool             // by node
	crashes, restarts int                // that are still to come
	notices           []notice           // that the detector has to give
	emitted           [][]any
	given             []int  // by node, how many of its inputs
	firstInput        uint64 // the number of the first input of node 0; the others follow

	past   [200]history.Event // the last events: event k at index k mod 200
	events int

	outside bool // the next message comes from outside the node, and is noted
	alone   int  // the number of consecutive messages of a node to itself

	// Buffers, reused in each step.
	ready   []int             // the result of deliverable
	users   []act             // the result of userActs
	holders []messaging.ID    // of excluded: the nodes that are inside
	nodes   []messaging.Node  // of hold: those that are up, by number
	transit []messaging.Event // of hold
	links   []int             // by sender and receiver: the last step that found a message on the link
	step    int
}

type flight struct {
	number   uint64 // counts, with those of timers, from 1: as in sim.Pending
	from, to messaging.ID
	message  messaging.Message
	entries  uint64 // the clock of entries of the sender
}

type timer struct {
	number  uint64
	after   time.Duration // that it was set for
	due     time.Duration
	node    messaging.ID
	message messaging.Message
}

// An act is a possible action of a user: to ask, leave or give up, as in sim.Simulation.Do, or to
// give an input.
type act struct {
	node messaging.ID
	what byte
}

func newSchedule(c Config) *schedule {
	n := c.Nodes
	s := &schedule{
		c: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), left: cmp.Or(c.Entries, 4*n), crashes: c.Crashes, restarts: c.Restarts,
		locks: make([]bool, n), inside: make([]bool, n), down: make([]bool, n), tokens: make([]messaging.Token, n),
		emitted: make([][]any, n), given: make([]int, n), links: make([]int, n*n), nodes: make([]messaging.Node, n),
	}
	s.c.Steps = cmp.Or(c.Steps, 1_000_000)
	if len(s.c.Users) == 0 {
		for i := range c.Nodes {
			s.c.Users = append(s.c.Users, i)
		}
	}
	return s
}

func (s *schedule) start(a messaging.Algorithm) {
	for i := range s.c.Nodes {
		start := messaging.Start{Self: messaging.ID(i), Nodes: s.c.Nodes, Holder: s.c.Holder}
		s.sites = append(s.sites, s.site(a, start))
	}
	s.graph = conflict.Of(s.c.Nodes, func(i messaging.ID) messaging.Node { return s.sites[i].Node() })
	for i, site := range s.sites {
		if site.Start() {
			s.note(history.Event{Node: messaging.ID(i), What: "starts"})
			s.carryOut(messaging.ID(i))
		}
	}
	s.firstInput = s.pending + 1
	for _, of := range s.c.Inputs {
		s.pending += uint64(len(of))
	}
}

func (s *schedule) site(a messaging.Algorithm, start messaging.Start) *raw.Site {
	defer history.Made(start.Self)
	return raw.New(s.observed(a), start, s.choose)
}

// choose draws for a node.
func (s *schedule) choose(n int) int {
	k := s.rand.IntN(n)
	if last := len(s.decisions) - 1; last < 0 {
		s.early = true
	} else {
		s.decisions[last].Drawn = append(s.decisions[last].Drawn, k)
	}
	return k
}

// decide records what happens next.
func (s *schedule) decide(do byte, number uint64) {
	s.decisions = append(s.decisions, history.Decision{Do: do, Number: number})
}

// observed is a, but its nodes report messages to themselves to the schedule, since a
// site does not.
func (s *schedule) observed(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		node := a(start)
		if history.Missing(node) {
			return nil
		}
		_, s.locks[start.Self] = messaging.As[messaging.Exclusion](node)
		return observed{wrap.Around(node), start.Self, s}
	}
}

type observed struct {
	wrap.Whole
	self     messaging.ID
	schedule *schedule
}

func (t observed) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	t.schedule.observe(t.self, m)
	t.Node.Receive(from, m, out)
}

// mostAlone is how many messages a node may send to itself while nothing else happens.
const mostAlone = 10_000

// observe notes m if node i has sent it to itself. It panics if a node seems to do so
// forever: a site delivers all these messages in one event, so the schedule would never
// reach its last step.
func (s *schedule) observe(i messaging.ID, m messaging.Message) {
	if s.outside {
		s.outside, s.alone = false, 0
		return
	}
	s.note(history.Event{Node: i, Message: m, From: i, Own: true})
	if s.alone++; s.alone > mostAlone {
		history.Fail(history.Endless, "node %d has sent %d messages to itself, and nothing else has happened", i, s.alone)
	}
}

func (s *schedule) run() {
	for s.step = 1; s.step <= s.c.Steps; s.step++ {
		if !s.next() {
			s.end()
			return
		}
		s.exclude()
		s.order()
		s.hold()
	}
	if !s.c.Perpetual || slices.Contains(s.locks, true) {
		fails(history.Endless)
	}
}

// next takes a random possible step, and reports whether there was one. A user acts with
// probability 1/4, so that most steps are deliveries.
func (s *schedule) next() bool {
	users := s.userActs()
	ready := s.deliverable()
	switch {
	case s.fault(len(users)+len(ready)+len(s.notices) == 0):
	case len(s.notices) > 0 && (len(users)+len(ready) == 0 || s.rand.IntN(8) == 0):
		s.tell(s.rand.IntN(len(s.notices)))
	case s.complete(users):
		return false
	case len(s.timers) > 0 && s.may(s.timers[0]) && (len(users)+len(ready) == 0 || s.rand.IntN(4) == 0):
		s.expire(s.mayExpire())
	case len(users) > 0 && (len(ready) == 0 || s.rand.IntN(4) == 0):
		s.act(users[s.rand.IntN(len(users))])
	case len(ready) > 0:
		s.deliver(ready[s.rand.IntN(len(ready))])
	case len(s.timers) > 0 && (s.anyoneWaits() || !slices.Contains(s.locks, true)):
		s.expire(0)
	default:
		return false
	}
	return true
}

// deliverable returns the messages that may be delivered next: all, or the first of each
// link.
func (s *schedule) deliverable() []int {
	s.ready = s.ready[:0]
	for k, f := range s.sent {
		link := &s.links[int(f.from)*s.c.Nodes+int(f.to)]
		if s.c.Unordered || *link != s.step {
			s.ready = append(s.ready, k)
		}
		*link = s.step
	}
	return s.ready
}

func (s *schedule) userActs() []act {
	s.users = s.users[:0]
	for _, i := range s.c.Users {
		if !s.locks[i] || s.down[i] {
			continue
		}
		switch s.sites[i].Phase() {
		case messaging.Idle, messaging.Absorbing:
			if s.left > 0 {
				s.users = append(s.users, act{messaging.ID(i), 'a'})
			}
		case messaging.Inside:
			s.users = append(s.users, act{messaging.ID(i), 'l'})
		case messaging.Waiting:
			if s.rand.Float64() < s.c.Withdraw {
				s.users = append(s.users, act{messaging.ID(i), 'g'})
			}
		}
	}
	for i, of := range s.c.Inputs {
		if s.given[i] < len(of) {
			s.users = append(s.users, act{messaging.ID(i), 'i'})
		}
	}
	return s.users
}

func (s *schedule) act(a act) {
	site := s.sites[a.node]
	if a.what == 'i' {
		s.give(a.node)
		return
	}
	s.decide(a.what, uint64(a.node))
	switch a.what {
	case 'a':
		s.left--
		s.note(history.Event{Node: a.node, What: "requests"})
		site.Request()
	case 'l':
		s.note(history.Event{Node: a.node, What: "leaves"})
		site.Release()
	case 'g':
		s.note(history.Event{Node: a.node, What: "gives up"})
		site.Withdraw()
	}
	s.carryOut(a.node)
}

func (s *schedule) deliver(k int) {
	f := s.sent[k]
	s.sent = slices.Delete(s.sent, k, k+1)
	s.decide('d', f.number)
	if s.down[f.to] {
		s.note(history.Event{Node: f.to, What: "loses", Message: f.message, From: f.from})
		return
	}
	s.sites[f.to].Witness(f.entries)
	s.receive(history.Event{Node: f.to, Message: f.message, From: f.from})
}

// expire advances time to the kth timer, when no other step is possible.
func (s *schedule) expire(k int) {
	t := s.timers[k]
	s.timers = slices.Delete(s.timers, k, k+1)
	s.now = max(s.now, t.due)
	s.decide('d', t.number)
	s.receive(history.Event{Node: t.node, Message: t.message, From: t.node})
}

func (s *schedule) receive(e history.Event) {
	s.note(e)
	s.outside = true
	s.sites[e.Node].Receive(e.From, e.Message)
	s.carryOut(e.Node)
}

func (s *schedule) carryOut(i messaging.ID) {
	site := s.sites[i]
	for _, m := range site.Sends {
		s.pending++
		s.sent = append(s.sent, flight{s.pending, i, m.To, m.Message, site.Entries()})
	}
	for _, t := range site.Timers {
		s.pending++
		due := s.now + t.After
		k := len(s.timers)
		for k > 0 && s.timers[k-1].due > due && !s.c.AnyTime {
			k--
		}
		s.timers = slices.Insert(s.timers, k, timer{s.pending, t.After, due, i, t.Message})
	}
	s.emits(i, site.Emits)
	site.Done()
	inside := site.Phase() == messaging.Inside
	if inside && !s.inside[i] {
		s.note(history.Event{Node: i, What: "is inside"})
	}
	s.inside[i] = inside
}

func (s *schedule) end() {
	if s.anyoneWaits() {
		fails(history.Stuck)
	}
	if !s.c.Perpetual { // which is cut off, and not over
		s.judge(len(s.timers) == 0)
	}
}

// note records e. Events are formatted only if the schedule fails, since failures are
// rare.
func (s *schedule) note(e history.Event) {
	s.past[s.events%len(s.past)] = e
	s.events++
}

// failure returns err with the last events.
func (s *schedule) failure(err error) error {
	var past strings.Builder
	first := max(0, s.events-len(s.past))
	if first > 0 {
		past.WriteString("\n...")
	}
	for k := first; k < s.events; k++ {
		past.WriteString("\n" + s.past[k%len(s.past)].String())
	}
	err = fmt.Errorf("seed %d: %w%s", s.c.Seed, err, past.String())
	if s.early || s.alone > mostAlone {
		return err
	}
	c := sim.Config{
		Name: s.c.Name, Nodes: s.c.Nodes, Holder: s.c.Holder, Unordered: s.c.Unordered, Invariant: s.c.Invariant,
		Inputs: history.Inputs(s.c.Inputs), Results: s.c.Results,
	}
	if s.c.Detected {
		c.Detection = sim.Constant(sim.T)
	}
	return history.Repeated(err, s.algorithm, c, func(_ *sim.Simulation, k int) (history.Decision, bool) {
		if k == len(s.decisions) {
			return history.Decision{}, false
		}
		return s.decisions[k], true
	})
}
