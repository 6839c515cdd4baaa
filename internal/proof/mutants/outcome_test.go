package mutants

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only the algorithms that have mutants are judged as they are, and what is listed as
// equivalent is judged quickly.
func TestTasks(t *testing.T) {
	const listed = "never l.want[j].Load() == 0"
	tasks := tasksOf([]Mutant{{Algorithm: "dekker"}, {Algorithm: "peterson", Func: "entry", Change: listed}, {Algorithm: "dekker"}})
	assert.Equal(t, []task{{"dekker", 0, ""}, {"dekker", 1, ""}, {"peterson", 0, ""}, {"peterson", 2, "quick"}, {"dekker", 3, ""}}, tasks)
}
