//go:build doorway_explore

package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/tier"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// of returns the constructor of a for a Config.
func of(a catalog.Algorithm) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex { return a.New(n) }
}

func check(t *testing.T, c explore.Config) *explore.Report {
	t.Helper()
	r, err := explore.Check(c)
	require.NoError(t, err)
	return r
}

// walk takes the steps of a schedule, as the protocols themselves do.
func walk(t *testing.T, c explore.Config, schedule []int) *explore.Walk {
	t.Helper()
	w, err := explore.Start(c)
	require.NoError(t, err)
	require.NoError(t, w.Do(schedule...))
	require.NoError(t, explore.Executed(w))
	return w
}

// failures returns the runs in which properties of r fail.
func failures(r *explore.Report) (all []*explore.Trace) {
	for _, v := range []explore.Verdict{r.MutualExclusion, r.DeadlockFree, r.StarvationFree, r.StarvationFreeDespiteAborts, r.FIFO, r.RaceFree, r.SafeRegisters} {
		if v.Trace != nil {
			all = append(all, v.Trace)
		}
	}
	return all
}

// verdicts returns the verdicts of r in one line.
func verdicts(r *explore.Report) string {
	var all []string
	for _, v := range []struct {
		name string
		explore.Verdict
	}{
		{"exclusion", r.MutualExclusion},
		{"deadlock", r.DeadlockFree},
		{"starvation", r.StarvationFree},
		{"steadfast", r.StarvationFreeDespiteAborts},
		{"fifo", r.FIFO},
		{"races", r.RaceFree},
		{"safe", r.SafeRegisters},
	} {
		all = append(all, v.name+" "+v.Status)
		if (v.Status == explore.Fails) != (v.Trace != nil) {
			all = append(all, "(trace: "+fmt.Sprint(v.Trace != nil)+")")
		}
	}
	return strings.Join(all, ", ") + fmt.Sprintf(", bypasses %d", r.Bypasses)
}

// The verdicts on small locks are known.
func TestTheory(t *testing.T) {
	for _, c := range []struct {
		name        string
		entry, exit protocol
		want        string
	}{
		{"test-and-set", testAndSet, reset, "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1"},
		{"flags", flags, lower, "exclusion holds, deadlock fails, starvation fails, steadfast unknown, fifo holds, races holds, safe holds, bypasses 0"},
		{"polite", polite, lower, "exclusion holds, deadlock fails, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1"},
		{"turns", turns, next, "exclusion holds, deadlock fails, starvation fails, steadfast unknown, fifo holds, races holds, safe holds, bypasses 0"},
		{"peterson", petersons, lower, "exclusion holds, deadlock holds, starvation holds, steadfast unknown, fifo holds, races holds, safe holds, bypasses 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, explore.Config{New: making(c.entry, c.exit), Processes: 2})
			assert.Equal(t, c.want, verdicts(r), "%v", r.DeadlockFree.Trace)
			for only, of := range map[explore.Properties]func(*explore.Report) string{
				{DeadlockFree: true}:   func(r *explore.Report) string { return r.DeadlockFree.Status },
				{StarvationFree: true}: func(r *explore.Report) string { return r.StarvationFree.Status },
				{FIFO: true}:           func(r *explore.Report) string { return r.FIFO.Status },
				{RaceFree: true}:       func(r *explore.Report) string { return r.RaceFree.Status },
			} {
				alone := check(t, explore.Config{New: making(c.entry, c.exit), Processes: 2, Only: only})
				assert.Equal(t, of(r), of(alone), "%+v, checked with the others and alone", only)
			}
		})
	}
}

