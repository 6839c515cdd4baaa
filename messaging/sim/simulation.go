package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"example.org/doorway/internal/conflict"
	"example.org/doorway/internal/history"
	"example.org/doorway/messaging"
)

// Run runs nodes of an algorithm as c describes, and returns what was measured. It
// blocks until the run ends. If c is invalid, the error names the field and the rule.
// If the run fails, for example because two nodes are inside, a request waits in vain
// or a node panics, Run returns the report up to then and an error that gives the
// time and the nodes; [Failure] classifies it.
func Run(c Config) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, fmt.Errorf("sim: %w", err)
	}
	return newSimulation(c, false).whole()
}

// whole runs all of the run.
func (s *simulation) whole() (Report, error) {
	s.guard(func() {
		s.begin()
		for more := s.err == nil; more; {
			more = s.next()
		}
	})
	return s.report(), s.failure()
}

const (
	noNode = messaging.ID(-1)

	// The step of a request that is not one of a script.
	noStep   = -1 // but one of a load
	handStep = -2 // but one of the caller of a Simulation
	owing    = 2  // owing + the step is more than 0
)

type simulation struct {
	c       Config
	now     time.Duration
	last    time.Duration // the time of the last observed event
	number  uint64        // of that event
	cause   uint64        // the number of the event on which the node that acts does so
	queue   queue
	sites   []messaging.Site
	effects messaging.Effects // of the node that acts
	users   []user
	links   links
	load    workload
	view    *view   // for the invariant; nil: there is none
	emitted [][]any // by node, for the results; nil: nobody asks

	script      []Request
	userDice    dice
	nodeDice    dice
	abortChance chance // Config.GiveUp

	graph   conflict.Graph
	inside  []messaging.ID // the nodes that are inside and have not crashed
	waiting waitQueue
	left    int // how many more requests may be made

	// How many nodes are down, and how many of these will start again.
	crashes, returning int

	locks bool // the nodes are locks

	// What is still to come: events that matter to the run (pending), those of users
	// that ask or leave among them (upcoming), and requests that were given up and
	// are being absorbed.
	pending, upcoming, absorbing int

	// The last exit, if requests have been pending ever since; otherwise its node is
	// noNode. If some nodes are Sharers, by node, that of a node that it excludes, if its
	// request has been pending ever since.
	lastExit exit
	exits    []exit

	lastUse    time.Duration // when a user last did something
	deadline   time.Duration // patience lasts at least until then
	atThisTime int           // how many events have occurred since time passed
	fruitless  int           // how many requests were given up since the last entry

	kinds    []kind
	measured Report
	err      error
	idle     bool // nothing was left to do when next was called last
	over     bool // Config.Until has ended the run

	acting   messaging.ID // the node whose code runs, or noNode
	starting bool         // it runs Start
	slot     uint32       // of the current event

	chosen []int           // the next results of Choose; after that, they are drawn
	draw   func(n int) int // draws those; nil: nodeDice does
	misfit error           // why one of them could not be a result
}

type exit struct {
	node messaging.ID
	at   time.Duration
}

type user struct {
	asked    time.Duration
	since    uint64 // the number of the event with which it began to wait, entered, or crashed
	seat     int    // in the wait queue
	older    int    // the seats before this one are of requests made earlier
	step     int    // of the script
	requests int32  // made
	entries  int
	visit    int // the index of the last entry in Report.Order
	crashed  bool
	life     int32 // how often it has crashed

	byHand bool // its request is one of the caller of a Simulation
	owed   int  // a request that is due as soon as that one is over: owing + its step; 0: none
}

type kind struct {
	of   reflect.Type
	name string
	sent int
}

// newSimulation returns a run of c, which is checked. If it is by hand, a caller may
// choose what happens next.
func newSimulation(c Config, byHand bool) *simulation {
	s := &simulation{
		c:           c,
		userDice:    diceOf(c.Seed, 1),
		nodeDice:    diceOf(c.Seed, 2),
		abortChance: chanceOf(c.GiveUp),
		sites:       make([]messaging.Site, c.Nodes),
		users:       make([]user, c.Nodes),
		lastExit:    exit{node: noNode},
		acting:      noNode,
		left:        cmp.Or(c.Entries, math.MaxInt),
		deadline:    c.Patience,
	}
	s.links.init(&s.c, byHand)
	if byHand {
		s.queue.book = &book{now: &s.now}
	}
	if c.Invariant != nil {
		s.view = &view{nodes: make([]messaging.Node, c.Nodes)}
	}
	if c.Results != nil {
		s.emitted = make([][]any, c.Nodes)
	}
	if c.Pairs {
		s.measured.Pairs = map[[2]messaging.ID]Times{}
	}
	if c.Load != nil {
		s.load = c.Load.workload(s)
	} else {
		s.load = noLoad{s, orAll(s, nil)}
	}
	return s
}

