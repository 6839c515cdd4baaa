package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// registers is the import path of the package on which locks are written.
const registers = "example.org/doorway/register"

// cells is the import path of the package of what registers consist of. Only locks of the library can import it.
const cells = "example.org/doorway/internal/memory/cell"

// tables is the import path of the package of tables that grow, which only locks of the
// library can import. What such a table has at a number never changes, and which numbers
// are free changes nothing that a protocol reads.
const tables = "example.org/doorway/internal/memory/renaming"

// mutexes is the package of the interface of locks.
const mutexes = "example.org/doorway/mutex"

// hosted is the build tag with which locks can be explored.
const hosted = "doorway_explore"

// A Source is the source of a package, and of the imported packages that were followed.
// It is read once, for all examinations of locks of the package, and safe for concurrent
// use.
type Source struct {
	examining sync.Mutex
	dir       string // of the package
	own       []*ast.File
	fset      *token.FileSet
	info      *types.Info // of all sources
	listed    map[string]listing
	imports   types.Importer
	context   build.Context
	checked   map[string]*checked // by import path; the package itself, by its directory
}

// A checked package has been parsed and type-checked. Its faults are tolerated, unless
// they are in a protocol.
type checked struct {
	pkg    *types.Package
	files  []*ast.File
	faults []types.Error
}

// A listing is the go command's description of an imported package.
type listing struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Standard                bool
	Error                   *struct{ Err string }
}

// Read reads the package of the Go file name, with its test files if name is one of them; or if name is a directory,
// the package in it, without tests. Build constraints are evaluated with the tag doorway_explore and the settings of
// the running program.
//
// An error means that the file does not exist ([io/fs.ErrNotExist]), or that the go command, which locates imported
// packages, was not found ([os/exec.ErrNotFound]). Read works from any working directory, for a package of any
// module. It takes a tenth of a second if the build cache has the imported packages, as it has when the program has
// just been built.
func Read(name string) (*Source, error) {
	s := newSource()
	if err := s.load(name); err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return s, nil
}

func newSource() *Source {
	return &Source{
		fset: token.NewFileSet(), context: build.Default, checked: map[string]*checked{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
			Scopes: map[ast.Node]*types.Scope{},
		},
	}
}

// load reads the package of a file, or in a directory.
//
// The types of imports come from the export data in the build cache, whose paths
// the go command provides. This takes some 100 ms, nearly all of it in the go
// command, and works for any module and any vendoring. Type-checking imports from
// source (importer "source") takes 700 ms, since [context] alone needs fifty
// packages; with stubs for the standard library, some types would be unknown, and
// with them whether a range is over a map. The price: if the cache is empty, the go
// command compiles those packages first. The cache has those of the running
// program, for the same settings.
func (s *Source) load(name string) error {
	dir, file := name, ""
	if stat, err := os.Stat(name); err != nil {
		return err
	} else if !stat.IsDir() {
		dir, file = filepath.Split(name)
	}
	var err error
	s.dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	tags, settings := built()
	s.context.BuildTags = tags
	files, err := s.parse(s.dir, file)
	if err != nil {
		return err
	}
	for _, in := range homes(s.dir) {
		s.listed, err = list(in, settings, files)
		missing := func(l listing) bool { return l.Error != nil }
		if err == nil && !slices.ContainsFunc(slices.Collect(maps.Values(s.listed)), missing) {
			break
		}
	}
	if err != nil {
		return err
	}
	s.imports = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		l := s.listed[path]
		switch {
		case l.Export != "":
			return os.Open(l.Export)
		case l.Error != nil:
			return nil, errors.New(l.Error.Err)
		}
		return nil, errors.New("the go command could not compile the package")
	})
	s.own = files
	s.check(s.dir, files)
	return nil
}

