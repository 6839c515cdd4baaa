package mutants

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
)

// OfNodes returns the mutants of a package of nodes, in the order of its source. They are
// mutants of all of its algorithms, some of which share code.
func OfNodes(root, pkg string) ([]Mutant, error) {
	found, err := filepath.Glob(filepath.Join(root, "messaging", "*", pkg))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("mutants: the package %s of nodes is in %d directories", pkg, len(found))
	}
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Rel(root, found[0])
	if err != nil {
		return nil, err
	}
	p, err := load(root, filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	p.ofNodes()
	return p.mutants((*operators).node, Mutant{Algorithm: pkg, dir: filepath.ToSlash(dir), tested: true}), nil
}

// ofNodes finds the functions of the nodes of a package: those that the field New of each
// messaging.Protocol of the package refers to, directly or indirectly, with the methods of
// the types that they refer to.
func (p *protocol) ofNodes() {
	p.nodes = true
	reached := map[types.Object]bool{}
	for _, f := range p.parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CompositeLit); ok && c.Type != nil && p.text(c.Type) == "messaging.Protocol" {
				p.reach(field(c, "New"), reached)
			}
			return true
		})
	}
	p.has(reached)
}

// field returns the value of a field of a composite literal.
func field(c *ast.CompositeLit, name string) ast.Expr {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
				return kv.Value
			}
		}
	}
	return nil
}

// handlers are the methods of a node that its hosts call.
var handlers = []string{"Start", "Request", "Receive", "Release", "Withdraw"}

// handles adds to reached the handlers of a type.
func (p *protocol) handles(t *types.TypeName, reached map[types.Object]bool) {
	if t.Pkg() != p.pkg || t.IsAlias() {
		return
	}
	for _, name := range handlers {
		f, _, _ := types.LookupFieldOrMethod(types.NewPointer(t.Type()), true, p.pkg, name)
		p.include(f, reached)
	}
}

// include adds a function of the algorithm to reached, and what it refers to.
func (p *protocol) include(f types.Object, reached map[types.Object]bool) {
	d := p.decls[f]
	if d == nil || reached[f] || p.nodes && p.checks(d) {
		return
	}
	reached[f] = true
	p.reach(d.Body, reached)
}

// checks reports whether a function of a package of nodes is no part of its algorithm, but
// says what is wrong: with a message, or with what the algorithm is made from.
func (p *protocol) checks(d *ast.FuncDecl) bool {
	r := d.Type.Results
	return d.Name.Name == "impossible" || r != nil && len(r.List) == 1 && p.text(r.List[0].Type) == "error"
}
