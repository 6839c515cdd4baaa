package explore

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A Config says what is to be checked.
type Config struct {
	// New makes a free lock for n processes. It is called several times, and
	// must make equal locks for equal n.
	New func(n int) mutex.Mutex

	// Processes is how many processes there are, from 1 to 8. Each multiplies the
	// states, by ten and more: begin with two, and give go test a -timeout.
	Processes int

	// Cap is the largest value that a register may hold. A store of more is a
	// cut: the run is followed no further there, and the verdicts hold up to
	// it. 0: no cap, which asks for a lock whose values do not grow.
	Cap uint64

	// GiveUp has processes enter by LockContext and give up at any await, which
	// covers TryLock. The lock must be a [mutex.Abortable].
	GiveUp bool

	// Workers is how many processors are used, 1 or 2; 0: two if there are two.
	Workers int

	// Memory is how many bytes the exploration may take; 0: 4 GiB.
	Memory int64

	// Progress, if not nil, is called about once a second with what has been
	// explored.
	Progress func(Progress)

	// Only restricts the check to what is named; 0 is everything.
	Only Property
}

// A Property is something to be checked; several are or-ed together.
type Property uint

const (
	Exclusion  Property = 1 << iota // never two processes inside
	Deadlock                        // somebody always gets in, if nobody stays inside: free from deadlock and livelock
	Starvation                      // everybody who wants to gets in
	Order                           // the most overtakings after the doorway, and first come, first served
	Races                           // data that the lock guards is free from races, under Go's memory model
	Safe                            // registers that a single process writes need only be safe
)

// Everything is all properties.
const Everything = Exclusion | Deadlock | Starvation | Order | Races | Safe

// Progress is how far an exploration has come.
type Progress struct {
	Doing  string // what is being done, in a few words
	States int    // how many states have been found
	Bytes  int64  // how much memory they take
}

// A Status is what is known of a property.
type Status int

const (
	Unknown Status = iota // it was not checked
	Holds
	Fails
)

func (s Status) String() string { return [...]string{"unknown", "holds", "fails"}[s] }

// MarshalText returns what String does.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Verdict says whether a property holds of every run, and if not, shows one
// of which it does not.
type Verdict struct {
	Status Status `json:"status"`
	Trace  *Trace `json:"trace,omitempty"` // a shortest run in which it fails
}

// Unbounded is a number without a bound.
const Unbounded = -1

// A Report is what was found out about a lock.
type Report struct {
	Processes int    `json:"processes"`
	Cap       uint64 `json:"cap,omitempty"` // of register values; 0: none
	GiveUp    bool   `json:"giveUp,omitempty"`

	States      int `json:"states"`      // reachable states of all processes and registers together
	Transitions int `json:"transitions"` // steps between them
	Cut         int `json:"cut"`         // stores above Cap, that were not followed
	Depth       int `json:"depth"`       // steps to the state that is furthest away

	Exclusion  Verdict `json:"exclusion"`
	Deadlock   Verdict `json:"deadlock"`   // freedom from it, and from livelock
	Starvation Verdict `json:"starvation"` // freedom from it, under weak fairness, if others give up only so often
	Steadfast  Verdict `json:"steadfast"`  // the same even if others give up again and again; with GiveUp only
	FIFO       Verdict `json:"fifo"`       // who ended the doorway before another began enters before it
	Races      Verdict `json:"races"`      // freedom of the guarded data from them
	Safe       Verdict `json:"safe"`       // exclusion, with safe registers

	// Overtaking is the most times that one process enters while another waits
	// whose doorway was over before, or Unbounded.
	Overtaking int `json:"overtaking"`

	// Reads and Writes are the most accesses that an entry and exit make while
	// all others stay away. A swap counts as both.
	Reads  int `json:"reads"`
	Writes int `json:"writes"`

	Registers []Register `json:"registers"` // in the order of their names

	// Bytes is the most memory that the states took at a time.
	Bytes int64 `json:"bytes"`

	// Vetted says whether the source was found and examined for breaches of
	// the contract of [register.Repeat] and [register.Pure].
	Vetted bool `json:"vetted"`
}

