package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/own"
	"example.org/doorway/internal/spelling"
)

// A checkup is a call of doorway check: its request, and what is done with the answer.
type checkup struct {
	*command
	own.Request
	traces, long       bool
	svg, test, doorway string
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
	c.json()
	c.file(&u.svg, "svg", "draw the counterexample to this `file`")
	c.file(&u.test, "test", "of a lock of your own: write the counterexample to this `file`, as a Go test")
	c.text(&u.doorway, "doorway", "of a lock as it is written: a `part` of the line that completes the doorway, such as tail.Swap( "+
		"(default: the first operation)")
	c.ofProtocol(&u.Workload)
	c.words = func() []string {
		return append(catalog.Names(subjects(right, wrong, leaving, passing, printed, system)), "all")
	}
	c.run = u.run
	return u
}

func (u *checkup) run(ctx context.Context, s streams, operands []string) error {
	name, err := u.operand(s, operands, "lock", "a lock, a protocol, or all; doorway list shows them")
	c, mine := ownLock(name)
	switch {
	case err != nil:
		return err
	case u.test != "" && !strings.HasSuffix(u.test, "_test.go"):
		return u.mistaken("-test %s: want a file whose name ends in _test.go", u.test)
	case name == "all":
		return u.runAll(ctx, s, subjects(right, wrong, leaving, passing, printed))
	case u.long:
		return u.mistaken("-long is for all, not for one lock or protocol")
	case mine:
		return u.runOwn(ctx, s, name, c)
	}
	of, isProtocol := algorithm(name)
	if !isProtocol {
		if of, err = u.choose(subjects(right, wrong, leaving), "lock or protocol", name); err != nil {
			return err
		}
	}
	if err := u.fits(of); err != nil {
		return err
	}
	if isProtocol {
		return u.runNodes(ctx, s, of)
	}
	return u.runLock(ctx, s, of)
}

// Flags of doorway check by what they are for.
var (
	ofOwn     = []string{"test"}
	ofWritten = []string{"doorway"}
	ofLocks   = []string{"numbers", "give-up", "mixed", "everything"} // of registers
	ofUsers   = []string{"rounds", "withdrawals"}                     // of a protocol that is a lock
	ofFaults  = []string{"unordered", "crashes", "restarts", "detected", "suspicions", "losses", "duplicates", "any-time", "early"}
)

// fits returns an error if a flag is not for what is checked.
func (u *checkup) fits(of subject) (err error) {
	switch of.kind {
	case system:
		err = u.only("a lock", fmt.Sprintf("and %s is none: its users %s, one each", of.Name, of.system.Trial.Text), ofLocks, ofUsers)
	case passing, printed:
		err = u.only("a lock", fmt.Sprintf("and %s is a protocol", of.Name), ofLocks)
	default:
		err = u.only("a protocol", fmt.Sprintf("and %s is a lock", of.Name), ofUsers, ofFaults)
	}
	notFor := "not for " + of.Name
	return cmp.Or(err, u.only("a lock of your own", notFor, ofOwn), u.only("a lock as it is written", notFor, ofWritten))
}

// only returns an error if one of the flags is given, which are for something else.
func (u *checkup) only(is, other string, flags ...[]string) error {
	if given := u.given(flags...); len(given) > 0 {
		return u.mistaken("-%s is for %s, %s", given[0], is, other)
	}
	return nil
}

// A finding is what a check found out.
type finding interface{ result(limit int) result }

// finish writes what was found out, or why nothing was.
func (u *checkup) finish(s streams, of subject, f finding, err error) error {
	var bad *explore.LockError
	switch {
	case errors.As(err, &bad) && bad.Trace != nil:
		out := newVerdict(of)
		out.Violated, out.Error, out.Trace = true, bad.What, bad.Trace
		s.report(out, func(int) string { return fmt.Sprintf("%s cannot be checked further:\n\n%v", of.Name, bad.Trace) })
		return errViolated
	case err != nil:
		return u.hint(err)
	}
	return u.conclude(s, f.result(s.width))
}

// hint adds to an error the flags that can help.
func (u *checkup) hint(err error) error {
	if errors.Is(err, explore.ErrMemory) && slices.Contains(u.Workload.Requests, explore.Unbounded) {
		return fmt.Errorf("%w; with unbounded rounds its states may grow forever: -rounds bounds them, and -memory allows more", err)
	}
	if errors.Is(err, explore.ErrMemory) {
		return fmt.Errorf("%w; -memory allows more", err)
	}
	said := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "explore: "), "anylock: ")
	if why, unending := strings.CutPrefix(said, "NodesConfig.Rounds is Unbounded"); unending {
		return errors.New("-rounds is unbounded" + why)
	}
	if flags := inFlags.Replace(said); flags != said {
		return u.mistaken("%s", flags)
	}
	return err
}

// inFlags says what is wrong with a config by its flags.
var inFlags = strings.NewReplacer(
	"Config.Cap = ", "-numbers ", "Config.Cap is too large", "-numbers is too large", "set Config.Cap", "bound them with -numbers",
	"Config.Doorway is", "-doorway is", "Config.Goroutines is", "-n is",
)

// reporting returns what reports how far an exploration of so many processes or nodes has come.
func reporting(say func(string), name, of string) func(doing string, states int, bytes int64) {
	return func(doing string, states int, bytes int64) {
		say(fmt.Sprintf("%s: %s, %d MiB: %s %s", name, of, bytes>>20, spelling.Thousands(states), doing))
	}
}
