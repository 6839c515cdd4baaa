//go:build !race && !doorway_intercept

package catalog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What must intercept accesses to registers runs in a build that does: the
// counts of the catalog, and the delays between the steps of a wake-up.
func TestWithInterception(t *testing.T) {
	// The test cache must know that the child depends on these, which this
	// build does not have.
	files, err := filepath.Glob(filepath.Join("..", "..", "register", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range append(files, "count_test.go") {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("go", "test", "-tags=doorway_intercept", "-timeout=5m", ".", "../../register").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
