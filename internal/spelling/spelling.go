// Package spelling suggests a name for one that does not exist.
package spelling

import (
	"fmt"
	"strings"
)

// Choices suggests the nearest of the names, or, if none is near, lists the names.
func Choices(are, name string, names []string) string {
	if n := Nearest(name, names); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	return are + " " + Enumerate(names)
}

// Enumerate returns the names as a list in a sentence.
func Enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Nearest returns the name with the fewest edits from what was written, or the only
// name that begins with it; "" if there is no clear choice.
func Nearest(written string, names []string) string {
	var longer []string
	best, fewest := "", 3
	for _, n := range names {
		if strings.HasPrefix(n, written) {
			longer = append(longer, n)
		}
		if d := edits(strings.ToLower(written), strings.ToLower(n)); d < min(fewest, len(n)) {
			best, fewest = n, d
		}
	}
	if best == "" && len(longer) == 1 {
		return longer[0]
	}
	return best
}

// edits returns the smallest number of letters to insert, delete or replace to get
// from a to b (V. I. Levenshtein, 1965).
func edits(a, b string) int {
	row := make([]int, len(b)+1) // edits from the prefix of a to each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
