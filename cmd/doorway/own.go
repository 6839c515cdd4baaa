package main

import (
	"bytes"
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

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spelling"
)

// Doorway check takes a lock that is not of the library too: a constructor in a
// package of the module of the working directory. A program made of internal/own is
// built in that module and checks it there, with the version of the library that the
// module has.

// A constructor is how the command line names a lock of one's own.
type constructor struct{ pattern, name string }

// ownLock returns the constructor that an operand names: an identifier after the last
// dot of a package, as the go command takes it. It reports whether there is a dot, which no name of
// the library has.
func ownLock(operand string) (constructor, bool) {
	if !strings.Contains(operand, ".") {
		return constructor{}, false
	}
	dot := strings.LastIndexByte(operand, '.')
	c := constructor{operand[:dot], operand[dot+1:]}
	if !token.IsIdentifier(c.name) {
		return constructor{pattern: operand}, true
	}
	if c.pattern == "" {
		c.pattern = "."
	}
	return c, true
}

// isOwn reports whether an operand is a constructor, which is exported, as no file is called.
func isOwn(operand string) bool {
	c, is := ownLock(operand)
	_, err := os.Stat(operand)
	return is && token.IsExported(c.name) && errors.Is(err, fs.ErrNotExist)
}

// A goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	Module                *struct{ Main bool }
	Error                 *struct{ Err string }
}

const explorer = "example.org/doorway/explore"

// list returns the package of c.
func (c constructor) list(ctx context.Context, goTool string) (*goPackage, error) {
	cmd := exec.CommandContext(ctx, goTool, "list", "-e", "-find", tagged, readOnly,
		"-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Module,Error", "--", c.pattern, explorer)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch said := strings.TrimSpace(stderr.String()); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && strings.Contains(said, "go.mod file not found"):
		return nil, fmt.Errorf("%s is in no module: run go mod init there first, and require example.org/doorway (%w)", c.pattern, err)
	case err != nil:
		return nil, fmt.Errorf("go list %s: %w\n%s", c.pattern, err, said)
	}
	var found []*goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		l := new(goPackage)
		if err := d.Decode(l); err != nil {
			return nil, fmt.Errorf("go list %s: %w", c.pattern, err)
		}
		found = append(found, l)
	}
	switch {
	case len(found) != 2:
		return nil, fmt.Errorf("%s is %d packages, not one", c.pattern, len(found)-1)
	case found[0].Error != nil:
		return nil, fmt.Errorf("there is no package %s to check a lock of: %s", c.pattern, found[0].Error.Err)
	case found[1].Error != nil:
		return nil, errors.New("the module of the working directory does not require example.org/doorway, which checks its locks: " +
			"go get example.org/doorway adds it, or, from a checkout, " +
			"go mod edit -require=example.org/doorway@v0.0.0 -replace=example.org/doorway=<directory>")
	}
	return found[0], nil
}

// find returns the constructor in the source of l, or an error.
func (c constructor) find(l *goPackage) (*ast.FuncDecl, error) {
	if l.Name == "main" {
		return nil, fmt.Errorf("%s is a program, which cannot be imported: move the lock to a package of its own", c.pattern)
	}
	var others []string
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s does not compile:\n%w", c.pattern, err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Recv != nil:
			case fn.Name.Name == c.name && !fn.Name.IsExported():
				return nil, fmt.Errorf("%s of %s is not exported: the check imports the package", c.name, c.pattern)
			case fn.Name.Name == c.name && fn.Type.TypeParams != nil:
				return nil, fmt.Errorf("%s of %s has type parameters: name a function without, that calls it", c.name, c.pattern)
			case fn.Name.Name == c.name:
				return fn, nil
			case constructs(fn):
				others = append(others, fn.Name.Name)
			}
		}
	}
	if len(others) == 0 {
		return nil, fmt.Errorf("%s has no function %s, nor any that could be a constructor", c.pattern, c.name)
	}
	return nil, fmt.Errorf("%s has no function %s: %s", c.pattern, c.name, spelling.Choices("its constructors are", c.name, others))
}

// constructs reports whether a function looks like a constructor of a lock.
func constructs(fn *ast.FuncDecl) bool {
	return fn.Name.IsExported() && fn.Type.TypeParams == nil && fn.Type.Params.NumFields() <= 1 && fn.Type.Results.NumFields() == 1
}

// subject returns the lock as one that can be checked. What it promises is unknown,
// but for what every lock does.
func (c constructor) subject(l *goPackage) subject {
	named := catalog.Entry{Name: l.Name + "." + c.name, Source: l.ImportPath}
	return subject{kind: foreign, Entry: named, claims: catalog.Claims{Bypasses: -1}}
}
