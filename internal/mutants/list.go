package mutants

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Row is a lock of the catalog.
type Row struct{ Name, Import string }

// Rows returns the locks of the catalog, and the names of the packages of its nodes. It reads them in its source:
// a program that imports the catalog changes with each algorithm.
func Rows(root string) (locks []Row, packages []string, err error) {
	dir := filepath.Join(root, "internal", "catalog")
	err = list(filepath.Join(dir, "catalog.go"), "Algorithms", func(n ast.Node) {
		if c, is := n.(*ast.CompositeLit); is && isNamed(c.Type, "Entry") {
			locks = append(locks, Row{literal(field(c, "Name")), literal(field(c, "Import"))})
		}
	})
	if err != nil {
		return nil, nil, err
	}
	err = list(filepath.Join(dir, "protocols.go"), "Protocols", func(n ast.Node) {
		c, is := n.(*ast.CallExpr)
		if !is || !isNamed(c.Fun, "of") || len(c.Args) < 2 {
			return
		}
		if pkg, _, ok := strings.Cut(literal(c.Args[1]), "."); ok && !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	})
	return locks, packages, err
}

// list calls visit for each node of the value of a variable.
func list(file, variable string, visit func(ast.Node)) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		v, is := n.(*ast.ValueSpec)
		if is && v.Names[0].Name == variable && len(v.Values) == 1 {
			found = true
			ast.Inspect(v.Values[0], func(n ast.Node) bool { visit(n); return true })
		}
		return true
	})
	if !found {
		return fmt.Errorf("mutants: %s has no %s", file, variable)
	}
	return nil
}

func isNamed(x ast.Expr, name string) bool {
	id, is := x.(*ast.Ident)
	return is && id.Name == name
}

// literal returns the value of a string, or "".
func literal(x ast.Expr) string {
	if l, is := x.(*ast.BasicLit); is && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}
