package explore

import (
	"errors"
	"fmt"
)

// ErrBuild means that the program was built without the tag doorway_explore.
var ErrBuild = errors.New("explore: this program was built without the tag doorway_explore: run go test -tags doorway_explore")

// ErrMemory matches the error of an exploration that exceeded [Config.Memory].
// There is no verdict.
var ErrMemory = errors.New("explore: no verdict: the states exceed the memory limit")

// A memoryError is an ErrMemory with its figures.
type memoryError struct {
	limit  int64 // bytes
	states int   // found so far
}

func (e *memoryError) Is(target error) bool { return target == ErrMemory }

func (e *memoryError) Error() string {
	if e.limit < 1<<20 {
		return fmt.Sprintf("explore: no verdict: %d states exceed the memory limit of %d KiB", e.states, e.limit>>10)
	}
	return fmt.Sprintf("explore: no verdict: %d states exceed the memory limit of %d MiB", e.states, e.limit>>20)
}

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

// An unexaminedError means that the source of a lock was not examined.
type unexaminedError struct {
	of  string // the type with its package
	why error
}

func (e *unexaminedError) Unwrap() error { return e.why }

func (e *unexaminedError) Error() string {
	return fmt.Sprintf("explore: the source of %s was not examined: %v: "+
		"run the check where its module is, with the go command in PATH, or set Config.Unexamined", e.of, e.why)
}
