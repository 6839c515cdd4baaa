package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

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

// index records the functions in files, and facts across them.
func (p *program) index(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				obj, ok := p.info.Defs[d.Name].(*types.Func)
				if !ok || d.Body == nil {
					continue
				}
				fn := &function{name: d.Name.Name, obj: obj, node: d, body: d.Body, sig: obj.Signature()}
				p.functions[fullName(obj)] = fn
				p.shape(d)
				p.add(fn)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					p.shape(s)
					if s, ok := s.(*ast.ValueSpec); ok {
						for i, id := range s.Names {
							if v, ok := p.info.Defs[id].(*types.Var); ok && len(s.Values) == len(s.Names) {
								p.initial[v] = s.Values[i]
							}
						}
						p.survey(s, &function{name: s.Names[0].Name})
					}
				}
			}
		}
	}
}

func (p *program) add(fn *function) {
	p.all = append(p.all, fn)
	for _, v := range fn.variables() {
		p.owner[v] = fn
	}
	p.survey(fn.body, fn)
}

// variables returns the receiver and parameters of fn, and its named results.
func (fn *function) variables() []*types.Var {
	return slices.AppendSeq(fn.receives(), fn.sig.Results().Variables())
}

// receives returns the parameters of fn, and then its receiver, if it has one.
func (fn *function) receives() []*types.Var {
	all := slices.Collect(fn.sig.Params().Variables())
	if r := fn.sig.Recv(); r != nil {
		all = append(all, r)
	}
	return all
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

// each visits the nodes of fn, except those in nested function literals.
func (fn *function) each(visit func(n ast.Node)) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		visit(n)
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}

// survey is index for the body of a function.
func (p *program) survey(root ast.Node, in *function) {
	called := map[ast.Node]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		for _, a := range assignments(n) {
			if r, ok := n.(*ast.RangeStmt); ok {
				p.ranges(a.to, r)
			} else {
				p.assigns(a)
			}
		}
		for w := range p.written(n) {
			if v, ok := p.base(w.to).(*types.Var); ok && !w.contents && p.direct(w.to) {
				p.reassigned[p.origin(v)] = true
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			sig, ok := p.info.TypeOf(n).(*types.Signature)
			if ok {
				fn := &function{name: in.name, node: n, body: n.Body, sig: sig, outer: in}
				p.literals[n] = fn
				p.add(fn)
			}
			return false
		case *ast.Ident:
			if v, ok := p.info.Defs[n].(*types.Var); ok && !v.IsField() && in.node != nil {
				p.owner[v] = in
			}
			if fn := p.function(n); fn != nil && !called[n] {
				p.take(fn)
			}
			if v, ok := p.info.Uses[n].(*types.Var); ok && !called[n] {
				p.passed[v] = true
			}
		case *ast.CaseClause:
			if v, ok := p.info.Implicits[n].(*types.Var); ok {
				p.owner[v] = in
			}
		case *ast.CallExpr:
			called[name(n.Fun)] = true
			p.named[name(n.Fun)] = n
			if inPackage(p.callee(n), registers) && !p.isCall(n, "Process.Absorb") {
				for _, arg := range n.Args {
					p.immediate[ast.Unparen(arg)] = true
				}
			}
			if fn := p.callee(n); fn != nil {
				of := fullName(fn)
				if overInterface(fn) {
					of = "." + fn.Name()
				}
				p.calls[of] = append(p.calls[of], site{n, in})
			}
		case *ast.GoStmt:
			if fn := p.callee(n.Call); fn != nil {
				p.take(fn)
			}
		case *ast.SelectorExpr:
			switch s := p.info.Selections[n]; {
			case s == nil || s.Kind() == types.FieldVal:
			case s.Kind() == types.MethodExpr:
				p.take(s.Obj().(*types.Func))
			case byPointer(s.Obj().(*types.Func)) && !isPointer(p.info.TypeOf(n.X)):
				p.takeAddress(n.X)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				p.takeAddress(n.X)
			}
		case *ast.SliceExpr:
			if isArray(p.info.TypeOf(n.X)) {
				p.takeAddress(n.X)
			}
		case *ast.CompositeLit:
			p.elements(n)
		case *ast.ReturnStmt:
			p.yields[in] = append(p.yields[in], n.Results...)
		}
		return true
	})
}

