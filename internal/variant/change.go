package variant

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Change is a change to the source of a package that breaks it, or might.
type Change struct {
	Edit
	More  []Edit // what else it changes
	Name  string
	Shown string // what shows it, such as the beginning of the names of scenarios
	Right string // why it is correct there; "": it breaks the package

	says map[string]string // what else is said of it
}

// An Edit replaces Old, which occurs exactly once in the file, with New.
type Edit struct {
	File     string
	Old, New string
}

// Apply returns the text of the file with the edit applied. It returns an error
// unless Old occurs exactly once: if the source has changed, so must the edit.
func (e Edit) Apply(text string) (string, error) {
	if n := strings.Count(text, e.Old); n != 1 {
		return "", fmt.Errorf("%s has %d times\n%s", e.File, n, e.Old)
	}
	return strings.Replace(text, e.Old, e.New, 1), nil
}

// ReadChanges reads changes from a file. Each begins with its name, after "# ". Then comes what is
// said of it, such as "right: …", the file and what shows the change, "word.go: …", and the lines
// of that file as in a diff: with a minus those only before, with a plus those only after the change. Another
// file begins another edit. Lines that begin with // are comments.
func ReadChanges(file string) ([]Change, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(file, string(text))
}

// keys are what may be said of a change.
var keys = []string{"right", "of", "source", "rule", "why", "fails", "requests", "withdrawals", "events", "with"}

func parse(file, text string) (all []Change, err error) {
	for part := range strings.SplitSeq("\n"+text, "\n# ") {
		if part == "" {
			continue
		}
		name, body, _ := strings.Cut(part, "\n")
		c, edits := Change{Name: name, says: map[string]string{}}, []Edit(nil)
		for line := range strings.Lines(strings.TrimSuffix(body, "\n") + "\n") {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			last := len(edits) - 1
			switch {
			case strings.ContainsAny(line[:1], " -+") && last >= 0:
				if line[0] != '+' {
					edits[last].Old += line[1:]
				}
				if line[0] != '-' {
					edits[last].New += line[1:]
				}
			case slices.Contains(keys, key):
				c.says[key] = strings.TrimSpace(value)
			case strings.HasSuffix(key, ".go"):
				edits = append(edits, Edit{File: key})
				c.Shown = strings.TrimSpace(value)
			case line != "\n" && !strings.HasPrefix(line, "//"):
				return nil, fmt.Errorf("%s: %s: %q", file, name, line)
			}
		}
		if len(edits) == 0 {
			return nil, fmt.Errorf("%s: %s changes no file", file, name)
		}
		c.Edit, c.More, c.Right = edits[0], edits[1:], c.says["right"]
		all = append(all, c)
	}
	return all, nil
}
