package nodes

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// A Result is what a check has found.
type Result struct {
	Requests []int // of each node, that were explored
	Locks    bool  // a node is an Exclusion
	Unclosed error // why they are not Unbounded, if that was tried
	EveryRun bool  // what holds does with any number of requests, but for Invariant and the order of entries

	If, IfEvery []string // what that assumes of times, each in a clause: of what was explored, and for EveryRun

	States, Events, Ends, Depth int
	Bytes                       int64

	NoPanic, Exclusion, Fencing, Invariant, Results, DeadlockFree, StarvationFree, Quiescent, FIFO, ByStamp, HappenedBefore space.Verdict

	Starving                []messaging.ID // the nodes that may wait forever
	Bypasses, BypassesByAll int            // Unbounded: any number
	Queue                   int
	Messages, Entries       int // of the run with the most messages an entry
}

var holds = space.Verdict{Known: true}

// Check visits every schedule of c. The error says that the config is invalid, that a node
// breaks its contract, or that it wraps [space.ErrMemory].
//
// It runs in a goroutine of its own: one that a handler ends cannot return an error.
func Check(c Config) (r Result, err error) {
	err = errors.New("explore: a handler of a node, a function of NodesConfig, or the method String or Error of a value has called runtime.Goexit, as FailNow of a test does: it must return")
	var checking sync.WaitGroup
	checking.Go(func() { r, err = check(c) })
	checking.Wait()
	return r, err
}

func check(c Config) (Result, error) {
	if err := c.complete(); err != nil {
		return Result{}, fmt.Errorf("explore: %w", err)
	}
	if c.UnboundedWithin == 0 {
		r, err := c.check()
		return c.exact(r, err)
	}
	all := c
	all.Requests, all.Memory = slices.Repeat([]int{Unbounded}, c.Nodes), min(c.Memory, c.UnboundedWithin)
	r, err := all.check()
	why := unclosed(err)
	if why == nil {
		return c.exact(r, err)
	}
	every := all.everyRun(err)
	r, err = c.check()
	if r.Unclosed = why; every != nil {
		r.EveryRun, r.IfEvery = true, every.If
	}
	return r, err
}

// exactWithin is the memory in which runs of a few requests are explored with their exact times.
const exactWithin = 32 << 20

// exact returns what was found for any number of requests, or what refutes it with the requests of c, or two of each
// node that makes any number. A state that stands for others by a shift of times is repeated at some of these only; a
// state of a few requests has its own times.
func (c Config) exact(r Result, err error) (Result, error) {
	if err != nil || !slices.Contains(r.Requests, Unbounded) {
		return r, err
	}
	c.Requests, c.Memory = slices.Clone(c.Requests), min(c.Memory, exactWithin)
	for i, n := range c.Requests {
		if n == Unbounded {
			c.Requests[i] = 2
		}
	}
	if few, err := c.check(); err == nil && few.fails() && !r.fails() {
		return few, nil
	}
	return r, nil
}

// fails reports whether a property of r fails, but for the order of entries.
func (r Result) fails() bool {
	return slices.ContainsFunc([]space.Verdict{
		r.NoPanic, r.Exclusion, r.Fencing, r.Invariant, r.Results, r.DeadlockFree, r.StarvationFree, r.Quiescent,
	}, func(v space.Verdict) bool { return v.Against != nil })
}

// rankedWithin is the memory in which it is explored at most where only the order of times counts. States take longer
// than others; of ours, those that it suffices for take up to 16 MiB.
const rankedWithin = 20 << 20

// everyRun returns what was found if, with any number of requests, no property fails but those of Invariant and of the
// order of entries, where only the order of times counts; otherwise nil. That is tried if an exploration up to shifts has
// ended with an error that may be because of times.
func (c Config) everyRun(err error) *Result {
	var grows *unclosedError
	if c.Results != nil || c.Unordered || c.inputsTimed() || c.budgets() != [budgets]int{} || errors.As(err, &grows) && !grows.time {
		return nil
	}
	c.Invariant, c.Memory = nil, min(c.Memory, rankedWithin)
	r, err := c.checkBy(true)
	if err != nil || r.StarvationFree.Against != nil || r.Quiescent.Against != nil {
		return nil
	}
	return &r
}