// A Register is what was found out about one register.
type Register struct {
	Name    string `json:"name"`
	Largest uint64 `json:"largest"` // value that it holds in any reachable state
	Writers []int  `json:"writers"` // processes that write it
}

// ErrBuild is returned where the program was built without the tag explore.
var ErrBuild = errors.New("explore: this program was built without the tag explore, with which registers can be explored: go test -tags explore")

// A MemoryError says that an exploration was given up because it took all the
// memory that it was allowed. Nothing is known of the property.
type MemoryError struct {
	Limit  int64 // bytes
	States int   // that had been found
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("explore: %d states take more than the %d MiB allowed: no verdict", e.States, e.Limit>>20)
}

// Check explores a lock and returns what was found out about it. It returns
// [ErrBuild] in a program that was built without the tag explore, a
// [ContractError] if the lock does not keep the contract by which it can be
// explored, a [MemoryError] if the memory does not suffice, and a [RunError] if
// a run shows that the lock misuses its registers, or panics. It never panics.
//
// While it runs the protocols, in the first part of its work, no goroutine of the
// program may use registers in any other way. Calls of Check and [Alone] wait
// for each other there.
func Check(cfg Config) (*Report, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	vetted, err := vet(cfg.New(cfg.Processes))
	if err != nil {
		return nil, err
	}
	x, err := extract(&cfg)
	if err != nil {
		return nil, err
	}
	c := &checking{cfg: &cfg, x: x}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	c.report.Vetted = vetted
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report, nil
}

// complete refuses what cannot be checked and fills in what was left out.
func (cfg *Config) complete() error {
	switch {
	case !register.Attach(nil):
		return ErrBuild
	case cfg.New == nil:
		return errors.New("explore: Config.New is nil: there is no lock to check")
	case cfg.Processes < 1 || cfg.Processes > maxProcesses:
		return fmt.Errorf("explore: %d processes: there can be 1 to %d", cfg.Processes, maxProcesses)
	case cfg.Workers < 0 || cfg.Workers > 2:
		return fmt.Errorf("explore: %d workers: there can be 1 or 2", cfg.Workers)
	}
	lock := cfg.New(cfg.Processes)
	if n := lock.Processes(); n != cfg.Processes {
		return fmt.Errorf("explore: the lock is for %d processes, and not for the %d asked for", n, cfg.Processes)
	}
	if _, ok := lock.(mutex.Abortable); cfg.GiveUp && !ok {
		return fmt.Errorf("explore: %T cannot be given up: it is no mutex.Abortable", lock)
	}
	if cfg.Workers == 0 {
		cfg.Workers = min(2, runtime.GOMAXPROCS(0))
	}
	if cfg.Memory == 0 {
		cfg.Memory = 4 << 30
	}
	if cfg.Only == 0 {
		cfg.Only = Everything
	}
	return nil
}

// checking is a check under way.
type checking struct {
	cfg    *Config
	x      *extraction
	nodes  [][]node
	fused  []bool
	report *Report

	scratches []scratch  // by worker
	telling   sync.Mutex // makes traces, one at a time
}

// prepare makes the automata.
func (c *checking) prepare() error {
	c.x.name()
	c.x.settle()
	for _, t := range c.x.trees {
		nodes, _ := c.x.minimal(t)
		c.nodes = append(c.nodes, nodes)
	}
	if err := c.x.conform(c.nodes); err != nil {
		return err
	}
	for p := range c.nodes {
		c.fused = append(c.fused, fuse(c.nodes[p]))
		c.nodes[p] = line(c.nodes[p])
	}
	c.report = &Report{Processes: c.cfg.Processes, Cap: c.cfg.Cap, GiveUp: c.cfg.GiveUp}
	return nil
}

