package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/spelling"
)

const checkText = `
The code of the lock itself is run, by so many processes, in every order that
their accesses to registers can have. What is said to hold does so in every run
of any length; of what fails there is a run that shows it. A lock whose numbers
grow without bound is followed up to a number, and verdicts hold up to there.
Promised are mutual exclusion, freedom from deadlock and from data races, and
what "doorway list" says. If a promise is broken, the exit status is 1.

The lock is one for shared memory that "doorway list" lists, broken ones included.
"all" checks all of them, with as many processes as take seconds each, or with
-long minutes, and compares that with what they claim; then it refutes the broken
ones. It takes a minute, or with -long a few, and with -n 3 some seconds.

With -give-up any caller may give up at any await, as with TryLock and
LockContext; other processes then give up only so often before one is said to
starve, and whether it does if they never cease is said beside.

Registers are watched only in a build with the tag doorway_explore. Any other build has
the go command make it, from the source, and remove it afterwards.

-json writes an object; of "all" one after the other, as each is done. It has
lock, source, why (how it fails, if it is broken on purpose), violated (it broke
a promise), error and trace (of a run that ends the check without a verdict),
differences (from the claims; of "all" only) and checks. A check has processes,
numbers (how far they were followed; 0: there are none), give_up, states,
transitions, depth (steps to the farthest state), cut (stores of larger
numbers), bypasses (the most; -1: any number), writes_alone, reads_alone,
registers (name, largest, writers), bytes, elapsed_ns, vetted (the source was
examined for what registers do not show) and properties: mutual_exclusion, deadlock_free,
starvation_free, starvation_free_despite_aborts (with -give-up), fifo,
bypasses, race_free, safe_registers and numbers. One has name, promised, status (unknown,
holds, fails), note and trace: title, processes, registers, initial, steps, loop
(the first step of what can repeat for ever; -1: none) and ends. A step has
process, place, do, register, value, done, becomes, holds and atomic; a place
has phase, file, line, source and next.
`

// A checkup is a call of doorway check.
type checkup struct {
	*command
	n, numbers, memory, workers *int
	giveUp, everything, traces  *bool
	long, machines              *bool
	svg                         *string
}

func newCheck() *command { return newCheckup().command }

func newCheckup() *checkup {
	c := newCommand("check", "lock | all", "check a lock in every interleaving of its processes", checkText)
	u := &checkup{
		command:    c,
		n:          wholeFlag(c.flags, "n", 0, 1, 8, "number of `processes`; of all: at most so many (default as many as take seconds)"),
		numbers:    wholeFlag(c.flags, "numbers", 0, 1, 63, "largest `number` to follow, of a lock that has numbers (default that of the catalog)"),
		memory:     wholeFlag(c.flags, "memory", 4096, 1, 1<<20, "`MiB` that the states may take"),
		workers:    wholeFlag(c.flags, "workers", 0, 1, 2, "`processors` to use (default 2, if there are)"),
		giveUp:     c.flags.Bool("give-up", false, "let callers give up"),
		everything: c.flags.Bool("everything", false, "check data races and safe registers with more than 3 processes too"),
		traces:     c.flags.Bool("trace", false, "show a run for all that fails, not only for a broken promise"),
		long:       c.flags.Bool("long", false, "of all: leave out no size that takes minutes"),
		machines:   c.flags.Bool("json", false, "write JSON"),
		svg:        c.flags.String("svg", "", "draw the first run that is shown to this `file`"),
	}
	c.alias("giveup", "give-up")
	c.run = u.run
	return u
}

func (u *checkup) run(ctx context.Context, s streams, operands []string) error {
	all := candidates()
	switch {
	case len(operands) == 0:
		return u.mistaken("it takes a lock, or all: the locks are %s", spelling.Enumerate(names(subjects(all))))
	case len(operands) > 1:
		return u.mistaken("it takes one lock, not %d", len(operands))
	case operands[0] == "all":
		return u.runAll(ctx, s, all)
	case *u.long:
		return u.mistaken("-long is for all, not for one lock")
	}
	lock, config, numbers, err := u.setUp(all, operands[0])
	if err != nil {
		return err
	}
	if !watches() {
		return handOn(ctx, s, u.args)
	}
	ctx, stop := attached(ctx)
	defer stop()
	f, err := explored(ctx, newProgress(s.err), lock, config, numbers)
	var bad *explore.LockError
	switch {
	case errors.As(err, &bad) && bad.Trace != nil:
		return u.refuse(s, lock, bad)
	case err != nil:
		return u.hint(err)
	}
	return u.conclude(s, f)
}

// setUp returns the lock, and how to check it, or what cannot be.
func (u *checkup) setUp(all []candidate, name string) (candidate, explore.Config, uint64, error) {
	fail := func(err error) (candidate, explore.Config, uint64, error) {
		return candidate{}, explore.Config{}, 0, err
	}
	if _, err := u.choose(subjects(all), name); err != nil {
		return fail(err)
	}
	lock := all[slices.IndexFunc(all, func(c candidate) bool { return c.name == name })]
	n := *u.n
	if n == 0 {
		n = lock.processes()
	}
	m := lock.new(lock.subject.processes(n))
	if m.Processes() != n {
		return fail(u.mistaken("-n %d: %s is for %d processes", n, name, m.Processes()))
	}
	if lock.of.Value == nil && *u.numbers > 0 {
		return fail(u.mistaken("-numbers %d: %s has none", *u.numbers, name))
	}
	numbers := uint64(*u.numbers)
	if numbers == 0 {
		numbers = lock.numbers(n)
	}
	return lock, u.config(lock, n, numbers), numbers, nil
}

func (u *checkup) config(lock candidate, n int, numbers uint64) explore.Config {
	c := lock.config(n, numbers)
	c.GiveUp, c.Workers, c.Memory = *u.giveUp, *u.workers, int64(*u.memory)<<20
	if *u.everything {
		c.Only = explore.Properties{}
	}
	return c
}

// config returns how the catalog checks such a lock.
func (c candidate) config(n int, numbers uint64) explore.Config {
	config := proof.Config(c.of, catalog.Size{Processes: n, Numbers: numbers})
	config.New = c.new
	return config
}

// explored checks a lock.
func explored(ctx context.Context, p *progress, lock candidate, config explore.Config, numbers uint64) (*finding, error) {
	start := time.Now()
	return watch(ctx, p, func(say func(string)) (*finding, error) {
		config.Progress = func(doing string, states int, bytes int64) {
			say(lock.name + ": " + far(config.Processes, doing, states, bytes))
		}
		report, err := explore.Check(config)
		if err != nil {
			return nil, err
		}
		alone, err := registers.Uncontended(lock.new, config.Processes)
		if err != nil {
			return nil, err
		}
		return &finding{lock, numbers, report, alone, time.Since(start)}, nil
	})
}

// far says how far an exploration has come.
func far(n int, doing string, states int, bytes int64) string {
	return fmt.Sprintf("%s, %d MiB: %s %s", number(n, "process", "processes"), bytes>>20, thousands(states), doing)
}

// hint says in an error which flags can help.
func (u *checkup) hint(err error) error {
	if errors.Is(err, explore.ErrMemory) {
		return fmt.Errorf("%w; -memory allows more", err)
	}
	if said := err.Error(); strings.Contains(said, "Config.Cap is too large") {
		return u.mistaken("%s", strings.Replace(strings.TrimPrefix(said, "explore: "), "Config.Cap is", "-numbers is", 1))
	}
	return err
}
