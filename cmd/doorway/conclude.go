package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A result is what a check of a lock or a protocol prints.
type result struct {
	json     any
	text     string
	violated bool       // a promise is broken
	runs     []shownRun // in which something fails, those of promises first
	shown    int        // so many of them without -trace
	none     string     // why no run is drawn
	more     []string   // flags with which more can happen
	replay   *replay    // of a lock of one's own; nil: there is none
	noReplay string     // why
}

// A shownRun is a run in which something fails.
type shownRun struct {
	title, text string
	draw        func() (drawable, error) // nil: it cannot be drawn
}

// result returns what a check prints, with the runs of the properties that fail.
func (x *extent) result(json any, text string, show func(property) shownRun) result {
	r := result{json: json, text: text, violated: len(broken(x.Properties)) > 0, none: "no property fails, so there is no run to draw"}
	for _, promised := range []bool{true, false} {
		for _, p := range x.Properties {
			if p.Promised != promised || p.Trace == nil && p.History == nil {
				continue
			}
			run, last := show(p), len(r.runs)-1
			if !promised || last < 0 || run.title != r.runs[last].title { // one run can show that several promises are broken
				r.runs = append(r.runs, run)
			}
		}
		if promised {
			r.shown = len(r.runs)
		}
	}
	return r
}

// conclude writes the result, and returns an error if a promise is broken.
func (u *checkup) conclude(s streams, r result) error {
	s.report(r.json, func(int) string { return u.text(r) })
	if err := cmp.Or(u.draw(s, r), u.writeTest(s, r)); err != nil {
		return err
	}
	if r.violated {
		return errViolated
	}
	return nil
}

func (u *checkup) text(r result) string {
	if u.traces {
		r.shown = len(r.runs)
	}
	parts := []string{r.text}
	if r.shown < len(r.runs) {
		parts = append(parts, "-trace shows a run for every property that fails.\n")
	}
	for _, of := range r.runs[:r.shown] {
		parts = append(parts, of.text)
	}
	if more := slices.DeleteFunc(r.more, u.IsSet); len(more) > 0 && !r.violated {
		parts = append(parts, fmt.Sprintf("\nMore can happen with -%s: doorway help check.\n", strings.Join(more, ", -")))
	}
	return strings.Join(parts, "")
}

// draw draws the first run that can be to the file that was asked for.
func (u *checkup) draw(s streams, r result) error {
	if u.svg == "" {
		return nil
	}
	k := slices.IndexFunc(r.runs, func(of shownRun) bool { return of.draw != nil })
	if k < 0 {
		s.notWritten(r.none, u.svg)
		return nil
	}
	picture, err := r.runs[k].draw()
	if err != nil {
		return err
	}
	return s.draw(u.svg, picture, fmt.Sprintf("\n%s shows it: %s.\n", u.svg, r.runs[k].title))
}

// notWritten says why a file that was asked for is not written.
func (s streams) notWritten(why, file string) {
	tell(s.err, fmt.Sprintf("doorway check: %s: %s is not written", why, file))
}
