package main

import (
	"fmt"
	"io"
	"strings"

	"example.org/doorway/explore"
)

// conclude writes the finding, and returns an error if a promise is broken.
func (u *checkup) conclude(s streams, f *finding) error {
	if err := u.write(s, f); err != nil {
		return err
	}
	if err := u.draw(s, f); err != nil {
		return err
	}
	if len(f.broken()) > 0 {
		return errViolated
	}
	return nil
}

func (u *checkup) write(s streams, f *finding) error {
	if *u.machines {
		return writeJSON(s.out, f.json())
	}
	var b strings.Builder
	f.write(&b, s.width)
	shown := f.shown(*u.traces)
	if len(shown) < len(f.failing()) {
		b.WriteString("-trace shows a run for every property that fails.\n")
	}
	for _, p := range shown {
		fmt.Fprintf(&b, "\n%v", p.trace)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// shown returns whose runs are shown: that of the first promise that is broken,
// or of all that fails.
func (f *finding) shown(all bool) []property {
	failing := f.failing()
	if !all && len(failing) > 0 {
		failing = failing[:1]
		if !failing[0].promised {
			return nil
		}
	}
	return failing
}

// draw draws a run to the file that was asked for.
func (u *checkup) draw(s streams, f *finding) error {
	if *u.svg == "" {
		return nil
	}
	failing := f.failing()
	if len(failing) == 0 {
		tell(s.err, fmt.Sprintf("doorway check: no property fails, so there is no run to draw: %s is not written", *u.svg))
		return nil
	}
	if err := picture(*u.svg, failing[0].trace); err != nil || *u.machines {
		return err
	}
	_, err := fmt.Fprintf(s.out, "\n%s shows it: %s.\n", *u.svg, failing[0].trace.Title)
	return err
}

// refuse shows a run that ended the check, and returns that the lock is wrong.
func (u *checkup) refuse(s streams, lock candidate, bad *explore.LockError) error {
	if *u.machines {
		out := verdictJSON{Lock: lock.name, Source: lock.source, Why: lock.why, Violated: true, Error: bad.What, Trace: bad.Trace}
		if err := writeJSON(s.out, out); err != nil {
			return err
		}
		return errViolated
	}
	if _, err := fmt.Fprintf(s.out, "%s cannot be checked further:\n\n%v", lock.name, bad.Trace); err != nil {
		return err
	}
	return errViolated
}