// built returns the build tags for which source is examined, and the go command's
// arguments that select the packages of this program.
func built() (tags, settings []string) {
	tags = []string{hosted}
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			switch {
			case s.Key == "-tags":
				tags = append(tags, strings.FieldsFunc(s.Value, func(r rune) bool { return r == ',' || r == ' ' })...)
			case s.Key == "-race" && s.Value == "true":
				tags, settings = append(tags, "race"), append(settings, "-race")
			case s.Key == "-trimpath" && s.Value == "true":
				settings = append(settings, "-trimpath") // as what is in the build cache
			}
		}
	}
	return tags, append(settings, "-tags="+strings.Join(slices.Compact(tags), ","))
}

// parse returns the files of the package in dir that contains file, or without a
// file, of the package that is not a test.
func (s *Source) parse(dir, file string) (files []*ast.File, err error) {
	pkg, err := s.context.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	names := pkg.GoFiles
	if strings.HasSuffix(file, "_test.go") {
		names = slices.Concat(pkg.GoFiles, pkg.TestGoFiles)
		if slices.Contains(pkg.XTestGoFiles, file) {
			names = pkg.XTestGoFiles
		}
	}
	if file != "" && !slices.Contains(names, file) { // it is of another build
		names = append(slices.Clone(names), file)
	}
	for _, name := range names {
		f, err := s.parseFile(dir, name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// tagged returns a file of the package in dir that is built only with the tag
// doorway_explore, or only without it, or "".
func (s *Source) tagged(dir string) string {
	plain := s.context
	plain.BuildTags = slices.DeleteFunc(slices.Clone(plain.BuildTags), func(tag string) bool { return tag == hosted })
	with, err := s.context.ImportDir(dir, 0)
	without, other := plain.ImportDir(dir, 0)
	if err == nil && other == nil {
		for _, name := range slices.Concat(with.GoFiles, without.GoFiles) {
			if !slices.Contains(with.GoFiles, name) || !slices.Contains(without.GoFiles, name) {
				return filepath.Join(dir, name)
			}
		}
	}
	return ""
}

func (s *Source) parseFile(dir, name string) (*ast.File, error) {
	return parser.ParseFile(s.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
}

// homes returns the directories in which the go command may know the imports of the
// package in dir. If that is of another module, the one of the working directory selects
// the versions, and says what replaces them.
func homes(dir string) []string {
	if here, err := os.Getwd(); err == nil && moduleRoot(here) != moduleRoot(dir) {
		return []string{here, dir}
	}
	return []string{dir}
}

// moduleRoot returns the directory of the go.mod file that applies to dir, or "".
func moduleRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// list asks the go command for the direct and indirect imports of files.
func list(dir string, settings []string, files []*ast.File) (map[string]listing, error) {
	paths := map[string]bool{}
	for _, f := range files {
		for _, i := range f.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil && path != "C" {
				paths[path] = true
			}
		}
	}
	listed := map[string]listing{}
	if len(paths) == 0 {
		return listed, nil
	}
	args := slices.Concat([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Standard,Error"}, settings, []string{"--"})
	cmd := exec.Command("go", slices.AppendSeq(args, maps.Keys(paths))...)
	cmd.Dir = dir
	out, complaints, err := output(cmd)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("examining source needs the go command, which is not in PATH: %w", err)
	case err != nil:
		return nil, fmt.Errorf("go list of the imports of %s: %w\n%s", dir, err, complaints)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listing
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return listed, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list of the imports of %s: %w", dir, err)
		}
		listed[l.ImportPath] = l
	}
}

// Has reports whether a file, by its absolute path, is one of the package.
func (s *Source) Has(file string) bool {
	return slices.ContainsFunc(s.own, func(f *ast.File) bool { return s.fset.File(f.FileStart).Name() == file })
}

// check type-checks files as the package of a path. It tolerates errors, since a test
// may need files that only the go command generates; errors in a protocol are detected
// when it is examined.
func (s *Source) check(path string, files []*ast.File) {
	c := &checked{files: files}
	conf := types.Config{Importer: s.imports, FakeImportC: true, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			c.faults = append(c.faults, e)
		}
	}}
	c.pkg, _ = conf.Check(path, s.fset, files, s.info)
	s.checked[path] = c
}
