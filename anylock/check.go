package anylock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/anylock/internal/search"
	"example.org/doorway/explore"
	"example.org/doorway/internal/space"
)

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
	Rounds     int   // how often each uses it, or [explore.Unbounded]; 0: any number if their states have an end soon, or else twice
	Mixed      bool  // explore the other ways to enter only; see [Report.Ways]
	Memory     int64 // the limit in bytes, about, of what the exploration keeps; 0: 2 GiB

	// Doorway is a part of the line, such as tail.Swap(, of which the first operation that others can observe completes the doorway of a
	// goroutine: who calls Lock later must not enter first. A compare-and-swap that fails does not. "" is the first operation of Lock.
	Doorway string

	// Schedule, if not nil, is the one run that is explored: the goroutine that makes each step, plus 8 times the number of the
	// alternative that it takes, as in [Report.Repeat]. Exclusion, a data race, a panic or a deadlock fails if it does so there;
	// nothing else is decided.
	Schedule []int

	// Progress, if not nil, is called about once a second, with the number of states found, and the bytes that they take.
	Progress func(states int, bytes int64)

	// For tests.
	edit  func(file string, text []byte) []byte // what is read instead of a file
	doubt bool                                  // see search.Search
	bound int                                   // on preemptions
	fine  bool                                  // see machine.Program
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

	MutualExclusion, RaceFree, PanicFree, DeadlockFree, StarvationFree, FIFO explore.NodesVerdict

	// Bypasses is how many times another may enter after a goroutine has completed its doorway and waits, and BypassesByAll is it of
	// all others together; [explore.Unbounded]: any number. They are meaningful if FIFO was decided.
	Bypasses, BypassesByAll int

	// Traces are the runs in which properties fail, in the order above, as those of locks of registers: WriteSVG draws them. Memory
	// takes the place of registers, and pointers count what they have pointed to.
	Traces []*explore.Trace

	// Repeat is what explores again the run in which exclusion, a data race, a panic or a deadlock fails, and nothing else. It is nil if
	// none does, or if the run has no end.
	Repeat *Config

	alone bool // one schedule was explored, and nothing fails there
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
	ctx := tb.Context()
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := t.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Until(end)*19/20)
			defer cancel()
		}
	}
	r, err := Explore(ctx, c)
	if err = cmp.Or(err, r.Err()); err != nil {
		tb.Fatal(err)
	}
	tb.Log(r)
}

// soon is how many states there may be for any number of rounds if that is tried first.
const soon = 200_000

// Explore visits every state that the goroutines can reach, whatever the order of their operations, and returns what holds.
// It returns an error that names the place and the rule if the lock contains what cannot be followed, one that is
// [explore.ErrMemory] if the memory does not suffice, and that of ctx soon after it is done.
func Explore(ctx context.Context, c Config) (*Report, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Roles == nil {
		c.Goroutines = cmp.Or(c.Goroutines, 3)
	}
	c.Memory = cmp.Or(c.Memory, 2<<30)
	code, err := load(ctx, c)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("anylock: not begun: %w", ended(ctx))
	case err != nil:
		return nil, fmt.Errorf("anylock: %w", err)
	case code.lock == nil && (c.Mixed || c.Doorway != "" || c.Rounds != 0):
		return nil, errors.New("anylock: Config.Mixed, Doorway and Rounds are for locks: roles say what goroutines do")
	}
	if code.lock == nil {
		return c.explore(ctx, code, 0)
	}
	if c.Mixed {
		return c.mixed(ctx, code)
	}
	r, err := c.within(ctx, code, soon, explore.Unbounded, 2)
	if err != nil || c.Schedule != nil || r.Err() != nil {
		return r, err
	}
	c.Rounds, c.Mixed = 0, true
	m, err := c.mixed(ctx, code)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case errors.Is(err, errOneWay):
		return r, nil
	case err != nil:
		r.WaysErr = err
		if len(code.ways) > 0 {
			r.Ways = code.ways[1:]
		}
		return r, nil
	}
	r.Ways, r.WaysRounds = m.Ways, m.WaysRounds
	if m.Err() != nil {
		for k, p := range m.properties() {
			*r.properties()[k].verdict = *p.verdict
		}
		r.Bypasses, r.BypassesByAll, r.Traces, r.Repeat = 0, 0, m.Traces, m.Repeat
	}
	return r, nil
}

// mixed explores the other ways to enter.
func (c Config) mixed(ctx context.Context, code *code) (*Report, error) {
	r, err := c.within(ctx, code, soon/4, 2, 1)
	if err == nil {
		r.Ways, r.WaysRounds = code.ways[1:], r.Rounds
	}
	return r, err
}

