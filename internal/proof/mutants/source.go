package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A protocol is the source of an algorithm: the functions of its entry and exit
// protocols, or of its nodes.
type protocol struct {
	files  map[string][]byte
	fset   *token.FileSet
	parsed []*ast.File
	pkg    *types.Package
	info   *types.Info
	decls  map[types.Object]*ast.FuncDecl // of the package
	funcs  []*ast.FuncDecl                // of the protocol, in the order of the source

	nodes   bool                    // it is that of nodes
	locals  map[string]bool         // the names of fields that are registers of type Local
	effects map[types.Object]effect // of the functions of the package
}

// An effect is what a piece of code does to registers, directly or through calls.
type effect int

const (
	accesses effect = 1 << iota // it reads or writes one
	awaits                      // it may wait
)

// load parses the package in a directory, which is relative to root.
func load(root, dir string) (*protocol, error) {
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &protocol{
		files: map[string][]byte{}, fset: token.NewFileSet(),
		info: &types.Info{
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		},
		decls: map[types.Object]*ast.FuncDecl{}, effects: map[types.Object]effect{}, locals: map[string]bool{},
	}
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		name := dir + "/" + filepath.Base(file)
		if p.files[name], err = os.ReadFile(file); err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(p.fset, name, p.files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.parsed = append(p.parsed, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && lastName(field.Type) == "Local" {
				for _, name := range field.Names {
					p.locals[name.Name] = true
				}
			}
			return true
		})
	}
	// Imports are not resolved: an operation on a register is recognised by the name
	// of its method. So there are type errors, which are ignored.
	config := types.Config{Error: func(error) {}, Importer: none{}}
	p.pkg, _ = config.Check("p", p.fset, p.parsed, p.info)
	for _, f := range p.parsed {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				p.decls[p.info.Defs[d.Name]] = d
			}
		}
	}
	return p, nil
}

// ofLock finds the protocol of the lock that a constructor makes: the functions that
// its methods call, directly or indirectly.
func (p *protocol) ofLock(constructor string) error {
	f, ok := p.pkg.Scope().Lookup(constructor).(*types.Func)
	if !ok || f.Signature().Results().Len() != 1 {
		return fmt.Errorf("there is no constructor %s", constructor)
	}
	reached := map[types.Object]bool{}
	for _, name := range []string{"Lock", "LockContext", "Unlock"} {
		method, _, _ := types.LookupFieldOrMethod(f.Signature().Results().At(0).Type(), true, p.pkg, name)
		if d := p.decls[method]; d != nil {
			p.reach(d, reached)
		}
	}
	p.has(reached)
	p.findEffects()
	return nil
}

// has sets the functions of the protocol.
func (p *protocol) has(reached map[types.Object]bool) {
	for f := range reached {
		p.funcs = append(p.funcs, p.decls[f])
	}
	slices.SortFunc(p.funcs, func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) })
}

type none struct{}

func (none) Import(string) (*types.Package, error) { return nil, errors.New("not looked at") }

// reach adds to reached the functions of the package that n refers to, directly or
// indirectly, and the handlers of the types.
func (p *protocol) reach(n ast.Node, reached map[types.Object]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			switch of := p.info.Uses[id].(type) {
			case *types.Func:
				p.include(of, reached)
			case *types.TypeName:
				if of.Pkg() == p.pkg && !of.IsAlias() {
					p.handles(of.Type(), reached)
				}
			}
		}
		return true
	})
}

// findEffects computes the effects of all functions, as the effects of the functions
// that they call become known.
func (p *protocol) findEffects() {
	for changed := true; changed; {
		changed = false
		for f, d := range p.decls {
			if e := p.effect(d.Body); e != p.effects[f] {
				p.effects[f], changed = e, true
			}
		}
	}
}

// effect returns what n does to registers.
func (p *protocol) effect(n ast.Node) (e effect) {
	if n == nil {
		return 0
	}
	for n := range ast.Preorder(n) {
		if call, ok := n.(*ast.CallExpr); ok {
			switch {
			case isAwait(call):
				e |= accesses | awaits
			case isWrite(call), isLoad(call):
				e |= accesses
			default:
				e |= p.effects[p.callee(call)]
			}
		}
	}
	return e
}

// callee returns the called function, if it is one of the package.
func (p *protocol) callee(call *ast.CallExpr) types.Object {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return p.info.Uses[f]
	case *ast.SelectorExpr:
		return p.info.Uses[f.Sel]
	}
	return nil
}

// lastName returns the name of x, or what is selected last.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// called returns the call that a statement is, or nil.
func called(s ast.Stmt) *ast.CallExpr {
	if s, ok := s.(*ast.ExprStmt); ok {
		call, _ := s.X.(*ast.CallExpr)
		return call
	}
	return nil
}

// method returns the name of the called method, or function of another package, if
// the call has that many arguments.
func method(call *ast.CallExpr, arguments int) string {
	if call == nil || len(call.Args) != arguments {
		return ""
	}
	if f, ok := call.Fun.(*ast.SelectorExpr); ok {
		return f.Sel.Name
	}
	return ""
}

func isLoad(call *ast.CallExpr) bool { return method(call, 0) == "Load" }

func isWrite(call *ast.CallExpr) bool {
	switch method(call, 1) {
	case "Set", "Store", "Swap", "FetchAdd":
		return true
	}
	return method(call, 2) == "CompareAndSwap"
}

func isAwait(call *ast.CallExpr) bool {
	return method(call, 2) == "Await" || method(call, 2) == "AwaitExclusive" || isAwaitEither(call)
}

func isAwaitEither(call *ast.CallExpr) bool {
	return strings.HasPrefix(method(call, 5), "AwaitEither")
}

// text returns the source of n.
func (p *protocol) text(n ast.Node) string {
	from, to := p.fset.Position(n.Pos()), p.fset.Position(n.End())
	return string(p.files[from.Filename][from.Offset:to.Offset])
}

// brief returns the beginning of the source of n, on one line.
func (p *protocol) brief(n ast.Node) string {
	const enough = 70 // bytes
	text := p.text(n)
	first, _, _ := strings.Cut(text, "\n")
	first, _, _ = strings.Cut(first, " //")
	if len(first) > enough {
		first = first[:max(0, strings.LastIndexByte(first[:enough], ' '))]
	}
	if len(first) < len(text) {
		return strings.TrimSpace(first) + " …"
	}
	return first
}

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
func (p *protocol) handles(t types.Type, reached map[types.Object]bool) {
	for _, name := range handlers {
		f, _, _ := types.LookupFieldOrMethod(t, true, p.pkg, name)
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
