package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// visit records what a node of fn does.
func (c *construction) visit(fn *function, n ast.Node, path []ast.Node) {
	a, here := c.of[fn], act{at: n, since: n.Pos()}
	if k := slices.IndexFunc(path, isLoop); k >= 0 {
		here.since = path[k].Pos()
	}
	for _, to := range written(n) {
		if t := c.info.TypeOf(to); identOf(to) == nil && (t == nil || t == types.Typ[types.Invalid]) {
			c.whole(fn)
		}
		c.write(fn, here, to, c.info.TypeOf(to))
	}
	switch n := n.(type) {
	case *ast.GoStmt, *ast.DeferStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.SendStmt:
		a.fault(here, "uses go, defer, a channel or a type switch")
	case *ast.FuncLit:
		if lit := c.literals[n]; c.immediate(lit) != "" {
			a.call(here, lit)
		} else if c.captive(lit) && !c.protocols[lit] {
			a.fault(here, "has a function that may be called later")
		}
	case *ast.CallExpr:
		if to := c.callee(n); to != nil && c.examined(to.Pkg()) && !overInterface(to) && len(c.bodies(to)) == 0 {
			c.report(fn, n, "calls %s, which has no body: its effects are unknown", display(to))
		}
		if slices.Contains([]string{"append", "clear", "copy", "delete"}, c.builtin(n)) || c.sorts(n) {
			c.write(fn, here, &ast.StarExpr{X: n.Args[0]}, elem(c.info.TypeOf(n.Args[0])))
		}
	}
	x, ok := n.(ast.Expr)
	if !ok {
		return
	}
	if t := c.info.TypeOf(x); isUnsafe(t) || c.object(x) != nil && c.object(x).Pkg() == types.Unsafe {
		c.report(fn, x, "uses package unsafe: what it writes cannot be examined")
	} else if !c.info.Types[x].IsType() && c.carries(t) {
		a.fault(here, c.comes(fn, x, path, here))
		a.fault(here, c.goes(fn, x, path, here))
	}
	c.points(fn, x)
}

// object returns what an identifier uses, or nil.
func (p *program) object(x ast.Expr) types.Object {
	id, _ := x.(*ast.Ident)
	return p.info.Uses[id]
}

func (a *acts) fault(here act, what string) {
	if here.what = what; what != "" {
		a.faults = append(a.faults, here)
	}
}

func (a *acts) build(here act, what string) {
	here.what = what
	a.builds = append(a.builds, here)
}

func (a *acts) call(here act, fns ...*function) {
	for _, fn := range fns {
		here.of = fn
		a.calls = append(a.calls, here)
	}
}

// write records a write of what protocols read, or of registers: of a value of type t.
func (c *construction) write(fn *function, here act, place ast.Expr, t types.Type) {
	v, _ := c.base(place).(*types.Var)
	at, read := c.where(append(c.selected(place), c.parts(t)...))
	pointed := v != nil && c.addressed[v] && c.owner(v) != nil && c.refers(t)
	promoted := v != nil && v == fn.sig.Recv() && c.lockType(v.Type()) && !is[*types.Struct](named(v.Type()))
	if !read && !pointed && !promoted && !hasRegisters(t) || c.apart(fn, place) {
		return
	}
	what := "writes " + types.ExprString(place) + ", which may be part of a lock"
	if read {
		what = "writes " + types.ExprString(place) + ", which a protocol reads at " + c.place(at)
	}
	c.of[fn].build(here, what)
	c.of[fn].inner = c.of[fn].inner || c.owner(v) != fn || fn.hasParameter(v)
}

// sorts reports whether a call is of a function that orders a slice.
func (p *program) sorts(call *ast.CallExpr) bool {
	to := p.callee(call)
	return inPackage(to, "slices") && slices.Contains([]string{"Reverse", "Sort", "SortFunc", "SortStableFunc"}, to.Name())
}

// captive reports whether a literal captures memory that protocols read.
func (c *construction) captive(lit *function) bool {
	for n := range ast.Preorder(lit.body) {
		id, _ := n.(*ast.Ident)
		v, ok := c.info.Uses[id].(*types.Var)
		if ok && c.owner(v) != nil && !c.owner(v).inside(lit) && c.carries(v.Type()) {
			return true
		}
	}
	return false
}

