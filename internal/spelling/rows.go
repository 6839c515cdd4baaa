package spelling

import "strings"

// Merged returns the rows of a table, as lines of Markdown, with one for all that differ in their first cell alone: it has all of these
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
