//go:build !race && !doorway_explore

package proof_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// Tests that need the tag doorway_explore run in a build with it, all in one command: the
// properties of all locks, the table of docs/locks.md, and the tests of the checker, of
// the wake-up protocols, of the queue of a Shared, of doorway check and of the locks in
// examples.
func TestExplored(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	readSources(t, root)
	args := []string{"test", "-tags=doorway_explore" + tier.Pick("", ",doorway_full"), "-timeout=" + tier.Pick("9m", "24m")}
	if slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.count") }) {
		args = append(args, "-count=1") // -count=1 applies to this command too
	}
	// The nodes and systems of explore need no tag, so their tests run without it.
	args = append(args, "-skip=^(TestNodes|TestSystem|TestRaymondStarvesNobody|TestTooManyEvents|ExampleCheckNodes|ExampleCheckSystem)", "./register", "./explore/...")
	if strconv.IntSize == 64 { // what is proved does not depend on it; the checker and the registers may
		args = append(args, "./mutex", "./messaging", "./internal/proof", "./internal/mutants/judge", "./examples/dekker", "./examples/quickstart", "./cmd/doorway")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "PWD="+root, "GOWORK="+filepath.Join(root, "go.work")) // doorway is a module of its own
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	assert.NoError(t, err)
}

// readSources reads everything on which the child depends, so the test cache knows
// when its result is stale.
func readSources(t *testing.T, root string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	}))
}
