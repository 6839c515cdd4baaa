package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/cmd/doorway/internal/own"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/registers"
)

// A checkup is a call of doorway check: its request, and what is done with the answer.
type checkup struct {
	*command
	own.Request
	traces, long, machines bool
	svg, test, doorway     string
}

func newCheckup() *checkup {
	c := newCommand("check", "lock | protocol | package.constructor | all", "check a lock or a protocol in every interleaving")
	u := &checkup{command: c, Request: own.Request{Memory: 4096}}
	c.whole(&u.Processes, "n", 1, 8, "`number` of processes or nodes, 1 to 8; with all: the largest n "+
		"(default: as many as take seconds; of your own lock 2, protocol 3)")
	c.whole(&u.Numbers, "numbers", 1, 63, "`bound` on the numbers of a lock that has numbers, 1 to 63 "+
		"(default: that of the catalog; of your own, none)")
	c.is(&u.GiveUp, "give-up", "let processes abort at any await", "giveup")
	c.is(&u.Mixed, "mixed", "let callers enter by Lock too, another way each time; implies -give-up")
	c.is(&u.Everything, "everything", "check data races and safe registers with more than 3 processes too")
	c.is(&u.traces, "trace", "show a run for every property that fails, promised or not")
	c.is(&u.long, "long", "with all: include the sizes that take minutes")
	c.whole(&u.Memory, "memory", 1, 1<<20, "`MiB` of memory for the states, 1 to 1048576 (default 4096)")
	c.whole(&u.Workers, "workers", 1, 2, "`number` of processors to use, 1 or 2 (default: 2 if available)")
	c.json(&u.machines)
	c.file(&u.svg, "svg", "draw the counterexample to this `file`")
	c.file(&u.test, "test", "of a lock of your own: write the counterexample to this `file`, as a Go test")
	c.add("doorway", "of a lock as it is written: a `part` of the line that completes the doorway, such as tail.Swap( (default: the first operation)",
		&limited[string]{&u.doorway, "", "\U0010ffff", func(s string) (string, error) { return s, nil }, ""})
	c.ofProtocol(&u.Workload)
	c.words = func() []string {
		return append(catalog.Names(subjects(right, wrong, leaving, passing, printed, system)), "all")
	}
	c.run = u.run
	return u
}

func (u *checkup) run(ctx context.Context, s streams, operands []string) error {
	name, err := u.operand(s, operands, "lock", "a lock, a protocol, or all; doorway list shows them")
	if err != nil {
		return err
	}
	of, _ := find(subjects(right, wrong, leaving, system), name)
	_, isProtocol := catalog.FindProtocol(name)
	constructor, mine := ownLock(name)
	switch {
	case u.test != "" && !strings.HasSuffix(u.test, "_test.go"):
		return u.mistaken("-test %s: want a file whose name ends in _test.go", u.test)
	case name == "all" && u.test != "":
		return u.mistaken("-test is for a lock of your own, not for all")
	case name == "all":
		return u.runAll(ctx, s, subjects(right, wrong, leaving, passing, printed))
	case u.long:
		return u.mistaken("-long is for all, not for one lock or protocol")
	case isProtocol:
		return u.runProtocol(ctx, s, name)
	case of.kind == system:
		return u.runSystem(ctx, s, of)
	case mine && constructor.written(ctx):
		return u.runWritten(ctx, s, name, constructor)
	case mine:
		return u.runOwn(ctx, s, constructor)
	case u.test != "":
		return u.mistaken("-test is for a lock of your own, not for %s", name)
	}
	if given := u.given(ofProtocols); len(given) > 0 && of.Name != "" {
		return u.mistaken("-%s is for a protocol, and %s is a lock", given[0], name)
	}
	lock, err := u.choose(subjects(right, wrong, leaving), "lock or protocol", name)
	if err != nil {
		return err
	}
	return u.runLock(ctx, s, lock)
}

func (u *checkup) runLock(ctx context.Context, s streams, lock subject) error {
	n, numbers := cmp.Or(u.Processes, lock.processes()), uint64(u.Numbers)
	switch {
	case !lock.serves(n):
		return u.mistaken("-n %d: %s is for %d processes", n, lock.Name, lock.max)
	case lock.lock.Value == nil && u.Numbers > 0:
		return u.mistaken("-numbers %d: %s has none", u.Numbers, lock.Name)
	case !watches():
		return handOn(ctx, s, nil)
	case lock.Lacking() != nil:
		return lock.Lacking()
	case numbers == 0:
		numbers = lock.numbers(n)
	}
	f, err := explored(ctx, newProgress(s.err), lock, n, numbers, func(c *explore.Config) {
		c.GiveUp, c.Mixed, c.Workers, c.Memory = u.GiveUp, u.Mixed, u.Workers, int64(u.Memory)<<20
		c.Unexamined = true // the tests of the library examine its locks; this program may be far from their source
		if u.Everything {
			c.Only = explore.Properties{}
		}
	})
	var bad *explore.LockError
	switch {
	case errors.As(err, &bad) && bad.Trace != nil:
		return u.refuse(s, lock, bad)
	case err != nil:
		return u.hint(err)
	}
	return u.conclude(s, f.result(s.width))
}

// explored checks a lock with up to so many numbers, as the catalog does but for what adapt changes.
func explored(
	ctx context.Context, far *progress, lock subject, n int, numbers uint64, adapt func(*explore.Config),
) (*finding, error) {
	config := proof.Config(lock.lock, catalog.Size{Processes: n, Numbers: numbers})
	config.New = lock.new
	adapt(&config)
	start := time.Now()
	return watch(ctx, far, func(say func(string)) (*finding, error) {
		config.Progress = reporting(say, lock.Name, number(config.Processes, "process", "processes"))
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
	if errors.Is(err, explore.ErrMemory) && slices.Contains(u.Workload.Requests, explore.Unbounded) {
		return fmt.Errorf("%w; with unbounded rounds its states may grow forever: -rounds bounds them, and -memory allows more", err)
	}
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
