// Package source reads Go packages as the go command finds them, and makes them package ssa's code.
package source

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"
)

// A List is the packages that a pattern names, with all that they import.
type List struct {
	listed  map[string]*listed
	order   []string // of paths: what a package imports comes before it
	pattern string
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export, ForTest string
	GoFiles, Imports                 []string
	ImportMap                        map[string]string
	Standard, DepOnly                bool
	Error                            *struct{ Err string }
	Module                           *struct{ GoMod, GoVersion string }
}

// followed are the packages of the standard library whose code is run; of the others, only the types of what they export
// are known.
var followed = []string{
	"sync", "internal/sync", "sync/atomic", "internal/race", "context", "errors", "container/list", "container/ring", "container/heap",
	"cmp", "slices", "sort", "math/bits", "iter",
}

// tests are modules that tests import, and no lock.
var tests = []string{"example.org/doorway/anylock", "example.org/doorway/explore", "golang.org/x/tools", "github.com/stretchr/testify", "go.uber.org/goleak"}

// always are packages that are listed whatever is asked for.
var always = []string{"sync", "context"}

// Load lists the packages that a pattern names in a directory; with their tests, if asked.
func Load(ctx context.Context, dir string, test bool, pattern string) (*List, error) {
	args := []string{"list", "-e", "-deps", "-export", "-json=ImportPath,Dir,Export,ForTest,GoFiles,Imports,ImportMap,Standard,DepOnly,Error,Module"}
	if test {
		args = append(args, "-test")
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "-mod=mod") {
		args = append(args, "-mod=readonly") // nothing is written
	}
	cmd := exec.CommandContext(ctx, "go", append(append(args, "--", pattern), always...)...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %s", pattern, cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	l := &List{listed: map[string]*listed{}, pattern: pattern}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(listed)
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		if p.Error != nil && !strings.HasSuffix(p.ImportPath, ".test") {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
		}
		l.listed[p.ImportPath] = p
		l.order = append(l.order, p.ImportPath)
	}
	return l, nil
}

// A Source is code of packages.
type Source struct {
	*List
	Program *ssa.Program
	Main    *ssa.Package                          // for which the others are there
	Edit    func(file string, text []byte) []byte // if not nil, what is read instead of a file

	follow map[string]bool           // whether the code of a package is read
	loaded map[string]*types.Package // by the path that go list has for it
}

// Source returns the code of a package, and of what it imports. If edit is not nil, it gives what is read instead of a file.
func (l *List) Source(path string, edit func(file string, text []byte) []byte) (*Source, error) {
	if l.listed[path] == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	s := &Source{
		List: l, Program: ssa.NewProgram(token.NewFileSet(), ssa.InstantiateGenerics), Edit: edit,
		follow: map[string]bool{}, loaded: map[string]*types.Package{"unsafe": types.Unsafe},
	}
	s.followAll(path)
	s.followAll("sync")
	for _, path := range s.order { // what a package imports before it: so all agree on the types of what is followed
		if s.follow[path] && s.loaded[path] == nil {
			if err := s.parse(s.listed[path]); err != nil {
				return nil, err
			}
		}
	}
	if _, err := s.imported("context"); err != nil { // which the harness of a lock imports
		return nil, err
	}
	for _, p := range s.loaded {
		if p.Complete() && s.Program.Package(p) == nil {
			s.Program.CreatePackage(p, nil, nil, true)
		}
	}
	s.Main = s.Program.Package(s.loaded[path])
	return s, nil
}

// Add adds a package of one file, which is not on disk, and imports only what is there.
func (s *Source) Add(path, text string) (*ssa.Package, error) {
	f, err := parser.ParseFile(s.Program.Fset, path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return s.create(&listed{ImportPath: path}, f)
}

// Package returns the types of a package that is imported; nil: it is not.
func (s *Source) Package(path string) *types.Package { return s.loaded[path] }

// followAll marks the packages whose code is run for one.
func (s *Source) followAll(path string) {
	l := s.listed[path]
	if l == nil || s.follow[path] || l.Standard && !slices.Contains(followed, path) ||
		slices.ContainsFunc(tests, func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }) && l.DepOnly {
		return
	}
	s.follow[path] = true
	for _, imported := range l.Imports {
		s.followAll(imported)
	}
}

// parse reads the code of a package.
func (s *Source) parse(l *listed) error {
	var files []*ast.File
	for _, name := range l.GoFiles {
		file := filepath.Join(l.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if l.ImportPath == "sync" && name == "map.go" {
			text = []byte(syncMap)
		}
		if s.Edit != nil {
			text = s.Edit(file, text)
		}
		f, err := parser.ParseFile(s.Program.Fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	p, err := s.create(l, files...)
	if err == nil {
		s.loaded[l.ImportPath] = p.Pkg
	}
	return err
}

// create makes a package of its files.
func (s *Source) create(l *listed, files ...*ast.File) (*ssa.Package, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{
		FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Importer: importer(func(path string) (*types.Package, error) { return s.imported(cmp.Or(l.ImportMap[path], path)) }),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	p, err := config.Check(path, s.Program.Fset, files, info)
	if err != nil {
		return nil, err
	}
	return s.Program.CreatePackage(p, files, info, true), nil
}

// imported returns a package; of one whose code is not followed, what the compiler has written of its types.
func (s *Source) imported(path string) (*types.Package, error) {
	if p := s.loaded[path]; p != nil && p.Complete() {
		return p, nil
	}
	l := s.listed[path]
	if l == nil || l.Export == "" {
		return nil, fmt.Errorf("the package %s is not known", path)
	}
	f, err := os.Open(l.Export)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var r io.Reader
	if r, err = gcexportdata.NewReader(f); err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, s.Program.Fset, s.loaded, path)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// Standard reports whether a file is one of the standard library.
func (l *List) Standard(file string) bool {
	dir := filepath.Dir(file)
	for _, p := range l.listed {
		if p.Dir == dir {
			return p.Standard
		}
	}
	return false
}

// Named returns the path of the package that the pattern of Load has named.
func (l *List) Named() string {
	for _, path := range slices.Backward(l.order) {
		if !l.listed[path].DepOnly && !slices.Contains(always, path) {
			return path
		}
	}
	return l.pattern
}

// With returns the path of the package that has a file: with its tests, if these are listed; "": none has.
func (l *List) With(file string) (path string) {
	dir, name := filepath.Split(file)
	for p, l := range l.listed {
		if l.Dir == filepath.Clean(dir) && slices.Contains(l.GoFiles, name) && (path == "" || strings.Contains(p, " [")) {
			path = p
		}
	}
	return path
}
