package main

import (
	"context"
	"fmt"
	"strings"

	"example.org/doorway/internal/spelling"
)

// refuteAll checks the broken locks: whoever checks proves itself on them.
func (v *review) refuteAll(ctx context.Context, locks []candidate) error {
	rows := refuted(locks)
	if err := v.say("\nBroken on purpose, and how each fails in the fewest steps:\n\n" + rows.line(0)); err != nil {
		return err
	}
	for _, lock := range locks {
		f, err := v.refute(ctx, lock)
		if err != nil {
			return err
		}
		if *v.machines {
			if err := writeJSON(v.out, f.json()); err != nil {
				return err
			}
		}
		if len(f.broken()) == 0 {
			v.spared = append(v.spared, lock.name)
		}
		rows.add(f.refutation()...)
		if err := v.say(rows.line(len(rows.rows) - 1)); err != nil {
			return err
		}
	}
	if len(v.spared) > 0 {
		return v.say(fmt.Sprintf("\nNothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.spared)))
	}
	return v.say("\ndoorway check with the name, and -give-up, if that is beside it, shows the run.\n")
}

func (v *review) refute(ctx context.Context, lock candidate) (*finding, error) {
	n := lock.processes()
	numbers := lock.numbers(n)
	config := lock.config(n, numbers)
	config.GiveUp = lock.givingUp
	return explored(ctx, v.progress, lock, config, numbers)
}

func refuted(locks []candidate) *rolling {
	t := &rolling{table{columns: []column{{}, {right: true}, {}, {right: true}, {}}}, nil}
	t.add("lock", "n", "fails", "steps", "")
	for _, lock := range locks {
		t.widest(lock.name, "", "starvation-free", "", "")
	}
	return t
}

// refutation is a row: what fails first.
func (f *finding) refutation() []string {
	row := []string{f.lock.name, fmt.Sprint(f.report.Processes), "nothing", "", ""}
	if broken := f.broken(); len(broken) > 0 {
		row[2], row[3] = strings.TrimSpace(broken[0].words), "-"
		if t := broken[0].trace; t != nil {
			row[3] = fmt.Sprint(steps(t))
		} else {
			row[4] = broken[0].note
		}
	}
	if f.report.GiveUp {
		row[4] = strings.TrimPrefix(row[4]+", -give-up", ", ")
	}
	return row
}
