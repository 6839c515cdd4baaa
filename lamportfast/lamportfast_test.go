package lamportfast_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/lamportfast"
)

// The constructor checks n before it allocates.
func TestTooManyProcesses(t *testing.T) {
	for _, n := range []int{1<<20 + 1, 1 << 30, math.MaxInt} {
		assert.PanicsWithValue(t, fmt.Sprintf("lamportfast: %d processes: there can be at most 1048576", n), func() { lamportfast.New(n) })
	}
}
