// Package ownprotocol_test keeps docs/own-protocol.md true: it follows the page in a new
// module beside this one, and compares the output with it.
package ownprotocol_test

import (
	"testing"

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
