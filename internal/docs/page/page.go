// Package page compares pages and other files with what tests make of them, and with the flag -update writes it there.
// Only tests import it.
package page

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

var update = flag.Bool("update", false, "write what the tests make to the files that they compare it with")

// Golden compares a file with want, and with -update writes it there. The command is the one
// that writes it.
func Golden(t *testing.T, file, command, want string) {
	t.Helper()
	if *update {
		write(t, file, want)
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

// Rows is [Generated] of a table: all of it in the full proof, otherwise some of its rows.
func Rows(t *testing.T, file, name, command, heading, rows string) {
	t.Helper()
	if tier.Full {
		Generated(t, file, name, command, heading+rows)
		return
	}
	require.NotEmpty(t, rows)
	part := Part(t, file, name, command)
	for row := range strings.Lines(rows) {
		require.Contains(t, part, row, "the %s in %s are stale: run %s", name, file, command)
	}
}

// Measured is [Golden] of rows whose last two columns are measurements: those of the file are of the last
// update, and are not compared. The quick tests compare the first rows.
func Measured(t *testing.T, file, command string, rows []string) {
	t.Helper()
	if *update {
		write(t, file, strings.Join(rows, ""))
	}
	steady := func(rows []string) (all []string) {
		for _, row := range rows {
			cells := strings.Split(row, "|")
			all = append(all, strings.Join(cells[:max(0, len(cells)-3)], "|"))
		}
		return all
	}
	shown := slices.Collect(strings.Lines(Read(t, file)))
	if !tier.Full {
		shown = shown[:min(len(rows), len(shown))]
	}
	require.Equal(t, steady(shown), steady(rows), "%s is stale: run %s", file, command)
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

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}