// apart reports whether a place is not of a lock that exists: it is part of a variable of fn, or of the function
// within which fn runs, or a field of the argument of an option.
func (c *construction) apart(fn *function, place ast.Expr) bool {
	v, ok := c.base(place).(*types.Var)
	if !ok {
		return false
	}
	for c.owner(v) != fn && fn.obj == nil && c.immediate(fn) != "" {
		fn = fn.outer
	}
	if c.owner(v) != fn {
		return false
	}
	sel, t := selectorOf(place), c.info.TypeOf(place)
	option := sel != nil && identOf(sel.X) != nil && fn.isOption() && fn.sig.Params().At(0) == v && (plain(t, true) || is[*types.Signature](t))
	return option || c.direct(place) && !c.addressed[v]
}

// isOption reports whether fn is an option: a literal with one parameter that a function returns.
func (fn *function) isOption() (returned bool) {
	if fn.obj == nil && fn.outer.body != nil && fn.sig.Params().Len() == 1 {
		fn.outer.each(func(n ast.Node, _ []ast.Node) {
			r, ok := n.(*ast.ReturnStmt)
			returned = returned || ok && slices.ContainsFunc(r.Results, func(x ast.Expr) bool { return ast.Unparen(x) == fn.node })
		})
	}
	return returned
}

// comes says from where else than a constructor a value comes, or "".
func (c *construction) comes(fn *function, x ast.Expr, path []ast.Node, here act) string {
	if c.isGivenLock(fn, x, path) {
		return ""
	}
	switch x := x.(type) {
	case *ast.Ident:
		v, ok := c.object(x).(*types.Var)
		switch {
		case !ok || v.IsField() || c.byValue(x, path):
		case packageLevel(v):
			return "uses package-level variable " + v.Name()
		case c.owner(v) != fn || fn.hasParameter(v):
			c.of[fn].inner = true
		}
	case *ast.TypeAssertExpr:
		return "asserts a type"
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return "receives from a channel"
		}
	case *ast.CallExpr:
		to := c.callee(x)
		switch {
		case c.converts(x), c.builtin(x) != "", inPackage(to, registers), inPackage(to, "slices"):
		case to != nil && len(c.bodies(to)) > 0, c.called(x) != nil:
			c.of[fn].call(here, c.callees(x)...)
		default:
			return "gets the result of " + types.ExprString(x.Fun)
		}
	}
	return ""
}

// isGivenLock reports whether x is a lock that becomes part of another: it is examined itself.
func (c *construction) isGivenLock(fn *function, x ast.Expr, path []ast.Node) bool {
	t := c.info.TypeOf(x)
	if !isLock(t) {
		return false
	}
	id := identOf(x)
	v, _ := c.info.ObjectOf(id).(*types.Var)
	switch path[len(path)-1].(type) {
	case *ast.CompositeLit, *ast.KeyValueExpr:
		return id == nil || fn.hasParameter(v)
	}
	return isInterface(t) && id == nil
}

// called returns the literal that a call runs, if the function that it is in only calls it.
func (c *construction) called(call *ast.CallExpr) *function {
	if found, _ := c.exactly(call.Fun); len(found) == 1 && c.immediate(found[0]) != "" {
		return found[0]
	}
	return nil
}

