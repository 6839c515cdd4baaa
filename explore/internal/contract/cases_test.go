package contract

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
)

// Each case of refused.txt is a lock that keeps state outside of registers, or reaches memory that is not its own,
// in another way; those of accepted.txt are similar, and right. The file repeat is about the rules on functions that
// are given to package register. A comment has the breaches of its line.
func TestCases(t *testing.T) {
	if !hook.Hosted {
		tier.NeedsFull(t, "has the go command list what a package imports")
	}
	t.Parallel()
	read := func(name string) string { return page.Read(t, filepath.Join("testdata", filepath.FromSlash(name))) }
	base, err := Read(filepath.Join("testdata", "prelude"))
	require.NoError(t, err)
	cases := map[string]string{"repeat": read("repeat/repeat.go")}
	for _, file := range []string{"accepted.txt", "refused.txt"} {
		for part := range strings.SplitSeq(strings.TrimPrefix(read(file), "== "), "\n== ") {
			name, body, _ := strings.Cut(part, "\n")
			cases[name] = read("prelude/prelude.go") + "\n" + body
		}
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			wanted := map[int][]string{}
			for i, line := range strings.Split(text, "\n") {
				_, rest, _ := strings.Cut(line, "// want ")
				for rest != "" {
					quoted, err := strconv.QuotedPrefix(rest)
					require.NoError(t, err, "%d: %s", i+1, rest)
					want, err := strconv.Unquote(quoted)
					require.NoError(t, err)
					wanted[i+1], rest = append(wanted[i+1], want), strings.TrimSpace(rest[len(quoted):])
				}
			}
			for _, b := range examineText(t, base, text) {
				said := fmt.Sprintf("%s: %s", b.Func, b.What)
				k := slices.IndexFunc(wanted[b.Line], func(want string) bool { return regexp.MustCompile("^" + want + "$").MatchString(said) })
				if assert.GreaterOrEqual(t, k, 0, "unexpected: %s", b) {
					wanted[b.Line] = slices.Delete(wanted[b.Line], k, k+1)
				}
			}
			for line, left := range wanted {
				assert.Empty(t, left, "not found at line %d", line)
			}
		})
	}
}

// examineText examines a package with the imports of another.
func examineText(t *testing.T, base *Source, text string) []Breach {
	t.Helper()
	s := newSource()
	s.dir, s.listed, s.imports = "text", base.listed, base.imports
	f, err := parser.ParseFile(s.fset, "text.go", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	s.check(s.dir, []*ast.File{f})
	for _, fault := range s.checked[s.dir].faults {
		require.Contains(t, fault.Msg, "imported and not used")
	}
	found, _, err := s.Examine()
	require.NoError(t, err)
	return found
}
