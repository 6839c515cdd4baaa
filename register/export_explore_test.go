//go:build doorway_explore

package register

import (
	"context"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/seam"
)

// For scenarios with whole locks.
var (
	Schedule    = schedule
	QuantumOver = quantumOver
	Mute        = append([]string{"(*Lock).Lock", "(*Lock).Unlock"}, mute...)
)

// Cancellable returns a context, and a function by which a thread cancels it.
func Cancellable() (context.Context, func(*interleave.Run)) {
	done := make(seam.Closing)
	return seam.Cancellable{On: done}, func(r *interleave.Run) { r.Store(done, true) }
}