// A report has an error if a promise is broken or was not looked at, or what is wanted besides.
func TestErr(t *testing.T) {
	var none *explore.Report
	assert.EqualError(t, none.Err(), "explore: there is no report: the check returned an error")
	assert.EqualError(t, new(explore.Report).Err(), "explore: not checked: mutual exclusion, deadlock-free and race-free")
	const again = "\nrepeat it: doorway check example.org/doorway/explore.<constructor> -n 2"
	wrong := func(mutex.Mutex, []string) error { return errors.New("never") }
	for _, c := range []struct {
		explore.Config
		also explore.Properties
		want string // a regular expression; "": no error
	}{
		{explore.Config{New: making(testAndSet, reset)}, explore.Properties{}, ""},
		{explore.Config{New: making(testAndSet, reset)}, explore.Properties{StarvationFree: true}, "^explore: starvation-free fails, in .*\nprocess 0 starves\n(?s:.*)" + again + "$"},
		{explore.Config{New: making(flags, lower), Cap: 4}, explore.Properties{FIFO: true}, "^explore: deadlock-free fails, in .*\ndeadlock: (?s:.*)" + again + " -numbers 4$"},
		{explore.Config{New: making(petersons, lower), Invariant: wrong}, explore.Properties{}, "^explore: invariant fails, in 0 steps\nthe invariant fails: never\n(?s:.*)\nregisters .*$"},
		{explore.Config{New: making(petersons, lower), Only: explore.Properties{FIFO: true}}, explore.Properties{FIFO: true}, "^explore: not checked: deadlock-free and race-free" + again + "$"},
		{explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, GiveUp: true}, explore.Properties{FIFO: true}, ""},
		{explore.Config{New: func(int) mutex.Mutex { return peterson.New() }, Mixed: true}, explore.Properties{SafeRegisters: true}, "^explore: not checked: tolerates safe registers" + again + " -give-up -mixed$"},
	} {
		c.Processes = 2
		if err := check(t, c.Config).Err(c.also); c.want != "" || err != nil {
			assert.Regexp(t, "(?:"+c.want+")", fmt.Sprint(err))
		}
	}
}

func leaving(open, shut func(l *lock, v uint64)) protocol {
	return func(l *lock, p *register.Process) {
		if p.ID() != 1 { // wrong with a gate
			l.reg[0].Set(0)
			return
		}
		shut(l, 1)
		l.reg[0].Set(0)
		open(l, 0)
	}
}

// A store wakes one exclusive waiter, as at a gate: if that does not open the gate again, another sleeps on although the
// gate is open. If a store wakes all, the same lock is deadlock-free.
func TestGate(t *testing.T) {
	gate := leaving(func(l *lock, v uint64) { l.gate.Store(v) }, func(l *lock, v uint64) { l.gate.Set(v) })
	word := leaving(func(l *lock, v uint64) { l.reg[1].Store(v) }, func(l *lock, v uint64) { l.reg[1].Set(v) })
	atGate := func(l *lock, p *register.Process) bool { return l.gate.AwaitExclusive(p, zero) }
	atWord := func(l *lock, p *register.Process) bool { return l.reg[1].Await(p, zero) }
	for _, c := range []struct {
		name  string
		await func(*lock, *register.Process) bool
		exit  protocol
		n     int
		want  string
	}{
		{"gate", atGate, gate, 2, explore.Holds},
		{"gate", atGate, gate, 3, explore.Fails},
		{"word", atWord, word, 3, explore.Holds},
	} {
		r := check(t, explore.Config{New: making(retrying(c.await), c.exit), Processes: c.n, Only: explore.Properties{DeadlockFree: true}})
		if r.MutualExclusion.Status != explore.Holds || r.DeadlockFree.Status != c.want {
			t.Errorf("%s, %d processes: %s", c.name, c.n, verdicts(r))
		}
	}
}

