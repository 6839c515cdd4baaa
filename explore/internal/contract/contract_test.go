package contract_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/contract"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/tier"
)

// listing skips the test if a quick test may not run another program: examining
// source runs go list. Quick tests run it only in the build with the tag
// doorway_explore.
func listing(t *testing.T) {
	t.Helper()
	if !seam.Hosted {
		tier.NeedsFull(t, "has the go command list what a package imports")
	}
}

// Each directory has plausible breaches of the rules on loops, and on functions that are given to package
// register, and similar code that is allowed. A comment names the breach of its line.
func TestRules(t *testing.T) {
	listing(t)
	t.Parallel()
	for _, name := range []string{"loops", "repeat"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", name)
			found, err := contract.Check(dir)
			require.NoError(t, err)
			compare(t, found, wanted(t, dir))
		})
	}
}

var comment = regexp.MustCompile("// want (.*)$")

// wanted returns the breaches expected by line, `// want "regexp"`, which matches what
// [contract.Breach.String] returns after the line number.
func wanted(t *testing.T, dir string) map[string][]*regexp.Regexp {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	all := map[string][]*regexp.Regexp{}
	for _, file := range files {
		for i, line := range strings.Split(page.Read(t, file), "\n") {
			m := comment.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			at := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			for rest := strings.TrimSpace(m[1]); rest != ""; {
				quoted, err := strconv.QuotedPrefix(rest)
				require.NoError(t, err, "%s: %s", at, rest)
				s, err := strconv.Unquote(quoted)
				require.NoError(t, err)
				all[at] = append(all[at], regexp.MustCompile("^"+s+"$"))
				rest = strings.TrimSpace(rest[len(quoted):])
			}
		}
	}
	require.NotEmpty(t, all, "%s says nothing of what is wrong in it", dir)
	return all
}

func compare(t *testing.T, found []contract.Breach, wanted map[string][]*regexp.Regexp) {
	t.Helper()
	for _, b := range found {
		at := fmt.Sprintf("%s:%d", filepath.Base(b.File), b.Line)
		sentence := strings.TrimPrefix(b.String(), at+": ")
		i := slices.IndexFunc(wanted[at], func(want *regexp.Regexp) bool { return want.MatchString(sentence) })
		if assert.GreaterOrEqual(t, i, 0, "unexpected: %s", b) {
			wanted[at] = slices.Delete(wanted[at], i, i+1)
		}
	}
	maps.DeleteFunc(wanted, func(_ string, left []*regexp.Regexp) bool { return len(left) == 0 })
	assert.Empty(t, wanted, "not found")
}
