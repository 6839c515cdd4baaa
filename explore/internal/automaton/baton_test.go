package automaton

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/seam"
)

// A baton does what package register does.
func TestBatonSteps(t *testing.T) {
	var b Baton
	at := func(who ...int) func(int) bool {
		return func(q int) bool { return slices.Contains(who, q) }
	}
	step := func(op seam.Op, p int, who ...int) string {
		does, can := b.Step(op, p, at(who...))
		assert.True(t, can, "%v of process %d", op, p)
		return does
	}
	line := func(due int, want ...uint8) {
		t.Helper()
		assert.Equal(t, want, b.Line[:b.Length], "the line")
		assert.Equal(t, due, b.Due, "due")
	}
	for p := range 4 {
		step(seam.OpStand, p)
	}
	assert.Equal(t, "make due", step(seam.OpDue, 4, 2))
	line(1, 3, 1, 2, 4)
	assert.Equal(t, "make due", step(seam.OpDue, 4, 0, 2, 3))
	line(3, 3, 1, 4, 2)
	assert.Empty(t, step(seam.OpDue, 4, 0), "it is due already")
	step(seam.OpQuit, 0)
	line(2, 3, 4, 2)

	assert.Equal(t, "pass", step(seam.OpPass, 4), "no process has the baton")
	line(1, 4, 2)
	assert.Empty(t, step(seam.OpPass, 4), "process 2 has the baton")
	line(1, 4, 2)
	_, can := b.Step(seam.OpPark, 3, nil)
	assert.False(t, can, "process 3 was not woken")
	assert.Equal(t, "wake", step(seam.OpPark, 2))
	_, can = b.Step(seam.OpPark, 2, nil)
	assert.False(t, can, "a token wakes once")

	step(seam.OpStand, 3)
	line(0, 2, 4)
	assert.Equal(t, "pass", step(seam.OpPass, 2), "no process is due")
	assert.Zero(t, b.Holder)
	assert.Empty(t, step(seam.OpPass, 2), "it does not have it, and no process is due")
}
