package main

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A sourcePackage is what the go command says of a package.
type sourcePackage struct {
	goPackage
	Imports []string
}

// source returns the package of c; nil: there is none that can be imported.
func (c constructor) source(ctx context.Context) *sourcePackage {
	out, err := exec.CommandContext(ctx, "go", "list", "-e", "-find", readOnly, "-json=Name,Dir,GoFiles,Imports,Error", "--", c.pattern).Output()
	p := new(sourcePackage)
	if err != nil || json.NewDecoder(bytes.NewReader(out)).Decode(p) != nil || p.Error != nil || p.Name == "main" {
		return nil
	}
	return p
}

// written reports whether c makes a lock whose goroutines have no numbers: of a package without registers or nodes, in
// which no Lock takes an int. It is checked as it is written.
func (c constructor) written(ctx context.Context) bool {
	p := c.source(ctx)
	if p == nil || slices.ContainsFunc(p.Imports, func(path string) bool { return strings.HasPrefix(path, "example.org/doorway/") }) {
		return false
	}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Type.Params.NumFields() == 0 {
				continue
			}
			of, _ := fn.Type.Params.List[0].Type.(*ast.Ident)
			if fn.Recv == nil && fn.Name.Name == c.name || fn.Recv != nil && fn.Name.Name == "Lock" && of != nil && of.Name == "int" {
				return false
			}
		}
	}
	return true
}
