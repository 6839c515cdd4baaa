package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// A module outside the workspace can import this one from a checkout and passes its
// tests: examples/consumer, in a directory of its own.
func TestConsumer(t *testing.T) {
	tier.NeedsFull(t, "builds another module")
	sources(t) // opens the sources of the other module, for the test cache
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "consumer"))))
	goTool(t, dir, "mod", "edit", "-replace="+module+"="+root)
	t.Logf("%s", goTool(t, dir, "test", "./..."))
}

// goTool runs the go command for one module, without its workspace.
func goTool(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	return out
}
