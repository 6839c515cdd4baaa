package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
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

func (u *checkup) runAll(ctx context.Context, s streams, all []candidate, protocols []catalog.Protocol) error {
	switch err := u.fitsAll(); {
	case err != nil:
		return err
	case !watches() || !catalog.Variants:
		return handOn(ctx, s, nil)
	}
	v := &review{checkup: u, streams: s, progress: newProgress(s.err)}
	var right, wrong []candidate
	for _, c := range all {
		if c.broken {
			wrong = append(wrong, c)
		} else {
			right = append(right, c)
		}
	}
	if err := v.proveAll(ctx, right); err != nil {
		return err
	}
	if err := v.refuteAll(ctx, wrong); err != nil {
		return err
	}
	if err := v.say("\n"); err != nil {
		return err
	}
	if err := v.reviewProtocols(ctx, protocols); err != nil {
		return err
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

// proveAll checks the locks of the catalog.
func (v *review) proveAll(ctx context.Context, locks []candidate) error {
	rows, sizes := proven(locks), extents()
	widths := rows.widths()
	if err := v.say(rows.line(rows.rows[0], widths) + rows.line(rows.rows[1], widths)); err != nil {
		return err
	}
	for _, lock := range locks {
		p, err := v.prove(ctx, lock)
		if err != nil {
			return err
		}
		if *v.machines {
			if err := writeJSON(v.out, p.json()); err != nil {
				return err
			}
		}
		v.differ = append(v.differ, p.Differences()...)
		sizes.add(p.extent()...)
		if err := v.say(rows.line(p.row(), widths)); err != nil {
			return err
		}
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
	findings []*finding
}

func (v *review) prove(ctx context.Context, lock candidate) (*theorem, error) {
	p := &theorem{}
	lock.of.Checked = v.sizes(lock.of.Checked)
	return watch(ctx, v.progress, func(say func(string)) (*theorem, error) {
		start := time.Now()
		r, err := proof.Of(lock.of, proof.Options{
			Progress: func(s catalog.Size, doing string, states int, bytes int64) {
				say(lock.name + ": " + far(s.Processes, doing, states, bytes))
			},
			Done: func(s catalog.Size, report *explore.Report) {
				p.findings = append(p.findings, &finding{lock: lock, numbers: s.Numbers, report: report, elapsed: time.Since(start)})
				start = time.Now()
			},
		})
		if err != nil {
			return nil, err
		}
		p.Result = r
		for _, f := range p.findings {
			f.alone = r.Alone[f.report.Processes]
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

func (p *theorem) json() verdictJSON {
	all := p.findings[0].json()
	all.Differences = p.Differences()
	for _, f := range p.findings[1:] {
		all.Violated = all.Violated || len(f.broken()) > 0
		all.Checks = append(all.Checks, f.check())
	}
	return all
}

// proven is a table of what holds, with the widest cells to come in its last row.
func proven(locks []candidate) *table {
	t := &table{columns: make([]column, 8)}
	for k := range t.columns {
		t.columns[k].gap = 1
	}
	t.columns[0].gap = 0
	t.columns[6].right = true
	t.add("", "mutual", "deadlock-", "starvation-", "race-", "", "by-", "safe")
	t.add("lock", "exclusion", "free", "free", "free", "FIFO", "passes", "registers")
	for _, lock := range locks {
		t.add(lock.name, "", "", "", "", "", "", "")
	}
	return t
}

// extents is a table of how far the locks were explored.
func extents() *table {
	t := &table{columns: []column{{}, {}, {right: true}, {}, {}}}
	t.add("lock", "processes", "states", "fast", "numbers")
	return t
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
	return []string{p.Algorithm.Name, p.span(), thousands(p.States()), yes(fast), p.grows()}
}

func yes(status string) string {
	return map[string]string{explore.Unknown: "?", explore.Holds: "yes", explore.Fails: "no"}[status]
}

// grows returns how large numbers grow, and how far they were followed if they are
// unbounded.
func (p *theorem) grows() string {
	if p.Numbers() != "unbounded" {
		return orDash(strings.Trim(p.Numbers(), "–"))
	}
	var to []string
	for _, f := range p.findings {
		to = append(to, fmt.Sprint(f.numbers))
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
