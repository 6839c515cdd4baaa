package main

import (
	"context"
	"fmt"

	"example.org/doorway/internal/spelling"
)

// refuteAll checks the broken locks, which shows that the checker can refute.
func (v *review) refuteAll(ctx context.Context, locks []candidate) error {
	rows := refuted(locks)
	widths := rows.widths()
	if err := v.say("\nBroken on purpose, and how each fails in the fewest steps:\n\n" + rows.line(rows.rows[0], widths)); err != nil {
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
		if err := v.say(rows.line(f.refutation(), widths)); err != nil {
			return err
		}
	}
	if len(v.spared) > 0 {
		return v.say(fmt.Sprintf("\nNothing was found in %s: the checker is wrong.\n", spelling.Enumerate(v.spared)))
	}
	return v.say("\ndoorway check <lock>, with -give-up where the table has it, shows the run.\n")
}

func (v *review) refute(ctx context.Context, lock candidate) (*finding, error) {
	n := lock.processes()
	numbers := lock.numbers(n)
	config := lock.config(n, numbers)
	config.GiveUp = lock.givingUp
	return explored(ctx, v.progress, lock, config, numbers)
}

// refuted is a table of how locks fail, with the widest cells to come in its last
// rows.
func refuted(locks []candidate) *table {
	t := &table{columns: []column{{}, {right: true}, {}, {}, {right: true}, {}}}
	t.add("lock", "n", "-give-up", "fails", "steps", "")
	for _, lock := range locks {
		t.add(lock.name, "", "", "mutual exclusion", "", "")
	}
	return t
}

// refutation is a row: what fails first.
func (f *finding) refutation() []string {
	row := []string{f.lock.name, fmt.Sprint(f.report.Processes), "", "nothing", "", ""}
	if broken := f.broken(); len(broken) > 0 {
		row[3], row[4] = broken[0].words, "-"
		if t := broken[0].trace; t != nil {
			row[4] = fmt.Sprint(steps(t))
		} else {
			row[5] = broken[0].note
		}
	}
	if f.report.GiveUp {
		row[2] = "yes"
	}
	return row
}
