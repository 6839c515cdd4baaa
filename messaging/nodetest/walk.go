package nodetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/repeat"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Run runs nodes of a in the schedule determined by the seed. It returns nil if mutual
// exclusion and the invariant held, the tokens of entries grew ([messaging.Token]), every request
// entered or was aborted, no [messaging.Sharer] waited for nodes that it need not wait for, and
// no message is in transit at the end.
// Otherwise the error lists the last 200 events, in which S1 is node 0, and sim.Failure classifies it.
// If the config is invalid, the error names the field and the rule.
func Run(a messaging.Algorithm, c Config) error { return run(a, a, c) }

// run is Run of a, whose nodes may watch those of the algorithm that a failure is one of.
func run(a, algorithm messaging.Algorithm, c Config) (err error) {
	if err := c.check(); err != nil {
		return fmt.Errorf("nodetest: %w", err)
	}
	w := &walk{
		c: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), requests: cmp.Or(c.Entries, 4*c.Nodes), crashes: c.Crashes, restarts: c.Restarts,
		locks: make([]bool, c.Nodes), tokens: make([]messaging.Token, c.Nodes), links: make([]int, c.Nodes*c.Nodes), delays: map[uint64]time.Duration{},
		entered: steps.None, acts: make([]act, 0, 128), users: make([]act, 0, c.Nodes), messages: make([]int, 0, 16),
	}
	if len(c.Users) == 0 {
		for i := range c.Nodes {
			w.c.Users = append(w.c.Users, i)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = w.failure(algorithm, r)
		}
	}()
	w.start(a)
	w.walk()
	return nil
}

// A walk is a run in which chance decides what happens next.
type walk struct {
	steps.System
	c                           Config
	rand                        *rand.Rand
	book                        steps.Book
	requests, crashes, restarts int               // that are still to come
	locks                       []bool            // by node, whether it is an Exclusion
	tokens                      []messaging.Token // by node, of its last entry

	entered messaging.ID         // the node that has entered in this step, or steps.None
	past    [200]messaging.Event // the last; formatted only if the walk fails
	events  int                  // how many there were: event k is at index k mod 200 of past

	acts []act // all so far; what nodes draw in one is behind it

	// What can happen next, but for faults: indices of pages of the book, and what users can do. The buffers are reused.
	messages []int
	notices  []int
	timers   []int // all of them
	expiries []int // those that may expire while something else is possible
	users    []act

	delays map[uint64]time.Duration // by the number of a timer, what it was set to

	links []int // by sender and receiver, the number after that of the last step that found a message on the link
	step  int
}

// An act is a choice of sim.Simulation.Do.
type act struct {
	what   byte
	number uint64 // of the node, or of what is pending
}

func (w *walk) start(a messaging.Algorithm) {
	w.book.Pages = make([]steps.Page, 0, 16)
	w.System = steps.New(steps.Config{
		Algorithm: a, Nodes: w.c.Nodes, Holder: w.c.Holder, Choose: w.choose, Observe: w.note,
		Own: func(i messaging.ID, m messaging.Message) {
			w.note(messaging.Event{Action: toItself, From: i, To: i, Message: m})
		},
		Detected: w.c.Detected, Invariant: w.c.Invariant, Results: w.c.Results,
	}, w)
	w.Make()
	for i := range w.locks {
		w.locks[i] = w.IsLock(messaging.ID(i))
	}
	w.Start(nil)
	for i, all := range w.c.Inputs {
		for _, m := range all {
			w.book.Add(0, steps.At(messaging.ID(i), steps.Give, 0, m))
		}
	}
	w.Fail(w.Hold())
}

// A walk is a [steps.Host]. Each message takes as long as any other, in the order of the book.
func (w *walk) Send(from messaging.ID, all []host.Send) {
	for k := range all {
		w.Number++ // that of the sending, which is not noted
		w.Depart(w.Number, from, all[k].To, all[k].Message)
		w.book.Add(w.After(sim.T), w.Delivery(w.Number, from, all[k].To, all[k].Message))
	}
}

// Schedule sets a timer.
func (w *walk) Schedule(e steps.Event, d time.Duration) { w.delays[w.book.Add(w.After(d), e)] = d }

// Notify gives a notice of a crash.
func (w *walk) Notify(e steps.Event) { w.book.Add(w.After(sim.T), e) }

// Entered notes an entry.
func (w *walk) Entered(i messaging.ID, _ bool) { w.entered = i }

