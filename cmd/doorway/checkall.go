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

// A review is a doorway check of all locks and protocols, as far as it has come.
type review struct {
	*checkup
	streams
	progress *progress
	differ   []string // how verdicts differ from claims, in sentences
	spared   []string // broken locks in which nothing was found
	broken   []string // protocols that break their promise
	missed   []string // broken protocols in which nothing was found
}

func (u *checkup) runAll(ctx context.Context, s streams, all []subject) error {
	switch err := u.fitsAll(); {
	case err != nil:
		return err
	case !watches() || !catalog.Variants:
		return handOn(ctx, s, nil)
	}
	v := &review{checkup: u, streams: s, progress: newProgress(s.err)}
	of := func(kinds ...kind) []subject {
		return slices.DeleteFunc(slices.Clone(all), func(s subject) bool {
			large := s.protocol.New != nil && u.Processes != 0 && len(usually(s.Name).Requests) > u.Processes
			return large || !slices.Contains(kinds, s.kind)
		})
	}
	for _, st := range []stage{v.proofs(), v.refutations(), v.protocols(), v.refutedProtocols()} {
		if err := v.write(ctx, st, of(st.kinds...)); err != nil {
			return err
		}
	}
	if len(v.differ)+len(v.spared)+len(v.broken)+len(v.missed) > 0 {
		return errViolated
	}
	return nil
}

// fitsAll returns an error if the flags do not fit all locks.
func (u *checkup) fitsAll() (err error) {
	for _, f := range u.Flags {
		if name := f.Names()[0]; f.IsSet() && !slices.Contains([]string{"json", "long", "n"}, name) {
			err = u.mistaken("-%s is for one lock or protocol, not for all", name)
		}
	}
	if err == nil && u.Processes != 0 && u.Processes < quick {
		err = u.mistaken("-n %d: some of what is claimed takes %d processes to be seen", u.Processes, quick)
	}
	return err
}

// say writes a part of the report, unless it is for machines.
func (v *review) say(text string) {
	if !v.machines {
		v.out.print(text)
	}
}

// A stage is a table of a review. Its last row is not shown, and has the widest cells to come.
type stage struct {
	kinds []kind
	title string
	table
	check func(ctx context.Context, s subject) (row []string, machines any, err error)
	end   func() string // what is below
}

// write writes the rows of a stage, each as soon as check has computed it; for machines, what check
// returns beside it.
func (v *review) write(ctx context.Context, st stage, all []subject) error {
	text, heads := st.title, st.rows[:len(st.rows)-1]
	for _, s := range all {
		st.add(s.Name)
	}
	widths := st.widths()
	for _, head := range heads {
		text += st.line(head, widths)
	}
	v.say(text)
	for _, s := range all {
		row, machines, err := st.check(ctx, s)
		if err != nil || v.out.failure != nil {
			return cmp.Or(v.out.failure, err)
		}
		if v.machines {
			v.out.json(machines)
		}
		v.say(st.line(row, widths))
	}
	v.say(st.end())
	return v.out.failure
}

func (v *review) proofs() stage {
	sizes := &table{columns: []column{2: {right: true}}}
	sizes.add("lock", "processes", "states", "fast", "numbers")
	st := stage{kinds: []kind{right}, table: table{columns: make([]column, 8)}}
	for k := range st.columns {
		st.columns[k] = column{gap: 1, right: k == 6}
	}
	st.add("", "mutual", "deadlock-", "starvation-", "race-", "", "by-", "safe")
	st.add("lock", "exclusion", "free", "free", "free", "FIFO", "passes", "registers")
	st.add()
	st.check = func(ctx context.Context, lock subject) ([]string, any, error) {
		r, err := v.prove(ctx, lock)
		if err != nil {
			return nil, nil, err
		}
		v.differ = append(v.differ, r.Differences()...)
		fast := "no"
		if r.Fast() {
			fast = "yes"
		}
		sizes.add(lock.Name, r.Processes(), proof.Thousands(r.States()), fast, growth(r))
		row := []string{
			lock.Name, r.Says(proof.MutualExclusion), r.Says(proof.DeadlockFree), r.Says(proof.StarvationFree),
			r.Says(proof.RaceFree), r.Says(proof.FIFO), orAny(r.Bypasses()), r.Says(proof.SafeRegisters),
		}
		return row, proven(r), nil
	}
	st.end = func() string { return provenLegend + sizes.String() + exploredLegend + v.differences() }
	return st
}

func (v *review) differences() string {
	if len(v.differ) == 0 {
		return "\nEvery verdict is as claimed.\n"
	}
	return "\nVerdicts that are not as claimed:\n\n" + strings.Join(v.differ, "\n") + "\n"
}

func (v *review) prove(ctx context.Context, lock subject) (*proof.Result, error) {
	lock.lock.Checked = slices.DeleteFunc(slices.Clone(lock.lock.Checked), func(s catalog.Size) bool {
		return v.Processes != 0 && s.Processes > v.Processes || s.Long && !v.long
	})
	return watch(ctx, v.progress, func(say func(string)) (*proof.Result, error) {
		return proof.Of(lock.lock, proof.Options{Progress: func(s catalog.Size, doing string, states int, bytes int64) {
			reporting(say, lock.Name, number(s.Processes, "process", "processes"))(doing, states, bytes)
		}})
	})
}

