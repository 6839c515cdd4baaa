// Package ownlock_test keeps docs/own-lock.md true: it does what the page says, as
// who reads it would, in a new module beside this one, and compares what comes
// of it with what the page shows.
package ownlock_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/page"
)

var ownLock = page.Page{
	File:      "../../docs/own-lock.md",
	Root:      "../..",
	Directory: "mylock",
	Test:      []string{"go", "test", "-tags", "doorway_explore", "-v"},
	Reports:   1, // that of explore.Check
	Sources:   []string{"explore", "mutex", "register"},
}

func TestPage(t *testing.T) { ownLock.Follow(t) }

// The page has a line for every property.
func TestReport(t *testing.T) {
	text, err := os.ReadFile(ownLock.File)
	require.NoError(t, err)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[explore.Report]()) {
		if f.Type == reflect.TypeFor[explore.Verdict]() && !strings.Contains(string(text), "\n| `"+f.Name+"` |") {
			t.Errorf("%s says nothing of Report.%s", ownLock.File, f.Name)
		}
	}
}