func diceOf(seed, sequence uint64) dice { return dice{*rand.NewPCG(seed, sequence)} }

// guard calls do. A panic of a node, which ends the run, becomes its error.
func (s *simulation) guard(do func()) {
	defer func() {
		if s.acting == noNode {
			return // not a panic of a node
		}
		if r := recover(); r != nil {
			s.err = fmt.Errorf("at %s T: %w: node %d%s: %v", inT(s.now), history.Panic, s.acting, s.activity(), r)
			s.acting = noNode
		}
	}()
	do()
}

// begin creates and starts the nodes.
func (s *simulation) begin() {
	s.build()
	if s.err = s.checkUsers(); s.err == nil {
		s.launch()
	}
}

// launch schedules crashes, starts the nodes and schedules first requests and inputs.
func (s *simulation) launch() {
	for k, crashed := range s.c.Crashes {
		if s.c.Until != 0 && crashed.At > s.c.Until {
			continue // or a deadlocked request would seem to wait for it
		}
		s.schedule(crashed.At, event{kind: crash, from: int32(k) + 1, to: int32(crashed.Node)})
	}
	s.start()
	s.load.begin()
	s.scheduleInputs()
	if s.view != nil {
		s.hold()
	}
}

func (s *simulation) build() {
	for i := range s.sites {
		s.acting = messaging.ID(i)
		start := messaging.Start{Self: s.acting, Nodes: s.c.Nodes, Holder: s.c.Holder}
		s.sites[i] = *messaging.NewSite(s.c.Algorithm, start, s.choose)
		s.sites[i].Effects = &s.effects
	}
	s.acting = noNode
	s.graph = conflict.Of(s.c.Nodes, func(i messaging.ID) messaging.Node { return s.sites[i].Node() })
	if !s.graph.Complete() {
		s.exits = make([]exit, s.c.Nodes)
	}
}

// choose returns the result of [messaging.Out.Choose].
func (s *simulation) choose(n int) int {
	if len(s.chosen) == 0 {
		if s.draw != nil {
			return s.draw(n)
		}
		return int(s.nodeDice.below(uint64(n)))
	}
	k := s.chosen[0]
	s.chosen = s.chosen[1:]
	if k >= n {
		s.misfit = fmt.Errorf("node %d chooses among 0 to %d, not %d", s.acting, n-1, k)
		return 0
	}
	return k
}

// checkUsers returns an error if a node that is no lock is asked to enter, or if
// locks have neither a load nor inputs.
func (s *simulation) checkUsers() error {
	s.locks = s.isLock(0)
	switch {
	case s.c.Load != nil:
	case s.queue.book != nil:
		return nil
	case s.locks && len(s.c.Inputs) == 0:
		return errors.New("Config.Load is nil: a run needs a workload, an input, or a caller that steps it (Start)")
	case s.c.Perpetual && s.c.Until == 0:
		return fmt.Errorf("Config.Until is 0: a perpetual run of a %T, which is no Exclusion, needs an end", s.sites[0].Node())
	default:
		return nil
	}
	for _, i := range s.load.users() {
		if !s.isLock(i) {
			return fmt.Errorf("Config.Load has node %d ask, a %T: it is no Exclusion", i, s.sites[i].Node())
		}
	}
	return nil
}

func (s *simulation) isLock(i messaging.ID) bool {
	_, lock := messaging.As[messaging.Exclusion](s.sites[i].Node())
	return lock
}

// next handles the next event and reports whether the run goes on.
func (s *simulation) next() bool {
	if s.atRest() || s.queue.empty() {
		s.idle = true
		return false
	}
	at, slot := s.queue.pop()
	if s.c.Until != 0 && at > s.c.Until {
		s.now, s.over = s.c.Until, true
		return false
	}
	if at > s.deadline && s.impatient(at) || s.frozen(at) || s.outOfTime(at) {
		return false
	}
	s.now, s.slot = max(s.now, at), slot
	s.step()
	return s.err == nil
}

