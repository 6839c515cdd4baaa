package anylock

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"strings"
	"sync"
	"testing"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/anylock/internal/search"
	"example.org/doorway/explore"
	"example.org/doorway/internal/space"
)

// Unbounded is a number of rounds without a bound.
const Unbounded = -1

// A Config is a lock or other code, and the runs of it that are explored. One of New, Roles and Name must be set.
type Config struct {
	// New returns a new lock, whose methods Lock and Unlock are explored. It is a function of a package, or a
	// literal that captures no variables: its source is read where the program was built.
	New func() sync.Locker

	// Roles returns what some goroutines run once, 1 to 7 of them, on memory that it makes for them: for what needs other
	// calls than Lock and Unlock by all. Else it is as New.
	Roles func() []func()

	// Name is a type that has these methods, or a function that returns one, or roles: sync.Mutex, or
	// example.org/spin.New. The go command finds its package in the directory Dir; "": the current one.
	Name, Dir string

	Goroutines int   // that use the lock, 1 to 6; 0: three
	Rounds     int   // how often each uses it, or Unbounded; 0: Unbounded if that has an end soon, or else twice
	Memory     int64 // the limit in bytes, about, of what the exploration keeps; 0: 2 GiB

	// For tests.
	edit  func(file string, text []byte) []byte // what is read instead of a file
	doubt bool                                  // see search.Search
	bound int                                   // on preemptions
}

// A Report is the result of Explore.
type Report struct {
	Goroutines, Rounds int
	States             int // of all goroutines and their memory
	Steps              int // between them
	Depth              int // the maximum, over all states, of the least number of steps to reach it

	// Ways are the other methods of the lock by which goroutines have entered too, each so often, in any mixture: TryLock,
	// RLock, TryRLock, and LockContext with a context that is cancelled at any moment. The numbers above, and freedom from
	// starvation, are without them. WaysErr is why they could not be explored.
	Ways       []string
	WaysRounds int
	WaysErr    error

	MutualExclusion, RaceFree, PanicFree, DeadlockFree, StarvationFree explore.NodesVerdict

	// Trace is the run in which a property fails, as that of a lock of registers: its WriteSVG draws it. Memory takes the place of
	// registers, and pointers count what they have pointed to. It is nil if none fails.
	Trace *explore.Trace
}

// Check explores a lock as [Explore] does, with three goroutines, and fails the test unless the lock has mutual exclusion
// and is free of data races, panics and deadlock in all their interleavings. Otherwise it logs what was found.
func Check(tb testing.TB, lock func() sync.Locker) {
	tb.Helper()
	check(tb, Config{New: lock})
}

// CheckRoles explores what goroutines run as [Explore] does, and fails the test unless they are free of data races and
// panics, and all of them return, in all their interleavings. Otherwise it logs what was found.
func CheckRoles(tb testing.TB, roles func() []func()) {
	tb.Helper()
	check(tb, Config{Roles: roles})
}

func check(tb testing.TB, c Config) {
	tb.Helper()
	r, err := Explore(c)
	if err = cmp.Or(err, r.Err()); err != nil {
		tb.Fatal(err)
	}
	tb.Log(r)
}

// soon is how many states there may be for any number of rounds if that is tried first.
const soon = 200_000

// Explore visits every state that the goroutines can reach, whatever the order of their operations, and returns what holds.
// It returns an error that names the place and the rule if the lock contains what cannot be followed, and one that is
// [explore.ErrMemory] if the memory does not suffice.
func Explore(c Config) (*Report, error) {
	set := 0
	for _, is := range []bool{c.New != nil, c.Roles != nil, c.Name != ""} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return nil, errors.New("anylock: exactly one of Config.New, Config.Roles and Config.Name must be set")
	case c.Goroutines < 0 || c.Goroutines > 6:
		return nil, fmt.Errorf("anylock: Config.Goroutines is %d, want 1 to 6, or 0", c.Goroutines)
	case c.Rounds < Unbounded:
		return nil, fmt.Errorf("anylock: Config.Rounds is %d, want at least 0, or Unbounded", c.Rounds)
	case c.Memory < 0:
		return nil, fmt.Errorf("anylock: Config.Memory is %d, want at least 0", c.Memory)
	}
	c.Goroutines, c.Memory = cmp.Or(c.Goroutines, 3), cmp.Or(c.Memory, 2<<30)
	code, err := load(c)
	if err != nil {
		return nil, fmt.Errorf("anylock: %w", err)
	}
	if c.Rounds != 0 || code.lock == nil {
		r, err := c.explore(code, 0, false)
		return c.mix(r, err, code)
	}
	c.Rounds = Unbounded
	r, err := c.explore(code, soon, false)
	if errors.Is(err, errLimit) {
		c.Rounds = 2
		r, err = c.explore(code, 0, false)
	}
	return c.mix(r, err, code)
}

// mix explores the lock with goroutines that enter it in any way that it has, and adds that to a report.
func (c Config) mix(r *Report, err error, code *code) (*Report, error) {
	if err != nil || code.lock == nil || r.Err() != nil || !types.IsInterface(code.lock) && len(waysOf(code.lock)) < 2 {
		return r, err
	}
	c.Rounds = 2
	m, err := c.explore(code, soon/4, true)
	if errors.Is(err, errLimit) {
		c.Rounds = 1
		m, err = c.explore(code, 0, true)
	}
	if len(code.ways) < 2 {
		return r, nil
	}
	for _, way := range code.ways[1:] {
		name, _, _ := strings.Cut(signatures[way][0], " ")
		r.Ways = append(r.Ways, name)
	}
	if r.WaysErr = err; err != nil {
		return r, nil
	}
	r.WaysRounds = m.Rounds
	for k, p := range m.properties()[:4] {
		if p.verdict.Status == explore.Fails {
			*r.properties()[k].verdict = *p.verdict
			if p.verdict != &m.DeadlockFree {
				r.DeadlockFree = m.DeadlockFree
			}
			r.StarvationFree, r.Trace = m.StarvationFree, m.Trace
		}
	}
	return r, nil
}

