package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A program is the source under examination: a package, and the imported packages
// that its protocols call.
type program struct {
	*Source
	main    *types.Package
	sources map[string]*types.Package // by import path; of the examined package, its directory
	faults  []types.Error             // of the sources
	sealed  bool                      // no more source is read
	err     error                     // the first error that prevented the examination of a protocol

	declared  map[*types.Func]*function
	literals  map[*ast.FuncLit]*function // function literals
	all       []*function                // both, in order
	scopes    map[*types.Scope]*function // of functions
	initial   map[*types.Var]ast.Expr    // the value with which a variable is declared
	assigned  map[*types.Var]bool        // variables that are assigned after their declaration
	addressed map[*types.Var]bool        // variables that something may write by their address
	calls     []call
	values    []value // functions that are used other than by a call

	locks     map[[2]string]bool       // the types of those that are examined, by package and name
	structs   map[*types.Struct]string // results of structOf
	protocols map[*function]bool
	others    map[*function]bool        // that are in the protocols of other locks
	next      map[*function][]*function // results of leadsTo
	effects   map[*function]effect      // results of does
	runs      map[*function]string      // results of immediate
	given     map[gift]bool             // that have been examined
	found     map[token.Pos]Breach
}

// A function is a declared function or a function literal.
type function struct {
	name  string      // of the declaration it is in
	obj   *types.Func // if it is declared
	node  ast.Node
	body  *ast.BlockStmt
	sig   *types.Signature
	outer *function // the function around a literal; for one at package level, it has only a name
}

// A call is of a function by its name.
type call struct {
	at *ast.CallExpr
	of *types.Func
	in *function
}

// A value is a function that is used as a value: a literal, or the name of a function.
type value struct {
	at  ast.Expr
	sig *types.Signature
	of  string // the key of its type
	in  *function
}

// program returns the package as a program that has followed no import yet.
func (s *Source) program() *program {
	p := &program{
		Source: s, sources: map[string]*types.Package{}, declared: map[*types.Func]*function{},
		literals: map[*ast.FuncLit]*function{}, scopes: map[*types.Scope]*function{}, initial: map[*types.Var]ast.Expr{},
		assigned: map[*types.Var]bool{}, addressed: map[*types.Var]bool{}, locks: map[[2]string]bool{},
		structs: map[*types.Struct]string{}, protocols: map[*function]bool{},
		others: map[*function]bool{}, next: map[*function][]*function{},
		effects: map[*function]effect{}, runs: map[*function]string{},
		given: map[gift]bool{}, found: map[token.Pos]Breach{},
	}
	p.main = p.include(s.dir)
	return p
}

// include makes a package part of the program.
func (p *program) include(path string) *types.Package {
	c := p.checked[path]
	p.sources[path] = c.pkg
	p.faults = append(p.faults, c.faults...)
	for _, f := range c.files {
		for _, d := range f.Decls {
			p.declare(d)
		}
	}
	return c.pkg
}

// follow adds the source of an imported package to the program, and reports whether it is there.
func (p *program) follow(pkg *types.Package) bool {
	path := pkg.Path()
	l := p.listed[path]
	if p.sources[path] != nil {
		return true
	}
	if path == registers || path == cells || path == tables || l.Standard || len(l.GoFiles) == 0 || p.sealed {
		return false
	}
	if p.checked[path] == nil {
		var files []*ast.File
		for _, name := range l.GoFiles {
			f, err := p.parseFile(l.Dir, name)
			if err != nil {
				p.fail(err)
				return false
			}
			files = append(files, f)
		}
		p.check(path, files)
	}
	p.include(path)
	return true
}

// fail records that something could not be examined.
func (p *program) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// declare indexes a declaration at package level.
func (p *program) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if obj, ok := p.info.Defs[d.Name].(*types.Func); ok && d.Body != nil {
			fn := &function{name: d.Name.Name, obj: obj, node: d, body: d.Body, sig: obj.Signature()}
			p.declared[obj] = fn
			p.add(fn, d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.ValueSpec); ok {
				p.index(s, &function{name: s.Names[0].Name, sig: &types.Signature{}})
			}
		}
	}
}

