package variant

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Change is a change to the source of packages that breaks them, or might.
type Change struct {
	Name  string
	Edits []Edit
	Shown string // what shows it, such as the beginning of the names of scenarios
	Right string // why it is correct there; "": it breaks the package

	says map[string]string // what else is said of it
}

// An Edit replaces Old, which occurs exactly once in the file, with New.
type Edit struct {
	File     string
	Old, New string
}

// ErrChanged is what the error of a change wraps that does not apply any more.
var ErrChanged = errors.New("the source has changed: change the patch")

// Apply returns the files in directory dir that the change edits, by name, with the edits applied. It returns an
// error unless what each edit replaces occurs exactly once: if the source has changed, so must the edit.
func (c Change) Apply(dir string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range c.Edits {
		if _, known := files[e.File]; !known {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.File)))
			if err != nil {
				return nil, err
			}
			files[e.File] = string(text)
		}
		if n := strings.Count(files[e.File], e.Old); n != 1 {
			return nil, fmt.Errorf("%s: %w: %s has %d times\n%s", c.Name, ErrChanged, e.File, n, e.Old)
		}
		files[e.File] = strings.Replace(files[e.File], e.Old, e.New, 1)
	}
	return files, nil
}

// ReadChanges reads changes from a file. Each begins with its name, after "# ". Then comes what is
// said of it, such as "right: …", the file and what shows the change, "word.go: …", and the lines
// of that file as in a diff: with a minus those only before, with a plus those only after the change. The name of
// a file, the same or another, begins another edit. Lines that begin with // are comments.
func ReadChanges(file string) ([]Change, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(file, string(text))
}

// keys are what may be said of a change.
var keys = []string{"right", "of", "source", "rule", "why", "fails", "given", "requests", "withdrawals", "events"}

func parse(file, text string) (all []Change, err error) {
	for part := range strings.SplitSeq("\n"+text, "\n# ") {
		if part == "" {
			continue
		}
		name, body, _ := strings.Cut(part, "\n")
		c := Change{Name: name, says: map[string]string{}}
		for line := range strings.Lines(strings.TrimSuffix(body, "\n") + "\n") {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			last := len(c.Edits) - 1
			switch {
			case strings.ContainsAny(line[:1], " -+") && last >= 0:
				if line[0] != '+' {
					c.Edits[last].Old += line[1:]
				}
				if line[0] != '-' {
					c.Edits[last].New += line[1:]
				}
			case slices.Contains(keys, key):
				c.says[key] = strings.TrimSpace(value)
			case strings.HasSuffix(key, ".go"):
				c.Edits = append(c.Edits, Edit{File: key})
				c.Shown = cmp.Or(c.Shown, strings.TrimSpace(value))
			case line != "\n" && !strings.HasPrefix(line, "//"):
				return nil, fmt.Errorf("%s: %s: %q", file, name, line)
			}
		}
		if len(c.Edits) == 0 {
			return nil, fmt.Errorf("%s: %s changes no file", file, name)
		}
		c.Right = c.says["right"]
		all = append(all, c)
	}
	return all, nil
}
