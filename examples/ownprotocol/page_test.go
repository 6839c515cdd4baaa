// Package ownprotocol_test keeps docs/own-protocol.md true: it follows the page in a new
// module beside this one, and compares the output with it.
package ownprotocol_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
)

var ownProtocol = page.Page{
	File:      "../../docs/own-protocol.md",
	Root:      "../..",
	Directory: "rounds",
	Test:      []string{"go", "test"},
	Sources:   []string{"messaging", "mutex", "register", "stress"},
}

func TestPage(t *testing.T) { ownProtocol.Follow(t) }

var shown = regexp.MustCompile("(?ms)^```(?:Go)?\n(.*?)^```$")

// What the page shows of a design is in the Example: its source, and its output.
func TestDesign(t *testing.T) {
	_, section, found := strings.Cut(page.Read(t, ownProtocol.File), "\n## A design before its code\n")
	require.True(t, found)
	source := page.Read(t, "../../explore/example_system_test.go")
	source += strings.ReplaceAll(source, "\t// ", "")
	blocks := shown.FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 3)
	for _, block := range blocks {
		assert.Contains(t, source, block[1])
	}
}
