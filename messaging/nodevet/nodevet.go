// Package nodevet checks the source of nodes of message-passing algorithms for what
// they must not use. Package [example.org/doorway/messaging/nodetest] checks how they
// behave. They are two packages so that a test that only runs nodes does not link the
// type checker of Go.
package nodevet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Check returns an error that lists, by file and line, what nodes must not use in
// the packages in the given directories; nil if there is nothing. Test files are
// skipped. Nodes must not use
//
//   - ranges over maps, whose order differs from run to run;
//   - goroutines, channels and select;
//   - packages of the standard library that do more than compute from their
//     arguments, such as math/rand, sync, os and net; of fmt, functions that do not
//     return strings or errors; of time, functions that read a clock;
//   - package-level variables that a function writes, or whose memory it passes on, since all
//     nodes share them;
//   - variables that a function literal writes, or whose methods may, and that outlive its call,
//     and iter.Pull: a node has no state but its fields;
//   - their Out other than by its methods.
//
// It follows no pointer through a function, nor an alias: what a literal writes by these is not found.
//
// Packages of the same module that these import are examined too, except those of
// doorway; packages of other modules are not. Check gets the types of imported
// packages from the go command, which takes some 100 ms for all directories
// together. So one test, in a package of its own, can check all nodes of a module.
func Check(dirs ...string) error {
	packages, exports, err := list(dirs)
	if err != nil {
		return err
	}
	var found []string
	for _, p := range packages {
		more, err := p.examine(exports)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	if len(found) > 0 {
		return errors.New(strings.Join(found, "\n"))
	}
	return nil
}

// pure are the packages of the standard library that only compute from their
// arguments, fmt and time with the exceptions below.
var pure = []string{
	"bytes", "cmp", "container/heap", "container/list", "container/ring", "encoding/binary", "errors", "fmt", "iter", "math", "math/big",
	"math/bits", "math/cmplx", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf16", "unicode/utf8",
}

// clocks are the functions of package time that read a clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

// A listing is the output of the go command for a package.
type listing struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	Imports                 []string
	DepOnly, Standard       bool
	Module                  *struct{ Path string }
	Error                   *struct{ Err string }
}

// list returns the packages in the directories, and the files with the types of the
// packages that they import, by import path.
func list(dirs []string) (packages []listing, exports map[string]listing, err error) {
	args := []string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,Imports,DepOnly,Standard,Module,Error", "--"}
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, dir)
	}
	cmd := exec.Command("go", args...)
	if len(dirs) > 0 {
		cmd.Dir = dirs[0]
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("nodevet: go list: %w\n%s", err, stderr.Bytes())
	}
	exports = map[string]listing{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listing
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return withImported(packages, exports), exports, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("nodevet: go list: %w", err)
		}
		if exports[l.ImportPath] = l; !l.DepOnly {
			packages = append(packages, l)
		}
	}
}

// withImported returns packages and those of the same module that they import, directly
// or not; but not those of doorway, whose nodes are listed one by one.
func withImported(packages []listing, exports map[string]listing) []listing {
	for k := 0; k < len(packages); k++ {
		p := packages[k]
		if p.Module == nil || p.Module.Path == "example.org/doorway" {
			continue
		}
		for _, path := range p.Imports {
			l, known := exports[path]
			same := func(q listing) bool { return q.ImportPath == path }
			if known && l.Module != nil && l.Module.Path == p.Module.Path && !slices.ContainsFunc(packages, same) {
				packages = append(packages, l)
			}
		}
	}
	return packages
}

// An examination examines one package.
type examination struct {
	fset  *token.FileSet
	info  types.Info
	pkg   *types.Package
	found map[token.Pos]string

	values map[types.Object]bool // variables that are used otherwise than by a call or an assignment
	mutate map[*types.Func]bool  // methods that write their receiver
}

func (l listing) examine(exports map[string]listing) ([]string, error) {
	if l.Error != nil {
		return nil, fmt.Errorf("nodevet: %s: %s", l.ImportPath, l.Error.Err)
	}
	e := examination{
		fset:  token.NewFileSet(),
		info:  types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
		found: map[token.Pos]string{},
	}
	files, err := e.parse(l)
	if err != nil {
		return nil, err
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path].Export) }
	config := types.Config{Importer: importer.ForCompiler(e.fset, "gc", lookup)}
	if e.pkg, err = config.Check(l.ImportPath, e.fset, files, &e.info); err != nil {
		return nil, fmt.Errorf("nodevet: %s: %w", l.ImportPath, err)
	}
	for _, f := range files {
		e.imports(f, exports)
		for n := range ast.Preorder(f) {
			e.node(n)
		}
	}
	e.uses(files)
	e.hidden(files)
	return e.report(), nil
}