// sites returns the calls of a declared function by its name, or by an interface.
func (p *program) sites(fn *function) []site {
	if fn.sig.Recv() == nil {
		return p.calls[fullName(fn.obj)]
	}
	return slices.Concat(p.calls[fullName(fn.obj)], p.calls["."+fn.name])
}

// take notes that a function is used other than by a call; of a method of an interface, all of that name.
func (p *program) take(fn *types.Func) {
	if overInterface(fn) {
		p.taken["."+fn.Name()] = true
	}
	p.taken[fullName(fn)] = true
}

// unseen reports whether fn may be called other than by its name.
func (p *program) unseen(fn *function) bool {
	return fn.obj == nil || p.taken[fullName(fn.obj)] || fn.sig.Recv() != nil && p.taken["."+fn.name]
}

// local reports whether a literal is only called, by the function that it is in, or for it.
func (p *program) local(lit *function) bool {
	if p.immediate[lit.node] {
		return true
	}
	for v, from := range p.flows {
		if len(from) == 1 && ast.Unparen(from[0]) == lit.node {
			return p.owner[v] == lit.outer && !p.passed[v]
		}
	}
	return false
}

// assigns records the functions that are assigned to a variable or field.
func (p *program) assigns(a assignment) {
	if _, behind := ast.Unparen(a.to).(*ast.StarExpr); behind {
		return
	}
	if v := p.variable(a.to); v != nil && (isFunc(v.Type()) || isFunc(p.info.TypeOf(a.from))) {
		p.flows[v] = append(p.flows[v], a.from)
	}
}

// ranges records the functions that a range assigns: the elements of a literal, which nothing else has.
func (p *program) ranges(to ast.Expr, r *ast.RangeStmt) {
	if lit, ok := ast.Unparen(r.X).(*ast.CompositeLit); ok {
		for _, x := range values(lit) {
			p.assigns(assignment{to: to, from: x})
		}
	} else if isFunc(p.info.TypeOf(to)) {
		p.assigns(assignment{to: to, from: &ast.BadExpr{}})
	}
}

// takeAddress notes that something may have the address of the place x.
func (p *program) takeAddress(x ast.Expr) {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if !isArray(p.info.TypeOf(y.X)) {
				return
			}
			x = y.X
			continue
		case *ast.SelectorExpr:
			if v := p.variable(y); v != nil {
				p.pointed[v] = true
			}
			if s := p.info.Selections[y]; s != nil && !s.Indirect() {
				x = y.X
				continue
			}
		case *ast.Ident:
			if v := p.variable(y); v != nil {
				p.pointed[v] = true
			}
		}
		return
	}
}

// shape unifies the fields of the structs that a declaration has.
func (p *program) shape(decl ast.Node) {
	for n := range ast.Preorder(decl) {
		e, _ := n.(*ast.StructType)
		if s, ok := p.info.TypeOf(e).(*types.Struct); ok {
			p.unify(s)
		}
	}
}

// unify makes the fields of structs with the same fields one: values and pointers of one such type can be
// converted to another, and a package that is imported has its types twice, with and without its source. The
// address of an embedded field is taken by each promoted method.
func (p *program) unify(s *types.Struct) {
	of := shape(s)
	for i := range s.NumFields() {
		name := fmt.Sprintf("%d %s", i, of)
		if p.shapes[name] == nil {
			p.shapes[name] = s.Field(i)
		}
		p.same[s.Field(i)] = p.shapes[name]
		if s.Field(i).Embedded() {
			p.pointed[p.shapes[name]] = true
		}
	}
}

// origin returns a variable, or the field that stands for it, of which v may be an instance.
func (p *program) origin(v *types.Var) *types.Var {
	if v = v.Origin(); packageLevel(v) {
		if p.globals[qualified(v)] == nil {
			p.globals[qualified(v)] = v
		}
		return p.globals[qualified(v)]
	}
	if f := p.same[v]; f != nil {
		return f
	}
	return v
}

