package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
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

	functions map[string]*function       // declared functions, by full name
	literals  map[*ast.FuncLit]*function // function literals
	all       []*function                // both, in order
	owner     map[*types.Var]*function   // of a local variable: the function that declares it
	initial   map[*types.Var]ast.Expr    // the value with which a variable is declared
	assigned  map[string]bool            // variables that are assigned after their declaration, by name; see of
	addressed map[*types.Var]bool        // local variables that something may write by their address
	mixed     map[*types.Var]bool        // local variables of which more is done than reading and writing elements
	passed    map[*types.Var]bool        // local variables that are used other than by a call, or by a literal
	sites     map[string][]site          // the calls of declared functions, by full name; of methods of interfaces, by a dot and the name
	valued    []valued                   // functions that are used other than by a call
	taken     map[string]bool            // of these, the declared ones, by full name
	bodiless  map[string]bool            // declared functions without a body
	outside   map[string]string          // by type: the results of unknown

	protocols map[*function]bool
	runs      map[*function]bool // results of immediate
	found     map[token.Pos]Breach
	done      map[given]bool // given functions that have been examined
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

// A site is a call in a function.
type site struct {
	call *ast.CallExpr
	in   *function
}

// A valued function is used as a value: a literal, or the name of a function.
type valued struct {
	site ast.Expr
	sig  *types.Signature // its type, or nil
	in   *function
}

// program returns the package as a program that has followed no import yet.
func (s *Source) program() *program {
	p := &program{
		Source: s, sources: map[string]*types.Package{}, functions: map[string]*function{},
		literals: map[*ast.FuncLit]*function{}, owner: map[*types.Var]*function{}, initial: map[*types.Var]ast.Expr{},
		assigned: map[string]bool{}, addressed: map[*types.Var]bool{}, mixed: map[*types.Var]bool{},
		passed: map[*types.Var]bool{}, sites: map[string][]site{}, taken: map[string]bool{}, bodiless: map[string]bool{}, outside: map[string]string{},
		protocols: map[*function]bool{}, runs: map[*function]bool{}, found: map[token.Pos]Breach{}, done: map[given]bool{},
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

// follow adds the source of an imported package to the program, and reports whether
// it succeeded.
func (p *program) follow(pkg *types.Package) bool {
	path := pkg.Path()
	if p.sources[path] != nil {
		return true
	}
	l := p.listed[path]
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
		obj, ok := p.info.Defs[d.Name].(*types.Func)
		switch {
		case !ok:
		case d.Body == nil:
			p.bodiless[fullName(obj)] = true
		default:
			fn := &function{name: d.Name.Name, obj: obj, node: d, body: d.Body, sig: obj.Signature()}
			p.functions[fullName(obj)] = fn
			p.add(fn)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.ValueSpec); ok {
				p.index(s, &function{name: s.Names[0].Name, sig: &types.Signature{}})
			}
		}
	}
}

func (p *program) add(fn *function) {
	p.all = append(p.all, fn)
	of := []*types.Tuple{fn.sig.Params(), fn.sig.Results()}
	if r := fn.sig.Recv(); r != nil {
		of = append(of, types.NewTuple(r))
	}
	for _, of := range of {
		for v := range of.Variables() {
			p.owner[v] = fn
		}
	}
	p.index(fn.body, fn)
}

