package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/spelling"
)

// ErrBuild means that the program was built without the tag doorway_explore.
var ErrBuild = errors.New("explore: this program was built without the tag doorway_explore: run go test -tags doorway_explore")

// ErrMemory matches the error of an exploration that exceeded [Config.Memory].
// There is no verdict.
var ErrMemory = space.ErrMemory

// A LockError means that a lock breaks the contract that makes it explorable (see
// the package documentation), misuses its registers, or panics. There is no
// verdict.
type LockError struct {
	What  string
	File  string // in the source; "" if a run shows it
	Line  int
	Trace *Trace // the run that shows it; nil if the source does
}

func (e *LockError) Error() string {
	if e.Trace == nil {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
	}
	return fmt.Sprintf("explore: %s (after %d steps)", e.What, len(e.Trace.Steps))
}

// public returns an error of a layer below as one of this package.
func public(err error) error {
	if b := (*source.Breach)(nil); errors.As(err, &b) {
		return &LockError{What: b.What, File: b.File, Line: b.Line}
	}
	if errors.Is(err, ErrMemory) {
		return fmt.Errorf("explore: no verdict: %w", err)
	}
	return err
}

// unfit reports whether an error says that the states are too many or too large.
func unfit(err error) bool {
	var wide *graph.WideError
	return errors.Is(err, ErrMemory) || errors.As(err, &wide)
}

var errNoReport = errors.New("explore: there is no report: the check returned an error")

// wanted returns the properties of a report, of which those must hold that do anyway, or in any of also.
func wanted(of func(also Properties) []property, also []Properties) []property {
	all := of(Properties{})
	for _, more := range also {
		for k, p := range of(more) {
			all[k].must = all[k].must || p.must
		}
	}
	return all
}

// refuted returns which properties fail that must hold, and which were not checked; nil if all
// hold. A run that shows that several fail is in it once.
func refuted(all []property, again string) error {
	var lines, unknown []string
	var first property
	for _, p := range all {
		switch {
		case !p.must || p.status == Holds:
		case p.status != Fails:
			if p.note != "" {
				p.name += " (" + p.note + ")"
			}
			unknown = append(unknown, p.name)
		default:
			title, run, _ := strings.Cut(strings.TrimSuffix(fmt.Sprint(p.run), "\n"), "\n")
			lines = append(lines, p.name+" fails, in "+p.length)
			for _, part := range []string{title, run} {
				if part != "" && !slices.Contains(lines, part) {
					lines = append(lines, part)
				}
			}
			if first.name == "" {
				first = p
			}
		}
	}
	if len(unknown) > 0 {
		lines = append(lines, "not checked: "+spelling.Enumerate(unknown))
	}
	if len(lines) == 0 {
		return nil
	}
	if again != "" {
		lines = append(lines, "repeat it: "+again)
	}
	return &history.Repeatable{Err: &failure{"explore: " + strings.Join(lines, "\n"), first.kind}, Scenario: func() string { return first.scenario }}
}

// A failure has a kind, for sim.Failure.
type failure struct {
	text string
	kind error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }
