//go:build !race && !doorway_explore

package catalog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// Tests that intercept accesses to registers run in a build that can: the counts of
// the catalog. Those of register run in TestExplored of internal/proof.
func TestWithInterception(t *testing.T) {
	tier.NeedsFull(t, "has the go command build this package with interception")
	// The test cache must know that the child depends on these, which this
	// build does not have.
	files, err := filepath.Glob(filepath.Join("..", "..", "register", "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range append(files, "count_test.go") {
		_, err := os.ReadFile(f)
		require.NoError(t, err)
	}
	// Nodes access no registers: what is tested of them would be the same again.
	out, err := exec.Command("go", "test", "-tags=doorway_explore,doorway_full", "-skip=^Test(Protocols|Printed)", "-timeout=5m", ".").CombinedOutput()
	assert.NoError(t, err, string(out))
}
