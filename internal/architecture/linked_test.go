package architecture

import (
	"go/ast"
	"go/build"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Go's parser and type checker are nearly half of a program that links them.
// Only nodevet does, which examines source and runs nothing; and, with the tag, explore,
// which gives no verdict on a lock whose source it has not examined, but not in a browser, which has none.
func TestTypeCheckerIsApart(t *testing.T) {
	importable := surface(t)
	for tags, want := range map[string][]string{
		"":                   {"anylock", "messaging/nodevet"},
		"doorway_explore":    {"anylock", "explore", "messaging/nodevet", "page"},
		"doorway_explore js": {"anylock", "messaging/nodevet"},
	} {
		packages := sources(t, strings.Fields(tags)...)
		var linking []string
		for _, p := range importable {
			for path := range reach(packages, module+"/"+p.dir) {
				if strings.HasPrefix(path, "go/") {
					linking = append(linking, p.dir)
					break
				}
			}
		}
		assert.Equal(t, want, linking, "packages that link go/types, go/parser or the like, with the tags %q", tags)
	}
}

// The linker drops methods that nothing calls, unless reflection asks for a method by a
// name that is not constant, or by its number: then it keeps every exported method. So no
// package that a user's test links does that.
func TestMethodsByConstantNames(t *testing.T) {
	packages := sources(t, "doorway_explore")
	var importable []string
	for _, p := range surface(t) {
		importable = append(importable, module+"/"+p.dir)
	}
	asked := 0
	for path := range reach(packages, importable...) {
		if packages[path] == nil {
			continue // of the standard library
		}
		for _, call := range reflecting(t, packages[path]) {
			name, ok := call.Args[0].(*ast.BasicLit)
			assert.True(t, ok && name.Kind == token.STRING, "%s asks for a method by a name that is not constant", path)
			asked++
		}
	}
	assert.NotZero(t, asked, "explore asks for methods")
}

// reflecting returns the calls of MethodByName and Method, of package reflect.
func reflecting(t *testing.T, of *build.Package) (calls []*ast.CallExpr) {
	t.Helper()
	for _, f := range parsed(t, token.NewFileSet(), of) {
		if !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"reflect"` }) {
			continue
		}
		for n := range ast.Preorder(f) {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "MethodByName" || s.Sel.Name == "Method") {
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}
