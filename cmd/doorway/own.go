package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/own"
	"example.org/doorway/internal/spelling"
)

// Doorway check takes a lock that is not of the library too: a constructor in a
// package of the module of the working directory. A program with it, whose main function is that of
// package page, is built in that module and checks it there, with the version of the library that the
// module has.

// A constructor is how the command line names a lock of one's own.
type constructor struct{ pattern, function string }

// ownLock returns the constructor that an operand names: an identifier after the last
// dot of a package, as the go command takes it. It reports whether there is a dot, which no name of
// the library has.
func ownLock(operand string) (constructor, bool) {
	if !strings.Contains(operand, ".") {
		return constructor{}, false
	}
	dot := strings.LastIndexByte(operand, '.')
	c := constructor{operand[:dot], operand[dot+1:]}
	if !token.IsIdentifier(c.function) {
		return constructor{pattern: operand}, true
	}
	if c.pattern == "" {
		c.pattern = "."
	}
	return c, true
}

// exportedOwn is ownLock of what may be a file: a constructor is exported, as no file is called.
func exportedOwn(operand string) (constructor, bool) {
	c, is := ownLock(operand)
	_, err := os.Stat(operand)
	return c, is && token.IsExported(c.function) && errors.Is(err, fs.ErrNotExist)
}

// A goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath, Name, Dir      string
	GoFiles, CgoFiles, Imports []string
	Module                     *goModule
	Error                      *struct{ Err string }
}

// A goModule is a module as go list describes it.
type goModule struct {
	Main    bool
	Replace *struct{ Version string }
}

// checkout reports whether m is in a directory of the user's, not in the cache of modules.
func (m *goModule) checkout() bool {
	return m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// An ownCode is a constructor with its package.
type ownCode struct {
	constructor
	goPackage
	explorer goPackage // the package explore that checks it
}

const (
	library  = "example.org/doorway"
	explorer = library + "/explore"
	whyOwn   = "to run what is your own, doorway has the go command build it"
)

// load finds the package of c. A package comes with an error if it is there, and the module lacks doorway.
func (c constructor) load(ctx context.Context) (*ownCode, error) {
	goTool, err := goCommand(whyOwn)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, goTool, "list", "-e", "-find", "-tags="+explores, "-mod=readonly",
		"-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Imports,Module,Error", "--", c.pattern, explorer)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch said := strings.TrimSpace(stderr.String()); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && strings.Contains(said, "go.mod file not found"):
		return nil, fmt.Errorf("%s is in no module: run go mod init there first, and require %s (%w)", c.pattern, library, err)
	case err != nil:
		return nil, fmt.Errorf("go list %s: %w\n%s", c.pattern, err, said)
	}
	var found []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list %s: %w", c.pattern, err)
		}
		found = append(found, p)
	}
	switch {
	case len(found) != 2:
		return nil, fmt.Errorf("%s is %d packages, not one", c.pattern, len(found)-1)
	case found[0].Error != nil:
		return nil, fmt.Errorf("there is no package %s to check a lock of: %s", c.pattern, found[0].Error.Err)
	case found[1].Error != nil:
		err = errors.New("the module of the working directory does not require example.org/doorway, which checks its locks: " +
			"go get example.org/doorway adds it, or, from a checkout, " +
			"go mod edit -require=example.org/doorway@v0.0.0 -replace=example.org/doorway=<directory>")
	}
	return &ownCode{c, found[0], found[1]}, err
}

// functions returns the functions and methods that the package declares.
func (c *ownCode) functions() (all []*ast.FuncDecl, err error) {
	for _, name := range slices.Concat(c.GoFiles, c.CgoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(c.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s does not compile:\n%w", c.pattern, err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				all = append(all, fn)
			}
		}
	}
	return all, nil
}

// written reports whether c makes a lock whose goroutines have no numbers: of a package without registers or nodes, in
// which no Lock takes an int. It is checked as it is written.
func (c *ownCode) written() bool {
	functions, err := c.functions()
	ofDoorway := func(path string) bool { return strings.HasPrefix(path, library+"/") }
	if err != nil || c.Name == "main" || slices.ContainsFunc(c.Imports, ofDoorway) {
		return false
	}
	return !slices.ContainsFunc(functions, func(fn *ast.FuncDecl) bool {
		if fn.Type.Params.NumFields() == 0 {
			return false
		}
		of, _ := fn.Type.Params.List[0].Type.(*ast.Ident)
		return fn.Recv == nil && fn.Name.Name == c.function || fn.Recv != nil && fn.Name.Name == "Lock" && of != nil && of.Name == "int"
	})
}