// index records what is in a function, or in a declaration at package level.
func (p *program) index(root ast.Node, in *function) {
	called := map[ast.Node]bool{}
	ast.PreorderStack(root, nil, func(n ast.Node, path []ast.Node) bool {
		for _, to := range written(n) {
			if v, ok := p.base(to).(*types.Var); ok && (p.direct(to) || packageLevel(v)) && p.info.Defs[identOf(to)] == nil {
				p.assigned[p.of(v)] = true
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
			p.add(fn)
			if !called[n] {
				p.valued = append(p.valued, valued{n, sig, in})
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
			p.mention(n, path, in, called[n])
		case *ast.CaseClause:
			if v, ok := p.info.Implicits[n].(*types.Var); ok {
				p.owner[v] = in
			}
		case *ast.CallExpr:
			called[name(n.Fun)], called[ast.Unparen(n.Fun)] = true, true
			if fn := p.callee(n); fn != nil {
				of := fullName(fn)
				if overInterface(fn) {
					of = "." + fn.Name()
				}
				p.sites[of] = append(p.sites[of], site{n, in})
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				p.address(n.X)
			}
		case *ast.SliceExpr:
			if isArray(p.info.TypeOf(n.X)) {
				p.address(n.X)
			}
		case *ast.SelectorExpr:
			if p.addressing(n) {
				p.address(n.X)
			}
		}
		return true
	})
}

// mention records a name in a function.
func (p *program) mention(id *ast.Ident, path []ast.Node, in *function, called bool) {
	if v, ok := p.info.Defs[id].(*types.Var); ok && !v.IsField() && in.node != nil {
		p.owner[v] = in
	}
	switch obj := p.info.Uses[id].(type) {
	case *types.Func:
		if called {
			break
		}
		var x ast.Expr = id
		if sel, ok := path[len(path)-1].(*ast.SelectorExpr); ok {
			x = sel
		}
		sig, _ := under(p.info.TypeOf(x)).(*types.Signature)
		p.valued = append(p.valued, valued{x, sig, in})
		p.taken[fullName(obj)] = true
	case *types.Var:
		p.passed[obj] = p.passed[obj] || !called || p.owner[obj] != in
		switch parent := path[len(path)-1].(type) {
		case *ast.IndexExpr:
			p.mixed[obj] = p.mixed[obj] || parent.X != id
		case *ast.CallExpr:
			p.mixed[obj] = p.mixed[obj] || p.builtin(parent) != "len"
		case *ast.RangeStmt:
			p.mixed[obj] = p.mixed[obj] || parent.X != id
		default:
			p.mixed[obj] = true
		}
	}
}

// begins records the values of variables that are declared.
func (p *program) begins(names, values []ast.Expr) {
	for i, to := range names {
		if v, ok := p.info.Defs[identOf(to)].(*types.Var); ok && len(names) == len(values) {
			p.initial[v] = values[i]
		}
	}
}

// addressing reports whether a selection is of a method that gets the address of a place.
func (p *program) addressing(sel *ast.SelectorExpr) bool {
	s := p.info.Selections[sel]
	return s != nil && s.Kind() == types.MethodVal && byPointer(s.Obj().(*types.Func)) && !isPointer(p.info.TypeOf(sel.X)) &&
		!slices.ContainsFunc(p.steps(sel), func(s step) bool { return isPointer(s.field.Type()) })
}

// address notes that something may have the address of a place.
func (p *program) address(place ast.Expr) {
	if v, ok := p.base(place).(*types.Var); ok && p.direct(place) {
		p.addressed[v] = true
	}
}

// each visits the nodes of fn, except those in nested function literals, with the nodes around each.
func (fn *function) each(visit func(n ast.Node, path []ast.Node)) {
	ast.PreorderStack(fn.body, nil, func(n ast.Node, path []ast.Node) bool {
		visit(n, path)
		_, literal := n.(*ast.FuncLit)
		return !literal
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

// written returns what n assigns.
func written(n ast.Node) (all []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		all = n.Lhs
	case *ast.IncDecStmt:
		all = []ast.Expr{n.X}
	case *ast.RangeStmt:
		all = []ast.Expr{n.Key, n.Value}
	}
	return slices.DeleteFunc(slices.Clone(all), func(x ast.Expr) bool { return x == nil || identOf(x) != nil && identOf(x).Name == "_" })
}

// base returns the object of the innermost name of a place, such as l in
// l.node[i].next, or nil.
func (p *program) base(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return p.info.ObjectOf(e)
	case *ast.SelectorExpr:
		if p.info.Selections[e] == nil {
			return p.info.ObjectOf(e.Sel) // of another package
		}
		return p.base(e.X)
	case *ast.UnaryExpr:
		return p.base(e.X)
	}
	if of := within(e); of != nil {
		return p.base(of)
	}
	return nil
}

// within returns the expression by which x denotes a part of memory, or nil.
func within(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return nil
}

// direct reports whether a place is a variable, or part of one, rather than what one points to.
func (p *program) direct(place ast.Expr) bool {
	switch x := ast.Unparen(place).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		sel := p.info.Selections[x]
		return (sel == nil || !sel.Indirect()) && p.direct(x.X)
	case *ast.IndexExpr:
		return isArray(p.info.TypeOf(x.X)) && p.direct(x.X)
	}
	return false
}

// identOf returns e as an identifier, or nil.
func identOf(e ast.Expr) *ast.Ident { id, _ := ast.Unparen(e).(*ast.Ident); return id }

// callee returns the function or method that a call names, or nil for a function
// value, a conversion or a builtin.
func (p *program) callee(call *ast.CallExpr) *types.Func { return p.function(name(call.Fun)) }

// function returns the function or method of which n is the name, or nil.
func (p *program) function(n ast.Node) *types.Func {
	id, _ := n.(*ast.Ident)
	fn, _ := p.info.Uses[id].(*types.Func)
	return fn
}

// name returns the identifier of e, or of its selector, for a function that may be
// instantiated.
func name(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return name(e.X)
	case *ast.IndexListExpr:
		return name(e.X)
	}
	return nil
}

// builtin returns the name of the builtin function that is called, or "".
func (p *program) builtin(call *ast.CallExpr) string {
	if b, ok := p.info.Uses[name(call.Fun)].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// isCall reports whether a call is of one of these functions of package register.
func (p *program) isCall(call *ast.CallExpr, names ...string) bool {
	fn := p.callee(call)
	return inPackage(fn, registers) && slices.Contains(names, display(fn))
}

// standard reports whether a package is of the standard library.
func (p *program) standard(pkg *types.Package) bool {
	return pkg != nil && p.listed[pkg.Path()].Standard
}

// private reports whether no other package can import that of an object: a program or a test.
func (p *program) private(obj types.Object) bool {
	return obj.Pkg() == nil || obj.Pkg().Name() == "main" || strings.HasSuffix(p.fset.PositionFor(obj.Pos(), false).Filename, "_test.go")
}

func packageLevel(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// fullName names a function in the same way whether its package was read from
// source or imported.
func fullName(fn *types.Func) string { return fn.Origin().FullName() }

// of names a variable: of a package, in the same way whether it was read from source or imported.
func (p *program) of(v *types.Var) string {
	if packageLevel(v) {
		return v.Pkg().Path() + "." + v.Name()
	}
	return fmt.Sprint(v.Pos())
}

// place formats a line as [Breach] does.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	return Breach{File: at.Filename, Line: at.Line}.at()
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
