package explore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/mutex"
)

// A Config describes a check.
type Config struct {
	// New returns a free lock for n processes. It is called several times, and
	// must return equal locks for equal n.
	New func(n int) mutex.Mutex

	// Processes is the number of processes, from 1 to 8. Each multiplies the number
	// of states by ten or more: begin with two, and give go test a -timeout.
	Processes int

	// Cap is the largest value that a register may hold, counting everything packed
	// into it. A larger store is a cut: the run is followed no further, and the
	// verdicts hold for runs below it. 0 means no cap, for locks whose values do not
	// grow.
	Cap uint64

	// GiveUp makes processes enter by LockContext or TryLock and give up at any
	// await. The lock must be a [mutex.Abortable]. Without GiveUp, processes enter by
	// Lock.
	GiveUp bool

	// Mixed is GiveUp in which each process may also enter by Lock, another way each
	// time. It takes more states than the two checks without it.
	Mixed bool

	// Unexamined allows a check of a lock whose source cannot be examined for breaches
	// of the contract, which is an error otherwise. The verdicts then assume that the
	// lock keeps the contract; see [Report.Vetted].
	Unexamined bool

	// Invariant, if not nil, is called in every reachable state: with a lock of New, whose
	// registers hold the values of the state, and with the phase of each process, as in
	// [Place]. An error or a panic violates the invariant, and [Report.Invariant] has a
	// shortest run to it. Invariant may load registers; it is an error
	// if it writes one, waits or calls a protocol.
	Invariant func(lock mutex.Mutex, phases []string) error

	// Source, if not nil, has the source files of which traces show lines, by the import path of
	// their package: "example.com/mine/lock.go". If it is nil, they are where the program was built, or
	// where the go command finds them.
	Source fs.FS

	// Workers is the number of processors to use, 1 or 2; 0 means two if there are two.
	Workers int

	// Memory is the limit of the exploration in bytes; 0 means 4 GiB.
	Memory int64

	// Progress, if not nil, is called about once a second, and at the end of a phase, with the
	// phase, in a few words, the number of states found, and the bytes that they take.
	Progress func(doing string, states int, bytes int64)

	// Only restricts the check to the properties that are set; the zero value means
	// all.
	Only Properties

	aborters int // how many processes give up, those with the smallest numbers; 0: all
}

// Properties selects the properties to check.
type Properties struct {
	MutualExclusion bool // at most one process is in the critical section
	DeadlockFree    bool // some waiting process always enters eventually: neither deadlock nor livelock
	StarvationFree  bool // every waiting process eventually enters (weak fairness)
	FIFO            bool // first come, first served; also computes the bypass bound
	RaceFree        bool // guarded data is free of races under the Go memory model
	SafeRegisters   bool // registers with a single writer need only be safe
}

// runs reports whether p has properties of infinite runs.
func (p Properties) runs() bool { return p.DeadlockFree || p.StarvationFree || p.FIFO }

// Check explores a lock and returns a report. It returns [ErrBuild] in a program
// built without the tag doorway_explore, a [*LockError] if the lock breaks the
// contract, and an error that is [ErrMemory] if the memory does not suffice. It
// never panics.
//
// Check examines the source of the lock, which it finds where the program was built,
// or, by the go command, from the working directory.
//
// Check first runs the protocols, and concurrent calls wait for each other in this
// phase. Other goroutines may use locks meanwhile, but not the one that New returns.
func Check(cfg Config) (*Report, error) {
	if !hook.Hosted {
		return nil, ErrBuild
	}
	c, err := begin(&cfg, true)
	if err != nil {
		return nil, err
	}
	if err := c.explore(); err != nil {
		return nil, public(err)
	}
	return c.report, nil
}

// checking is a check under way: it examines the source of the lock, extracts the automata of its
// processes, explores their states together, and decides on these what the report says.
type checking struct {
	cfg     *Config
	x       *extract.Extraction
	program graph.Program
	report  *Report

	histories *graph.State        // the initial state of the automata that are not minimized; nil: not needed yet
	lines     map[string][]string // of source files
}

