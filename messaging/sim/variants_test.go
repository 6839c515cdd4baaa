//go:build doorway_explore

package sim_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The files of wrong variants show what they expect, too.
func TestWrongFiles(t *testing.T) {
	for _, path := range paths(t) {
		if s := read(t, path); wrong.MatchString(s.Directives) {
			shows(t, path, s)
		}
	}
}

// Where a broken variant fails, the algorithm itself does not, as the comments in the
// files say.
func TestMended(t *testing.T) {
	variant := regexp.MustCompile(`(?m)^(algorithm \w+)/.*$|^unordered$`)
	broken := 0
	for _, path := range paths(t) {
		text := read(t, path).Directives
		mended := variant.ReplaceAllString(text, "$1")
		if mended == text {
			continue
		}
		broken++
		assert.Contains(t, runText(t, text), "\nfails at ", path)
		assert.NotContains(t, runText(t, mended), "\nfails at ", "%s, mended", path)
	}
	assert.GreaterOrEqual(t, broken, 7, "files that have anything to mend")
}
