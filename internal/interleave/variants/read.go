package variants

import (
	"os"
	"strings"
	"testing"
)

// Read reads changes from a file. Each begins with its name, after "# "; then comes a line with the file
// and the scenarios that show it, "word.go: …", and, if it is correct, "right: …"; then the lines of the
// source as in a diff: with a minus those only before, with a plus those only after the change.
func Read(t *testing.T, file string) (all []Change) {
	t.Helper()
	text, err := os.ReadFile(file)
	require(t, err)
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
				t.Fatalf("%s: %s: %q", file, name, line)
			}
		}
		all = append(all, c)
	}
	return all
}
