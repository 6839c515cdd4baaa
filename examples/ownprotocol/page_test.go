// Package ownprotocol_test keeps docs/own-protocol.md and docs/own-protocol-reference.md
// true: it follows them in a new module beside this one, and compares the output with
// the pages.
package ownprotocol_test

import (
	"testing"

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
