package overlay

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/docs/page"
)

var root = filepath.Join("..", "..", "..", "..")

// Every patch applies to the present source. What it makes is gofmted, and has no errors that can be
// seen without its imports, such as a variable that is not used.
func TestSources(t *testing.T) {
	for _, v := range variant.All() {
		made, err := Sources(v, root, "made")
		require.NoError(t, err)
		fset := token.NewFileSet()
		var files []*ast.File
		for name, text := range made {
			assert.True(t, strings.HasPrefix(string(text), "//line made/"+name+":2\n\n"), name)
			f, err := parser.ParseFile(fset, name, text, 0)
			require.NoError(t, err, v.Name)
			files = append(files, f)
		}
		config := types.Config{Importer: stubs{}, Error: func(err error) {
			var wrong types.Error
			require.ErrorAs(t, err, &wrong)
			if name := filepath.Base(fset.Position(wrong.Pos).Filename); !slices.ContainsFunc(v.Edits, func(e variant.Edit) bool { return path.Base(e.File) == name }) {
				return // it is as in the package itself
			}
			said := wrong.Msg
			if !strings.Contains(said, "could not import") && !strings.Contains(said, "undefined: ") || strings.Contains(said, "undefined: ") && !strings.Contains(said, ".") {
				t.Errorf("%s: %v", v.Name, err)
			}
		}}
		_, _ = config.Check(v.Package(), fset, files, nil)
		trimmed, err := Sources(v, root, "")
		require.NoError(t, err)
		for name, text := range made {
			assert.Equal(t, strings.TrimPrefix(string(text), "//line made/"+name+":2"), string(trimmed[name]), "has other lines")
		}
	}
}

// A stub is a package of which nothing is known.
type stubs struct{}

func (stubs) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// The overlay has all files of all variants, none of which is on disk, and the list of their
// constructors, which no build has without it; and it is as before if nothing has changed, but for files
// that a variant no longer has.
func TestWrite(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	file, err := Write(root)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal([]byte(page.Read(t, file)), &overlay))
	files := 0
	for _, v := range variant.All() {
		made, err := Sources(v, root, "")
		require.NoError(t, err)
		files += len(made)
	}
	assert.Len(t, overlay.Replace, files+1)
	list, err := filepath.Abs(filepath.Join(root, "internal", "catalog", "variants.go"))
	require.NoError(t, err)
	text := page.Read(t, overlay.Replace[list])
	assert.True(t, strings.HasPrefix(text, "//go:build doorway_variants\n"), "%.40s", text)
	before := map[string]os.FileInfo{}
	for at, of := range overlay.Replace {
		if at != list {
			assert.NoFileExists(t, at)
		}
		before[of], err = os.Stat(of)
		require.NoError(t, err)
	}
	stale := filepath.Join(filepath.Dir(file), "source", filepath.FromSlash(variant.All()[0].Dir()), "stale.go")
	require.NoError(t, os.WriteFile(stale, nil, 0o600))
	again, err := Write(root)
	require.NoError(t, err)
	assert.Equal(t, file, again)
	assert.NoFileExists(t, stale, "a file that the variant had")
	for of, was := range before {
		is, err := os.Stat(of)
		require.NoError(t, err)
		assert.True(t, os.SameFile(was, is), "%s was written again", of)
	}
	trimmed, err := Files(root, true)
	require.NoError(t, err)
	require.Len(t, trimmed, len(overlay.Replace))
	for of, by := range trimmed {
		assert.NotEqual(t, overlay.Replace[of], by)
	}
}