// unclosed returns why an error is one of an exploration that more requests make too large; nil if it
// is none.
func unclosed(err error) error {
	var grows *unclosedError
	var full *space.MemoryError
	switch {
	case errors.As(err, &grows):
		return grows.why
	case errors.As(err, &full):
		return full
	case errors.Is(err, errValue):
		return errors.New("what nodes do, or what the invariant says, depends on the value of a time, or on something that is no state")
	case errors.Is(err, errWide):
		return err
	}
	return nil
}

var errWide = errors.New("it must be at most 16")

// An unclosedError is why any number of requests cannot be explored.
type unclosedError struct {
	why  error
	time bool // a time grows
}

func (e *unclosedError) Error() string {
	return fmt.Sprintf("explore: NodesConfig.Rounds is Unbounded, and %v", e.why)
}

// check is Check of a complete c.
func (c *Config) check() (Result, error) { return c.checkBy(false) }

// checkBy is check where, if ranked is set, only the order of times counts.
func (c *Config) checkBy(ranked bool) (Result, error) {
	cs, err := newCells(c, ranked)
	if err != nil {
		return Result{}, err
	}
	for {
		y := cs.newLayout()
		if y.words > space.MostWords {
			return Result{}, fmt.Errorf("explore: a state of %d nodes takes %d words: %w", c.Nodes, y.words, errWide)
		}
		g := newGraph(c, cs, y)
		g.open()
		r, again, err := g.check()
		if !again {
			r.Requests, r.Locks, r.Starving = c.Requests, cs.locks(), slices.Compact(slices.Sorted(slices.Values(r.Starving)))
			return r, err
		}
	}
}

// open opens the space of g, which has the first state.
func (g *graph) open() {
	c, cs := g.c, g.cells
	g.Space = space.New(g.root, g, space.Options{
		Workers: c.Workers, Keep: !c.SafetyOnly, Memory: c.Memory, Beside: func() int64 { return cs.bytes },
		Progress: func(states int, bytes int64) { c.say("states", states, bytes) }, Context: c.Context,
	})
}

// say reports what is being done.
func (c *Config) say(doing string, states int, bytes int64) {
	if c.Progress == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			panic(history.Breach{Err: fmt.Errorf("explore: NodesConfig.Progress panicked: %v", r)})
		}
	}()
	c.Progress(doing, states, bytes)
}

// check finds the states, and concludes. It returns again if these have no room.
func (g *graph) check() (r Result, again bool, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *space.MemoryError: // of what is learned
			e.States = g.States()
			err = g.cells.piles(e)
		case history.Breach:
			err = e.Err
		default:
			panic(e)
		}
	}()
	grows, err := g.find()
	if g.tooWide() {
		return r, true, nil
	}
	if g.ended() {
		return r, false, fmt.Errorf("explore: NodesConfig.Context: %w", g.c.Context.Err())
	}
	r, err = g.conclude(grows, err)
	return r, false, err
}

// find finds the states, and returns why they have no end, if a probe says so, and the error of the memory limit.
func (g *graph) find() (grows, err error) {
	_, err = g.Explore(func() bool {
		if _, wrong := g.failure(); wrong != nil || g.tooWide() {
			return true
		}
		if cs := g.cells; !cs.probed && slices.Contains(g.c.Requests, Unbounded) && g.States() > probed {
			cs.probed, grows = true, g.c.grows(cs.ranked)
		}
		return grows != nil
	})
	return grows, err
}

// ended reports whether the check is canceled.
func (g *graph) ended() bool { return g.c.Context != nil && g.c.Context.Err() != nil }

// large is a number of states on which the verdicts on infinite runs take a second or more.
const large = 1 << 17

