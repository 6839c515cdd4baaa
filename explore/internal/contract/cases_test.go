package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/tier"
)

// Each case of testdata/refused.txt is a lock that keeps state outside of registers, or reaches memory that is not
// its own, in another way; those of accepted.txt are similar, and right. A case begins with its name. Those of the
// former end with what is found first, a regular expression.
func TestCases(t *testing.T) {
	if !seam.Hosted {
		tier.NeedsFull(t, "has the go command list what a package imports")
	}
	t.Parallel()
	prelude := page.Read(t, filepath.Join("testdata", "prelude", "prelude.go"))
	base, err := Read(filepath.Join("testdata", "prelude"))
	require.NoError(t, err)
	for _, file := range []string{"accepted.txt", "refused.txt"} {
		text := page.Read(t, filepath.Join("testdata", file))
		for part := range strings.SplitSeq(strings.TrimPrefix(text, "== "), "\n== ") {
			name, body, _ := strings.Cut(part, "\n")
			body, want, wanted := strings.Cut(strings.TrimSpace(body), "// want ")
			t.Run(name, func(t *testing.T) {
				found := examineText(t, base, prelude+"\n"+body)
				switch {
				case os.Getenv("SHOW") != "":
					t.Logf("%s: %v", name, found)
				case !wanted:
					assert.Empty(t, found)
				case assert.NotEmpty(t, found):
					assert.Regexp(t, regexp.MustCompile("^"+want+"$"), found[0].Func+": "+found[0].What)
				}
			})
		}
	}
}

// examineText examines a package with the imports of another.
func examineText(t *testing.T, base *Source, text string) []Breach {
	t.Helper()
	s := &Source{
		dir: "text", fset: token.NewFileSet(), listed: base.listed, context: base.context, checked: map[string]*checked{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
		},
	}
	s.imports = base.imports
	f, err := parser.ParseFile(s.fset, "text.go", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	s.own = []*ast.File{f}
	s.check(s.dir, s.own)
	for _, fault := range s.checked[s.dir].faults {
		require.Contains(t, fault.Msg, "imported and not used")
	}
	found, _, err := s.Examine()
	require.NoError(t, err)
	return found
}
