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

// A Source is packages, with all that they import.
type Source struct {
	Program *ssa.Program
	Edit    func(file string, text []byte) []byte // if not nil, what is read instead of a file
	listed  map[string]*listed
	loaded  map[string]*types.Package // by the path that go list has for it
	fset    *token.FileSet
	order   []string // of paths: what a package imports comes before it
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export, ForTest string
	GoFiles, Imports                 []string
	ImportMap                        map[string]string
	Standard, DepOnly                bool
	Error                            *struct{ Err string }
	Module                           *struct{ GoVersion string }

	follow bool
}

// followed are the packages of the standard library whose code is run; of the others, only the types of what they export
// are known.
var followed = []string{
	"sync", "internal/sync", "sync/atomic", "internal/race", "context", "errors", "container/list", "container/ring", "container/heap",
	"cmp", "slices", "sort", "math/bits", "iter",
}

// tests are modules that tests import, and no lock.
var tests = []string{"example.org/doorway/anylock", "example.org/doorway/explore", "golang.org/x/tools", "github.com/stretchr/testify", "go.uber.org/goleak"}

// Load lists the packages that a pattern names in a directory; with their tests, if asked.
func Load(ctx context.Context, dir string, test bool, pattern string) (*Source, error) {
	args := []string{"list", "-e", "-deps", "-export", "-json=ImportPath,Dir,Export,ForTest,GoFiles,Imports,ImportMap,Standard,DepOnly,Error,Module"}
	if test {
		args = append(args, "-test")
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "-mod=mod") {
		args = append(args, "-mod=readonly") // nothing is written
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "--", pattern, "sync")...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %s", pattern, cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	s := &Source{listed: map[string]*listed{}}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(listed)
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		if p.Error != nil && !strings.HasSuffix(p.ImportPath, ".test") {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
		}
		s.listed[p.ImportPath] = p
		s.order = append(s.order, p.ImportPath)
	}
	s.begin()
	return s, nil
}

func (s *Source) begin() {
	s.fset, s.loaded = token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	s.Program = ssa.NewProgram(s.fset, ssa.InstantiateGenerics)
	s.Program.CreatePackage(types.Unsafe, nil, nil, true)
}

// Again returns the same packages, to be read again.
func (s *Source) Again() *Source {
	again := &Source{listed: map[string]*listed{}, order: s.order}
	for path, l := range s.listed {
		l := *l
		l.follow = false
		again.listed[path] = &l
	}
	again.begin()
	return again
}

// Package returns a package whose code is known, and that of what it imports.
func (s *Source) Package(path string) (*types.Package, error) {
	if s.listed[path] == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	s.follow(path)
	s.follow("sync")
	for _, p := range s.order { // what a package imports before it: so all agree on the types of what is followed
		if s.listed[p].follow && s.loaded[p] == nil {
			if err := s.parse(s.listed[p]); err != nil {
				return nil, err
			}
		}
	}
	return s.loaded[path], nil
}

// follow marks the packages whose code is run for one.
func (s *Source) follow(path string) {
	l := s.listed[path]
	if l == nil || l.follow || l.Standard && !slices.Contains(followed, path) ||
		slices.ContainsFunc(tests, func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }) && l.DepOnly {
		return
	}
	l.follow = true
	for _, imported := range l.Imports {
		s.follow(imported)
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
		f, err := parser.ParseFile(s.fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	_, err := s.check(l, files)
	return err
}

func (s *Source) check(l *listed, files []*ast.File) (*ssa.Package, error) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{
		FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Importer: importer(func(path string) (*types.Package, error) {
			if to := l.ImportMap[path]; to != "" {
				path = to
			}
			return s.imported(path)
		}),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	p, err := config.Check(path, s.fset, files, info)
	if err != nil {
		return nil, err
	}
	s.loaded[l.ImportPath] = p
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
	p, err := gcexportdata.Read(r, s.fset, s.loaded, path)
	if err != nil {
		return nil, err
	}
	s.known()
	return p, nil
}

// known tells package ssa of all packages whose types are known.
func (s *Source) known() {
	for _, p := range s.loaded {
		if p.Complete() && s.Program.Package(p) == nil {
			s.Program.CreatePackage(p, nil, nil, true)
		}
	}
}

// Add adds a package of one file, which is not on disk.
func (s *Source) Add(path, text string) (*ssa.Package, error) {
	f, err := parser.ParseFile(s.fset, path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return s.check(&listed{ImportPath: path}, []*ast.File{f})
}

// Knows reports whether a package is among those that were listed.
func (s *Source) Knows(path string) bool { return s.listed[path] != nil }

// Standard reports whether a file is one of the standard library.
func (s *Source) Standard(file string) bool {
	dir := filepath.Dir(file)
	for _, l := range s.listed {
		if l.Dir == dir {
			return l.Standard
		}
	}
	return false
}

// Named returns the path of the package that the pattern of Load has named.
func (s *Source) Named() string {
	for _, path := range slices.Backward(s.order) {
		if !s.listed[path].DepOnly && path != "sync" {
			return path
		}
	}
	return "sync"
}

// InDir returns the packages of a directory: those with tests first.
func (s *Source) InDir(dir string) (paths []string) {
	for _, path := range slices.Backward(s.order) {
		if s.listed[path].Dir == dir && !strings.HasSuffix(path, ".test") {
			paths = append(paths, path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(b, " ") - strings.Count(a, " ") })
	return paths
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