// run explores what the properties ask for.
func (c *checking) run() error {
	y := newLayout(c.x.vars, c.nodes, false)
	switch {
	case y.bits <= 64:
		return runOn[[1]uint64](c, y)
	case y.bits <= 128:
		return runOn[[2]uint64](c, y)
	}
	return tooWide(y.bits)
}

func runOn[K key](c *checking, y layout) error {
	r := c.report
	if c.cfg.Only&(Exclusion|Deadlock|Starvation|Order) != 0 {
		if err := statesOf[K](c, y); err != nil || r.Exclusion.Status == Fails {
			return err
		}
	}
	if c.cfg.Only&Races != 0 {
		if err := c.races(); err != nil {
			return err
		}
	}
	if c.cfg.Only&Safe != 0 {
		return c.safe()
	}
	return nil
}

// statesOf explores the states and answers what is asked of them.
func statesOf[K key](c *checking, y layout) error {
	r := c.report
	g := newGraph[K](c.cfg, c.x.vars, c.nodes, y, c.cfg.Workers, c.cfg.Only&(Deadlock|Starvation|Order) != 0)
	g.doing = "states"
	if err := g.explore(); err != nil {
		return err
	}
	r.States, r.Depth = g.states(), len(g.levels)-1
	var states int64
	for _, s := range g.shards {
		r.Transitions += s.transitions
		r.Cut += s.cut
		r.Bytes += s.size()
		states += s.keys.bytes() + s.succ.bytes()
	}
	if s := g.trouble(); s != nil {
		return blame(c, g)
	}
	r.Exclusion.Status = Holds
	r.Registers = g.registers()
	r.Reads, r.Writes = g.uncontended()
	if !g.keep {
		return nil
	}
	g.forgetTables()
	if err := c.fit(g.limit(), states); err != nil {
		return err
	}
	together := c.cfg.Only&Starvation != 0 && c.cfg.Only&Order != 0 && !c.cfg.GiveUp && c.brief()
	if c.cfg.Only&Starvation != 0 && !together {
		starvation(c, g)
	}
	if c.cfg.Only&Order != 0 {
		order(c, g, together)
	}
	if c.cfg.Only&Deadlock != 0 {
		deadlock(c, g)
	}
	return nil
}

// large is from how many states on the questions are asked one at a time: two
// at a time take more memory than finding the states did.
const large = 1 << 24

// fit prepares the memory for what is asked of the graph, beside that of its states.
func (c *checking) fit(states int32, bytes int64) error {
	workers, each := c.cfg.Workers, 9*int64(states)
	if states > large {
		workers = 1
		debug.FreeOSMemory() // of the tables
	}
	if c.cfg.Only&(Starvation|Order) == 0 {
		workers = 1 // for one question
	}
	if c.cfg.Only&Order != 0 {
		each += int64(states) * int64(c.cfg.Processes)
	}
	for workers > 1 && bytes+each*int64(workers) > c.cfg.Memory {
		workers--
	}
	if bytes += each * int64(workers); bytes > c.cfg.Memory {
		return &MemoryError{Limit: c.cfg.Memory, States: int(states)}
	}
	c.report.Bytes = max(c.report.Bytes, bytes)
	c.scratches = make([]scratch, workers)
	return nil
}

// brief says whether no process can stay in its doorway for ever: it awaits
// nothing there and repeats nothing. Then who starves does so while it waits.
func (c *checking) brief() bool {
	for _, auto := range c.nodes {
		busy := make([]bool, len(auto)) // on the path
		known := make([]bool, len(auto))
		var ends func(id int32) bool
		ends = func(id int32) bool {
			n := &auto[id]
			switch {
			case n.phase != Doorway || known[id]:
				return true
			case busy[id] || len(n.watches) > 0:
				return false
			}
			busy[id] = true
			for _, to := range n.next {
				if to >= 0 && !ends(to) {
					return false
				}
			}
			busy[id], known[id] = false, true
			return true
		}
		for id := range auto {
			if !ends(int32(id)) {
				return false
			}
		}
	}
	return true
}

