package explore

import (
	"errors"
	"fmt"

	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/source"
)

// ErrBuild means that the program was built without the tag doorway_explore.
var ErrBuild = errors.New("explore: this program was built without the tag doorway_explore: run go test -tags doorway_explore")

// ErrMemory matches the error of an exploration that exceeded [Config.Memory].
// There is no verdict.
var ErrMemory = extract.ErrMemory

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

// larger says of an error for want of memory that the baton is part of the state.
func larger(x *extract.Extraction, err error) error {
	var wide *wideError
	if x.Batons && (errors.Is(err, ErrMemory) || errors.As(err, &wide)) {
		return fmt.Errorf("%w; the lines at the relays are part of it, because %s", err, x.Keeps)
	}
	return err
}

// public returns an error of a layer below as one of this package.
func public(err error) error {
	if b := (*source.Breach)(nil); errors.As(err, &b) {
		return &LockError{What: b.What, File: b.File, Line: b.Line}
	}
	return err
}
