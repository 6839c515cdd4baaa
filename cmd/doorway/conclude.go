package main

import (
	"fmt"
	"io"

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
}

// A shownRun is a run in which something fails.
type shownRun struct {
	title, text string
	draw        func() (drawable, error) // nil: it cannot be drawn
}

type drawable interface{ WriteSVG(w io.Writer) error }

// conclude writes the result, and returns an error if a promise is broken.
func (u *checkup) conclude(s streams, r result) error {
	if err := u.write(s, r); err != nil {
		return err
	}
	if err := u.draw(s, r); err != nil {
		return err
	}
	if r.violated {
		return errViolated
	}
	return nil
}

func (u *checkup) write(s streams, r result) error {
	if u.machines {
		return writeJSON(s.out, r.json)
	}
	text := r.text
	if u.traces {
		r.shown = len(r.runs)
	}
	if r.shown < len(r.runs) {
		text += "-trace shows a run for every property that fails.\n"
	}
	for _, of := range r.runs[:r.shown] {
		text += of.text
	}
	_, err := io.WriteString(s.out, text)
	return err
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
		if err := draw(s.out, u.svg, picture); err != nil || u.machines || u.svg == standardInput {
			return err
		}
		_, err = fmt.Fprintf(s.out, "\n%s shows it: %s.\n", u.svg, of.title)
		return err
	}
	tell(s.err, fmt.Sprintf("doorway check: %s: %s is not written", r.none, u.svg))
	return nil
}

// refuse shows a run that ended the check, and returns that the lock is wrong.
func (u *checkup) refuse(s streams, lock subject, bad *explore.LockError) error {
	out := newVerdict(lock)
	out.Violated, out.Error, out.Trace = true, bad.What, bad.Trace
	text := fmt.Sprintf("%s cannot be checked further:\n\n%v", lock.name, bad.Trace)
	if err := u.write(s, result{text: text, json: out}); err != nil {
		return err
	}
	return errViolated
}