// The broken variants are refuted with the number of processes that they declare. They are right with
// fewer, or without aborts if it is an abort that goes wrong. The schedule of the counterexample, run
// by itself, ends in the same violation with the same trace; and where two are inside, there is a race.
func TestBroken(t *testing.T) {
	for _, a := range catalog.Broken {
		t.Run(a.Name, func(t *testing.T) {
			aborts, blocks, fewest := a.Broken.Refuted == variant.GivingUp, a.Broken.Refuted == variant.Progress, a.Broken.Fewest
			c := explore.Config{New: of(a), Processes: fewest, GiveUp: aborts}
			c.Only = explore.Properties{MutualExclusion: true, DeadlockFree: aborts || blocks}
			right := c
			right.GiveUp = false
			if !aborts {
				right.Processes--
			}
			switch {
			case a.Value == nil:
			case aborts:
				c.Cap = uint64(fewest)<<1 | 1
				right.Cap = c.Cap
			default: // what does not fail does not with larger numbers either
				c.Cap, right.Cap = 2, tier.Pick[uint64](2, 4)
			}
			if right.Processes > 1 {
				r := check(t, right)
				assert.Empty(t, failures(r))
				assert.False(t, aborts && r.Cut > 0, "without aborts, numbers exceed n")
			}

			verdict := func(r *explore.Report) explore.Verdict { return r.MutualExclusion }
			switch a.Name {
			case "bakery-blackwhite/withdraw":
				assert.NotZero(t, check(t, c).Cut, "numbers do not exceed n")
				return
			case "lamportfast/just-leave", "mcs/late-head", "mcs/just-leave":
				verdict = func(r *explore.Report) explore.Verdict { return r.DeadlockFree }
			}
			found := verdict(check(t, c))
			require.Equal(t, explore.Fails, found.Status)
			w := walk(t, c, found.Trace.Schedule)
			assert.Equal(t, found.Trace, w.Trace())
			require.NoError(t, w.Undo(1))
			assert.NoError(t, w.Err(), "one step before")
			if !aborts && !blocks {
				c.Only = explore.Properties{RaceFree: true}
				r := check(t, c)
				assert.Equal(t, explore.Fails, r.RaceFree.Status, "two are inside, and no race is found")
				assert.NotNil(t, r.RaceFree.Trace)
			}
		})
	}
}

// A lock that cannot be explored is rejected with one sentence.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		explore.Config
		want string
	}{
		{"set", explore.Config{New: making(flags, silent), Processes: 2}, "Set, which wakes no process"},
		{"values", explore.Config{New: making(growing, reset), Processes: 2}, "reg[1] can hold more than 64 values: its values grow: set Config.Cap"},
		{"panic", explore.Config{New: making(panicky, reset), Processes: 2, Cap: 5}, "panics at locks_explore_test.go:"},
		{"panic inside", explore.Config{New: making(testAndSet, broken), Processes: 2}, "panics at locks_explore_test.go:"},
		{"many", explore.Config{New: making(testAndSet, reset), Processes: 9}, "Config.Processes is 9, want 1 to 8"},
		{"none", explore.Config{New: making(testAndSet, reset)}, "Config.Processes is 0, want 1 to 8"},
		{"nil", explore.Config{Processes: 2}, "Config.New is nil"},
		{"workers", explore.Config{New: making(testAndSet, reset), Processes: 2, Workers: 3}, "Config.Workers is 3, want 0, 1 or 2"},
		{"other n", explore.Config{New: func(int) mutex.Mutex { return making(testAndSet, reset)(3) }, Processes: 2}, "the lock has 3 processes, want 2"},
		{"abortable", explore.Config{New: making(testAndSet, reset), Processes: 2, GiveUp: true}, "is not a mutex.Abortable"},
		{"memory", explore.Config{New: making(growing, reset), Processes: 6, Cap: 60, Memory: 1 << 20}, "states exceed the memory limit of 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := explore.Check(c.Config)
			require.Nil(t, r)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
			t.Log(err)
		})
	}
}

