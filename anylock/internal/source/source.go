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
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"
)

// A List is the packages that a pattern names, with all that they import.
type List struct {
	listed map[string]*listed
	order  []string // of paths: what a package imports comes before it
	times  string   // see stamp

	mu      sync.Mutex
	checked map[string]*checked // by the path of the package for which the code is read
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

// Keep has Load answer what it was asked before, while no file has changed, and check each package once. It is for
// tests, which ask for the same packages again and again: what is kept is never given up, and only times of files tell
// that it is out of date.
var Keep bool

var (
	asking  sync.Mutex
	answers = map[string]*List{} // by what was asked
)

// Load lists the packages that a pattern names in a directory; with their tests, if asked.
func Load(ctx context.Context, dir string, test bool, pattern string) (*List, error) {
	if !Keep {
		return list(ctx, dir, test, pattern)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	question := fmt.Sprintf("%q %t %q %q", dir, test, pattern, os.Environ())
	asking.Lock()
	defer asking.Unlock()
	if l := answers[question]; l != nil && l.stamp() == l.times {
		return l, nil
	}
	l, err := list(ctx, dir, test, pattern)
	if err == nil {
		l.times = l.stamp()
		answers[question] = l
	}
	return l, err
}

func list(ctx context.Context, dir string, test bool, pattern string) (*List, error) {
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
	l := &List{listed: map[string]*listed{}, checked: map[string]*checked{}}
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

// stamp returns the times of the files and directories that packages are read from, but for those of the standard library.
func (l *List) stamp() string {
	var b strings.Builder
	for _, path := range l.order {
		p := l.listed[path]
		if p.Standard {
			continue
		}
		files := append([]string{".", "go.mod"}, p.GoFiles...)
		if p.Module != nil {
			files[1] = p.Module.GoMod
		}
		for _, file := range files {
			if !filepath.IsAbs(file) {
				file = filepath.Join(p.Dir, file)
			}
			if info, err := os.Stat(file); err == nil {
				fmt.Fprintln(&b, info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// A Source is code of packages.
type Source struct {
	*List
	Program *ssa.Program
	Main    *ssa.Package                          // for which the others are there
	Edit    func(file string, text []byte) []byte // if not nil, what is read instead of a file
	types   *checked
}

// Source returns the code of a package, and of what it imports. If edit is not nil, it gives what is read instead of a file.
func (l *List) Source(path string, edit func(file string, text []byte) []byte) (*Source, error) {
	if l.listed[path] == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.checked[path]
	if c == nil || edit != nil {
		var err error
		if c, err = l.check(path, edit); err != nil {
			return nil, err
		}
		if edit == nil {
			l.checked[path] = c
		}
	}
	s := &Source{List: l, Program: ssa.NewProgram(c.fset, ssa.InstantiateGenerics), Edit: edit, types: c}
	for path, p := range c.loaded {
		if p.Complete() {
			s.Program.CreatePackage(p, c.code[path].files, c.code[path].info, true)
		}
	}
	s.Main = s.Program.Package(c.loaded[path])
	return s, nil
}

// Add adds a package of one file, which is not on disk, and imports only what is there.
func (s *Source) Add(path, text string) (*ssa.Package, error) {
	f, err := parser.ParseFile(s.types.fset, path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p, info, err := s.types.typesOf(&listed{ImportPath: path}, []*ast.File{f})
	if err != nil {
		return nil, err
	}
	return s.Program.CreatePackage(p, []*ast.File{f}, info, true), nil
}

// Package returns the types of a package that is imported; nil: it is not.
func (s *Source) Package(path string) *types.Package { return s.types.loaded[path] }

// A checked is packages whose types are known.
type checked struct {
	*List
	edit   func(file string, text []byte) []byte
	fset   *token.FileSet
	follow map[string]bool           // whether the code of a package is read
	loaded map[string]*types.Package // by the path that go list has for it
	code   map[string]parsed
}

// A parsed is the code of a package.
type parsed struct {
	files []*ast.File
	info  *types.Info
}

// check finds the types of a package, and of what it imports.
func (l *List) check(path string, edit func(file string, text []byte) []byte) (*checked, error) {
	c := &checked{
		List: l, edit: edit, fset: token.NewFileSet(), follow: map[string]bool{},
		loaded: map[string]*types.Package{"unsafe": types.Unsafe}, code: map[string]parsed{},
	}
	c.followAll(path)
	c.followAll("sync")
	for _, path := range c.order { // what a package imports before it: so all agree on the types of what is followed
		if c.follow[path] && c.loaded[path] == nil {
			if err := c.parse(c.listed[path]); err != nil {
				return nil, err
			}
		}
	}
	if c.Knows("context") { // the harness of a lock imports it
		_, err := c.imported("context")
		return c, err
	}
	return c, nil
}

// followAll marks the packages whose code is run for one.
func (c *checked) followAll(path string) {
	l := c.listed[path]
	if l == nil || c.follow[path] || l.Standard && !slices.Contains(followed, path) ||
		slices.ContainsFunc(tests, func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }) && l.DepOnly {
		return
	}
	c.follow[path] = true
	for _, imported := range l.Imports {
		c.followAll(imported)
	}
}

// parse reads the code of a package.
func (c *checked) parse(l *listed) error {
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
		if c.edit != nil {
			text = c.edit(file, text)
		}
		f, err := parser.ParseFile(c.fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	p, info, err := c.typesOf(l, files)
	if err == nil {
		c.loaded[l.ImportPath], c.code[l.ImportPath] = p, parsed{files, info}
	}
	return err
}

func (c *checked) typesOf(l *listed, files []*ast.File) (*types.Package, *types.Info, error) {
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
			return c.imported(path)
		}),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	p, err := config.Check(path, c.fset, files, info)
	return p, info, err
}

// imported returns a package; of one whose code is not followed, what the compiler has written of its types.
func (c *checked) imported(path string) (*types.Package, error) {
	if p := c.loaded[path]; p != nil && p.Complete() {
		return p, nil
	}
	l := c.listed[path]
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
	return gcexportdata.Read(r, c.fset, c.loaded, path)
}

// Knows reports whether a package is among those that were listed.
func (l *List) Knows(path string) bool { return l.listed[path] != nil }

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
		if !l.listed[path].DepOnly && path != "sync" {
			return path
		}
	}
	return "sync"
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

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