// check returns an error unless c is valid.
func (c Config) check() error {
	set := 0
	for _, is := range []bool{c.New != nil, c.Roles != nil, c.Name != ""} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return errors.New("anylock: exactly one of Config.New, Config.Roles and Config.Name must be set")
	case c.Roles != nil && c.Goroutines != 0:
		return errors.New("anylock: Config.Goroutines is set, and so is Config.Roles, one for each goroutine")
	case c.Goroutines < 0 || c.Goroutines > 6:
		return fmt.Errorf("anylock: Config.Goroutines is %d, want 1 to 6, or 0", c.Goroutines)
	case c.Rounds < explore.Unbounded:
		return fmt.Errorf("anylock: Config.Rounds is %d, want at least 0, or Unbounded", c.Rounds)
	case c.Mixed && c.Rounds == explore.Unbounded:
		return errors.New("anylock: Config.Mixed is set, and Config.Rounds is Unbounded, want a number, or 0")
	case c.Doorway != "" && (c.Mixed || c.Schedule != nil):
		return errors.New("anylock: Config.Doorway is set, and FIFO is not decided if Config.Mixed or Config.Schedule is, too")
	case slices.ContainsFunc(c.Schedule, func(e int) bool { return e < 0 }):
		return fmt.Errorf("anylock: Config.Schedule is %v, want no negative number", c.Schedule)
	case c.Memory < 0:
		return fmt.Errorf("anylock: Config.Memory is %d, want at least 0", c.Memory)
	}
	return nil
}

// ended returns the error of a context, and its cause.
func ended(ctx context.Context) error {
	if err := ctx.Err(); errors.Is(context.Cause(ctx), err) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
}

var (
	errLimit  = errors.New("anylock: there are more states")
	errOneWay = errors.New("anylock: Config.Mixed is set, and the lock has no other way to enter than Lock")
)

// within explores with the rounds of c. If these are 0, it tries many, up to a limit of states, or else takes few.
func (c Config) within(ctx context.Context, code *code, limit, many, few int) (r *Report, err error) {
	if c.Rounds != 0 {
		return c.explore(ctx, code, 0)
	}
	c.Rounds = many
	r, err = c.explore(ctx, code, limit)
	if refusal := (*machine.Refusal)(nil); errors.Is(err, errLimit) || errors.As(err, &refusal) && ctx.Err() == nil {
		c.Rounds = few
		r, err = c.explore(ctx, code, 0)
	}
	return r, err
}

// explore explores with the rounds of c. It returns errLimit if there are more states than a limit; 0: none.
func (c Config) explore(ctx context.Context, code *code, limit int) (r *Report, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *machine.Refusal:
			r, err = nil, code.refused(e)
		default:
			panic(e)
		}
	}()
	m, guarded, err := code.start(c)
	if err != nil {
		return nil, err
	}
	if c.Mixed && len(code.ways) < 2 {
		return nil, errOneWay
	}
	s := search.New(m, guarded, limit, c.Memory, c.Progress)
	s.Doubt, s.Preemptions, s.Stop = c.doubt, c.bound, func() bool { return ctx.Err() != nil }
	var passed bool
	if code.lock != nil && !c.Mixed {
		s.Doorway, m.Doorway = true, code.within(c.Doorway, &passed)
	}
	if c.Schedule != nil {
		if err := s.Restrict(c.Schedule); err != nil {
			return nil, fmt.Errorf("anylock: %w", err)
		}
	}
	whole, err := s.Run()
	if err != nil {
		if full := (*space.MemoryError)(nil); errors.As(err, &full) {
			return nil, fmt.Errorf("anylock: no verdict: %w", full)
		}
		return nil, err
	}
	over := func() error {
		return fmt.Errorf("anylock: not finished after %d states: %w", s.Space.States(), ended(ctx))
	}
	found := s.Found()
	switch {
	case !whole && found == nil && s.Stop():
		return nil, over()
	case !whole && found == nil:
		return nil, errLimit
	case found == nil && c.Schedule == nil && m.Doorway != nil && !passed:
		return nil, fmt.Errorf("anylock: Config.Doorway is %q, and no line with that has an operation that goroutines make, and others can observe", c.Doorway)
	}
	r = c.report(code, s, m.Users)
	if found == nil && c.Schedule == nil && s.Stop() {
		return nil, over()
	}
	return r, nil
}