// elements records the functions that a composite literal gives to fields.
func (p *program) elements(lit *ast.CompositeLit) {
	t := under(p.info.TypeOf(lit))
	if ptr, ok := t.(*types.Pointer); ok { // {...} that stands for &T{...}
		t = under(ptr.Elem())
	}
	s, ok := t.(*types.Struct)
	for i, value := range lit.Elts {
		if !ok {
			return
		}
		f := s.Field(min(i, s.NumFields()-1))
		if kv, keyed := value.(*ast.KeyValueExpr); keyed {
			f, value = p.variable(kv.Key), kv.Value
		}
		if f != nil && (isFunc(f.Type()) || isFunc(p.info.TypeOf(value))) {
			p.flows[p.origin(f)] = append(p.flows[p.origin(f)], value)
		}
	}
}

// said names fn, or the declaration it is in; a method after its type, if its package has another
// function of that name, but not one by which locks are explored.
func (p *program) said(fn *function) string {
	of := fn.outermost()
	if of.obj == nil || of.sig.Recv() == nil || named(of.sig.Recv().Type()) == nil || slices.Contains(entryPoints, fn.name) {
		return fn.name
	}
	for _, other := range p.all {
		if other != of && other.obj != nil && other.name == of.name && other.obj.Pkg() == of.obj.Pkg() {
			return named(of.sig.Recv().Type()).Obj().Name() + "." + fn.name
		}
	}
	return fn.name
}

// variable returns the variable or field that e names.
func (p *program) variable(e ast.Expr) *types.Var {
	_, indexed := ast.Unparen(e).(*ast.IndexExpr)
	v, ok := p.info.ObjectOf(name(e)).(*types.Var)
	if indexed || !ok {
		return nil
	}
	return p.origin(v)
}

// base returns the object of the innermost name of e, such as l in
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

// dynamic reports whether a call is of a function value.
func (p *program) dynamic(call *ast.CallExpr) bool {
	tv := p.info.Types[call.Fun]
	return tv.IsValue() && p.callee(call) == nil
}

// declared returns the declared function of fn, loading its package if necessary,
// or nil.
func (p *program) declared(fn *types.Func) *function {
	if f := p.functions[fullName(fn)]; f != nil {
		return f
	}
	if fn.Pkg() == nil || overInterface(fn) || !p.follow(fn.Pkg()) {
		return nil
	}
	return p.functions[fullName(fn)]
}

// callees returns the functions that a call may run.
func (p *program) callees(call *ast.CallExpr) []*function {
	fn := p.callee(call)
	switch {
	case fn == nil && p.dynamic(call):
		return p.targets(call.Fun)
	case fn != nil:
		return p.bodies(fn)
	}
	return nil
}

// bodies returns what runs when fn is called: its declaration; or of a method of an interface that only its
// package can implement, since it is not exported, all of that name.
func (p *program) bodies(fn *types.Func) (found []*function) {
	switch {
	case !overInterface(fn):
		if f := p.declared(fn); f != nil {
			found = append(found, f)
		}
	case !fn.Exported():
		for _, f := range p.all {
			if f.obj != nil && f.sig.Recv() != nil && f.name == fn.Name() && f.obj.Pkg() == fn.Pkg() {
				found = append(found, f)
			}
		}
	}
	return found
}

func overInterface(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && types.IsInterface(r.Type())
}

func packageLevel(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// assignable reports whether other packages may be able to assign to a field or a package-level variable.
func (p *program) assignable(v *types.Var) bool {
	return v.Exported() && (v.IsField() || packageLevel(v)) && !p.private(v)
}

// private reports whether no other package can import that of an object, or its part: a program or
// a test.
func (p *program) private(obj types.Object) bool {
	return obj.Pkg() == nil || obj.Pkg().Name() == "main" || strings.HasSuffix(p.fset.PositionFor(obj.Pos(), false).Filename, "_test.go")
}

// fullName names a function in the same way whether its package was read from
// source or imported.
func fullName(fn *types.Func) string { return fn.Origin().FullName() }

func qualified(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }
