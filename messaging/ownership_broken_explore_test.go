//go:build doorway_explore

package messaging_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// The exploration finds a failing run for each broken variant of the source.
func TestBrokenVariantsGoWrong(t *testing.T) {
	tier.NeedsFull(t, "compiles each of the variants")
	variants.Check(t, "ownership_scenarios_explore_test.go", changes(t))
}

// changes returns what breaks this package, or is thought to. Each has a line with its name; one with the file and the
// scenarios that show it; if it is right, why; and the lines that it changes, as in a diff.
func changes(t *testing.T) (all []variants.Change) {
	t.Helper()
	text, err := os.ReadFile("testdata/broken.diff")
	require.NoError(t, err)
	for block := range strings.SplitSeq(strings.TrimPrefix(string(text), "# "), "\n# ") {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		require.Greater(t, len(lines), 2, "%q", block)
		c := variants.Change{Name: lines[0]}
		c.File, c.Shown, _ = strings.Cut(lines[1], ": ")
		for _, line := range lines[2:] {
			switch text := line[1:] + "\n"; line[0] {
			case '=':
				c.Right = strings.TrimSpace(text)
			case '-':
				c.Old += text
			case '+':
				c.New += text
			default:
				c.Old += text
				c.New += text
			}
		}
		all = append(all, c)
	}
	return all
}
