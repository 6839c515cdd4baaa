package mutants

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog/variant"
)

// Only the algorithms that have mutants are judged as they are, and what is listed as
// equivalent is judged quickly.
func TestTasks(t *testing.T) {
	const listed = "never l.want[j].Load() == 0"
	tasks := tasksOf([]Mutant{{Algorithm: "dekker"}, {Algorithm: "peterson", Func: "entry", Change: listed}, {Algorithm: "dekker"}})
	assert.Equal(t, []task{{"dekker", 0, ""}, {"dekker", 1, ""}, {"peterson", 0, ""}, {"peterson", 2, "quick"}, {"dekker", 3, ""}}, tasks)
}

// Broken judges the wrong variants of a lock, and returns the results by name.
func (p *Program) Broken(ctx context.Context, of string) map[string]Result {
	var tasks []task
	for _, v := range variant.Locks {
		if of == v.Of {
			tasks = append(tasks, task{name: v.Name})
		}
	}
	found := map[string]Result{}
	for k, r := range p.runAll(ctx, tasks) {
		found[tasks[k].name] = r
	}
	return found
}
