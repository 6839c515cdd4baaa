package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only the algorithms that have mutants are judged as they are.
func TestArguments(t *testing.T) {
	locks, original := arguments([]Mutant{{Algorithm: "dekker"}, {Algorithm: "bakery"}, {Algorithm: "dekker"}})
	assert.Equal(t, [][]string{
		{"dekker", "original"}, {"bakery", "original"}, {"dekker", "0"}, {"bakery", "1"}, {"dekker", "2"},
	}, locks)
	assert.Equal(t, map[string]int{"dekker": 0, "bakery": 1}, original)
}
