package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
)

// A review is a doorway check of all locks and protocols.
type review struct {
	*checkup
	streams
	progress *progress
	violated bool     // something is not as claimed
	broken   []string // protocols that break their promise
	spared   []string // broken ones of a part in which nothing fails
}

// A part of a review is a table with a row for each of some locks or protocols, and what is said below it.
type part struct {
	title string
	of    []kind
	table *table // its heads, and a row that is not shown, with the widest cells to come
	row   func(context.Context, subject) (cells []string, found any, err error)
	below func() string
}

func (u *checkup) runAll(ctx context.Context, s streams, all []subject) error {
	switch err := u.fitsAll(); {
	case err != nil:
		return err
	case !watches() || !catalog.Variants:
		return handOn(ctx, s, nil, true)
	}
	v := &review{checkup: u, streams: s, progress: newProgress(s.err)}
	for _, p := range []part{v.locks(), v.brokenLocks(), v.protocols(), v.brokenProtocols()} {
		if err := v.show(ctx, p, all); err != nil {
			return u.hint(err)
		}
	}
	if v.violated {
		return errViolated
	}
	return nil
}

// fitsAll returns an error if the flags do not fit all locks.
func (u *checkup) fitsAll() (err error) {
	for _, f := range u.Flags {
		if name := f.Names()[0]; f.IsSet() && !slices.Contains([]string{"json", "long", "memory", "n", "workers"}, name) {
			err = u.mistaken("-%s is for one lock or protocol, not for all", name)
		}
	}
	if err == nil && u.Processes != 0 && u.Processes < quick {
		err = u.mistaken("-n %d: some of what is claimed takes %d processes to be seen", u.Processes, quick)
	}
	return err
}

// show writes a part, each row as soon as it is computed; for machines, what was found. Other columns
// than the first are as wide as the cells that the table has.
func (v *review) show(ctx context.Context, p part, all []subject) error {
	all = slices.DeleteFunc(slices.Clone(all), func(s subject) bool {
		large := s.protocol.New != nil && v.Processes != 0 && len(usually(s.Name).Requests) > v.Processes
		return large || !slices.Contains(p.of, s.kind)
	})
	heads := p.table.rows[:len(p.table.rows)-1]
	for _, s := range all {
		p.table.add(s.Name)
	}
	widths := p.table.widths()
	v.say(p.title)
	for _, head := range heads {
		v.say(p.table.line(head, widths))
	}
	for _, s := range all {
		cells, found, err := p.row(ctx, s)
		if err != nil {
			return err
		}
		if v.json {
			v.out.json(found)
		}
		v.say(p.table.line(cells, widths))
		if v.out.failure != nil {
			return v.out.failure
		}
	}
	v.say(p.below())
	return nil
}

// locks compares the properties of locks with the claims.
func (v *review) locks() part {
	var differ []string
	sizes := &table{columns: []column{2: {right: true}}}
	sizes.add("lock", "processes", "states", "fast", "numbers")
	t := &table{columns: make([]column, 8)}
	for k := range t.columns {
		t.columns[k] = column{gap: 1, right: k == 6}
	}
	t.add("", "mutual", "deadlock-", "starvation-", "race-", "", "by-", "safe")
	t.add("lock", "exclusion", "free", "free", "free", "FIFO", "passes", "registers")
	t.add()
	row := func(ctx context.Context, lock subject) ([]string, any, error) {
		r, err := v.prove(ctx, lock)
		if err != nil {
			return nil, nil, err
		}
		differ = append(differ, r.Differences()...)
		v.violated = len(differ) > 0
		fast := "no"
		if r.Fast() {
			fast = "yes"
		}
		sizes.add(lock.Name, r.Processes(), spelling.Thousands(r.States()), fast, growth(r))
		return []string{
			lock.Name, r.Says(proof.MutualExclusion), r.Says(proof.DeadlockFree), r.Says(proof.StarvationFree),
			r.Says(proof.RaceFree), r.Says(proof.FIFO), orAny(r.Bypasses()), r.Says(proof.SafeRegisters),
		}, proven(r), nil
	}
	return part{"", []kind{right}, t, row, func() string {
		return provenLegend + sizes.String() + exploredLegend + differences(differ)
	}}
}

const provenLegend = `
FIFO: from the end of the doorway on; bypasses: the most entries of another past
a waiter after that; safe registers: those with one writer need only be safe.

`

const exploredLegend = `
states: with the most processes; fast: a constant number of accesses when
uncontended; numbers: how large they grow, and how far they were followed for
each number of processes.
`

func differences(all []string) string {
	if len(all) == 0 {
		return "\nEvery verdict is as claimed.\n"
	}
	return "\nVerdicts that are not as claimed:\n\n" + strings.Join(all, "\n") + "\n"
}

func (v *review) prove(ctx context.Context, lock subject) (*proof.Result, error) {
	lock.lock.Checked = slices.DeleteFunc(slices.Clone(lock.lock.Checked), func(s catalog.Size) bool {
		return v.Processes != 0 && s.Processes > v.Processes || s.Long && !v.long
	})
	return watch(ctx, v.progress, func(say func(string)) (*proof.Result, error) {
		return proof.Of(lock.lock, func(s catalog.Size, c *explore.Config) {
			v.limit(c)
			c.Progress = reporting(say, lock.Name, number(s.Processes, "process", "processes"))
		})
	})
}

// proven is what was computed for a lock, size by size.
func proven(r *proof.Result) verdict {
	var checks []*lockFinding
	of := lock(r.Algorithm)
	for k, report := range r.Reports {
		checks = append(checks, newLockFinding(of, r.Sizes[k].Numbers, report, r.Alone[report.Processes], r.Took[k]))
	}
	all := newVerdict(of, checks...)
	all.Differences = r.Differences()
	return all
}