// A loop ends in the state where it begins.
func TestLoops(t *testing.T) {
	for _, c := range []explore.Config{
		{New: making(testAndSet, reset), Processes: 2},
		{New: making(polite, lower), Processes: 2},
		{New: func(n int) mutex.Mutex { return lamportfast.New(n) }, Processes: 2},
		{New: func(n int) mutex.Mutex { return lamportfast.New(n) }, Processes: 3},
		{New: func(n int) mutex.Mutex { return bakery.NewClassic(n) }, Processes: 2, Cap: 4, GiveUp: true},
	} {
		c.Only = explore.Properties{DeadlockFree: true, StarvationFree: true}
		loops := 0
		for _, trace := range failures(check(t, c)) {
			if trace.Loop < 0 {
				continue
			}
			loops++
			phases, holds := make([]string, trace.Processes), trace.Initial
			var phasesBefore []string
			var holdsBefore []uint64
			for i := range phases {
				phases[i] = "remainder"
			}
			for k, s := range trace.Steps {
				if k == trace.Loop {
					phasesBefore, holdsBefore = slices.Clone(phases), holds
				}
				phases[s.Process], holds = s.Becomes, s.Holds
			}
			if !slices.Equal(phases, phasesBefore) || !slices.Equal(holds, holdsBefore) {
				t.Errorf("registers hold %d and then %d, the processes are in %v and then %v:\n%v", holdsBefore, holds, phasesBefore, phases, trace)
			}
		}
		assert.NotZero(t, loops, "there is no loop")
	}
}

// One worker and two find the same results, traces included, and take the same
// memory.
func TestWorkers(t *testing.T) {
	both := func(c explore.Config) (reports [2]*explore.Report, errs [2]error) {
		for k := range reports {
			c.Workers = k + 1
			reports[k], errs[k] = explore.Check(c)
		}
		return reports, errs
	}
	for _, name := range tier.Pick([]string{"lamportfast"}, []string{"lamportfast", "tournament", "bakery-blackwhite"}) {
		a, _ := catalog.Find(name)
		r, errs := both(explore.Config{New: of(a), Processes: 3, Cap: a.Cap(catalog.Size{Processes: 3, Numbers: 3})})
		require.NoError(t, errors.Join(errs[:]...), name)
		for k := range r {
			r[k].Bytes = 0 // two workers check two properties at a time
		}
		assert.Equal(t, r[0], r[1], name)
	}
	v := catalog.Broken[2]
	r, errs := both(explore.Config{New: of(v), Processes: 3, Only: explore.Properties{MutualExclusion: true}})
	require.NoError(t, errors.Join(errs[:]...))
	assert.Equal(t, r[0], r[1], v.Name)

	a, _ := catalog.Find("lamportfast")
	_, errs = both(explore.Config{New: of(a), Processes: 3, Memory: 300 << 10})
	require.ErrorContains(t, errs[0], "exceed the memory limit of 300 KiB")
	assert.Equal(t, errs[0], errs[1], "how many states there is memory for")
}

func TestUncontended(t *testing.T) {
	a, _ := catalog.Find("lamportfast")
	for _, n := range []int{2, 50} {
		got, err := registers.Uncontended(of(a), n)
		require.NoError(t, err, "%d processes", n)
		assert.Equal(t, registers.Accesses{Reads: 2, Writes: 5, Registers: n + 2, Written: n + 2, Held: n + 2}, got, "%d processes", n)
	}
	got, err := registers.Uncontended(making(turns, next), 2)
	require.NoError(t, err)
	assert.Equal(t, registers.Accesses{Reads: 1, Writes: 1, Registers: 1, Written: 1, Held: 28}, got, "it has more registers, without accesses")
	_, err = registers.Uncontended(making(func(l *lock, p *register.Process) { l.reg[0].Await(p, func(v uint64) bool { return v == 1 }) }, reset), 2)
	require.ErrorContains(t, err, "process 0, uncontended: it waits")
	_, err = registers.Uncontended(making(func(l *lock, _ *register.Process) {
		register.Repeat(func() register.Outcome { l.reg[0].Load(); return register.Again })
	}, reset), 1)
	assert.ErrorContains(t, err, "process 0, uncontended: it makes more than")
}