func (e *examination) parse(l listing) ([]*ast.File, error) {
	if len(l.GoFiles) == 0 || len(l.CgoFiles) > 0 {
		return nil, fmt.Errorf("nodevet: %s: it must have Go files, without cgo", l.ImportPath)
	}
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(e.fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("nodevet: %w", err)
		}
		files = append(files, f)
	}
	return files, nil
}

// report returns the findings in the order of the source.
func (e *examination) report() []string {
	var lines []string
	for _, pos := range slices.Sorted(maps.Keys(e.found)) {
		lines = append(lines, fmt.Sprintf("%v: %s", e.fset.Position(pos), e.found[pos]))
	}
	return lines
}

func (e *examination) imports(f *ast.File, exports map[string]listing) {
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if l := exports[path]; err == nil && l.Standard && !slices.Contains(pure, path) {
			e.found[i.Pos()] = fmt.Sprintf("a node has no use for package %s, which does more than compute", path)
		}
	}
}

// node examines one node of the syntax tree.
func (e *examination) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if t := e.info.TypeOf(n.X); t != nil {
			e.walk(n, t)
		}
	case *ast.GoStmt:
		e.found[n.Pos()] = "a node has no goroutine"
	case *ast.SelectStmt:
		e.found[n.Pos()] = "a node has no channel to select"
	case *ast.ChanType:
		e.found[n.Pos()] = "a node has no channel"
	case *ast.SendStmt:
		e.found[n.Arrow] = "a node sends by its Out, not by a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			e.found[n.OpPos] = "a node receives by its method Receive, not by a channel"
		}
	case *ast.Ident:
		e.use(n)
	case *ast.TypeAssertExpr:
		if e.isOut(n.X) {
			e.found[n.Pos()] = "a node must not ask what its Out is: that differs from host to host"
		}
	case *ast.CallExpr:
		for _, x := range n.Args {
			if e.isOut(x) && !e.takesOut(n, x) {
				e.found[x.Pos()] = "a node must not inspect its Out: what is in it differs from host to host"
			}
		}
	}
}

// isOut reports whether x is a messaging.Out.
func (e *examination) isOut(x ast.Expr) bool {
	t := e.info.TypeOf(x)
	return t != nil && types.TypeString(t, nil) == outType
}

const outType = "example.org/doorway/messaging.Out"

// takesOut reports whether the parameter of a call that gets x has the methods of an Out.
func (e *examination) takesOut(call *ast.CallExpr, x ast.Expr) bool {
	t := e.info.TypeOf(call.Fun) // of a conversion
	if f, ok := t.Underlying().(*types.Signature); ok && f.Params().Len() > 0 {
		last := f.Params().Len() - 1
		k := min(slices.Index(call.Args, x), last)
		t = f.Params().At(k).Type()
		if s, ok := t.(*types.Slice); ok && f.Variadic() && k == last {
			t = s.Elem()
		}
	}
	return types.NewMethodSet(t).Lookup(e.pkg, "Send") != nil
}

// walk examines a range over a value of type t; of a type parameter, it examines
// every type.
func (e *examination) walk(n *ast.RangeStmt, t types.Type) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = p.Constraint()
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		e.found[n.Pos()] = "a range over a map has another order each time"
	case *types.Chan:
		e.found[n.Pos()] = "a node has no channel to range over"
	case *types.Interface:
		for t := range u.EmbeddedTypes() {
			e.walk(n, t)
		}
	case *types.Union:
		for term := range u.Terms() {
			e.walk(n, term.Type())
		}
	}
}

// use examines the use of a declaration of another package.
func (e *examination) use(id *ast.Ident) {
	f, ok := e.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return
	}
	switch path, name := f.Pkg().Path(), f.Name(); {
	case path == "time" && slices.Contains(clocks, name):
		e.found[id.Pos()] = fmt.Sprintf("a node has no clock: it sets timers by its Out and must not call time.%s", name)
	case path == "iter" && (name == "Pull" || name == "Pull2"):
		e.found[id.Pos()] = fmt.Sprintf("a node has no coroutine: iter.%s keeps state that is in none of its fields", name)
	case path == "fmt" && !strings.HasPrefix(name, "Sprint") && !strings.HasPrefix(name, "Append") && name != "Errorf":
		e.found[id.Pos()] = fmt.Sprintf("a node must not do input or output: fmt.%s is for its host", name)
	}
}
