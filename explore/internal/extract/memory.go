package extract

import (
	"errors"
	"fmt"
)

// ErrMemory matches a [MemoryError].
var ErrMemory = errors.New("explore: no verdict: the states exceed the memory limit")

// A MemoryError is an exploration that took too much memory.
type MemoryError struct {
	Limit  int64 // bytes
	States int   // found so far
}

func (e *MemoryError) Is(target error) bool { return target == ErrMemory }

func (e *MemoryError) Error() string {
	if e.Limit < 1<<20 {
		return fmt.Sprintf("explore: no verdict: %d states exceed the memory limit of %d KiB", e.States, e.Limit>>10)
	}
	return fmt.Sprintf("explore: no verdict: %d states exceed the memory limit of %d MiB", e.States, e.Limit>>20)
}
