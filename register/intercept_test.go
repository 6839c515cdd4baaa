//go:build race || doorway_explore

package register_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/seam"
	"example.org/doorway/register"
)

// A writer finds process 0 at the head of a line. Before the writer reads its
// successor, process 0 leaves for another line, where it is the only process.
// Process 1, which stood behind it, must still wake.
func TestHeadLeavesBeforeTheWriterLooksWhoIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 2)
		var w, elsewhere register.Word
		p := ps.Entry(0)
		go w.Await(p, is(1))
		synctest.Wait()
		w.Store(1) // wakes process 0, which keeps its place
		passed := false
		go func() { passed = w.Await(ps.Entry(1), is(2)) }()
		synctest.Wait()

		steps := 0
		seam.Intercept(func(a seam.Access, _ *seam.Number) {
			if a != seam.Waking {
				return
			}
			if steps++; steps == 2 { // the head of the line has been read, its successor not
				seam.Intercept(nil)
				go elsewhere.Await(p, is(1))
				synctest.Wait()
			}
		})
		defer seam.Intercept(nil)
		w.Store(2)
		synctest.Wait()
		assert.True(t, passed, "process 1 is still parked though its condition holds")
		elsewhere.Store(1)
		synctest.Wait()
		assert.Equal(t, 2, steps, "steps of the writer when it wakes: this test depends on them")
	})
}
