package contract

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
)

// Each function that package register exports is an operation of a protocol, or the
// constructor's, or not for protocols; and each operation exists. What is asked of a function that an operation
// takes is known, unless that function is a protocol itself.
func TestOperations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../register/*.go")
	require.NoError(t, err)
	found := []string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			of := "register"
			if fn.Recv != nil {
				of = strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
			}
			if ast.IsExported(of) || of == "register" {
				name := of + "." + fn.Name.Name
				found = append(found, name)
				if _, ok := promises[name]; takesFunction(fn) && operations[name]&marks == 0 {
					assert.True(t, ok, "%s takes a function, of which nothing is asked", name)
				}
			}
		}
	}
	want := append(slices.Collect(maps.Keys(operations)), "register.MakeProcesses", "Process.Done")
	assert.ElementsMatch(t, want, found)
}

func takesFunction(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(f *ast.Field) bool { _, ok := f.Type.(*ast.FuncType); return ok })
}

// Each function that is listed exists, and is listed once; those that write are listed.
func TestAllowed(t *testing.T) {
	tier.NeedsFull(t, "type-checks packages of the standard library from source")
	t.Parallel()
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for path, names := range allowed {
		pkg, err := imports.Import(path)
		require.NoError(t, err)
		list := strings.Fields(names)
		assert.True(t, slices.IsSorted(list), "%s: %s", path, list)
		assert.Len(t, slices.Compact(slices.Clone(list)), len(list), "%s: %s", path, list)
		for _, name := range list {
			of, method, ok := strings.Cut(name, ".")
			obj := pkg.Scope().Lookup(of)
			require.NotNil(t, obj, "%s.%s", path, name)
			if ok {
				obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, method)
			}
			f, ok := obj.(*types.Func)
			require.True(t, ok, "%s.%s", path, name)
			takes(t, path, f)
		}
	}
}

// takes fails the test if a function might write what its arguments refer to: it takes
// memory that it may write, and is neither known to write it nor known only to read it.
func takes(t *testing.T, path string, f *types.Func) {
	t.Helper()
	if path == "fmt" || path == "cmp" {
		return
	}
	for v := range f.Signature().Params().Variables() {
		assert.True(t, plain(v.Type(), true), "%s takes %s", f.FullName(), v.Type())
	}
}