// conclude returns what holds in the states that were found, which are all if there is no error.
func (g *graph) conclude(grows, err error) (r Result, _ error) {
	g.setPhases()
	wrongAt, wrong := g.failure()
	cs, stuck := g.cells, -1
	if wrong == nil {
		stuck = g.stuckStates(&r)
	}
	if cs.ranked && (wrong != nil || err != nil || cs.chooses || stuck >= 0) {
		return r, errValue
	}
	if grows != nil && wrong == nil && stuck < 0 {
		return r, grows
	}
	for _, check := range []func() error{cs.unwritten, cs.live, cs.certifyMore, g.roam} {
		if e := check(); e != nil {
			return r, e
		}
	}
	r.States, r.Events, r.Depth, r.Bytes = g.States(), g.Transitions(), g.Depth(), g.Bytes()
	r.If = g.assumed()
	if wrong != nil {
		return r, g.blame(&r, wrong, wrongAt)
	}
	for k := range g.seen {
		r.Ends, r.Queue = r.Ends+g.seen[k].ends, max(r.Queue, g.seen[k].queue)
	}
	if err == nil {
		err = grows
	}
	if !g.c.SafetyOnly { // whose successors are not kept
		g.Forget()
	}
	if stuck >= 0 {
		r.DeadlockFree = g.deadlock(stuck)
		r.StarvationFree = r.DeadlockFree
		if err != nil {
			return r, nil // which is a verdict
		}
	}
	if err != nil {
		return r, cs.piles(err)
	}
	g.decideSafety(&r)
	if g.c.SafetyOnly {
		return r, nil
	}
	if r.States >= large {
		g.c.say("verdicts", r.States, r.Bytes)
	}
	g.order = g.Order()
	r.Bytes = max(r.Bytes, g.verdictBytes())
	g.decide(&r)
	return r, nil
}

// many is how many timers of a node, or messages on a link, need no mention when the memory does not suffice. Since near
// states come first, millions of states may have few more.
const many = 7

// piles returns err, which if it is one of memory says where a state has many timers or messages.
func (cs *cells) piles(err error) error {
	full, most := (*space.MemoryError)(nil), many
	if !errors.As(err, &full) {
		return err
	}
	for i, all := range cs.all {
		for _, c := range all {
			if n := len(c.timers); n > most {
				most, full.Pile = n, fmt.Sprintf(", and in one of them %d timers of node %d run", n, i)
			}
		}
	}
	for l, all := range cs.links {
		for _, q := range all {
			if n := len(q.messages); n > most {
				most, full.Pile = n, fmt.Sprintf(", and in one of them %d messages are in transit from node %d to %d", n, l/cs.c.Nodes, l%cs.c.Nodes)
			}
		}
	}
	return err
}

// assumed returns what is assumed of times in what was explored: which of them count, and when timers expire, if not at
// any time.
func (g *graph) assumed() (all []string) {
	switch {
	case g.cells.ranked:
		all = append(all, "only the order of times counts")
	case g.cells.shifts && g.cells.haveTimes():
		all = append(all, "only differences of times count")
	}
	timers := func(all []*cell) bool {
		return slices.ContainsFunc(all, func(c *cell) bool { return len(c.timers) > 0 })
	}
	if g.c.AnyTime || !slices.ContainsFunc(g.cells.all, timers) {
		return all
	}
	when := "time passes only when nothing else can happen, on equal clocks"
	if g.locks {
		when = "time passes only while a node waits and nothing else can happen, on equal clocks"
	}
	if g.c.Early > 0 {
		when += fmt.Sprintf(", but for %d early", g.c.Early)
	}
	return append(all, when)
}

// locks reports whether a node is an Exclusion.
func (cs *cells) locks() bool {
	return slices.ContainsFunc(cs.nodes, func(n messaging.Node) bool {
		_, lock := messaging.As[messaging.Exclusion](n)
		return lock
	})
}

// haveTimes reports whether there are times in nodes or messages.
func (cs *cells) haveTimes() bool {
	return slices.ContainsFunc(cs.leasts, func(t messaging.Time) bool { return t != noTime }) ||
		slices.ContainsFunc(cs.positions, func(p position) bool { return p.least != noTime })
}

// verdictBytes returns the memory that the verdicts on infinite runs take, with that of the
// states.
func (g *graph) verdictBytes() int64 {
	each := int64(space.ScratchBytes)
	if g.order != nil {
		each = 4 // an ID of the order
	}
	if g.locks {
		each += int64(g.c.Nodes) // see precedes
	}
	return g.Bytes() + each*int64(g.End())
}