// report returns what a search has found, of which the states have been visited.
func (c Config) report(code *code, s *search.Search, users int) *Report {
	r := &Report{
		Goroutines: c.Goroutines, Rounds: c.Rounds, States: s.Space.States(), Steps: s.Space.Transitions(), Depth: s.Space.Depth(),
	}
	if code.lock == nil {
		r.Goroutines, c.Goroutines = users, 0
	}
	for _, p := range r.properties() {
		p.verdict.Status = explore.Unknown
	}
	fails := func(f *search.Found) { code.fails(r, s, f) }
	switch found := s.Found(); {
	case found != nil:
		fails(found)
		c.Name, c.Progress, c.Doorway, c.Schedule = code.name, nil, "", r.Traces[0].Schedule
		r.Repeat = &c
	case c.Schedule != nil:
		r.alone = true
	default:
		c.verdicts(r, s, code.lock == nil, fails)
	}
	return r
}

// verdicts says what holds of goroutines of which no state is wrong, and of their infinite runs.
func (c Config) verdicts(r *Report, s *search.Search, roles bool, fails func(f *search.Found)) {
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
		fails(livelock)
	case roles:
		r.DeadlockFree = holds
	case starvation != nil:
		r.DeadlockFree = holds
		fails(starvation)
	default:
		r.DeadlockFree, r.StarvationFree = holds, holds
		if c.Rounds != explore.Unbounded {
			r.StarvationFree.Status = explore.Undecided
			r.StarvationFree.Note = "no goroutine waits forever " + r.runs() + ", but such a run is finite"
		}
	}
	if s.Doorway && livelock == nil {
		o := s.Orders()
		r.Bypasses, r.BypassesByAll = o.Most, o.All
		switch {
		case o.Overtaking != nil:
			fails(o.Overtaking)
		case o.Waits:
			r.FIFO = holds
		default:
			r.FIFO = explore.NodesVerdict{Status: explore.Undecided, Note: "no goroutine waits after its doorway"}
		}
	}
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

func bypasses(n int) string {
	if n == explore.Unbounded {
		return "any number"
	}
	return fmt.Sprint(n)
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
		{"FIFO", &r.FIFO},
	}
}

// refuted returns the property that something is wrong with: of a livelock, that of a deadlock.
func (r *Report) refuted(k search.Kind) property {
	if k >= search.Livelock {
		k--
	}
	return r.properties()[k]
}

// Err returns nil if the lock has mutual exclusion and is free of data races, panics and deadlock. Otherwise it returns an
// error of several lines, with a shortest run that shows what fails; or WaysErr. A nil report has an error.
func (r *Report) Err() error {
	if r == nil {
		return errors.New("anylock: there is no report: Explore returned an error")
	}
	for _, p := range r.properties()[:4] {
		if p.verdict.Status == explore.Fails {
			return fmt.Errorf("anylock: %s fails, with %d goroutines, in %d steps\n%v%s", p.name, r.Goroutines, p.verdict.History.Length, p.verdict.History, r.repeated())
		}
	}
	if r.WaysErr != nil {
		return fmt.Errorf("%w; only entries by Lock are explored", r.WaysErr)
	}
	return nil
}

// repeated says how a run is repeated.
func (r *Report) repeated() string {
	if r.Repeat == nil {
		return ""
	}
	var words []string
	if r.Repeat.Goroutines != 0 {
		words = append(words, fmt.Sprintf("Goroutines: %d", r.Repeat.Goroutines))
	}
	if r.Repeat.Rounds != 0 {
		words = append(words, fmt.Sprintf("Rounds: %d", r.Repeat.Rounds))
	}
	if r.Repeat.Mixed {
		words = append(words, "Mixed: true")
	}
	schedule := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Repeat.Schedule), "[]"), " ", ", ")
	words = append(words, "Schedule: []int{"+schedule+"}")
	return "repeat it: " + strings.Join(words, ", ") + "\n"
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
	if r.alone {
		b.WriteString("  nothing fails in this schedule\n")
	}
	if r.FIFO.Status == explore.Holds || r.FIFO.Status == explore.Fails {
		fmt.Fprintf(&b, "  %-20s%s by one other, %s by all others\n", "bypasses, at most", bypasses(r.Bypasses), bypasses(r.BypassesByAll))
	}
	switch {
	case r.WaysErr != nil:
		fmt.Fprintf(&b, "  not explored with %s: %v\n", strings.Join(r.Ways, ", "), r.WaysErr)
	case r.Ways != nil:
		fmt.Fprintf(&b, "  also with %s, %s by each goroutine\n", strings.Join(r.Ways, ", "), times(r.WaysRounds))
	}
	return b.String()
}
