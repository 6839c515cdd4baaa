package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

	broken []string // protocols that break their promise
	missed []string // broken protocols in which nothing was found
}

func (u *checkup) runAll(ctx context.Context, s streams, locks, protocols []subject) error {
	switch err := u.fitsAll(); {
	case err != nil:
		return err
	case !watches() || !catalog.Variants:
		return handOn(ctx, s, nil)
	}
	v := &review{checkup: u, streams: s, progress: newProgress(s.err)}
	protocols = slices.DeleteFunc(protocols, func(p subject) bool { return *u.n != 0 && len(usually(p.name).Requests) > *u.n }) // it takes more nodes
	of := func(all []subject, kinds ...kind) []subject {
		return slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return !slices.Contains(kinds, s.kind) })
	}
	for _, part := range []func() error{
		func() error { return v.proveAll(ctx, of(locks, right)) },
		func() error { return v.refuteAll(ctx, of(locks, wrong, leaving)) },
		func() error { return v.checkProtocols(ctx, of(protocols, passing)) },
		func() error { return v.refuteProtocols(ctx, of(protocols, printed)) },
	} {
		if err := part(); err != nil {
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
	if err == nil && *u.n != 0 && *u.n < quick {
		err = u.mistaken("-n %d: some of what is claimed takes %d processes to be seen", *u.n, quick)
	}
	return err
}

// say writes a part of the report, unless it is for machines.
func (v *review) say(text string) error {
	if *v.machines {
		return nil
	}
	_, err := io.WriteString(v.out, text)
	return err
}

// A stage is a table of a review, with the rows of its head, and with one that is not shown and has
// the widest cells to come.
type stage struct {
	title   string
	columns []column
	heads   [][]string
	widest  []string
}

// each writes the rows of a stage, each as soon as check has computed it; for machines, what check returns
// beside it.
func (v *review) each(st stage, all []subject, check func(subject) (row []string, machines any, err error)) error {
	t := table{columns: st.columns, rows: append(slices.Clone(st.heads), st.widest)}
	for _, s := range all {
		t.add(s.name)
	}
	widths, text := t.widths(), st.title
	for _, head := range st.heads {
		text += t.line(head, widths)
	}
	if err := v.say(text); err != nil {
		return err
	}
	for _, s := range all {
		row, machines, err := check(s)
		if err == nil && *v.machines {
			err = writeJSON(v.out, machines)
		}
		if err == nil {
			err = v.say(t.line(row, widths))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// proveAll checks the locks of the catalog.
func (v *review) proveAll(ctx context.Context, locks []subject) error {
	sizes := &table{columns: []column{{}, {}, {right: true}, {}, {}}}
	sizes.add("lock", "processes", "states", "fast", "numbers")
	proven := stage{
		columns: []column{{}, {gap: 1}, {gap: 1}, {gap: 1}, {gap: 1}, {gap: 1}, {gap: 1, right: true}, {gap: 1}},
		heads: [][]string{
			{"", "mutual", "deadlock-", "starvation-", "race-", "", "by-", "safe"},
			{"lock", "exclusion", "free", "free", "free", "FIFO", "passes", "registers"},
		},
	}
	err := v.each(proven, locks, func(lock subject) ([]string, any, error) {
		p, err := v.prove(ctx, lock)
		if err != nil {
			return nil, nil, err
		}
		v.differ = append(v.differ, p.Differences()...)
		sizes.add(p.extent()...)
		return p.row(), p.verdict(), nil
	})
	if err != nil {
		return err
	}
	var b strings.Builder
	sizes.write(&b)
	return v.say(provenLegend + b.String() + exploredLegend + v.differences())
}

func (v *review) differences() string {
	if len(v.differ) == 0 {
		return "\nEvery verdict is as claimed.\n"
	}
	return "\nVerdicts that are not as claimed:\n\n" + strings.Join(v.differ, "\n") + "\n"
}

// A theorem is what was computed for a lock, size by size.
type theorem struct {
	*proof.Result
	lock     subject
	findings []*finding
}

func (v *review) prove(ctx context.Context, lock subject) (*theorem, error) {
	type check struct {
		catalog.Size
		report  *explore.Report
		elapsed time.Duration
	}
	lock.lock.Checked = v.sizes(lock.lock.Checked)
	return watch(ctx, v.progress, func(say func(string)) (*theorem, error) {
		var checks []check
		start := time.Now()
		r, err := proof.Of(lock.lock, proof.Options{
			Progress: func(s catalog.Size, doing string, states int, bytes int64) {
				reporting(say, lock.name, number(s.Processes, "process", "processes"))(doing, states, bytes)
			},
			Done: func(s catalog.Size, report *explore.Report) {
				checks = append(checks, check{s, report, time.Since(start)})
				start = time.Now()
			},
		})
		if err != nil {
			return nil, err
		}
		p := &theorem{Result: r, lock: lock}
		for _, c := range checks {
			p.findings = append(p.findings, newFinding(lock, c.Numbers, c.report, r.Alone[c.Processes], c.elapsed))
		}
		return p, nil
	})
}

// sizes returns those sizes that are to be checked.
func (v *review) sizes(all []catalog.Size) (some []catalog.Size) {
	for _, s := range all {
		if (*v.n == 0 || s.Processes <= *v.n) && (*v.long || !s.Long) {
			some = append(some, s)
		}
	}
	return some
}

func (p *theorem) verdict() verdict {
	all := newVerdict(p.lock, p.findings...)
	all.Differences = p.Differences()
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

func (p *theorem) row() []string {
	bypasses := "any"
	if n := p.Bypasses(); n >= 0 {
		bypasses = fmt.Sprint(n)
	}
	row := []string{p.Algorithm.Name}
	for _, of := range []proof.Property{proof.MutualExclusion, proof.DeadlockFree, proof.StarvationFree, proof.RaceFree, proof.FIFO} {
		row = append(row, yes(p.Status(of)))
	}
	return append(row, bypasses, yes(p.Status(proof.SafeRegisters)))
}

// extent is a row of the table of how far locks were explored.
func (p *theorem) extent() []string {
	fast := explore.Fails
	if p.Fast() {
		fast = explore.Holds
	}
	return []string{p.Algorithm.Name, p.span(), proof.Thousands(p.States()), yes(fast), p.grows()}
}

func yes(status string) string {
	return map[string]string{explore.Unknown: "?", explore.Holds: "yes", explore.Fails: "no"}[status]
}

// grows returns how large numbers grow, and how far they were followed if they are
// unbounded.
func (p *theorem) grows() string {
	if p.Numbers() != "unbounded" {
		return cmp.Or(strings.Trim(p.Numbers(), "–"), "-")
	}
	var to []string
	for _, f := range p.findings {
		to = append(to, fmt.Sprint(f.Numbers))
	}
	return "∞ ≤ " + strings.Join(to, ",")
}

// span is the numbers of processes that were checked.
func (p *theorem) span() string {
	first, last := p.Sizes[0].Processes, p.Sizes[len(p.Sizes)-1].Processes
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// refuteAll checks the broken locks, which shows that the checker can refute.
func (v *review) refuteAll(ctx context.Context, locks []subject) error {
	refuted := stage{
		title:   "\nBroken on purpose, and how each fails in the fewest steps:\n\n",
		columns: []column{{}, {right: true}, {}, {}, {right: true}, {}},
		heads:   [][]string{{"lock", "n", "-give-up", "fails", "steps", ""}},
		widest:  []string{"", "", "", "mutual exclusion"},
	}
	err := v.each(refuted, locks, func(lock subject) ([]string, any, error) {
		n := lock.processes()
		numbers := lock.numbers(n)
		config := lock.config(n, numbers)
		config.GiveUp = lock.kind == leaving
		f, err := explored(ctx, v.progress, lock, config, numbers)
		if err != nil {
			return nil, nil, err
		}
		if len(broken(f.Properties)) == 0 {
			v.spared = append(v.spared, lock.name)
		}
		return f.refutation(), newVerdict(lock, f), nil
	})
	switch {
	case err != nil:
		return err
	case len(v.spared) > 0:
		return v.say(fmt.Sprintf("\nNothing was found in %s: the checker is wrong.\n\n", spelling.Enumerate(v.spared)))
	}
	return v.say("\ndoorway check <lock>, with -give-up where the table has it, shows the run.\n\n")
}

// refutation is a row: what fails first.
func (f *finding) refutation() []string {
	row := []string{f.lock.name, fmt.Sprint(f.Processes), "", "nothing", "", ""}
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

// checkProtocols checks the protocols of the catalog.
func (v *review) checkProtocols(ctx context.Context, all []subject) error {
	kept := stage{
		columns: []column{{}, {}, {right: true}, {right: true}, {}},
		heads:   [][]string{{"protocol", "requests", "states", "bypasses", "promise"}},
		widest:  []string{"", "", "1,000,000", "", "broken"},
	}
	err := v.each(kept, all, func(s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		row := []string{f.name, f.rounds(), "-", "-", "kept"}
		if f.report != nil {
			row[2], row[3] = proof.Thousands(f.States), fmt.Sprint(f.Bypasses)
		}
		if f.Violated {
			row[4] = "broken"
			v.broken = append(v.broken, f.name)
		}
		return row, f, nil
	})
	if err != nil {
		return err
	}
	return v.say(protocolsLegend)
}

// protocol checks one in its usual size.
func (v *review) protocol(ctx context.Context, s subject) (*nodesFinding, error) {
	w := usually(s.name)
	f, err := v.exploreProtocol(ctx, v.progress, s.name, len(w.Requests), w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return f, nil
}

const protocolsLegend = `
requests: how many each node makes at most; bypasses: the most entries of one
other node while a node waits; promise: mutual exclusion, freedom from deadlock
and from starvation, that nodes come to rest, and the invariant if there is one.
`

// refuteProtocols checks the broken protocols.
func (v *review) refuteProtocols(ctx context.Context, all []subject) error {
	refuted := stage{
		title:   "\nBroken, and how each fails in the fewest events:\n\n",
		columns: []column{{}, {}, {}, {}, {right: true}},
		heads:   [][]string{{"protocol", "requests", "-withdrawals", "fails", "events"}},
		widest:  []string{"", "1,1,1,0", "", "mutual exclusion", ""},
	}
	err := v.each(refuted, all, func(s subject) ([]string, any, error) {
		f, err := v.protocol(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		row := []string{f.name, f.rounds(), "", "nothing", "-"}
		if f.Withdrawals > 0 {
			row[2] = fmt.Sprint(f.Withdrawals)
		}
		switch broken := broken(f.Properties); {
		case f.Broke != nil:
			row[3], row[4] = "contract", fmt.Sprint(f.Broke.Length)
		case len(broken) > 0:
			row[3], row[4] = broken[0].words, fmt.Sprint(broken[0].History.Length)
		default:
			v.missed = append(v.missed, f.name)
		}
		return row, f, nil
	})
	if err != nil {
		return err
	}
	text := "\nEvery protocol keeps its promise.\n"
	if len(v.broken) > 0 {
		text = fmt.Sprintf("\nPromises are broken by %s.\n", spelling.Enumerate(v.broken))
	}
	if len(v.missed) > 0 {
		return v.say(text + fmt.Sprintf("Nothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.missed)))
	}
	return v.say(text + "doorway check <protocol> shows more, and the run in which one fails.\n")
}
