package concordance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// declared returns what the package in a directory exports: names, and methods and
// fields as Type.Name.
func declared(t *testing.T, sources map[string]string, dir string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for name, text := range sources {
		if path.Dir(name) != dir || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all[method(d)] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						all[s.Name.Name] = true
						fields(all, s)
					}
				}
			}
		}
	}
	return all
}

func method(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if of, ok := of.(*ast.Ident); ok {
		return of.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

func fields(all map[string]bool, s *ast.TypeSpec) {
	if of, ok := s.Type.(*ast.StructType); ok {
		for _, f := range of.Fields.List {
			for _, n := range f.Names {
				all[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// A term of the glossary, or a synonym of it, is used: in another page, or in a Go file.
// And what it refers to is there.
func TestGlossary(t *testing.T) {
	used := &strings.Builder{}
	sources := files(t, "*.go")
	for _, text := range sources {
		used.WriteString(" " + prose(text))
	}
	for name, text := range files(t, "*.md") {
		if path.Base(name) != "glossary.md" {
			used.WriteString(" " + text)
		}
	}
	text := strings.ToLower(strings.Join(strings.Fields(used.String()), " "))

	in := func(term string) bool { return strings.Contains(text, strings.ToLower(term)) }

	known, entries := map[string]bool{}, 0
	for _, m := range regexp.MustCompile(`(?m)^- \*\*([^*]+)\*\*(?: \(([^)]*)\))?:(.*)$`).FindAllStringSubmatch(page(t, "glossary.md"), -1) {
		entries++
		for term := range strings.SplitSeq(m[1], ", ") {
			assert.False(t, known[term], "%s is explained twice", term)
			known[term] = true
			synonyms := strings.Split(m[2], ", ")
			assert.True(t, in(term) || m[2] != "" && slices.ContainsFunc(synonyms, in), "nothing but the glossary uses the term %q", term)
		}
		refers := links(m[3])
		assert.NotEmpty(t, refers, "%s is nowhere", m[1])
		for _, l := range refers {
			if _, name, found := strings.Cut(l.text, "."); found {
				assert.True(t, declared(t, sources, l.file)[name], "%s: there is no %s in %s", m[1], l.text, l.file)
			}
		}
	}
	assert.Equal(t, strings.Count(page(t, "glossary.md"), "\n- **"), entries, "entries that are as the others")
}
