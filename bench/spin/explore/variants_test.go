//go:build doorway_explore

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
)

// The shortest runs to a failure of the wrong protocols have as many steps as in results.md.
func TestWrongProtocols(t *testing.T) {
	_, _, _, wrong, _ := results(t)
	assert.NotEmpty(t, wrong)
	for _, cells := range wrong {
		if cells[1] == "4" && !tier.Full {
			continue // it has many states
		}
		r := checked(t, cells[0], cells)
		assert.Equal(t, "fails "+cells[4], fmt.Sprint(r.verdict, " ", r.steps), "%v", cells)
	}
}