func (p *program) add(fn *function, of *ast.FuncType) {
	p.all = append(p.all, fn)
	p.scopes[p.info.Scopes[of]] = fn
	p.index(fn.body, fn)
}

// owner returns the function that declares a local variable, or nil.
func (p *program) owner(v *types.Var) *function {
	if v == nil {
		return nil
	}
	for s := v.Parent(); s != nil; s = s.Parent() {
		if fn := p.scopes[s]; fn != nil {
			return fn
		}
	}
	return nil
}

// hasParameter reports whether v is a parameter of fn, or its receiver.
func (fn *function) hasParameter(v *types.Var) bool {
	return v == fn.sig.Recv() || slices.Contains(slices.Collect(fn.sig.Params().Variables()), v)
}

// results returns the types of the results of fn.
func (fn *function) results() (all []types.Type) {
	for v := range fn.sig.Results().Variables() {
		all = append(all, v.Type())
	}
	return all
}

// index records what is in a function, or in a declaration at package level.
func (p *program) index(root ast.Node, in *function) {
	ast.PreorderStack(root, nil, func(n ast.Node, path []ast.Node) bool {
		for _, to := range written(n) {
			if v, ok := p.base(to).(*types.Var); ok && (p.direct(to) || packageLevel(v)) && p.info.Defs[identOf(to)] == nil {
				p.assigned[v] = true
			}
		}
		if of := p.addressOf(n); of != nil && p.direct(of) {
			if v, ok := p.base(of).(*types.Var); ok {
				p.addressed[v] = true
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			sig, _ := p.info.TypeOf(n).(*types.Signature)
			if sig == nil {
				sig = &types.Signature{}
			}
			fn := &function{name: in.name, node: n, body: n.Body, sig: sig, outer: in}
			p.literals[n] = fn
			p.add(fn, n.Type)
			if !called(n, path) {
				p.values = append(p.values, value{n, sig, key(sig), in})
			}
			return false
		case *ast.AssignStmt:
			p.begins(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, id := range n.Names {
				names = append(names, id)
			}
			p.begins(names, n.Values)
		case *ast.Ident:
			p.mention(n, path, in)
		case *ast.CallExpr:
			if fn := p.callee(n); fn != nil {
				p.calls = append(p.calls, call{n, fn, in})
			}
		}
		return true
	})
}

// mention records a function that is used as a value.
func (p *program) mention(id *ast.Ident, path []ast.Node, in *function) {
	if p.function(id) == nil || called(id, path) {
		return
	}
	var x ast.Expr = id
	if sel, ok := path[len(path)-1].(*ast.SelectorExpr); ok {
		x = sel
	}
	if sig, ok := under(p.info.TypeOf(x)).(*types.Signature); ok {
		p.values = append(p.values, value{x, sig, key(sig), in})
	}
}

// called reports whether x, a literal or a name, is the function that a call is of.
func called(x ast.Expr, path []ast.Node) bool {
	for _, n := range slices.Backward(path) {
		switch n := n.(type) {
		case *ast.CallExpr:
			return ast.Unparen(n.Fun) == x || ast.Expr(name(n.Fun)) == x
		case ast.Stmt, *ast.FuncLit:
			return false
		}
	}
	return false
}

// taken reports whether a declared function is used as a value, other than by a protocol.
func (p *program) taken(fn *function) bool {
	return slices.ContainsFunc(p.values, func(v value) bool {
		return !p.protocols[v.in] && !p.others[v.in] && same(p.function(name(v.at)), fn.obj)
	})
}

// callers returns the functions that call a declared function by its name; or for a method, by an interface.
func (p *program) callers(fn *function, byInterface bool) (by []*function) {
	for _, c := range p.calls {
		if byInterface && overInterface(c.of) && c.of.Name() == fn.name || !byInterface && same(c.of, fn.obj) {
			by = append(by, c.in)
		}
	}
	return by
}

// begins records the values of variables that are declared.
func (p *program) begins(names, values []ast.Expr) {
	for i, to := range names {
		if v, ok := p.info.Defs[identOf(to)].(*types.Var); ok && len(names) == len(values) {
			p.initial[v] = ast.Unparen(values[i])
		}
	}
}

// fixed reports whether a variable has its first value for ever.
func (p *program) fixed(v *types.Var) bool { return !p.assigned[v] && !p.addressed[v] }

// each visits the nodes of fn, except those in nested function literals, with the nodes around each.
func (fn *function) each(visit func(n ast.Node, path []ast.Node)) {
	ast.PreorderStack(fn.body, nil, func(n ast.Node, path []ast.Node) bool {
		visit(n, path)
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}

// calls visits the calls of fn.
func (fn *function) calls(visit func(call *ast.CallExpr)) {
	fn.each(func(n ast.Node, _ []ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok {
			visit(call)
		}
	})
}

// outermost returns the declaration that fn is in.
func (fn *function) outermost() *function {
	for fn.outer != nil {
		fn = fn.outer
	}
	return fn
}

// inside reports whether fn is outer, or a literal in it.
func (fn *function) inside(outer *function) bool {
	for ; fn != nil; fn = fn.outer {
		if fn == outer {
			return true
		}
	}
	return false
}

// report reports what fn does at a node. Of several breaches there, the first is reported.
func (p *program) report(fn *function, at ast.Node, format string, args ...any) {
	if _, ok := p.found[at.Pos()]; !ok {
		place := p.fset.Position(at.Pos())
		p.found[at.Pos()] = Breach{place.Filename, place.Line, fn.name, fmt.Sprintf(format, args...)}
	}
}

// place formats a line as [Breach] does.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	return Breach{File: at.Filename, Line: at.Line}.at()
}

// callee returns the function or method that a call names, or nil for a function
// value, a conversion or a builtin.
func (p *program) callee(call *ast.CallExpr) *types.Func { return p.function(name(call.Fun)) }

// function returns the function or method of which n is the name, or nil.
func (p *program) function(n ast.Node) *types.Func {
	id, _ := n.(*ast.Ident)
	fn, _ := p.info.Uses[id].(*types.Func)
	return fn
}

// builtin returns the name of the builtin function that is called, or "".
func (p *program) builtin(call *ast.CallExpr) string {
	if b, ok := p.info.Uses[name(call.Fun)].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// converts reports whether a call is a conversion.
func (p *program) converts(call *ast.CallExpr) bool { return p.info.Types[call.Fun].IsType() }

// isCall reports whether a call is of one of these functions of package register.
func (p *program) isCall(call *ast.CallExpr, names ...string) bool {
	fn := p.callee(call)
	return inPackage(fn, registers) && slices.Contains(names, display(fn))
}

// standard reports whether a package is of the standard library.
func (p *program) standard(pkg *types.Package) bool {
	return pkg != nil && p.listed[pkg.Path()].Standard
}

// examined reports whether the source of a package is examined.
func (p *program) examined(pkg *types.Package) bool {
	return pkg != nil && p.sources[pkg.Path()] != nil
}

func packageLevel(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// same reports whether two functions are the same; of a package that was read from source and imported, there are
// two of each.
func same(f, g *types.Func) bool {
	return f != nil && (f.Origin() == g.Origin() || f.Name() == g.Name() && f.Pkg() != g.Pkg() && f.Origin().FullName() == g.Origin().FullName())
}

// inPackage reports whether fn is a function of a package. Those of cells count as of registers.
func inPackage(fn *types.Func, path string) bool {
	return fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == path || path == registers && fn.Pkg().Path() == cells)
}

// display names a function as the source does.
func display(fn *types.Func) string {
	if fn.Pkg() == nil {
		return "error." + fn.Name()
	}
	name := fn.Name()
	if r := fn.Signature().Recv(); r != nil && named(r.Type()) != nil {
		name = named(r.Type()).Obj().Name() + "." + name
		if fn.Pkg().Path() == registers {
			return name
		}
	}
	return fn.Pkg().Name() + "." + name
}
