//go:build doorway_explore

package extract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/internal/catalog"
)

// A run goes on where an operation has one answer, so a process whose histories are mostly
// writes and awaits takes fewer operations than they have together.
func TestRunsGoOn(t *testing.T) {
	maxpos, ok := catalog.Find("bakery/maxpos")
	require.True(t, ok)
	x, err := extract.From(extract.Subject{Lock: maxpos.New(2), Processes: 2, Cap: 4, Memory: 1 << 30, Vetted: true})
	require.NoError(t, err)
	locals, depths := 0, 0
	for _, tree := range x.Trees {
		locals += len(tree.Locals)
		for id := range tree.Locals {
			depths += int(tree.Locals[id].Depth) + 1
		}
	}
	t.Logf("%d histories of %d operations together, found by %d", locals, depths, x.Ops.Load())
	assert.Less(t, x.Ops.Load(), int64(depths/2))
}
