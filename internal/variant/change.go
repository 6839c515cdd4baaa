package variant

import (
	"fmt"
	"os"
	"strings"
)

// A Change is a change to the source of a package that breaks it, or might.
type Change struct {
	Edit
	Name  string
	Shown string // what shows it, such as the beginning of the names of scenarios
	Right string // why it is correct there; "": it breaks the package
}

// ReadChanges reads changes from a file. Each begins with its name, after "# "; then comes a line with the file
// and what shows it, "word.go: …", and, if it is correct, "right: …"; then the lines of the
// source as in a diff: with a minus those only before, with a plus those only after the change.
func ReadChanges(file string) (all []Change, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq("\n"+string(text), "\n# ") {
		if part == "" {
			continue
		}
		name, body, _ := strings.Cut(part, "\n")
		c := Change{Name: name}
		for line := range strings.Lines(strings.TrimSuffix(body, "\n") + "\n") {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch {
			case line[0] == ' ' || line[0] == '-' || line[0] == '+':
				if line[0] != '+' {
					c.Old += line[1:]
				}
				if line[0] != '-' {
					c.New += line[1:]
				}
			case key == "right":
				c.Right = value
			case strings.HasSuffix(key, ".go"):
				c.File, c.Shown = key, value
			case line != "\n":
				return nil, fmt.Errorf("%s: %s: %q", file, name, line)
			}
		}
		all = append(all, c)
	}
	return all, nil
}
