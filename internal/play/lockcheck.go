package play

import (
	"errors"
	"fmt"
	"strings"

	"example.org/doorway/explore"
)

// checkLock checks every schedule of a lock.
func checkLock(directives []string, progress func(doing string, states int)) (Checked, error) {
	l, err := newLock(without(directives, "version", "rules", "run"))
	if err != nil {
		return Checked{}, err
	}
	var r *explore.Report
	err = l.bounded(func(config explore.Config) error {
		config.Memory, config.Progress = memory, func(doing string, states int, _ int64) { progress(doing, states) }
		r, err = explore.Check(config)
		if errors.Is(err, explore.ErrMemory) {
			config.Only.MutualExclusion = true // which takes the least
			r, err = explore.Check(config)
		}
		return err
	})
	c := Checked{Covers: l.covers()}
	if broke := (*explore.LockError)(nil); errors.As(err, &broke) && broke.Trace != nil {
		c.Verdicts = []Property{{Name: "contract of a lock", Status: explore.Fails, Note: broke.What, Text: l.shows(broke.Trace)}}
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if r.Cut > 0 {
		c.Covers += fmt.Sprintf("; %d stores above it were not followed", r.Cut)
	}
	c.States, c.Verdicts = r.States, l.properties(r)
	return c, nil
}

// covers says what a check visits.
func (l *lock) covers() string {
	text := fmt.Sprintf("every interleaving of %s that enter any number of times", count(l.processes, "process", "processes"))
	if l.giveUp {
		text += " and give up at any time"
	}
	if l.cap > 0 {
		text += fmt.Sprintf(", as long as no register exceeds %d", l.cap)
	}
	return text
}

// properties returns what was found out.
func (l *lock) properties(r *explore.Report) (all []Property) {
	starvation, order, safe := "", "", "not promised"
	if l.of.New != nil && l.of.Broken == nil {
		claims := l.of.Claims
		starvation, order, safe = promised(claims.StarvationFree), promised(claims.FIFO), promised(claims.SafeRegisters)
	}
	for _, p := range []struct {
		name string
		explore.Verdict
		note     string // if it fails
		shortest bool   // a run in which it fails is
	}{
		{"mutual exclusion", r.MutualExclusion, "", true},
		{"deadlock-free", r.DeadlockFree, "", false},
		{"starvation-free", r.StarvationFree, starvation, false},
		{"starvation-free despite aborts", r.StarvationFreeDespiteAborts, "not promised", false},
		{"FIFO", r.FIFO, order, true},
		{"race-free", r.RaceFree, "", true},
		{"tolerates safe registers", r.SafeRegisters, safe, true},
	} {
		if p.Status == explore.Unknown {
			continue
		}
		found := Property{Name: p.name, Status: p.Status}
		if p.Trace != nil {
			found.Note, found.Text = strings.TrimPrefix(p.Trace.Title, p.name+" fails: "), l.shows(p.Trace)
			if p.shortest {
				found.Shortest = len(p.Trace.Schedule)
			}
			if p.note != "" {
				found.Note += "; " + p.note
			}
		}
		all = append(all, found)
	}
	return all
}

func promised(is bool) string {
	if is {
		return ""
	}
	return "not promised"
}

// shows returns the text of a counterexample; "": it is no run of whole steps.
func (l *lock) shows(t *explore.Trace) string {
	if len(t.Schedule) == 0 || len(t.Schedule) > mostChoices {
		return ""
	}
	return fmt.Sprintf("version 1; %v; run %s", l, choices(t.Schedule))
}
