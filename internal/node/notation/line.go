package notation

import (
	"fmt"
	"strings"
)

// A LineError is an error of one line of directives.
type LineError struct {
	File   string
	Line   int
	Unused bool // the line has no effect on the run
	Err    error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// An UnknownDirectiveError is that of a line that begins with a word which is no directive.
type UnknownDirectiveError struct {
	Word       string
	Suggestion string // "did you mean nodes?" or ""
}

func (e *UnknownDirectiveError) Error() string {
	return fmt.Sprintf("expected a directive, found %q: %s", e.Word,
		strings.TrimSpace(e.Suggestion+" go doc example.org/doorway/messaging/sim.Scenario lists all"))
}
