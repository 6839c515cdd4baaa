// Package ownprotocol_test keeps docs/own-protocol.md and docs/own-protocol-reference.md
// true: it follows them in a new module beside this one, and compares the output with
// the pages.
package ownprotocol_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
)

var ownProtocol = page.Page{
	File:      "../../docs/own-protocol.md",
	Root:      "../..",
	Directory: "rounds",
	Test:      []string{"go", "test"},
	Sources:   []string{"messaging", "mutex", "register", "stress"},
}

func TestPage(t *testing.T) { ownProtocol.Follow(t) }

func TestReference(t *testing.T) {
	more := ownProtocol
	more.File, more.After = "../../docs/own-protocol-reference.md", ownProtocol.File
	more.Test = []string{"go", "test", "-run", "Contract"}
	more.Follow(t)
}

// The first page is half as long as the one that it replaced.
func TestLength(t *testing.T) {
	text, err := os.ReadFile(ownProtocol.File)
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(text), "\n"), 563/2, "lines")
	assert.LessOrEqual(t, len(strings.Fields(string(text))), 2500/2, "words")
}