// A RunError is a run that a lock must not have, whatever it is for. There is no
// verdict.
type RunError struct {
	What  string
	Trace *Trace
}

func (e *RunError) Error() string {
	return fmt.Sprintf("explore: %s, after %d steps", e.What, len(e.Trace.Steps))
}

// blame tells the trouble of a state of the last level of g.
func blame[K key](c *checking, g *graph[K]) error {
	worst := g.worst()
	schedule := g.to(len(g.levels)-1, func(id int32) bool { return g.has(id, worst.what) })
	t := c.x.tell(c.fused, schedule)
	id := g.after(schedule)
	if worst.what == twoInside {
		c.report.Exclusion = Verdict{Fails, t.end("mutual exclusion fails: " + g.whoIsInside(id))}
		return nil
	}
	for slot := range g.slots {
		k := *g.key(id)
		if _, tr := g.step(&k, slot, make([]uint64, len(g.vars))); tr.what == worst.what {
			reg := c.x.vars[max(0, tr.reg)].name
			t.step(slot)
			switch tr.what {
			case unheard:
				c.report.Races = Verdict{Fails, t.end(fmt.Sprintf("a data race: process %d enters, and nothing orders that after the last exit", slot))}
				return nil
			case awaitedSet:
				what := fmt.Sprintf("process %d writes %s by Set, which wakes nobody, and process %d awaits what becomes true by it: it must be a Store", slot, reg, tr.with)
				return &RunError{what, t.end(what)}
			}
		}
	}
	for p := range g.n {
		if n := g.node(id, p); n.op == opPanic {
			s := c.x.trees[p].locals[n.name].site
			what := fmt.Sprintf("process %d panics at %s:%d: %s", p, filepath.Base(s.file), s.line, s.fn)
			return &RunError{what, t.end(what)}
		}
	}
	return errors.New("explore: trouble that was found is gone")
}

// deadlock answers whether somebody can want to enter and nobody ever does. Who
// wants to then starves, for there is no way out of an entry protocol but to enter.
func deadlock[K key](c *checking, g *graph[K]) {
	if c.report.Starvation.Status == Holds {
		c.report.Deadlock.Status = Holds
		return
	}
	k := g.stuck(&c.scratches[0])
	if k == nil {
		c.report.Deadlock.Status = Holds
		return
	}
	prefix, loop := g.lasso(k, nil)
	title := "livelock: these processes can go on for ever, and none of them enters"
	if len(loop) == 0 {
		title = "deadlock: no process that wants to enter can make a step"
	}
	c.report.Deadlock = Verdict{Fails, c.tellLoop(title, prefix, loop)}
}

// tellLoop returns the trace of a schedule that ends in a loop.
func (c *checking) tellLoop(title string, prefix, loop []int) *Trace {
	c.telling.Lock()
	defer c.telling.Unlock()
	t := c.x.tell(c.fused, prefix)
	if len(loop) > 0 {
		t.trace.Loop = len(t.trace.Steps)
	}
	for _, slot := range loop {
		t.step(slot)
	}
	return t.end(title)
}

func starvation[K key](c *checking, g *graph[K]) {
	c.report.Starvation = c.starving(g.n, func(m *scratch, p int) *Trace { return starved(c, g, m, p, false) })
	if c.cfg.GiveUp {
		c.report.Steadfast = c.starving(g.n, func(m *scratch, p int) *Trace { return starved(c, g, m, p, true) })
	}
}

