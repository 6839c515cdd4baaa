package tournament_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/tournament"
)

// The constructor checks n before it allocates.
func TestTooManyProcesses(t *testing.T) {
	for _, n := range []int{1<<20 + 1, 1 << 30, math.MaxInt} {
		assert.PanicsWithValue(t, fmt.Sprintf("tournament: %d processes: there can be at most 1048576", n), func() { tournament.New(n) })
	}
}
