package architecture

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
)

//go:generate go test -run TestAPI|TestLedger . -update

// The API of the library is listed in testdata/api.txt: each name that a program can
// import on a line, with the exported fields of structs and methods of interfaces. A
// name that is added or removed shows in the diff of that file.
func TestAPI(t *testing.T) {
	var lines []string
	for _, p := range surface(t) {
		lines = append(lines, p.lines...)
	}
	page.Golden(t, "testdata/api.txt", "go test ./internal/architecture -update", strings.Join(lines, "\n")+"\n")
}

// A public is a package that programs can import.
type public struct {
	dir   string
	names []string // exported functions, types, constants and variables; methods as Type.Method
	lines []string
}

// surface returns the packages that programs can import.
func surface(t *testing.T) (all []public) {
	t.Helper()
	for path, p := range sources(t) {
		dir := within(path)
		if p.Name == "main" || slices.Contains(strings.Split(dir, "/"), "internal") || strings.HasPrefix(dir, "examples/") {
			continue
		}
		all = append(all, publicNames(t, dir, p))
	}
	slices.SortFunc(all, func(a, b public) int { return strings.Compare(a.dir, b.dir) })
	return all
}

// parsed returns the files of a package, without its tests.
func parsed(t *testing.T, fset *token.FileSet, of *build.Package) (files []*ast.File) {
	t.Helper()
	for _, name := range of.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(of.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}

func publicNames(t *testing.T, dir string, of *build.Package) public {
	t.Helper()
	p, fset := public{dir: dir}, token.NewFileSet()
	for _, f := range parsed(t, fset, of) {
		for _, d := range f.Decls {
			p.declare(fset, d)
		}
	}
	slices.Sort(p.names)
	slices.Sort(p.lines)
	return p
}

func (p *public) declare(fset *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		p.add(name, "func %s%s", name, strings.TrimPrefix(oneLine(fset, d.Type), "func"))
	case *ast.GenDecl:
		kind := d.Tok.String()
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					p.add(n.Name, "%s %s", kind, n.Name)
				}
			case *ast.TypeSpec:
				p.addType(fset, s)
			}
		}
	}
}

func (p *public) addType(fset *token.FileSet, s *ast.TypeSpec) {
	name := s.Name.Name
	var members *ast.FieldList
	switch of := s.Type.(type) {
	case *ast.StructType:
		p.add(name, "type %s struct", name)
		members = of.Fields
	case *ast.InterfaceType:
		p.add(name, "type %s interface", name)
		members = of.Methods
	default:
		p.add(name, "type %s %s", name, oneLine(fset, s.Type))
		return
	}
	if !ast.IsExported(name) {
		return
	}
	for _, f := range members.List {
		for _, n := range f.Names {
			if n.IsExported() {
				p.line("type %s: %s %s", name, n.Name, oneLine(fset, f.Type))
			}
		}
		if embedded := oneLine(fset, f.Type); len(f.Names) == 0 && ast.IsExported(embedded[strings.LastIndexAny(embedded, ".*")+1:]) {
			p.line("type %s: %s", name, embedded)
		}
	}
}

// add records a name if it is exported, and its parts.
func (p *public) add(name, format string, args ...any) {
	for part := range strings.SplitSeq(name, ".") {
		if !ast.IsExported(part) {
			return
		}
	}
	p.names = append(p.names, name)
	p.line(format, args...)
}

func (p *public) line(format string, args ...any) {
	p.lines = append(p.lines, p.dir+": "+fmt.Sprintf(format, args...))
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// oneLine returns the source of a node on one line.
func oneLine(fset *token.FileSet, n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, fset, n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