// find returns the constructor in the source, or an error.
func (c *ownCode) find() (*ast.FuncDecl, error) {
	if c.Name == "main" {
		return nil, fmt.Errorf("%s is a program, which cannot be imported: move the lock to a package of its own", c.pattern)
	}
	functions, err := c.functions()
	if err != nil {
		return nil, err
	}
	var others []string
	for _, fn := range functions {
		switch {
		case fn.Recv != nil:
		case fn.Name.Name == c.function && !fn.Name.IsExported():
			return nil, fmt.Errorf("%s of %s is not exported: the check imports the package", c.function, c.pattern)
		case fn.Name.Name == c.function && fn.Type.TypeParams != nil:
			return nil, fmt.Errorf("%s of %s has type parameters: name a function without, that calls it", c.function, c.pattern)
		case fn.Name.Name == c.function:
			return fn, nil
		case constructs(fn):
			others = append(others, fn.Name.Name)
		}
	}
	if len(others) == 0 {
		return nil, fmt.Errorf("%s has no function %s, nor any that could be a constructor", c.pattern, c.function)
	}
	return nil, fmt.Errorf("%s has no function %s: %s", c.pattern, c.function, spelling.Choices("its constructors are", c.function, others))
}

// constructs reports whether a function looks like a constructor of a lock.
func constructs(fn *ast.FuncDecl) bool {
	for _, param := range fn.Type.Params.List {
		if _, variadic := param.Type.(*ast.Ellipsis); variadic {
			return false
		}
	}
	return fn.Name.IsExported() && fn.Type.TypeParams == nil && fn.Type.Params.NumFields() <= 1 && fn.Type.Results.NumFields() == 1
}

// subject returns the lock as one that can be checked. What it promises is unknown,
// but for what every lock does.
func (c *ownCode) subject() subject {
	named := catalog.Entry{Name: c.Name + "." + c.function, Source: c.ImportPath}
	return subject{kind: foreign, Entry: named, claims: catalog.Claims{Bypasses: -1}}
}

// runOwn checks a lock or a protocol of one's own.
func (u *checkup) runOwn(ctx context.Context, s streams, name string, c constructor) error {
	if c.function == "" {
		return u.mistaken("%s names no constructor: the operand is a package, a dot and a function, such as ./mylock.New", c.pattern)
	}
	code, err := c.load(ctx)
	if code != nil && code.written() {
		return u.runWritten(ctx, s, name, code)
	}
	if err := cmp.Or(err, u.only("a lock as it is written", "not for "+name, ofWritten), u.misfit()); err != nil {
		return err
	}
	u.Draw, u.OfLocks, u.OfProtocols = u.svg != "", u.given(ofLocks, ofOwn), u.given(ofUsers, ofFaults)
	m, err := u.ask(ctx, s, code, u.Request)
	if err != nil {
		return u.hint(err)
	}
	f, err := code.found(m)
	return u.finish(s, code.subject(), f, err)
}

// found returns what the program that checks what is one's own has found.
func (c *ownCode) found(m *own.Message) (finding, error) {
	of := c.subject()
	switch r := m.Report; {
	case r != nil:
		alone := registers.Accesses{Reads: r.Reads, Writes: r.Writes, Registers: len(r.Registers)}
		if r.MutualExclusion.Status != explore.Holds {
			alone.Reads, alone.Writes = -1, -1
		}
		f := newLockFinding(of, r.Cap, r, alone, m.Elapsed)
		f.code = c
		return f, nil
	case m.Nodes != nil:
		f := &nodesFinding{of: of, Nodes: m.Nodes.Nodes, Workload: m.Nodes.Workload}
		f.Elapsed, f.drawn = m.Elapsed, picture(m.Nodes.Picture)
		return f.with(m.Nodes.Report, m.Nodes.Broke), nil
	}
	return nil, m.Refused
}
