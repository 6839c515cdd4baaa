package spelling

import (
	"fmt"
	"strings"
)

// Row returns a row of a table, as a line of Markdown.
func Row(cells ...any) string {
	var b strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&b, "| %v ", c)
	}
	return b.String() + "|\n"
}

// Merged returns rows with one for all that differ in their first cell alone: it has all of these
// cells. Names are those of each.
func Merged(rows []string) (merged []string, names [][]string) {
	var rest []string
	by := map[string]int{}
	for _, row := range rows {
		name, cells, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		k, known := by[cells]
		if !known {
			k, by[cells] = len(rest), len(rest)
			rest, names = append(rest, cells), append(names, nil)
		}
		names[k] = append(names[k], name)
	}
	for k, cells := range rest {
		merged = append(merged, "| "+strings.Join(names[k], ", ")+" | "+cells)
	}
	return merged, names
}

// Thousands returns n with its digits in groups of three.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return s
}
