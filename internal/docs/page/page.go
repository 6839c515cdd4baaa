// Package page compares pages and other files with what tests make of them, and with the flag -update writes it there.
// Only tests import it.
package page

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the tests make to the files that they compare it with")

// Golden compares a file with want, and with -update writes it there. The command is the one
// that writes it.
func Golden(t *testing.T, file, command, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	require.Equal(t, Read(t, file), want, "%s is stale: run %s", file, command)
}

// Generated is [Golden] of the part of a page that is generated. The part stands between two
// comments: <!-- name: command -->, and <!-- end of name -->.
func Generated(t *testing.T, file, name, command, want string) {
	t.Helper()
	before, _, after := generated(t, file, name, command)
	Golden(t, file, command, before+want+after)
}

// Part returns the part of a page that is generated. See [Generated].
func Part(t *testing.T, file, name, command string) string {
	t.Helper()
	_, part, _ := generated(t, file, name, command)
	return part
}

// Updating reports whether pages are to be written rather than compared.
func Updating() bool { return *update }

func generated(t *testing.T, file, name, command string) (before, part, after string) {
	t.Helper()
	begin, end := "<!-- "+name+": "+command+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, found := strings.Cut(Read(t, file), begin)
	part, after, ended := strings.Cut(rest, end)
	require.True(t, found && ended, "%s has no place for the %s: no %q with %q behind it", file, name, begin, end)
	return before + begin, part, end + after
}

// Read returns the text of a file.
func Read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
