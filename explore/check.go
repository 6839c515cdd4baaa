package explore

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/seam"
	"example.org/doorway/mutex"
)

// A Config says what is to be checked.
type Config struct {
	// New makes a free lock for n processes. It is called several times, and
	// must make equal locks for equal n.
	New func(n int) mutex.Mutex

	// Processes is how many processes there are, from 1 to 8. Each multiplies the
	// states, by ten and more: begin with two, and give go test a -timeout.
	Processes int

	// Cap is the largest value that a register may hold, the whole of it, whatever is
	// packed into it. A store of more is a cut: the run is followed no further there,
	// and the verdicts hold up to it. 0: no cap, which asks for a lock whose
	// values do not grow.
	Cap uint64

	// GiveUp has processes enter by LockContext or TryLock and give up at any
	// await. The lock must be a [mutex.Abortable]. Its Lock is what is explored without
	// GiveUp.
	GiveUp bool

	// Workers is how many processors are used, 1 or 2; 0: two if there are two.
	Workers int

	// Memory is how many bytes the exploration may take; 0: 4 GiB.
	Memory int64

	// Progress, if not nil, is called about once a second with what is being
	// done, in a few words, how many states have been found, and how much memory
	// they take.
	Progress func(doing string, states int, bytes int64)

	// Only restricts the check to what is set; if nothing is, it is everything.
	Only Properties
}

// Properties are what is to be checked.
type Properties struct {
	MutualExclusion bool // never two processes inside
	DeadlockFree    bool // somebody always gets in, if nobody stays inside: free from deadlock and livelock
	StarvationFree  bool // everybody who wants to gets in
	FIFO            bool // the most bypasses after the doorway, and first come, first served
	RaceFree        bool // data that the lock guards is free from races, under Go's memory model
	SafeRegisters   bool // registers that a single process writes need only be safe
}

// runs reports whether something is asked about runs that never end.
func (p Properties) runs() bool { return p.DeadlockFree || p.StarvationFree || p.FIFO }

// Check explores a lock and returns what was found out about it. It returns
// [ErrBuild] in a program that was built without the tag doorway_explore, a
// [LockError] if the lock does what no lock may, and an error that is [ErrMemory] if
// the memory does not suffice. It never panics.
//
// While it runs the protocols, in the first part of its work, no goroutine of the
// program may use registers in any other way. Calls of Check wait for
// each other there.
func Check(cfg Config) (*Report, error) {
	c, err := begin(&cfg, true)
	if err != nil {
		return nil, err
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report, nil
}

// begin makes the automata of the lock of cfg, whose source it examines if so.
func begin(cfg *Config, examine bool) (*checking, error) {
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	lock, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c := &checking{cfg: cfg, report: newReport(cfg)}
	if examine {
		if c.report.Vetted, err = vet(lock); err != nil {
			return nil, err
		}
	}
	if c.x, err = extract(cfg, lock); err != nil {
		return nil, err
	}
	return c, c.prepare()
}

// made returns a lock for n processes.
func made(newLock func(n int) mutex.Mutex, n int) (lock mutex.Mutex, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("explore: making a lock for %d processes panics: %v", n, e)
		}
	}()
	if lock = newLock(n); lock == nil {
		return nil, errors.New("explore: New returned nil: there is no lock to check")
	}
	return lock, nil
}

// complete refuses what cannot be checked, fills in what was left out, and makes
// the lock.
func (cfg *Config) complete() (mutex.Mutex, error) {
	switch {
	case !seam.Hosted:
		return nil, ErrBuild
	case cfg.New == nil:
		return nil, errors.New("explore: Config.New is nil: there is no lock to check")
	case cfg.Processes < 1 || cfg.Processes > maxProcesses:
		return nil, fmt.Errorf("explore: %d processes: there can be 1 to %d", cfg.Processes, maxProcesses)
	case cfg.Memory < 0:
		return nil, fmt.Errorf("explore: %d bytes of memory: there must be some", cfg.Memory)
	case cfg.Workers < 0 || cfg.Workers > 2:
		return nil, fmt.Errorf("explore: %d workers: there can be 1 or 2", cfg.Workers)
	}
	lock, err := made(cfg.New, cfg.Processes)
	if err != nil {
		return nil, err
	}
	if n := lock.Processes(); n != cfg.Processes {
		return nil, fmt.Errorf("explore: the lock is for %d processes, and not for the %d asked for", n, cfg.Processes)
	}
	if _, ok := lock.(mutex.Abortable); cfg.GiveUp && !ok {
		return nil, fmt.Errorf("explore: %T cannot be given up: it is no mutex.Abortable", lock)
	}
	if cfg.Workers == 0 {
		cfg.Workers = min(2, runtime.GOMAXPROCS(0))
	}
	if cfg.Memory == 0 {
		cfg.Memory = 4 << 30
	}
	if cfg.Only == (Properties{}) {
		cfg.Only = Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true, RaceFree: true, SafeRegisters: true}
	}
	return lock, nil
}

