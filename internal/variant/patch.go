package variant

import (
	"fmt"
	"strings"
)

// An Edit replaces Old, which occurs exactly once in the file, with New.
type Edit struct {
	File     string // its name; in a Variant, "" is the first of its Files
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