// atRest reports whether the run is complete: nothing is pending and no request will
// be made; for a perpetual lock, no user has anything left to do.
func (s *simulation) atRest() bool {
	wanted := s.waiting.count + s.absorbing
	if s.c.Perpetual && (!s.locks || s.upcoming+wanted+s.returning == 0) {
		return s.locks
	}
	return s.pending == 0 && wanted == 0 && !s.load.rest() && s.returning == 0
}

// step lets happen the current event.
func (s *simulation) step() {
	e := &s.queue.events[s.slot]
	if e.kind == deliver { // as most are
		s.pending--
		s.deliver(e, messaging.ID(e.from), messaging.ID(e.to))
	} else {
		s.occur(e, messaging.ID(e.to))
	}
	if s.view != nil {
		s.hold()
	}
}

// occur lets happen an event at node i.
func (s *simulation) occur(e *event, i messaging.ID) {
	effective := s.effective(e)
	if effective || e.kind != leave { // the crash of a node inside counts that it will not leave
		s.count(e.kind, -1)
	}
	if !effective {
		if e.kind == ask {
			s.askInVain(i, int(e.n))
		}
		return
	}
	switch e.kind {
	case expire:
		s.expire(e.cause, i, e.message)
	case ask:
		s.ask(i, int(e.n))
	case leave:
		s.leave(i)
	case giveUp:
		s.giveUp(i)
	case crash:
		s.crash(i, int(e.from)-1)
	case tell:
		s.tell(e.cause, i, messaging.ID(e.from))
	case restart:
		s.restart(i)
	case give:
		s.give(i, e.message)
	}
}

// effective reports whether an event that is pending would still have an effect.
func (s *simulation) effective(e *event) bool {
	u := &s.users[e.to]
	lives := !u.crashed && u.life == e.n
	switch e.kind {
	case expire, leave:
		return lives
	case ask:
		return !u.crashed && !u.byHand && s.left > 0 && !s.tooLate(int(e.n))
	case giveUp:
		return !u.crashed && u.requests == e.n && s.sites[e.to].Phase() == messaging.Waiting
	case crash:
		return !u.crashed
	case tell:
		return lives && s.users[e.from].crashed && s.users[e.from].since == e.cause
	case restart:
		return u.crashed
	}
	return true
}

// schedule has e happen at the time at.
func (s *simulation) schedule(at time.Duration, e event) {
	s.count(e.kind, 1)
	s.queue.push(at, e)
}

// count counts n more events of that kind that are still to come.
func (s *simulation) count(k eventKind, n int) {
	of := &kinds[k]
	s.pending += n * of.pending
	s.upcoming += n * of.upcoming
	s.returning += n * of.returning
}

// endOfTime is the last tick of the clock.
const endOfTime time.Duration = math.MaxInt64

// after returns the time d from now.
func (s *simulation) after(d time.Duration) time.Duration { return sum(s.now, d) }

// sum returns a + b for nonnegative times, at most endOfTime.
func sum(a, b time.Duration) time.Duration {
	if b > endOfTime-a {
		return endOfTime
	}
	return a + b
}

// observe counts an event, passes it to the observer, if any, and returns its number.
func (s *simulation) observe(cause uint64, action string, from, to messaging.ID, m any) uint64 {
	s.last = s.now
	s.number++
	if s.c.Observe != nil {
		s.c.Observe(messaging.Event{
			Number: s.number, Cause: cause, At: s.now, Action: action, From: from, To: to, Message: m,
		})
	}
	return s.number
}

// report completes the measured report.
func (s *simulation) report() Report {
	r := s.measured
	r.Nodes, r.Time = s.c.Nodes, s.now
	if s.idle {
		r.Time = s.last // no event since then had an effect
	}
	r.Users = slices.Compact(slices.Sorted(slices.Values(s.load.users())))
	r.EntriesOf = make([]int, s.c.Nodes)
	for i, u := range s.users {
		r.EntriesOf[i] = u.entries
		r.Requests += int(u.requests)
	}
	r.Kinds = map[string]int{}
	for _, k := range s.kinds { // types of the same name, from different packages, are one kind
		r.Messages += k.sent
		r.Kinds[k.name] += k.sent
	}
	r.derive()
	return r
}
