package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/registers"
)

// A checkup is a call of doorway check.
type checkup struct {
	*command
	n, numbers, memory, workers *int
	giveUp, mixed               *bool
	everything, traces          *bool
	long, machines              *bool
	svg, test                   *string
	workload                    func() workload
}

func newCheck() *command { return newCheckup().command }

func newCheckup() *checkup {
	c := newCommand("check", "lock | protocol | package.constructor | all", "check a lock or a protocol in every interleaving")
	u := &checkup{
		command: c,
		n: c.whole("n", 0, 1, 8, "`number` of processes or nodes, 1 to 8; with all: the largest n "+
			"(default: as many as take seconds; of your own lock 2, protocol 3)"),
		numbers: c.whole("numbers", 0, 1, 63, "`bound` on the numbers of a lock that has numbers, 1 to 63 "+
			"(default: that of the catalog; of your own, none)"),
		giveUp:     c.is("give-up", "let processes abort at any await", "giveup"),
		mixed:      c.is("mixed", "let callers enter by Lock too, another way each time; implies -give-up"),
		everything: c.is("everything", "check data races and safe registers with more than 3 processes too"),
		traces:     c.is("trace", "show a run for every property that fails, promised or not"),
		svg:        new(string),
		test:       new(string),
		long:       c.is("long", "with all: include the sizes that take minutes"),
		memory:     c.whole("memory", 4096, 1, 1<<20, "`MiB` of memory for the states, 1 to 1048576 (default 4096)"),
		workers:    c.whole("workers", 0, 1, 2, "`number` of processors to use, 1 or 2 (default: 2 if available)"),
		machines:   c.json(),
	}
	c.Flags = append(c.Flags,
		&cli.StringFlag{Name: "svg", Usage: "draw the counterexample to this `file`", TakesFile: true, Destination: u.svg},
		&cli.StringFlag{Name: "test", Usage: "of a lock of your own: write the counterexample to this `file`, as a Go test", TakesFile: true, Destination: u.test},
	)
	u.workload = c.ofProtocol()
	c.words = func() []string {
		return append(names(subjects(right, wrong, leaving, passing, printed, system)), "all")
	}
	c.run = u.run
	return u
}

func (u *checkup) run(ctx context.Context, s streams, operands []string) error {
	if len(operands) == 0 {
		return u.mistaken("it takes a lock, a protocol, or all; doorway list shows them")
	}
	if len(operands) > 1 {
		return u.tooMany(s, operands)
	}
	name := operands[0]
	of, _ := find(subjects(right, wrong, leaving, system), name)
	_, isProtocol := catalog.FindProtocol(name)
	constructor, isOwn := ownLock(name)
	switch {
	case name == "all" && *u.test != "":
		return u.mistaken("-test is for a lock of your own, not for all")
	case name == "all":
		return u.runAll(ctx, s, subjects(right, wrong, leaving), subjects(passing, printed))
	case *u.long:
		return u.mistaken("-long is for all, not for one lock or protocol")
	case isProtocol:
		return u.runProtocol(ctx, s, name)
	case of.kind == system:
		return u.runSystem(ctx, s, of)
	case isOwn:
		return u.runOwn(ctx, s, constructor)
	case *u.test != "":
		return u.mistaken("-test is for a lock of your own, not for %s", name)
	}
	if given := u.given(ofProtocols); len(given) > 0 && of.name != "" {
		return u.mistaken("-%s is for a protocol, and %s is a lock", given[0], name)
	}
	lock, config, numbers, err := u.setUp(name)
	if err != nil {
		return err
	}
	switch {
	case !watches():
		return handOn(ctx, s, nil)
	case lock.lacking != nil:
		return lock.lacking
	}
	f, err := explored(ctx, newProgress(s.err), lock, config, numbers)
	var bad *explore.LockError
	switch {
	case errors.As(err, &bad) && bad.Trace != nil:
		return u.refuse(s, lock, bad)
	case err != nil:
		return u.hint(err)
	}
	return u.conclude(s, f.result(s.width))
}

// setUp returns the lock and how to check it, or an error if it cannot be.
func (u *checkup) setUp(name string) (subject, explore.Config, uint64, error) {
	fail := func(err error) (subject, explore.Config, uint64, error) { return subject{}, explore.Config{}, 0, err }
	lock, err := u.choose(subjects(right, wrong, leaving), "lock or protocol", name)
	if err != nil {
		return fail(err)
	}
	n := *u.n
	if n == 0 {
		n = lock.processes()
	}
	if !lock.serves(n) {
		return fail(u.mistaken("-n %d: %s is for %d processes", n, name, lock.max))
	}
	if lock.lock.Value == nil && *u.numbers > 0 {
		return fail(u.mistaken("-numbers %d: %s has none", *u.numbers, name))
	}
	numbers := uint64(*u.numbers)
	if numbers == 0 {
		numbers = lock.numbers(n)
	}
	return lock, u.config(lock, n, numbers), numbers, nil
}

func (u *checkup) config(lock subject, n int, numbers uint64) explore.Config {
	c := lock.config(n, numbers)
	c.GiveUp, c.Mixed, c.Workers, c.Memory = *u.giveUp, *u.mixed, *u.workers, int64(*u.memory)<<20
	c.Unexamined = true // the tests of the library examine its locks; this program may be far from their source
	if *u.everything {
		c.Only = explore.Properties{}
	}
	return c
}

// config returns how the catalog checks such a lock.
func (s subject) config(n int, numbers uint64) explore.Config {
	config := proof.Config(s.lock, catalog.Size{Processes: n, Numbers: numbers})
	config.New = s.new
	return config
}

// explored checks a lock.
func explored(ctx context.Context, p *progress, lock subject, config explore.Config, numbers uint64) (*finding, error) {
	start := time.Now()
	return watch(ctx, p, func(say func(string)) (*finding, error) {
		config.Progress = reporting(say, lock.name, number(config.Processes, "process", "processes"))
		report, err := explore.Check(config)
		if err != nil {
			return nil, err
		}
		alone, err := registers.Uncontended(lock.new, config.Processes)
		if err != nil {
			return nil, err
		}
		return newFinding(lock, numbers, report, alone, time.Since(start)), nil
	})
}

// reporting returns what reports how far an exploration of so many processes or nodes has come.
func reporting(say func(string), name, of string) func(doing string, states int, bytes int64) {
	return func(doing string, states int, bytes int64) {
		say(fmt.Sprintf("%s: %s, %d MiB: %s %s", name, of, bytes>>20, proof.Thousands(states), doing))
	}
}

// hint adds to an error the flags that can help.
func (u *checkup) hint(err error) error {
	if errors.Is(err, explore.ErrMemory) {
		return fmt.Errorf("%w; -memory allows more", err)
	}
	said := err.Error()
	for of, flag := range map[string]string{
		"Config.Cap = ": "-numbers ", "Config.Cap is too large": "-numbers is too large", "set Config.Cap": "bound them with -numbers",
	} {
		if strings.Contains(said, of) {
			return u.mistaken("%s", strings.Replace(strings.TrimPrefix(said, "explore: "), of, flag, 1))
		}
	}
	return err
}