// goes says to where else than a constructor a value goes, or "".
func (c *construction) goes(fn *function, x ast.Expr, path []ast.Node, here act) string {
	switch parent := path[len(path)-1].(type) {
	case *ast.SelectorExpr:
		if c.method(parent) != nil {
			call, ok := path[len(path)-2].(*ast.CallExpr)
			if !ok || ast.Unparen(call.Fun) != parent {
				return "has a method that may be called later"
			}
			return c.gives(fn, x, call, here)
		}
	case *ast.CallExpr:
		return c.gives(fn, x, parent, here)
	case *ast.AssignStmt:
		for i, to := range parent.Lhs {
			v, _ := c.base(to).(*types.Var)
			if slices.Contains(parent.Lhs, x) || len(parent.Rhs) == len(parent.Lhs) && parent.Rhs[i] != x || isBlank(to) {
				continue
			}
			in := c.selected(to)
			if _, ok := c.where(in); c.owner(v) != fn || len(in) > 0 && !ok && c.exposes(c.info.TypeOf(x)) {
				return "stores " + types.ExprString(x) + " in " + types.ExprString(to)
			}
		}
	case *ast.CompositeLit:
		return c.keptIn(fn, parent, nil, x, here)
	case *ast.KeyValueExpr:
		if lit, ok := path[len(path)-2].(*ast.CompositeLit); ok && parent.Value == x {
			return c.keptIn(fn, lit, parent, x, here)
		}
	}
	return ""
}

// keptIn records an element of a literal, by its key or without one, in a place that protocols read. Otherwise it
// says where else the element goes, or "".
func (c *construction) keptIn(fn *function, lit *ast.CompositeLit, kv *ast.KeyValueExpr, x ast.Expr, here act) string {
	t := c.info.TypeOf(lit)
	if is[*types.Pointer](t) {
		t = elem(t)
	}
	of, ok := under(t).(*types.Struct)
	if !ok {
		return "" // a slice, an array or a map, which goes elsewhere as a whole
	}
	var in []field
	for k := range of.NumFields() {
		if kv != nil && of.Field(k).Name() == identOf(kv.Key).Name || kv == nil && k < len(lit.Elts) && lit.Elts[k] == x {
			in = append(c.parts(of.Field(k).Type()), c.field(of, k))
		}
	}
	at, ok := c.where(in)
	switch {
	case c.info.Types[x].IsNil():
	case ok:
		c.of[fn].build(here, "keeps "+types.ExprString(x)+", which a protocol reads at "+c.place(at))
	case c.exposes(c.info.TypeOf(x)):
		return "stores " + types.ExprString(x) + " where no protocol reads it"
	}
	return ""
}

// gives says to which function that is no constructor a call gives its receiver or argument x, or "".
func (c *construction) gives(fn *function, x ast.Expr, call *ast.CallExpr, here act) string {
	a, to := c.of[fn], c.callee(call)
	gift := "gives " + types.ExprString(x) + " to " + types.ExprString(call.Fun)
	u, _ := x.(*ast.UnaryExpr)
	switch {
	case ast.Unparen(call.Fun) == x, c.converts(call), c.builtin(call) != "", inPackage(to, registers), inPackage(to, mutexes), c.reading(call), c.sorts(call):
	case c.called(call) != nil:
		a.call(here, c.called(call))
	case to == nil && u != nil && u.Op == token.AND && identOf(u.X) != nil: // the address of a variable
	case to == nil && isLock(c.info.TypeOf(x)):
		here.what = gift
		a.hands = append(a.hands, here)
	case to != nil && len(c.bodies(to)) > 0:
		a.call(here, c.bodies(to)...)
	default: // which may keep it
		return gift
	}
	return ""
}

// points reports an address by which what protocols read could be written as something else, but for that of a
// struct, whose fields are known.
func (c *construction) points(fn *function, x ast.Expr) {
	of := c.addressOf(x)
	t, in := c.info.TypeOf(of), c.selected(of)
	if to := c.method(x); to != nil && byPointer(to) {
		if steps := c.steps(selectorOf(x)); len(steps) > 0 { // it is promoted
			last := steps[len(steps)-1]
			of, t, in = x, last.field.Type(), []field{last.is}
		}
	}
	_, slice := x.(*ast.SliceExpr)
	n := named(t)
	if t == nil || slice || is[*types.Pointer](t) || isInterface(t) || isRegister(t, "") || is[*types.Struct](t) && (n == nil || c.examined(n.Obj().Pkg())) {
		return
	}
	if at, ok := c.where(in); ok && !c.apart(fn, of) {
		c.report(fn, x, "takes the address of %s, which a protocol reads at %s: what writes there is unknown",
			types.ExprString(of), c.place(at))
	}
}