// proven is what was computed for a lock, size by size.
func proven(r *proof.Result) verdict {
	var checks []*finding
	of := lock(r.Algorithm)
	for k, report := range r.Reports {
		checks = append(checks, newFinding(of, r.Sizes[k].Numbers, report, r.Alone[report.Processes], r.Took[k]))
	}
	all := newVerdict(of, checks...)
	all.Differences = r.Differences()
	return all
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

// growth returns how large numbers grow, and how far they were followed if they are
// unbounded.
func growth(r *proof.Result) string {
	if r.Numbers() != "unbounded" {
		return cmp.Or(strings.Trim(r.Numbers(), "–"), "-")
	}
	return "∞ ≤ " + strings.ReplaceAll(r.Followed(), " ", "")
}

// refutations checks the broken locks, which shows that the checker can refute.
func (v *review) refutations() stage {
	st := stage{
		kinds: []kind{wrong, leaving},
		title: "\nBroken on purpose, and how each fails in the fewest steps:\n\n",
		table: table{columns: []column{1: {right: true}, 4: {right: true}}},
	}
	st.add("lock", "n", "-give-up", "fails", "steps", "")
	st.add("", "", "", "mutual exclusion")
	st.check = func(ctx context.Context, lock subject) ([]string, any, error) {
		n := lock.processes()
		f, err := explored(ctx, v.progress, lock, n, lock.numbers(n), func(c *explore.Config) { c.GiveUp = lock.kind == leaving })
		if err != nil {
			return nil, nil, err
		}
		if len(broken(f.Properties)) == 0 {
			v.spared = append(v.spared, lock.Name)
		}
		return f.refutation(), newVerdict(lock, f), nil
	}
	st.end = func() string {
		if len(v.spared) > 0 {
			return fmt.Sprintf("\nNothing was found in %s: the checker is wrong.\n\n", spelling.Enumerate(v.spared))
		}
		return "\ndoorway check <lock>, with -give-up where the table has it, shows the run.\n\n"
	}
	return st
}

// refutation is a row: what fails first.
func (f *finding) refutation() []string {
	row := []string{f.lock.Name, fmt.Sprint(f.Processes), "", "nothing", "", ""}
	if broken := broken(f.Properties); len(broken) > 0 {
		row[3], row[4] = broken[0].words, "-"
		if t := broken[0].Trace; t != nil {
			row[4] = fmt.Sprint(steps(t))
		} else {
			row[5] = broken[0].Note
		}
	}
	if f.GiveUp {
		row[2] = "yes"
	}
	return row
}

func (v *review) protocols() stage {
	st := stage{
		kinds: []kind{passing},
		table: table{columns: []column{2: {right: true}, 3: {right: true}}},
		end:   func() string { return protocolsLegend },
	}
	st.add("protocol", "requests", "states", "bypasses", "promise")
	st.add("", "", "1,000,000", "", "broken")
	st.check = func(ctx context.Context, s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		row := []string{f.of.Name, f.rounds(), "-", "-", "kept"}
		if f.report != nil {
			row[2], row[3] = proof.Thousands(f.States), orAny(f.Bypasses)
			if slices.Max(f.Requests) == explore.Unbounded {
				row[1] = "any"
			}
		}
		if f.Violated {
			row[4] = "broken"
			v.broken = append(v.broken, f.of.Name)
		}
		return row, f, nil
	}
	return st
}

// protocol checks one in its usual size.
func (v *review) protocol(ctx context.Context, s subject) (*nodesFinding, error) {
	f, err := v.exploreProtocol(ctx, v.progress, s.Name, usually(s.Name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return f, nil
}

const protocolsLegend = `
requests: how many each node makes at most; bypasses: the most entries of one
other node while a node waits; promise: mutual exclusion, freedom from panics,
from deadlock and from starvation, that nodes come to rest, and the invariant if
there is one. Starvation is decided with any number of requests only.
`

// orAny is a number that may be unbounded, in a cell.
func orAny(k int) string {
	if k == explore.Unbounded {
		return "any"
	}
	return fmt.Sprint(k)
}

func (v *review) refutedProtocols() stage {
	st := stage{
		kinds: []kind{printed},
		title: "\nBroken, and how each fails in the fewest events:\n\n",
		table: table{columns: []column{4: {right: true}}},
	}
	st.add("protocol", "requests", "-withdrawals", "fails", "events")
	st.add("", "1,1,1,0", "", "mutual exclusion", "")
	st.check = func(ctx context.Context, s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		row := []string{f.of.Name, f.rounds(), "", "nothing", "-"}
		if f.Withdrawals > 0 {
			row[2] = fmt.Sprint(f.Withdrawals)
		}
		switch broken := broken(f.Properties); {
		case f.Broke != nil:
			row[3], row[4] = "contract", fmt.Sprint(f.Broke.Length)
		case len(broken) > 0:
			row[3], row[4] = broken[0].words, fmt.Sprint(broken[0].History.Length)
		default:
			v.missed = append(v.missed, f.of.Name)
		}
		return row, f, nil
	}
	st.end = func() string {
		text := "\nEvery protocol keeps its promise.\n"
		if len(v.broken) > 0 {
			text = fmt.Sprintf("\nPromises are broken by %s.\n", spelling.Enumerate(v.broken))
		}
		if len(v.missed) > 0 {
			return text + fmt.Sprintf("Nothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.missed))
		}
		return text + "doorway check <protocol> shows more, and the run in which one fails.\n"
	}
	return st
}
