// Package spelling suggests a name for one that does not exist, and lists names in sentences.
package spelling

import (
	"fmt"
	"strings"
)

// Choices suggests the nearest of the names, or, if none is near, lists the names.
func Choices(are, name string, names []string) string {
	if question := Suggest(name, names); question != "" {
		return question
	}
	return are + " " + Enumerate(names)
}

// Suggest returns a question that suggests the nearest of the names, or the few that
// begin with what was written; "" if there are none.
func Suggest(written string, names []string) string {
	near := begin(written, names)
	if n := Nearest(written, names); n != "" {
		near = []string{n}
	}
	if len(near) == 0 || len(near) > few {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", list(near, "or"))
}

// few is how many names a question has at most.
const few = 4

// begin returns the names that begin with a text.
func begin(with string, names []string) (some []string) {
	for _, n := range names {
		if with != "" && strings.HasPrefix(n, with) {
			some = append(some, n)
		}
	}
	return some
}

// Enumerate returns names, or numbers, as a list in a sentence.
func Enumerate[T any](names []T) string { return list(names, "and") }

func list[T any](names []T, last string) string {
	var b strings.Builder
	for k, n := range names {
		switch {
		case k > 0 && k == len(names)-1:
			b.WriteString(" " + last + " ")
		case k > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// Nearest returns the name with the fewest edits from what was written, or the only
// name that begins with it; "" if there is no clear choice.
func Nearest(written string, names []string) string {
	best, fewest := "", 3
	for _, n := range names {
		if d := edits(strings.ToLower(written), strings.ToLower(n)); d < min(fewest, len(n), len(written)) {
			best, fewest = n, d
		}
	}
	if longer := begin(written, names); best == "" && len(longer) == 1 {
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
