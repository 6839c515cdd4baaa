package mutants

import (
	_ "embed" // the reasons
	"strings"
)

//go:embed equivalent.txt
var equivalent string

//go:embed open.txt
var open string

var (
	// Reasons explain, by [Mutant.Key], why mutants are equivalent to the original. The
	// test fails if a mutant listed here is killed or no longer exists, and if a mutant
	// survives that is not listed.
	Reasons = read(equivalent)

	// Open says, by [Mutant.Key], what would kill the mutants that survive and are not known to
	// be equivalent. The test fails if they are more than one in twenty.
	Open = read(open)
)

// read reads reasons of one or more lines, below which are the keys of the mutants that have it, each behind a tab.
func read(text string) map[string]string {
	all, reason, done := map[string]string{}, "", false
	for line := range strings.Lines(text) {
		key, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case is:
			all[key] = reason
		case done:
			reason = key
		default:
			reason = strings.TrimSpace(reason + " " + key)
		}
		done = is
	}
	return all
}
