package page

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Generated compares the part of a page that is generated with want, and with
// -update writes it there. The part stands between two comments: <!-- name: command -->,
// where the command is the one that writes it, and <!-- end of name -->.
func Generated(t *testing.T, file, name, command, want string) {
	t.Helper()
	before, old, after := generated(t, file, name, command)
	if !*update {
		require.Equal(t, old, want, "the %s in %s are stale: run %s", name, file, command)
		return
	}
	if old != want {
		require.NoError(t, os.WriteFile(file, []byte(before+want+after), 0o644))
	}
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
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	begin, end := "<!-- "+name+": "+command+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, found := strings.Cut(string(text), begin)
	part, after, ended := strings.Cut(rest, end)
	require.True(t, found && ended, "%s has no place for the %s: no %q with %q behind it", file, name, begin, end)
	return before + begin, part, end + after
}
