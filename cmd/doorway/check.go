package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		return slices.Concat(names(subjects(candidates())), catalog.Names(catalog.Protocols, catalog.Printed), catalog.Names(catalog.Systems), []string{"all"})
	}
	c.run = u.run
	return u
}

func (u *checkup) run(ctx context.Context, s streams, operands []string) error {
	all := candidates()
	switch {
	case len(operands) == 0:
		return u.mistaken("it takes a lock, a protocol, or all; doorway list shows them")
	case len(operands) > 1:
		return u.tooMany(s, operands)
	case operands[0] == "all" && *u.test != "":
		return u.mistaken("-test is for a lock of your own, not for all")
	case operands[0] == "all":
		return u.runAll(ctx, s, all, slices.Concat(catalog.Protocols, catalog.Printed))
	case *u.long:
		return u.mistaken("-long is for all, not for one lock or protocol")
	case isProtocol(operands[0]):
		return u.runProtocol(ctx, s, operands[0])
	}
	if system, is := catalog.FindSystem(operands[0]); is {
		return u.runSystem(ctx, s, system)
	}
	if c, is := ownLock(all, operands[0]); is {
		return u.runOwn(ctx, s, c)
	}
	if *u.test != "" {
		return u.mistaken("-test is for a lock of your own, not for %s", operands[0])
	}
	if given := u.given(ofProtocols); len(given) > 0 && slices.Contains(names(subjects(all)), operands[0]) {
		return u.mistaken("-%s is for a protocol, and %s is a lock", given[0], operands[0])
	}
	lock, config, numbers, err := u.setUp(all, operands[0])
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
	return u.conclude(s, f)
}

// setUp returns the lock and how to check it, or an error if it cannot be.
func (u *checkup) setUp(all []candidate, name string) (candidate, explore.Config, uint64, error) {
	fail := func(err error) (candidate, explore.Config, uint64, error) {
		return candidate{}, explore.Config{}, 0, err
	}
	at := slices.IndexFunc(all, func(c candidate) bool { return c.name == name })
	if at < 0 {
		return fail(u.unknown("lock or protocol", name, u.words(), lists(subjects(all))))
	}
	lock := all[at]
	n := *u.n
	if n == 0 {
		n = lock.processes()
	}
	if !lock.serves(n) {
		return fail(u.mistaken("-n %d: %s is for %d processes", n, name, lock.max))
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
	c.GiveUp, c.Mixed, c.Workers, c.Memory = *u.giveUp, *u.mixed, *u.workers, int64(*u.memory)<<20
	c.Unexamined = true // the tests of the library examine its locks; this program may be far from their source
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

// far describes how far an exploration has come.
func far(n int, doing string, states int, bytes int64) string {
	return fmt.Sprintf("%s, %d MiB: %s %s", number(n, "process", "processes"), bytes>>20, thousands(states), doing)
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
