//go:build !race && !doorway_intercept && !doorway_explore

package proof_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What needs the tag doorway_explore runs in a build that has it: the properties of all
// locks, the table of the README, and the tests of the checker and of the
// wake-up protocol.
func TestExplored(t *testing.T) {
	const root = "../.."
	readSources(t, root)
	args := []string{"test", "-tags=doorway_explore", "-timeout=9m"}
	if testing.Short() {
		args = append(args, "-short")
	}
	cmd := exec.Command("go", append(args, "./register", "./messaging", "./explore/...", "./internal/proof", "./internal/mutants/judge")...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// readSources reads all that the child depends on, so that the test cache knows
// when its result is stale.
func readSources(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if !d.IsDir() && (strings.HasSuffix(path, ".go") || d.Name() == "README.md") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
