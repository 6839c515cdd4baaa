package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only the algorithms that have mutants are judged as they are, and what is listed as
// equivalent is judged quickly.
func TestArguments(t *testing.T) {
	const listed = "never l.want[j].Load() == 0"
	locks, original := arguments([]Mutant{{Algorithm: "dekker"}, {Algorithm: "peterson", Func: "entry", Change: listed}, {Algorithm: "dekker"}})
	assert.Equal(t, [][]string{
		{"dekker", "0", "original"}, {"peterson", "1", "original"}, {"dekker", "0"}, {"peterson", "1", "quick"}, {"dekker", "2"},
	}, locks)
	assert.Equal(t, map[string]int{"dekker": 0, "peterson": 1}, original)
}