// begin examines the source of the lock of cfg, if examine is set, and extracts its automata.
func begin(cfg *Config, examine bool) (c *checking, err error) {
	defer func() { err = public(err) }()
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	lock, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	c = &checking{cfg: cfg, report: newReport(cfg), lines: map[string][]string{}}
	c.report.NotExplored = cfg.notExplored(lock)
	if c.report.DeclaresFIFO, err = declaresFIFO(lock); err != nil {
		return nil, err
	}
	var loops []source.Loop
	if examine {
		if loops, err = c.examine(lock); err != nil {
			return nil, err
		}
	}
	return c, c.extract(lock, loops)
}

// examine examines the source of the lock, and returns its loops that carry nothing from round to round.
func (c *checking) examine(lock mutex.Mutex) ([]source.Loop, error) {
	loops, err := source.Examine(lock)
	c.report.Vetted = err == nil
	if unexamined := (*source.UnexaminedError)(nil); c.cfg.Unexamined && errors.As(err, &unexamined) {
		return loops, nil
	}
	return loops, err
}

// extract finds the automaton of each process.
func (c *checking) extract(lock mutex.Mutex, loops []source.Loop) (err error) {
	cfg := c.cfg
	c.x, err = extract.From(extract.Subject{
		Lock: lock, Processes: cfg.Processes, Cap: cfg.Cap, Memory: cfg.Memory,
		GiveUp: cfg.GiveUp, Mixed: cfg.Mixed, Aborters: cfg.aborters, Vetted: c.report.Vetted, Loops: loops,
	})
	if err != nil {
		return err
	}
	automata, err := c.x.Automata()
	c.program = graph.Program{Variables: c.x.Variables, Automata: automata, Ways: c.x.Ways()}
	return err
}

// made returns a lock for n processes. A panic of newLock is an error.
func made(newLock func(n int) mutex.Mutex, n int) (lock mutex.Mutex, err error) {
	doing := fmt.Sprintf("New(%d)", n)
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("explore: %s panics: %v", doing, e)
		}
	}()
	if lock = newLock(n); lock == nil {
		return nil, errors.New("explore: New returned nil")
	}
	doing = fmt.Sprintf("Processes of the lock that New(%d) returned", n)
	if has := lock.Processes(); has != n {
		return nil, fmt.Errorf("explore: the lock has %d processes, want %d", has, n)
	}
	return lock, nil
}

// declaresFIFO reports whether the lock declares that it is FIFO; see [mutex.Mutex].
func declaresFIFO(lock mutex.Mutex) (declares bool, err error) {
	d, ok := lock.(interface{ FIFO() bool })
	if !ok {
		return false, nil
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("explore: FIFO of a %T panics: %v", lock, e)
		}
	}()
	return d.FIFO(), nil
}

// complete validates cfg, fills in the defaults, and makes the lock.
func (cfg *Config) complete() (mutex.Mutex, error) {
	switch {
	case cfg.New == nil:
		return nil, errors.New("explore: Config.New is nil")
	case cfg.Processes < 1 || cfg.Processes > automaton.MaxProcesses:
		return nil, fmt.Errorf("explore: Config.Processes is %d, want 1 to %d", cfg.Processes, automaton.MaxProcesses)
	case cfg.Memory < 0:
		return nil, fmt.Errorf("explore: Config.Memory is %d, want at least 0", cfg.Memory)
	case cfg.Workers < 0 || cfg.Workers > 2:
		return nil, fmt.Errorf("explore: Config.Workers is %d, want 0, 1 or 2", cfg.Workers)
	}
	lock, err := made(cfg.New, cfg.Processes)
	if err != nil {
		return nil, err
	}
	if _, ok := lock.(mutex.Abortable); !ok && (cfg.GiveUp || cfg.Mixed) {
		field := "GiveUp"
		if cfg.Mixed {
			field = "Mixed"
		}
		return nil, fmt.Errorf("explore: Config.%s is set, but %T is not a mutex.Abortable", field, lock)
	}
	cfg.GiveUp = cfg.GiveUp || cfg.Mixed
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

// notExplored returns the methods of lock that are not explored.
func (cfg *Config) notExplored(lock mutex.Mutex) (methods []string) {
	switch {
	case cfg.Mixed:
		return nil
	case cfg.GiveUp:
		return []string{"Lock"}
	}
	if _, ok := lock.(interface{ TryLock(i int) bool }); ok {
		methods = append(methods, "TryLock")
	}
	if _, ok := lock.(interface {
		LockContext(ctx context.Context, i int) error
	}); ok {
		methods = append(methods, "LockContext")
	}
	return methods
}