// starving returns the verdict on all processes: how the first starves for which trace
// returns that, or that none does.
func (c *checking) starving(n int, trace func(m *scratch, p int) *Trace) Verdict {
	all := make([]*Trace, n)
	var first atomic.Int32
	first.Store(int32(n))
	c.parallel(n, func(m *scratch, p int) {
		if int32(p) > first.Load() {
			return // it does not matter any more
		}
		if all[p] = trace(m, p); all[p] != nil {
			for f := first.Load(); int32(p) < f && !first.CompareAndSwap(f, int32(p)); f = first.Load() {
			}
		}
	})
	if p := first.Load(); int(p) < n {
		return Verdict{Fails, all[p]}
	}
	return Verdict{Status: Holds}
}

// starved returns how process p starves, or nil; others may give up for ever if so.
func starved[K key](c *checking, g *graph[K], m *scratch, p int, pestered bool) *Trace {
	if k := g.starves(m, p, pestered); k != nil {
		return starvingIn(c, k, p, pestered)
	}
	return nil
}

// starvingIn returns how process p starves in k.
func starvingIn[K key](c *checking, k *component[K], p int, pestered bool) *Trace {
	prefix, loop := k.g.lasso(k, nil)
	title := fmt.Sprintf("process %d starves", p)
	if pestered {
		title += " while others come and give up without end"
	}
	return c.tellLoop(title, prefix, loop)
}

// order answers who is overtaken, and, if that is to be found out together, who
// starves.
func order[K key](c *checking, g *graph[K], together bool) {
	r := c.report
	all, starving := make([]precedence, g.n), make([]*Trace, g.n)
	c.parallel(g.n, func(m *scratch, p int) {
		var starves func(*component[K])
		if together {
			starves = func(k *component[K]) { starving[p] = starvingIn(c, k, p, false) }
		}
		all[p] = g.precedes(m, p, starves)
	})
	if together {
		r.Starvation.Status = Holds
	}
	for _, t := range starving {
		if t != nil && r.Starvation.Status == Holds {
			r.Starvation = Verdict{Fails, t}
		}
	}
	r.FIFO.Status = Holds
	for p, w := range all {
		if w.most == Unbounded {
			r.Overtaking = Unbounded
		}
		if r.Overtaking != Unbounded {
			r.Overtaking = max(r.Overtaking, w.most)
		}
		if w.fails && r.FIFO.Status == Holds {
			title := fmt.Sprintf("not first come, first served: process %d came when the doorway of process %d was over, and enters before it", w.other, p)
			if c.x.settled {
				title += " (the lock does not say where its doorway ends, so it ends with the first operation)"
			}
			r.FIFO = Verdict{Fails, c.x.tell(c.fused, g.overtaken(p, w)).end(title)}
		}
	}
}

// parallel calls f for 0 to n-1, as many at a time as there are workers, each
// of which has memory of its own.
func (c *checking) parallel(n int, f func(m *scratch, i int)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for w := range c.scratches {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(&c.scratches[w], i)
			}
		})
	}
	wg.Wait()
}

// races explores the states with the monitor for races.
func (c *checking) races() error {
	y := newLayout(c.x.vars, c.nodes, true)
	switch {
	case y.bits <= 64:
		return racesOn[[1]uint64](c, y)
	case y.bits <= 128:
		return racesOn[[2]uint64](c, y)
	}
	return tooWide(y.bits)
}

func racesOn[K key](c *checking, y layout) error {
	g := newGraph[K](c.cfg, c.x.vars, c.nodes, y, c.cfg.Workers, false)
	g.doing = "states, with who has heard of whom"
	if err := g.explore(); err != nil {
		return err
	}
	if g.trouble() == nil {
		c.report.Races.Status = Holds
		return nil
	}
	return blame(c, g)
}

// safe explores the states with safe registers.
func (c *checking) safe() error {
	y, err := newSafely(c.cfg, c.x.vars, c.nodes)
	if err != nil {
		return err
	}
	schedule, err := y.run()
	if err != nil {
		return err
	}
	c.report.Safe.Status = Holds
	if schedule != nil {
		c.report.Safe = Verdict{Fails, c.x.tellSafely(c.fused, y.safe, schedule, "mutual exclusion fails with safe registers")}
	}
	return nil
}
