// Package source reads Go packages as the go command finds them, and makes them package ssa's code. A process asks for each
// pattern once, and checks each package once, until a file changes.
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
	"time"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"
)

// A List is the packages that a pattern names, with all that they import.
type List struct {
	listed map[string]*listed
	order  []string             // of paths: what a package imports comes before it
	times  map[string]time.Time // of files and directories, in which the packages are that may change

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

// A question is what go list is asked.
type question struct {
	dir, pattern, environment string
	test                      bool
}

var (
	asking  sync.Mutex
	answers = map[question]*List{}
)

// Load lists the packages that a pattern names in a directory; with their tests, if asked.
func Load(ctx context.Context, dir string, test bool, pattern string) (*List, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	q := question{dir, pattern, strings.Join(os.Environ(), "\n"), test}
	asking.Lock()
	defer asking.Unlock()
	if l := answers[q]; l != nil && l.current() {
		return l, nil
	}
	l, err := q.ask(ctx)
	if err == nil {
		answers[q] = l
	}
	return l, err
}

func (q question) ask(ctx context.Context) (*List, error) {
	args := []string{"list", "-e", "-deps", "-export", "-json=ImportPath,Dir,Export,ForTest,GoFiles,Imports,ImportMap,Standard,DepOnly,Error,Module"}
	if q.test {
		args = append(args, "-test")
	}
	if strings.Contains(os.Getenv("GOFLAGS"), "-mod=mod") {
		args = append(args, "-mod=readonly") // nothing is written
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "--", q.pattern, "sync")...)
	cmd.Dir = q.dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %s", q.pattern, cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	l := &List{listed: map[string]*listed{}, times: map[string]time.Time{}, checked: map[string]*checked{}}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		p := new(listed)
		if err := d.Decode(p); err != nil {
			return nil, fmt.Errorf("go list %s: %w", q.pattern, err)
		}
		if p.Error != nil && !strings.HasSuffix(p.ImportPath, ".test") {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
		}
		l.listed[p.ImportPath] = p
		l.order = append(l.order, p.ImportPath)
		l.note(p)
	}
	return l, nil
}

// note keeps the times of what a package is read from.
func (l *List) note(p *listed) {
	if p.Standard {
		return
	}
	files := []string{p.Dir}
	if p.Module != nil {
		files = append(files, p.Module.GoMod)
	}
	for _, name := range p.GoFiles {
		files = append(files, filepath.Join(p.Dir, name))
	}
	for _, file := range files {
		l.times[file] = changed(file)
	}
}

// current reports whether no file has changed since the packages were listed.
func (l *List) current() bool {
	for file, was := range l.times {
		if !changed(file).Equal(was) {
			return false
		}
	}
	return true
}

func changed(file string) time.Time {
	if info, err := os.Stat(file); err == nil {
		return info.ModTime()
	}
	return time.Time{}
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
	if c == nil {
		c = l.unchecked(path, nil)
		if err := c.check(); err != nil {
			return nil, err
		}
		l.checked[path] = c
	}
	if edit != nil {
		var err error
		if c, err = c.edited(edit); err != nil {
			return nil, err
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
	path   string // of that for which the others are there
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

func (l *List) unchecked(path string, edit func(file string, text []byte) []byte) *checked {
	c := &checked{
		List: l, path: path, edit: edit, fset: token.NewFileSet(), follow: map[string]bool{},
		loaded: map[string]*types.Package{"unsafe": types.Unsafe}, code: map[string]parsed{},
	}
	c.followAll(path)
	c.followAll("sync")
	return c
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

// check finds the types of the packages that are not checked.
func (c *checked) check() error {
	for _, path := range c.order { // what a package imports before it: so all agree on the types of what is followed
		if c.follow[path] && c.loaded[path] == nil {
			if err := c.parse(c.listed[path]); err != nil {
				return err
			}
		}
	}
	if c.listed["context"] != nil { // the harness of a lock imports it
		_, err := c.imported("context")
		return err
	}
	return nil
}

// edited returns what is checked if files are edited.
func (c *checked) edited(edit func(file string, text []byte) []byte) (*checked, error) {
	e := c.unchecked(c.path, edit)
	differs := map[string]bool{}
	for _, path := range c.order {
		l := c.listed[path]
		differs[path] = slices.ContainsFunc(l.Imports, func(path string) bool { return differs[path] })
		if !c.follow[path] {
			if differs[path] && c.loaded[path] != nil { // the compiler has written it with other types
				return e, e.check()
			}
			continue
		}
		for _, name := range l.GoFiles {
			file := filepath.Join(l.Dir, name)
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			differs[path] = differs[path] || !bytes.Equal(text, edit(file, slices.Clone(text)))
		}
	}
	e.fset = c.fset
	for path, p := range c.loaded {
		if !differs[path] {
			e.loaded[path] = p
		}
	}
	for path, code := range c.code {
		if !differs[path] {
			e.code[path] = code
		}
	}
	return e, e.check()
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