// Fail ends the walk.
func (w *walk) Fail(err error) {
	if err != nil {
		panic(history.Breach{Err: err})
	}
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

func (w *walk) walk() {
	for most := cmp.Or(w.c.Steps, 1_000_000); w.step < most; w.step++ {
		if w.next() {
			continue
		}
		switch {
		case w.stuck():
			w.Fail(history.Stuck)
		case !w.c.Perpetual && w.over():
			w.Fail(w.Judge(true))
		}
		return
	}
	if !w.c.Perpetual || slices.Contains(w.locks, true) {
		w.Fail(history.Endless)
	}
}

// over reports whether nothing is pending any more.
func (w *walk) over() bool {
	return w.book.Index(w.Effective) < 0
}

// stuck reports whether nothing is pending but a request, and no node is inside that it waits for.
func (w *walk) stuck() bool { return w.over() && w.Graph.Idle(w.Waiting(), w.Inside) }

// next takes a random possible step, and reports whether there was one. A user acts with
// probability 1/4, so that most steps are deliveries.
func (w *walk) next() bool {
	w.look()
	idle := len(w.users)+len(w.messages) == 0
	switch {
	case w.fault(idle && len(w.notices) == 0):
	case len(w.notices) > 0 && (idle || w.rand.IntN(8) == 0):
		w.happen(w.notices)
	case w.c.Perpetual && len(w.users) == 0 && w.requests == 0 && !w.someWait():
		return false
	case len(w.expiries) > 0 && (idle || w.rand.IntN(4) == 0):
		w.happen(w.expiries)
	case len(w.users) > 0 && (len(w.messages) == 0 || w.rand.IntN(4) == 0):
		w.act(w.users)
	case len(w.messages) > 0:
		w.happen(w.messages)
	case len(w.timers) > 0 && (w.someWait() || !slices.Contains(w.locks, true)):
		w.take(w.timers[0])
	default:
		return false
	}
	return true
}

// look finds what can happen next, but for faults.
func (w *walk) look() {
	w.messages, w.notices, w.timers, w.expiries = w.messages[:0], w.notices[:0], w.timers[:0], w.expiries[:0]
	w.users = w.usersCan(w.users[:0])
	given := steps.None // the last node with an input: they are given in order
	for k := range w.book.Pages {
		e := w.book.Event(k)
		switch {
		case e.Kind == steps.Deliver:
			if link := &w.links[int(e.From)*w.c.Nodes+int(e.To)]; *link <= w.step || w.c.Unordered {
				*link = w.step + 1
				w.messages = append(w.messages, k)
			}
		case !w.Effective(e):
		case e.Kind == steps.Expire:
			if w.mayExpire(k) {
				w.expiries = append(w.expiries, k)
			}
			w.timers = append(w.timers, k)
		case e.Kind == steps.Tell:
			w.notices = append(w.notices, k)
		case messaging.ID(e.To) != given:
			given = messaging.ID(e.To)
			w.users = append(w.users, act{'d', w.book.Pages[k].Number})
		}
	}
}

// mayExpire reports whether a timer may be due first, as explore.CheckNodes defines it.
func (w *walk) mayExpire(timer int) bool {
	t, node := w.book.Pages[timer], w.book.Event(timer).To
	return (w.c.AnyTime || t.At <= w.Now) && !slices.ContainsFunc(w.timers, func(k int) bool {
		earlier := w.book.Pages[k]
		return w.book.Event(k).To == node && (!w.c.AnyTime || earlier.Number < t.Number && w.delays[earlier.Number] <= w.delays[t.Number])
	})
}

// usersCan appends what users can do with their requests.
func (w *walk) usersCan(all []act) []act {
	for _, i := range w.c.Users {
		switch p := w.Sites[i].Phase(); {
		case !w.locks[i] || w.Lives[i].Crashed:
		case p == messaging.Inside:
			all = append(all, act{'l', uint64(i)})
		case p == messaging.Waiting:
			if w.rand.Float64() < w.c.Withdraw {
				all = append(all, act{'g', uint64(i)})
			}
		case w.requests > 0:
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
	for i := range w.Lives {
		if up != w.Lives[i].Crashed {
			all = append(all, act{can, uint64(i)})
		}
	}
	return all
}

// someWait reports whether a request is pending.
func (w *walk) someWait() bool { return len(w.Waiting()) > 0 }

// act has one of these happen.
func (w *walk) act(all []act) {
	a := all[w.rand.IntN(len(all))]
	if a.what == 'a' {
		w.requests--
	}
	if a.what == 'd' {
		w.take(w.book.Find(a.number))
		return
	}
	w.acts = append(w.acts, a)
	switch i := messaging.ID(a.number); a.what {
	case 'a':
		w.Request(i)
	case 'l':
		w.Release(i)
	case 'g':
		w.Withdraw(i)
	case 'k':
		w.Crash(i)
	case 'r':
		w.Restart(i)
		w.TellOfCrashes(i)
	}
	w.check()
}

// happen has one of these pages of the book happen.
func (w *walk) happen(pages []int) { w.take(pages[w.rand.IntN(len(pages))]) }

// take has a page of the book happen.
func (w *walk) take(page int) {
	p, e := w.book.Take(page)
	w.acts = append(w.acts, act{'d', p.Number})
	if e.Kind == steps.Expire {
		w.Now = max(w.Now, p.At)
	}
	w.Happen(e)
	w.check()
}

// check checks what a step has led to.
func (w *walk) check() {
	w.Fail(w.Hold())
	if !w.Graph.Complete() && len(w.Inside) > 0 && w.stuck() {
		w.Fail(history.Stuck)
	}
	if w.entered != steps.None {
		w.order(w.entered)
		w.entered = steps.None
	}
}

// order fails if node i has entered with a token that is not larger than those of all entries
// before it that exclude it. Then the entry does not follow from these by messages,
// and with other delays two nodes would be inside: this schedule shows what another one violates.
func (w *walk) order(i messaging.ID) {
	token := w.Sites[i].Token()
	for j, before := range w.tokens {
		if j := messaging.ID(j); (i == j || w.Graph.Excludes(i, j)) && !before.Before(token) {
			history.Fail(history.Fencing, "%s enters with token %v after %s with %v", notation.Node(i), token, notation.Node(j), before)
		}
	}
	w.tokens[i] = token
}
