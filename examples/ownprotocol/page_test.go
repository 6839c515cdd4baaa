// Package ownprotocol_test keeps docs/own-protocol.md true: it does what the page
// says, from the first line to the last, in a new module beside this one, and
// compares what comes of it with what the page shows.
package ownprotocol_test

import (
	"testing"

	"example.org/doorway/internal/page"
)

func TestPage(t *testing.T) {
	page.Page{
		File:      "../../docs/own-protocol.md",
		Root:      "../..",
		Directory: "rounds",
		Test:      []string{"go", "test"},
		Sources:   []string{"messaging", "mutex", "register", "stress"},
	}.Follow(t)
}
