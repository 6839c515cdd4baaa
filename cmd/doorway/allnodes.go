package main

import (
	"context"
	"fmt"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
)

// reviewProtocols checks protocols, and refutes the broken ones.
func (v *review) reviewProtocols(ctx context.Context, all []catalog.Protocol) error {
	var right, wrong []catalog.Protocol
	for _, p := range all {
		switch {
		case *v.n != 0 && len(usually(p.Name).Requests) > *v.n: // it takes more nodes
		case p.Broken != nil:
			wrong = append(wrong, p)
		default:
			right = append(right, p)
		}
	}
	t := &table{columns: []column{{}, {}, {right: true}, {right: true}, {}}}
	t.add("protocol", "requests", "states", "bypasses", "promise")
	t.add("", "", "1,000,000", "", "broken")
	if err := v.protocols(ctx, t, right, (*nodesFinding).verdict); err != nil {
		return err
	}
	if err := v.say(protocolsLegend); err != nil {
		return err
	}
	t = &table{columns: []column{{}, {}, {}, {}, {right: true}}}
	t.add("protocol", "requests", "-withdrawals", "fails", "events")
	t.add("", "1,1,1,0", "", "mutual exclusion", "")
	if err := v.say("\nBroken, and how each fails in the fewest events:\n\n"); err != nil {
		return err
	}
	if err := v.protocols(ctx, t, wrong, (*nodesFinding).refutation); err != nil {
		return err
	}
	return v.say(v.protocolsConclusion())
}

// protocols checks protocols, and writes a row for each. The last row of t has the widest cells
// to come.
func (v *review) protocols(ctx context.Context, t *table, all []catalog.Protocol, row func(f *nodesFinding) []string) error {
	for _, p := range all {
		t.add(append([]string{p.Name}, make([]string, len(t.columns)-1)...)...)
	}
	widths := t.widths()
	if err := v.say(t.line(t.rows[0], widths)); err != nil {
		return err
	}
	for _, p := range all {
		w := usually(p.Name)
		f, err := v.exploreProtocol(ctx, v.progress, p.Name, len(w.Requests), w)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		switch {
		case p.Broken == nil && f.violated():
			v.broken = append(v.broken, p.Name)
		case p.Broken != nil && !f.violated():
			v.missed = append(v.missed, p.Name)
		}
		if *v.machines {
			if err := writeJSON(v.out, f.json()); err != nil {
				return err
			}
		}
		if err := v.say(t.line(row(f), widths)); err != nil {
			return err
		}
	}
	return nil
}

const protocolsLegend = `
requests: how many each node makes at most; bypasses: the most entries of one
other node while a node waits; promise: mutual exclusion, freedom from deadlock
and from starvation, that nodes come to rest, and the invariant if there is one.
`

func (v *review) protocolsConclusion() string {
	text := "\nEvery protocol keeps its promise.\n"
	if len(v.broken) > 0 {
		text = fmt.Sprintf("\nPromises are broken by %s.\n", spelling.Enumerate(v.broken))
	}
	if len(v.missed) > 0 {
		return text + fmt.Sprintf("Nothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.missed))
	}
	return text + "doorway check <protocol> shows more, and the run in which one fails.\n"
}

// verdict is a row: what a protocol keeps.
func (f *nodesFinding) verdict() []string {
	row := []string{f.name, (&requests{by: f.workload.Requests}).String(), "-", "-", "broken"}
	if r := f.report; r != nil {
		row[2], row[3] = thousands(r.States), fmt.Sprint(r.Bypasses)
	}
	if !f.violated() {
		row[4] = "kept"
	}
	return row
}

// refutation is a row: what fails first.
func (f *nodesFinding) refutation() []string {
	row := []string{f.name, (&requests{by: f.workload.Requests}).String(), "", "nothing", "-"}
	if k := f.workload.Withdrawals; k > 0 {
		row[2] = fmt.Sprint(k)
	}
	broken := f.broken()
	switch {
	case f.broke != nil:
		row[3], row[4] = "contract", fmt.Sprint(f.broke.Length)
	case len(broken) > 0:
		row[3], row[4] = broken[0].words, fmt.Sprint(broken[0].History.Length)
	}
	return row
}
