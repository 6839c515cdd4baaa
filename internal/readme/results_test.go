package readme

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// results are the tables of docs/results.md, by the heading above them.
type results map[string]table

// A table is one of a page: its rows without the line below the head, each cell trimmed.
type table [][]string

func readResults(t *testing.T) results {
	t.Helper()
	all, heading := results{}, ""
	for line := range strings.Lines(read(t, "../../docs/results.md")) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		if cells := cells(line); cells != nil {
			all[heading] = append(all[heading], cells)
		}
	}
	return all
}

// cells returns the cells of a row, or nil if line is none, or the one below the head.
func cells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || strings.Trim(line, "|-: ") == "" {
		return nil
	}
	all := strings.Split(strings.Trim(line, "|"), "|")
	for k := range all {
		all[k] = strings.TrimSpace(all[k])
	}
	return all
}

// median returns the median in a cell.
func (r results) median(t *testing.T, heading, row, column string) string {
	t.Helper()
	return median(r.cell(t, heading, row, column))
}

// median returns what stands before the spread.
func median(cell string) string {
	before, _, _ := strings.Cut(cell, " (")
	return before
}

func (r results) cell(t *testing.T, heading, row, column string) string {
	t.Helper()
	require.NotEmpty(t, r[heading], "docs/results.md has no table under %q", heading)
	for k, name := range r[heading][0] {
		if name != column {
			continue
		}
		for _, cells := range r[heading][1:] {
			if cells[0] == row && k < len(cells) {
				return cells[k]
			}
		}
	}
	require.Failf(t, "no such cell", "docs/results.md has no row %q with a column %q under %q", row, column, heading)
	return ""
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
