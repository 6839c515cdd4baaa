//go:build doorway_explore

package register_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

// docs/checker.md has the numbers of scenarios and changes.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/checker.md")
	require.NoError(t, err)
	right := 0
	for _, c := range changes {
		if c.Right != "" {
			right++
		}
	}
	want := fmt.Sprintf("%d scenarios of threads that wait, store and abort, and %d changes to the source: %d lose",
		register.Scenarios, len(changes), len(changes)-right)
	assert.True(t, strings.Contains(strings.Join(strings.Fields(string(text)), " "), want), "docs/checker.md does not say: %s", want)
}