// growth returns how large numbers grow, and how far they were followed if they are
// unbounded.
func growth(r *proof.Result) string {
	if r.Numbers() != "unbounded" {
		return cmp.Or(strings.Trim(r.Numbers(), "–"), "-")
	}
	return "∞ ≤ " + strings.ReplaceAll(r.Followed(), " ", "")
}

// orAny is a number that may be unbounded, in a cell.
func orAny(k int) string {
	if k == explore.Unbounded {
		return "any"
	}
	return fmt.Sprint(k)
}

// brokenLocks refutes those, which shows that the checker can refute.
func (v *review) brokenLocks() part {
	const title = "\nBroken on purpose, and how each fails in the fewest steps:\n\n"
	t := &table{columns: []column{1: {right: true}, 4: {right: true}}}
	t.add("lock", "n", "-give-up", "fails", "steps", "")
	t.add("", "", "", "mutual exclusion")
	return part{title, []kind{wrong, leaving}, t, func(ctx context.Context, lock subject) ([]string, any, error) {
		n := lock.processes()
		f, err := explored(ctx, v.progress, lock, n, lock.numbers(n), func(c *explore.Config) {
			c.GiveUp = lock.kind == leaving
			v.limit(c)
		})
		if err != nil {
			return nil, nil, err
		}
		flag, fails, note := "", f.refutation(), ""
		if f.GiveUp {
			flag = "yes"
		}
		if fails.Status != explore.Fails {
			v.spared = append(v.spared, lock.Name)
		} else if fails.Trace == nil {
			note = fails.Note
		}
		return []string{lock.Name, fmt.Sprint(n), flag, fails.words, fails.length(), note}, newVerdict(lock, f), nil
	}, func() string {
		return "\n" + cmp.Or(v.unrefuted(), "doorway check <lock>, with -give-up where the table has it, shows the run.\n") + "\n"
	}}
}

// unrefuted says which broken ones of a part were not refuted; "": all were.
func (v *review) unrefuted() string {
	if len(v.spared) == 0 {
		return ""
	}
	text := fmt.Sprintf("Nothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.spared))
	v.violated, v.spared = true, nil
	return text
}

// refutation returns the first promise that fails.
func (x *extent) refutation() property {
	if broken := broken(x.Properties); len(broken) > 0 {
		return broken[0]
	}
	return property{words: "nothing"}
}

// length is how many steps, or events, the run has in which a property fails.
func (p property) length() string {
	switch {
	case p.History != nil:
		return fmt.Sprint(p.History.Length)
	case p.Trace == nil:
		return "-"
	}
	n := 0
	for _, s := range p.Trace.Steps {
		if !s.Atomic {
			n++
		}
	}
	return fmt.Sprint(n)
}

// protocols checks those of the catalog in their usual sizes.
func (v *review) protocols() part {
	t := &table{columns: []column{2: {right: true}, 3: {right: true}}}
	t.add("protocol", "requests", "states", "bypasses", "promise")
	t.add("", "", "1,000,000", "", "broken")
	return part{"", []kind{passing}, t, func(ctx context.Context, s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		row := []string{s.Name, f.Requests.String(), "-", "-", "kept"}
		if f.report != nil {
			row[2], row[3] = spelling.Thousands(f.States), orAny(f.Bypasses)
			if slices.Max(f.Requests) == explore.Unbounded {
				row[1] = "any"
			}
		}
		if f.Violated {
			row[4] = "broken"
			v.broken = append(v.broken, s.Name)
		}
		return row, f, nil
	}, func() string { return protocolsLegend }}
}

const protocolsLegend = `
requests: how many each node makes at most; bypasses: the most entries of one
other node while a node waits; promise: mutual exclusion, tokens that rise,
freedom from panics, deadlock and starvation, that nodes come to rest, and the
invariant if there is one. Starvation is decided with any number of requests
only.
`

// brokenProtocols refutes those.
func (v *review) brokenProtocols() part {
	const title = "\nBroken, and how each fails in the fewest events:\n\n"
	t := &table{columns: []column{4: {right: true}}}
	t.add("protocol", "requests", "-withdrawals", "fails", "events")
	t.add("", "1,1,1,0", "", "mutual exclusion", "")
	return part{title, []kind{printed}, t, func(ctx context.Context, s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		fails, withdrawals := f.refutation(), ""
		if f.Withdrawals > 0 {
			withdrawals = fmt.Sprint(f.Withdrawals)
		}
		if f.Broke != nil {
			fails = property{words: "contract", History: f.Broke}
		}
		if !f.Violated {
			v.spared = append(v.spared, s.Name)
		}
		return []string{s.Name, f.Requests.String(), withdrawals, fails.words, fails.length()}, f, nil
	}, v.promises}
}

// promises says which protocols break theirs, and which broken ones do not.
func (v *review) promises() string {
	text := "\nEvery protocol keeps its promise.\n"
	if len(v.broken) > 0 {
		v.violated = true
		text = fmt.Sprintf("\nPromises are broken by %s.\n", spelling.Enumerate(v.broken))
	}
	return text + cmp.Or(v.unrefuted(), "doorway check <protocol> shows more, and the run in which one fails.\n")
}

// protocol checks one in its usual size.
func (v *review) protocol(ctx context.Context, s subject) (*nodesFinding, error) {
	f, err := v.checkProtocol(ctx, v.progress, s, usually(s.Name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return f, nil
}
