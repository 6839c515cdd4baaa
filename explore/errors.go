package explore

import (
	"errors"
	"fmt"
)

// ErrBuild is returned where the program was built without the tag doorway_explore.
var ErrBuild = errors.New("explore: this program was built without the tag doorway_explore, with which registers can be explored: go test -tags doorway_explore")

// ErrMemory is what an error is if an exploration was given up because it took all
// the memory that [Config.Memory] allows. There is no verdict.
var ErrMemory = errors.New("explore: the states take more memory than allowed: no verdict")

// A memoryError is an ErrMemory with its figures.
type memoryError struct {
	limit  int64 // bytes
	states int   // that had been found
}

func (e *memoryError) Is(target error) bool { return target == ErrMemory }

func (e *memoryError) Error() string {
	if e.limit < 1<<20 {
		return fmt.Sprintf("explore: %d states take more than the %d KiB allowed: no verdict", e.states, e.limit>>10)
	}
	return fmt.Sprintf("explore: %d states take more than the %d MiB allowed: no verdict", e.states, e.limit>>20)
}

// A LockError says that a lock does what no lock may, whatever it promises: it breaks the
// contract by which its protocols can be explored (see the documentation of the
// package), misuses its registers, or panics. There is no verdict.
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
	return fmt.Sprintf("explore: %s (shown by a run of %d steps)", e.What, len(e.Trace.Steps))
}
