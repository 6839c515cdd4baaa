package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// Run runs nodes of an algorithm as c says, and returns what was measured. It
// blocks until the run ends. If the config makes no sense, the error names the
// field and the rule. If the run ends early, because two nodes were inside,
// somebody waits in vain or a node panicked, it returns an error that says when and
// who, of which [Failure] says what it is, and the report up to then.
func Run(c Config) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, fmt.Errorf("sim: %w", err)
	}
	s := newSimulation(c)
	if err := s.run(); err != nil {
		return s.report(), fmt.Errorf("sim: %w", err)
	}
	return s.report(), nil
}

const (
	noNode = messaging.ID(-1)
	noStep = -1
)

type simulation struct {
	c       Config
	now     time.Duration
	last    time.Duration // when anything that is observed has last happened
	queue   queue
	sites   []messaging.Site
	effects messaging.Effects // what the node that acts has done
	users   []user
	links   links
	load    workload

	script      []Request
	userDice    dice
	nodeDice    dice
	abortChance chance // Config.GiveUp

	inside  messaging.ID // nobody, or who is inside and alive
	waiting waitQueue
	left    int // how many more may ask
	crashes int

	// How much is under way: events that something comes of, among them those
	// of users that ask or leave; and requests that were given up and go on.
	pending, upcoming, absorbing int

	// The last exit, if somebody has been waiting ever since; else of nobody.
	lastOut messaging.ID
	exit    time.Duration

	lastUse    time.Duration // when a user last did something
	deadline   time.Duration // patience lasts at least until then
	atThisTime int           // how many events there were since time has passed
	fruitless  int           // how many requests were given up since anybody has entered

	kinds    []kind
	measured Report
	err      error

	acting messaging.ID // the node whose code runs, or nobody
	slot   uint32       // of the event at hand
}

type user struct {
	asked    time.Duration
	seat     int   // in the waiting room
	step     int   // of the script
	requests int32 // made
	entries  int
	visit    int // the index of the last entry in Report.Order
	crashed  bool
}

type kind struct {
	of   reflect.Type
	name string
	sent int
}

func newSimulation(c Config) *simulation {
	s := &simulation{
		c:           c,
		userDice:    diceOf(c.Seed, 1),
		nodeDice:    diceOf(c.Seed, 2),
		abortChance: chanceOf(c.GiveUp),
		sites:       make([]messaging.Site, c.Nodes),
		users:       make([]user, c.Nodes),
		inside:      noNode,
		lastOut:     noNode,
		acting:      noNode,
		left:        cmp.Or(c.Entries, math.MaxInt),
		deadline:    c.Patience,
	}
	s.links.init(&s.c)
	if c.Pairs {
		s.measured.Pairs = map[[2]messaging.ID]Times{}
	}
	s.load = c.Load.workload(s)
	return s
}

func diceOf(seed, sequence uint64) dice { return dice{*rand.NewPCG(seed, sequence)} }

func (s *simulation) run() (err error) {
	defer func() {
		if s.acting == noNode {
			return // a panic is none of a node's
		}
		if r := recover(); r != nil {
			err = fmt.Errorf("at %s T: %w: node %d%s: %v", inT(s.now), errPanic, s.acting, s.activity(), r)
		}
	}()
	s.build()
	for _, crashed := range s.c.Crashes {
		if s.c.Until != 0 && crashed.At > s.c.Until {
			continue // or somebody who waits in vain would seem to wait for it
		}
		s.queue.push(crashed.At, event{what: crash, to: int32(crashed.Node)})
	}
	s.load.begin()
	for more := true; more; {
		more = s.next()
	}
	return s.err
}

func (s *simulation) build() {
	choose := func(n int) int { return int(s.nodeDice.below(uint64(n))) }
	for i := range s.sites {
		s.acting = messaging.ID(i)
		start := messaging.Start{Self: s.acting, Nodes: s.c.Nodes, Holder: s.c.Holder}
		s.sites[i] = *messaging.NewSite(s.c.Algorithm, start, choose)
		s.sites[i].Effects = &s.effects
	}
	s.acting = noNode
}

// next has the next event happen, and reports whether there was one.
func (s *simulation) next() bool {
	if s.atRest() {
		s.now = s.last // what came since came to nothing
		return false
	}
	if s.queue.empty() {
		s.now = s.last
		s.fail("%w: %s", errStuck, s.waitingText())
		return false
	}
	at, slot := s.queue.pop()
	if s.c.Until != 0 && at > s.c.Until {
		s.now = s.c.Until
		return false
	}
	if at > s.deadline && s.impatient(at) || s.frozen(at) || s.outOfTime(at) {
		return false
	}
	s.now, s.slot = at, slot
	s.step()
	return s.err == nil
}

// atRest reports whether nothing is under way and nobody will ask any more; of what is
// perpetual, whether nobody wants anything.
func (s *simulation) atRest() bool {
	wanted := s.waiting.count + s.absorbing
	return s.pending == 0 && wanted == 0 && !s.load.rest() ||
		s.c.Perpetual && s.upcoming+wanted == 0
}

func (s *simulation) step() {
	e := &s.queue.events[s.slot]
	i := messaging.ID(e.to)
	switch e.what {
	case deliver:
		s.pending--
		s.deliver(messaging.ID(e.from), i, e.message)
	case expire:
		s.pending--
		s.expire(i, e.message)
	case ask:
		s.pending--
		s.upcoming--
		s.ask(i, int(e.n))
	case leave:
		s.leave(i)
	case giveUp:
		s.giveUp(i, e.n)
	case crash:
		s.crash(i)
	case tell:
		s.pending--
		s.tell(i, messaging.ID(e.from))
	}
}

// endOfTime is the last tick of the clock.
const endOfTime time.Duration = math.MaxInt64

// after returns the time when d has passed.
func (s *simulation) after(d time.Duration) time.Duration { return sum(s.now, d) }

// sum is a + b, of times that are not negative; at most the end of time.
func sum(a, b time.Duration) time.Duration {
	if b > endOfTime-a {
		return endOfTime
	}
	return a + b
}

func (s *simulation) observe(action string, from, to messaging.ID, m any) {
	s.last = s.now
	if s.c.Observe != nil {
		s.c.Observe(Event{s.now, action, from, to, m})
	}
}

// report completes what was measured.
func (s *simulation) report() Report {
	r := s.measured
	r.Nodes, r.Time = s.c.Nodes, s.now
	r.Users = slices.Compact(slices.Sorted(slices.Values(s.load.users())))
	r.EntriesOf = make([]int, s.c.Nodes)
	for i, u := range s.users {
		r.EntriesOf[i] = u.entries
		r.Requests += int(u.requests)
	}
	for _, k := range s.kinds {
		r.Messages += k.sent
	}
	r.Kinds = s.counts()
	r.derive()
	return r
}

// counts returns how many messages were sent of each kind. Types of the same name,
// of different packages, are one kind.
func (s *simulation) counts() map[string]int {
	counts := map[string]int{}
	for _, k := range s.kinds {
		counts[k.name] += k.sent
	}
	return counts
}
