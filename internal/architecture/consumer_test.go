package architecture

import (
	"os"
	"path/filepath"
	"testing"
)

// A module that is not of the workspace can import this one from a checkout,
// and passes its tests: examples/consumer, in a directory of its own.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module")
	}
	root, dir := checkout(t), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "consumer"))); err != nil {
		t.Fatal(err)
	}
	goTool(t, dir, "mod", "edit", "-replace="+module+"="+root)
	t.Logf("%s", goTool(t, dir, "test", "./..."))
}