// checking is a check under way.
type checking struct {
	cfg    *Config
	x      *extraction
	nodes  [][]node
	report *Report

	scratches []scratch  // by worker
	tracing   sync.Mutex // makes traces, one at a time
}

// prepare makes the automata.
func (c *checking) prepare() error {
	c.x.name()
	c.x.settle()
	for _, t := range c.x.trees {
		c.nodes = append(c.nodes, c.x.minimal(t))
	}
	if err := c.x.conform(c.nodes); err != nil {
		return err
	}
	for p := range c.nodes {
		fuse(c.nodes[p])
		c.nodes[p] = line(c.nodes[p])
	}
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
	if only := c.cfg.Only; only.MutualExclusion || only.runs() {
		if err := statesOf[K](c, y); err != nil || r.MutualExclusion.Status == Fails {
			return err
		}
	}
	if c.cfg.Only.RaceFree {
		if err := c.unanswered("race-free", c.races()); err != nil {
			return err
		}
	}
	if c.cfg.Only.SafeRegisters && !c.cfg.GiveUp {
		return c.unanswered("tolerates safe registers", c.safe())
	}
	return nil
}

// unanswered notes that a question took too much memory, which is no reason to
// forget the answers to the others.
func (c *checking) unanswered(question string, err error) error {
	var wide *wideError
	if c.report.States > 0 && (errors.Is(err, ErrMemory) || errors.As(err, &wide)) {
		c.report.Unanswered = append(c.report.Unanswered, question+": "+err.Error())
		return nil
	}
	return err
}

// statesOf explores the states and answers what is asked of them.
func statesOf[K key](c *checking, y layout) error {
	r := c.report
	g := newGraph[K](c.cfg, c.x.vars, c.nodes, y, c.cfg.Only.runs())
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
	if g.wrong() != nothing {
		return blame(c, g)
	}
	if err := c.reached(g.entered(), r.Cut); err != nil {
		return err
	}
	r.MutualExclusion.Status = Holds
	g.tell(r)
	r.Reads, r.Writes = g.uncontended()
	if !g.keep {
		return nil
	}
	g.forgetTables()
	if err := c.fit(g.limit(), states); err != nil {
		return err
	}
	together := c.cfg.Only.StarvationFree && c.cfg.Only.FIFO && !c.cfg.GiveUp && c.brief()
	if c.cfg.Only.StarvationFree && !together {
		c.say("who starves")
		starvation(c, g)
	}
	if c.cfg.Only.FIFO {
		c.say("bypasses")
		order(c, g, together)
	}
	if c.cfg.Only.DeadlockFree {
		c.say("who is stuck")
		deadlock(c, g)
	}
	return nil
}

// say says what is being asked of a graph that took a while to find.
func (c *checking) say(doing string) {
	if c.cfg.Progress != nil && c.report.States >= 1<<20 {
		c.cfg.Progress(doing, c.report.States, c.report.Bytes)
	}
}

// reached returns an error if the cap is so low that some process never enters:
// nothing would be said of it.
func (c *checking) reached(entered uint8, cut int) error {
	for p := range c.cfg.Processes {
		if entered>>p&1 == 0 && cut > 0 {
			return fmt.Errorf("explore: no run in which process %d enters stays below the Cap, %d: %s would hold %d",
				p, c.cfg.Cap, c.x.vars[c.x.least.reg].name, c.x.least.value)
		}
	}
	return nil
}