var errLimit = errors.New("anylock: there are more states")

// explore explores with the rounds of c. It returns errLimit if there are more states than a limit; 0: none.
func (c Config) explore(code *code, limit int, mixed bool) (r *Report, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *machine.Refusal:
			r, err = nil, code.refused(e)
		default:
			panic(e)
		}
	}()
	m, guarded, err := code.start(c.Goroutines, c.Rounds, mixed)
	if err != nil {
		return nil, err
	}
	s := search.New(m, guarded, limit, c.Memory)
	s.Doubt, s.Preemptions = c.doubt, c.bound
	whole, err := s.Run()
	if err != nil {
		if full := (*space.MemoryError)(nil); errors.As(err, &full) {
			return nil, fmt.Errorf("%w: %s of %s", explore.ErrMemory, full.Found(), full.Most())
		}
		return nil, err
	}
	found := s.Found()
	if !whole && found == nil {
		return nil, errLimit
	}
	r = &Report{
		Goroutines: m.Users(), Rounds: c.Rounds, States: s.Space.States(), Steps: s.Space.Transitions(), Depth: s.Space.Depth(),
	}
	unknown := explore.NodesVerdict{Status: explore.Unknown}
	r.MutualExclusion, r.RaceFree, r.PanicFree, r.DeadlockFree, r.StarvationFree = unknown, unknown, unknown, unknown, unknown
	if found != nil {
		*r.verdict(found.Kind) = code.fails(s, found)
		r.Trace = code.trace(r.title(), r.Goroutines, s, found)
		return r, nil
	}
	roles := code.lock == nil
	if roles {
		r.Rounds = 0
	}
	holds := explore.NodesVerdict{Status: explore.Holds, Note: r.runs()}
	if r.RaceFree, r.PanicFree = holds, holds; !roles {
		r.MutualExclusion = holds
	}
	livelock, starvation := s.Live()
	switch {
	case livelock != nil:
		r.DeadlockFree = code.fails(s, livelock)
		r.Trace = code.trace(r.title(), r.Goroutines, s, livelock)
	case roles:
		r.DeadlockFree = holds
	case starvation != nil:
		r.DeadlockFree, r.StarvationFree = holds, code.fails(s, starvation)
		r.Trace = code.trace(r.title(), r.Goroutines, s, starvation)
	default:
		r.DeadlockFree, r.StarvationFree = holds, holds
		if c.Rounds != Unbounded {
			r.StarvationFree.Status = explore.Undecided
			r.StarvationFree.Note = "no goroutine waits forever " + r.runs() + ", but such a run is finite"
		}
	}
	return r, nil
}

func (r *Report) verdict(k search.Kind) *explore.NodesVerdict {
	switch k {
	case search.Exclusion:
		return &r.MutualExclusion
	case search.Race:
		return &r.RaceFree
	case search.Panic:
		return &r.PanicFree
	case search.Starvation:
		return &r.StarvationFree
	}
	return &r.DeadlockFree
}

// runs says for which runs something holds.
func (r *Report) runs() string {
	if r.Rounds <= 0 {
		return "in every run"
	}
	return fmt.Sprintf("in every run in which each goroutine locks %s", times(r.Rounds))
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

type property struct {
	name    string
	verdict *explore.NodesVerdict
}

func (r *Report) properties() []property {
	return []property{
		{"mutual exclusion", &r.MutualExclusion},
		{"free of data races", &r.RaceFree},
		{"free of panics", &r.PanicFree},
		{"deadlock-free", &r.DeadlockFree},
		{"starvation-free", &r.StarvationFree},
	}
}

// title says what fails.
func (r *Report) title() string {
	for _, p := range r.properties() {
		if p.verdict.Status == explore.Fails {
			return p.name + " fails"
		}
	}
	return ""
}

// Err returns nil if the lock has mutual exclusion and is free of data races, panics and deadlock. Otherwise it returns an
// error of several lines, with a shortest run that shows what fails. A nil report has an error.
func (r *Report) Err() error {
	if r == nil {
		return errors.New("anylock: there is no report: Explore returned an error")
	}
	for _, p := range r.properties()[:4] {
		if p.verdict.Status == explore.Fails {
			return fmt.Errorf("anylock: %s fails, with %d goroutines, in %d steps\n%v", p.name, r.Goroutines, p.verdict.History.Length, p.verdict.History)
		}
	}
	return nil
}

// String returns the results, a line for each property.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d goroutines, %d states, %d steps between them\n", r.Goroutines, r.States, r.Steps)
	for _, p := range r.properties() {
		switch v := p.verdict; v.Status {
		case explore.Fails:
			fmt.Fprintf(&b, "  %-20sfails, in %d steps\n", p.name, v.History.Length)
		case explore.Undecided:
			fmt.Fprintf(&b, "  %-20s%s: %s\n", p.name, v.Status, v.Note)
		case explore.Holds:
			fmt.Fprintf(&b, "  %-20s%s %s\n", p.name, v.Status, v.Note)
		}
	}
	switch {
	case r.WaysErr != nil:
		fmt.Fprintf(&b, "  not explored with %s: %v\n", strings.Join(r.Ways, ", "), r.WaysErr)
	case r.Ways != nil:
		fmt.Fprintf(&b, "  also with %s, %s by each goroutine\n", strings.Join(r.Ways, ", "), times(r.WaysRounds))
	}
	return b.String()
}
