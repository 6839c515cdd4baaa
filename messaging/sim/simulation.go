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

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/steps"
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
	s := newSimulation(c, false)
	s.guard(func() {
		s.begin()
		s.finish()
	})
	return s.report(), s.failure()
}

// finish runs what is left of the run.
func (s *simulation) finish() {
	for more := s.err == nil; more; {
		more = s.next()
	}
}

const (
	// The step of a request that is not one of a script.
	noStep   = -1 // but one of a load
	handStep = -2 // but one of the caller of a Simulation
	owing    = 2  // owing + the step is more than 0
)

type simulation struct {
	steps.System
	c     Config
	queue queue
	event *steps.Event // the current one; nil: there was none
	users []user
	links links
	load  workload

	script      []Request
	userDice    dice
	nodeDice    dice
	abortChance chance // Config.GiveUp

	waiting   waitQueue
	remaining int  // how many more requests may be made
	returning int  // how many nodes that are down will start again
	locks     bool // the nodes are locks

	// What is still to come: events that matter to the run (pending), those of users
	// that ask or leave among them (upcoming), and requests that were given up and
	// are being absorbed.
	pending, upcoming, absorbing int

	// The last exit, if requests have been pending ever since; otherwise its node is
	// steps.None. If some nodes are Sharers, by node, that of a node that it excludes, if its
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

	chosen []int // the next results of Choose; after that, they are drawn
	misfit error // why one of them could not be a result
}

type exit struct {
	node messaging.ID
	at   time.Duration
}

type user struct {
	asked    time.Duration
	seat     int   // in the wait queue
	older    int   // the seats before this one are of requests made earlier
	step     int   // of the script
	requests int32 // made
	entries  int
	visit    int // the index of the last entry in Report.Order

	byHand bool // its request is one of the caller of a Simulation
	owed   int  // a request that is due as soon as that one is over: owing + its step; 0: none
}

type kind struct {
	typ  reflect.Type
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
		users:       make([]user, c.Nodes),
		lastExit:    exit{node: steps.None},
		remaining:   cmp.Or(c.Entries, math.MaxInt),
		deadline:    c.Patience,
	}
	s.System = steps.New(steps.Config{
		Algorithm: c.Algorithm, Nodes: c.Nodes, Holder: c.Holder, Choose: s.choose, Observe: c.Observe,
		Detected: c.Detection.shape != unset, Invariant: c.Invariant, Results: c.Results,
	}, s)
	s.links.init(&s.c, byHand)
	if byHand {
		s.queue.book = new(steps.Book)
	}
	if c.Pairs {
		s.measured.Pairs = map[[2]messaging.ID]Times{}
	}
	if c.Load != nil {
		s.load = c.Load.workload(s)
	} else {
		s.load = noLoad(s, nil)
	}
	return s
}

func diceOf(seed, sequence uint64) dice { return dice{*rand.NewPCG(seed, sequence)} }

// guard calls do. A panic of a node, which ends the run, becomes its error.
func (s *simulation) guard(do func()) {
	defer func() {
		if s.Acting == steps.None {
			return // not a panic of a node
		}
		if r := recover(); r != nil {
			s.Fail(history.Panicked(s.Acting, s.doing(), r))
			s.Acting = steps.None
		}
	}()
	do()
}

// begin creates and starts the nodes.
func (s *simulation) begin() {
	s.Make()
	if !s.Graph.Complete() {
		s.exits = make([]exit, s.c.Nodes)
	}
	if s.err = s.checkUsers(); s.err == nil {
		s.launch()
	}
}

// launch schedules crashes, starts the nodes and schedules first requests and inputs.
func (s *simulation) launch() {
	var first messaging.Set // the nodes that crash before everything else
	for k, crashed := range s.c.Crashes {
		if s.c.Until != 0 && crashed.At > s.c.Until {
			continue // or a deadlocked request would seem to wait for it
		}
		s.schedule(crashed.At, steps.At(crashed.Node, steps.Crash, int32(k)+1, nil))
		if crashed.At == 0 {
			first.Add(crashed.Node)
		}
	}
	s.Start(first)
	s.load.begin()
	inputs := slices.Clone(s.c.Inputs)
	slices.SortStableFunc(inputs, func(a, b Input) int { return cmp.Compare(a.Node, b.Node) })
	for _, in := range inputs {
		s.schedule(in.At, steps.At(in.Node, steps.Give, 0, in.Message))
	}
	s.hold()
}

// choose returns the result of [messaging.Out.Choose].
func (s *simulation) choose(n int) int {
	if len(s.chosen) == 0 {
		return int(s.nodeDice.below(uint64(n)))
	}
	k := s.chosen[0]
	s.chosen = s.chosen[1:]
	if k >= n {
		s.misfit = fmt.Errorf("%s chooses among 0 to %d, not %d", name(s.Acting), n-1, k)
		return 0
	}
	return k
}

