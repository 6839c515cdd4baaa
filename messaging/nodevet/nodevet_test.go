package nodevet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/nodevet"
)

// Check finds exactly what the comments of testdata/impure say of their lines.
func TestCheck(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	const file = "testdata/impure/impure.go"
	err := nodevet.Check(filepath.Dir(file))
	require.Error(t, err, "nothing was found")
	source, readErr := os.ReadFile(file)
	require.NoError(t, readErr)
	var got, want []string
	for _, m := range regexp.MustCompile(`(?m)impure\.go:(\d+):\d+: (.*)$`).FindAllStringSubmatch(err.Error(), -1) {
		got = append(got, m[1]+": "+m[2])
	}
	for n, line := range strings.Split(string(source), "\n") {
		for k, comment := range strings.Split(line, " // ") {
			if k > 0 {
				want = append(want, fmt.Sprintf("%d: %s", n+1, comment))
			}
		}
	}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

func TestNodes(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	assert.NoError(t, nodevet.Check("testdata/pure", "../permission/ricartagrawala"))
}

// State of nodes may hide in another package of their module.
func TestImported(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module mine\n\ngo 1.26\n",
		"mine.go":        "package mine\n\nimport \"mine/within\"\n\nfunc Set() { within.Set() }\n",
		"within/code.go": "package within\n\nvar flag bool\n\nfunc Set() { flag = true }\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	assert.ErrorContains(t, nodevet.Check(dir), "code.go:5:14: flag is shared by all nodes and must not be written")
}

func TestErrs(t *testing.T) {
	tier.NeedsFull(t, "has the go command list packages")
	for _, dir := range []string{"testdata/nowhere", "testdata"} {
		assert.Error(t, nodevet.Check(dir), "%s was examined, and nothing found", dir)
	}
}
