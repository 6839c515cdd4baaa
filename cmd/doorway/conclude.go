package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/doorway/explore"
)

// A result is what a check of a lock or a protocol prints.
type result struct {
	text     string
	json     any
	violated bool       // a promise is broken
	runs     []shownRun // in which something fails
	shown    int        // so many of them without -trace
	none     string     // why no run is drawn
	more     []string   // flags with which more can happen
}

// A shownRun is a run in which something fails.
type shownRun struct {
	title, text string
	draw        func() (drawable, error) // nil: it cannot be drawn
}

type drawable interface{ WriteSVG(w io.Writer) error }

// conclude writes the result, and returns an error if a promise is broken.
func (u *checkup) conclude(s streams, r result) error {
	u.write(s, r)
	if err := u.draw(s, r); err != nil {
		return err
	}
	if r.violated {
		return errViolated
	}
	return nil
}

func (u *checkup) write(s streams, r result) {
	if u.machines {
		s.out.json(r.json)
		return
	}
	if u.traces {
		r.shown = len(r.runs)
	}
	s.out.print(r.text)
	if r.shown < len(r.runs) {
		s.out.print("-trace shows a run for every property that fails.\n")
	}
	for _, of := range r.runs[:r.shown] {
		s.out.print(of.text)
	}
	if more := slices.DeleteFunc(r.more, u.IsSet); len(more) > 0 && !r.violated {
		s.out.print(fmt.Sprintf("\nMore can happen with -%s: doorway help check.\n", strings.Join(more, ", -")))
	}
}

// draw draws the first run that can be to the file that was asked for.
func (u *checkup) draw(s streams, r result) error {
	if u.svg == "" {
		return nil
	}
	for _, of := range r.runs {
		if of.draw == nil {
			continue
		}
		picture, err := of.draw()
		if err != nil {
			return err
		}
		err = draw(s.out, u.svg, picture)
		if err == nil && !u.machines && u.svg != standardInput {
			s.out.print(fmt.Sprintf("\n%s shows it: %s.\n", u.svg, of.title))
		}
		return err
	}
	tell(s.err, fmt.Sprintf("doorway check: %s: %s is not written", r.none, u.svg))
	return nil
}

// refuse shows a run that ended the check, and returns that the lock is wrong.
func (u *checkup) refuse(s streams, lock subject, bad *explore.LockError) error {
	out := newVerdict(lock)
	out.Violated, out.Error, out.Trace = true, bad.What, bad.Trace
	text := fmt.Sprintf("%s cannot be checked further:\n\n%v", lock.Name, bad.Trace)
	u.write(s, result{text: text, json: out})
	return errViolated
}