// checkUsers returns an error if a node that is no lock is asked to enter, or if
// locks have neither a load nor inputs.
func (s *simulation) checkUsers() error {
	s.locks = s.IsLock(0)
	switch {
	case s.c.Load != nil:
	case s.queue.book != nil:
		return nil
	case s.locks && len(s.c.Inputs) == 0:
		return errors.New("Config.Load is nil: a run needs a workload, an input, or a caller that steps it (Start)")
	case s.c.Perpetual && s.c.Until == 0:
		return fmt.Errorf("Config.Until is 0: a perpetual run of a %T, which is no Exclusion, needs an end", s.Sites[0].Node())
	default:
		return nil
	}
	for _, i := range s.load.users {
		if !s.IsLock(i) {
			return fmt.Errorf("Config.Load has node %d ask, a %T: it is no Exclusion", i, s.Sites[i].Node())
		}
	}
	return nil
}

// next handles the next event and reports whether the run goes on.
func (s *simulation) next() bool {
	if s.atRest() || s.queue.empty() {
		s.idle = true
		return false
	}
	at, e := s.queue.pop()
	if s.c.Until != 0 && at > s.c.Until {
		s.Now, s.over = s.c.Until, true
		return false
	}
	if at > s.deadline && s.impatient(at) {
		return false
	}
	if at > s.Now {
		s.atThisTime = 0
	} else if s.atThisTime++; s.atThisTime == maxAtOneTime {
		s.fail("%w: %d events without time passing", history.Unending, s.atThisTime)
		return false
	}
	if at == steps.EndOfTime {
		s.fail("%w: the clock ends at %s T", history.Overflow, inT(at))
		return false
	}
	s.Now = max(s.Now, at)
	s.step(e)
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

// step lets e happen.
func (s *simulation) step(e *steps.Event) {
	s.event = e
	if e.Kind == steps.Deliver { // as most are
		s.pending--
		s.Happen(e)
	} else {
		s.occur(e, messaging.ID(e.To))
	}
	if s.c.Invariant != nil {
		s.hold()
	}
}

// occur lets happen an event at node i.
func (s *simulation) occur(e *steps.Event, i messaging.ID) {
	effective := s.effective(e)
	if effective || e.Kind != steps.Leave { // the crash of a node inside counts that it will not leave
		s.count(e.Kind, -1)
	}
	if !effective {
		switch u := &s.users[i]; {
		case e.Kind != steps.Ask:
		case u.byHand:
			u.owed = int(e.N) + owing
		default: // enough requests have been made, the node has crashed, or it is too late
			s.load.over(i)
		}
		return
	}
	switch e.Kind {
	case steps.Expire:
		s.measured.Timers++
		s.Happen(e)
	case steps.Tell:
		s.Happen(e)
	case steps.Give:
		if !s.Lives[i].Crashed {
			s.lastUse = s.Now
		}
		s.Happen(e)
	case steps.Ask:
		s.ask(i, int(e.N))
	case steps.Leave:
		s.exit(i)
	case steps.GiveUp:
		s.giveUp(i)
	case steps.Crash:
		s.crash(i, int(e.N)-1)
	case steps.Restart:
		s.restart(i)
	}
}

// effective reports whether an event that is pending would still have an effect.
func (s *simulation) effective(e *steps.Event) bool {
	u, l := &s.users[e.To], &s.Lives[e.To]
	switch e.Kind {
	case steps.Leave:
		return !l.Crashed && l.Crashes == e.N
	case steps.Ask:
		return !l.Crashed && !u.byHand && s.remaining > 0 && !s.tooLate(int(e.N))
	case steps.GiveUp:
		return !l.Crashed && u.requests == e.N && s.Sites[e.To].Phase() == messaging.Waiting
	case steps.Crash:
		return !l.Crashed
	case steps.Restart:
		return l.Crashed
	}
	return s.Effective(e)
}

// schedule has e happen at the time at.
func (s *simulation) schedule(at time.Duration, e steps.Event) {
	s.count(e.Kind, 1)
	s.queue.push(at, e)
}

// count counts n more events of that kind that are still to come.
func (s *simulation) count(k steps.Kind, n int) {
	switch k {
	case steps.Deliver, steps.Expire, steps.Tell:
		s.pending += n
	case steps.Give, steps.Ask, steps.Leave:
		s.pending += n
		s.upcoming += n
	case steps.Restart:
		s.returning += n
	}
}

// report completes the measured report.
func (s *simulation) report() Report {
	r := s.measured
	r.Nodes, r.Time, r.Emits, r.Delivered, r.Lost = s.c.Nodes, s.Now, s.Emits, s.Delivered, s.Lost
	if s.idle {
		r.Time = s.Last // no event since then had an effect
	}
	r.Users = slices.Compact(slices.Sorted(slices.Values(s.load.users)))
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
