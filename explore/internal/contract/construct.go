package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A construction is what functions that are not in a protocol do to the memory that protocols read. A function
// that writes such memory, or stores there how to reach more, must be a constructor: it gets such memory from
// other constructors only, and gives it to others only when it returns.
type construction struct {
	*memory
	of map[*function]*acts
}

// The acts of a function.
type acts struct {
	writes []act // of what protocols read
	builds []act // these, and literals that keep how to reach it
	faults []act // what a constructor must not do
	hands  []act // calls of options
	calls  []act // by which such memory comes and goes
	inner  bool  // only constructors may call it: it gets such memory by arguments, or returns more than a lock
	valid  bool  // it is a constructor
}

// An act is at a node, in a loop that begins before it or there.
type act struct {
	at    ast.Node
	since token.Pos
	what  string
	of    *function // that is called
}

// construct examines all functions that are not in a protocol.
func (p *program) construct(reach []*function) {
	c := &construction{p.memory(reach), map[*function]*acts{}}
	for _, fn := range p.all {
		if !p.protocols[fn] {
			c.of[fn] = &acts{valid: true}
			c.of[fn].inner = slices.ContainsFunc(slices.Collect(fn.sig.Results().Variables()), func(v *types.Var) bool { return c.exposes(v.Type()) })
			fn.each(func(n ast.Node, path []ast.Node) { c.visit(fn, n, path) })
		}
	}
	for _, fn := range reach {
		c.gains(fn)
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range p.all {
			a := c.of[fn]
			if a == nil {
				continue
			}
			for _, u := range a.calls {
				if of := c.of[u.of]; of != nil && len(of.hands) > 0 && !slices.ContainsFunc(a.hands, func(h act) bool { return h.at == u.at }) {
					a.hands, changed = append(a.hands, act{at: u.at, since: u.since, what: of.hands[0].what}), true
				}
			}
			if a.valid && c.why(fn) != "" {
				a.valid, changed = false, true
			}
		}
	}
	for _, fn := range p.all {
		a := c.of[fn]
		if a == nil || a.valid {
			continue
		}
		switch {
		case len(a.builds) == 0:
		case len(a.faults) > 0:
			p.report(fn, a.faults[0].at,
				"%s, and %s: only a constructor may do so, and it gets such memory from constructors, "+
					"and gives it away only by its result", a.faults[0].what, a.builds[0].what)
		default:
			p.report(fn, a.builds[0].at, "%s: only a constructor may, and %s", a.builds[0].what, c.why(fn))
		}
		fn.each(func(n ast.Node, path []ast.Node) { c.keeps(fn, n, path) })
	}
}

// gains reports a protocol function by which others get more than the value of what protocols read.
func (c *construction) gains(fn *function) {
	for v := range fn.sig.Results().Variables() {
		if !c.exposes(v.Type()) || fn.obj == nil && c.immediate(fn) {
			continue
		}
		other := fn.obj == nil || c.taken[fullName(fn.obj)] || len(c.sites["."+fn.name]) > 0 ||
			slices.ContainsFunc(c.sites[fullName(fn.obj)], func(s site) bool { return !c.protocols[s.in] })
		if other || fn.obj.Exported() {
			c.report(fn, fn.node,
				"returns a %s, through which what a protocol reads could be written: "+
					"a method for protocols is not for others", c.typeName(v.Type()))
		}
	}
}

// why says why fn is no constructor, or "".
func (c *construction) why(fn *function) string {
	a, name := c.of[fn], fn.name
	if len(a.faults) > 0 {
		return fmt.Sprintf("%s %s at %s", name, a.faults[0].what, c.place(a.faults[0].at.Pos()))
	}
	for _, h := range a.hands {
		if a.inner || slices.ContainsFunc(a.writes, func(b act) bool { return b.at.Pos() >= h.since }) {
			return fmt.Sprintf("%s %s at %s, and may write later", name, h.what, c.place(h.at.Pos()))
		}
	}
	for _, u := range a.calls {
		if of := c.of[u.of]; of != nil && !of.valid {
			return fmt.Sprintf("%s calls %s, which is none", name, u.of.name)
		}
	}
	if !a.inner {
		return ""
	}
	var sites []site
	switch {
	case fn.obj == nil && c.immediate(fn):
		sites = []site{{nil, fn.outer}}
	case fn.obj == nil || fn.obj.Exported() || c.taken[fullName(fn.obj)]:
		return name + " may be called later"
	default:
		sites = append(sites, c.sites[fullName(fn.obj)]...)
	}
	if r := fn.sig.Recv(); r != nil && !c.carries(r.Type()) {
		sites = append(sites, c.sites["."+fn.name]...)
	} else if r != nil && len(c.sites["."+fn.name]) > 0 {
		return name + " is called through an interface"
	}
	for _, s := range sites {
		if of := c.of[s.in]; of == nil || !of.valid {
			return fmt.Sprintf("%s is called by %s, which is none", name, s.in.name)
		}
	}
	if len(sites) == 0 {
		return "nothing calls " + name
	}
	return ""
}

// visit records what a node of fn does.
func (c *construction) visit(fn *function, n ast.Node, path []ast.Node) {
	a := c.of[fn]
	here := act{at: n, since: n.Pos()}
	for _, outer := range slices.Backward(path) {
		switch outer.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			here.since = outer.Pos()
		}
	}
	for _, to := range written(n) {
		if t := c.info.TypeOf(to); identOf(to) == nil && (t == nil || t == types.Typ[types.Invalid]) {
			c.whole(fn)
		}
		c.write(fn, here, to, c.classes(to))
	}
	switch n := n.(type) {
	case *ast.GoStmt, *ast.DeferStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.SendStmt:
		a.faults = append(a.faults, here.saying("uses go, defer, a channel or a type switch"))
	case *ast.FuncLit:
		if lit := c.literals[n]; c.immediate(lit) {
			a.calls = append(a.calls, here.calling(lit)...)
		} else if c.captures(lit) && !c.protocols[lit] {
			a.faults = append(a.faults, here.saying("has a function that may be called later"))
		}
	case *ast.CallExpr:
		if slices.Contains([]string{"append", "clear", "copy", "delete"}, c.builtin(n)) || c.sorts(n) {
			c.write(fn, here, &ast.StarExpr{X: n.Args[0]}, elements(c.info.TypeOf(n.Args[0])))
		}
		if to := c.callee(n); to != nil && c.bodiless[fullName(to)] {
			c.report(fn, n, "calls %s, which has no body: its effects are unknown", display(to))
		}
	}
	id, _ := n.(*ast.Ident)
	named := c.info.Uses[id]
	if x, ok := n.(ast.Expr); ok && (isUnsafe(c.info.TypeOf(x)) || named != nil && named.Pkg() == types.Unsafe) {
		c.report(fn, x, "uses package unsafe: what it writes cannot be examined")
	}
	if x, ok := n.(ast.Expr); ok && !c.info.Types[x].IsType() && !c.isKey(x, path) && c.carries(c.info.TypeOf(x)) {
		for _, what := range []string{c.comes(fn, x, path, here), c.goes(fn, x, path, here)} {
			if what != "" {
				a.faults = append(a.faults, here.saying(what))
			}
		}
	}
	c.points(fn, n)
}

// isKey reports whether x is the name of a field in a literal.
func (c *construction) isKey(x ast.Expr, path []ast.Node) bool {
	kv, ok := path[len(path)-1].(*ast.KeyValueExpr)
	v, field := c.info.ObjectOf(identOf(x)).(*types.Var)
	return ok && kv.Key == x && field && v.IsField()
}

func (a act) saying(what string) act { a.what = what; return a }

func (a act) calling(fns ...*function) (all []act) {
	for _, fn := range fns {
		all = append(all, act{at: a.at, since: a.since, of: fn})
	}
	return all
}

// write records a write of what protocols read.
func (c *construction) write(fn *function, here act, place ast.Expr, classes []string) {
	if at, ok := c.where(classes); ok && !c.apart(fn, place) {
		a, v := c.of[fn], c.base(place)
		what := types.ExprString(place)
		if all, ok := place.(*ast.StarExpr); ok && !all.Star.IsValid() {
			what = "elements of " + types.ExprString(all.X)
		}
		here.what = fmt.Sprintf("writes %s, which a protocol reads at %s", what, c.place(at))
		a.writes, a.builds = append(a.writes, here), append(a.builds, here)
		of, _ := v.(*types.Var)
		a.inner = a.inner || c.owner[of] != fn || isParameter(fn, of)
	}
}

// sorts reports whether a call is of a function that orders a slice.
func (p *program) sorts(call *ast.CallExpr) bool {
	to := p.callee(call)
	return inPackage(to, "slices") && slices.Contains([]string{"Reverse", "Sort", "SortFunc", "SortStableFunc"}, to.Name())
}

// captures reports whether a literal captures memory that protocols read.
func (c *construction) captures(lit *function) bool {
	for n := range ast.Preorder(lit.body) {
		id, _ := n.(*ast.Ident)
		v, ok := c.info.Uses[id].(*types.Var)
		if ok && c.owner[v] != nil && !c.owner[v].inside(lit) && c.carries(v.Type()) {
			return true
		}
	}
	return false
}

// apart reports whether a place is not of a lock that exists: it is part of a variable of fn; or what a variable
// refers to directly, as no function but constructors has more of a lock than the lock; or a field of the
// argument of an option, a literal that a function returns.
func (c *construction) apart(fn *function, place ast.Expr) bool {
	v, ok := c.base(place).(*types.Var)
	if !ok || c.owner[v] == nil {
		return false
	}
	sel := selectorOf(ast.Unparen(place))
	of := within(ast.Unparen(place))
	others := fn.obj != nil && fn.obj.Exported() && isParameter(fn, v) // can call it, if it is promoted, with a lock
	behind := identOf(of) != nil && c.exposes(v.Type()) && !embedsRegisters(elem(v.Type())) && !others
	if behind || c.direct(place) && !c.addressed[v] {
		return c.owner[v] == fn
	}
	params := fn.sig.Params()
	if sel == nil || identOf(sel.X) == nil || fn.obj != nil || fn.outer.body == nil || params.Len() != 1 || params.At(0) != v {
		return false
	}
	returned, t := false, c.info.TypeOf(place)
	fn.outer.each(func(n ast.Node, _ []ast.Node) {
		r, ok := n.(*ast.ReturnStmt)
		returned = returned || ok && slices.ContainsFunc(r.Results, func(x ast.Expr) bool { return ast.Unparen(x) == fn.node })
	})
	return returned && (plain(t, true) || isFunc(t))
}

// comes says from where else than a constructor a value comes, or "".
func (c *construction) comes(fn *function, x ast.Expr, path []ast.Node, here act) string {
	a := c.of[fn]
	_, part := path[len(path)-1].(*ast.CompositeLit)
	_, keyed := path[len(path)-1].(*ast.KeyValueExpr)
	v, _ := c.info.ObjectOf(identOf(x)).(*types.Var)
	if t := c.info.TypeOf(x); isLock(t) && (isInterface(t) && identOf(x) == nil || (part || keyed) && (identOf(x) == nil || isParameter(fn, v))) {
		return "" // a lock in a lock is examined itself
	}
	switch x := x.(type) {
	case *ast.Ident:
		v, ok := c.info.Uses[x].(*types.Var)
		switch {
		case !ok || v.IsField() || c.byValue(x, path):
		case packageLevel(v):
			return "uses package-level variable " + v.Name()
		case c.owner[v] != fn || isParameter(fn, v):
			a.inner = true
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
		case c.info.Types[x.Fun].IsType(), c.builtin(x) != "", inPackage(to, registers), inPackage(to, "slices"):
		case to != nil && len(c.bodies(to)) > 0, c.called(x) != nil:
			a.calls = append(a.calls, here.calling(c.callees(x)...)...)
		default:
			return "gets the result of " + types.ExprString(x.Fun)
		}
	}
	return ""
}

func isParameter(fn *function, v *types.Var) bool {
	return v == fn.sig.Recv() || slices.Contains(slices.Collect(fn.sig.Params().Variables()), v)
}

// called returns the literal that a call runs, if the function that it is in only calls it.
func (c *construction) called(call *ast.CallExpr) *function {
	if found, _, _ := c.exactly(call.Fun); len(found) == 1 && c.immediate(found[0]) {
		return found[0]
	}
	return nil
}

// goes says to where else than a constructor a value goes, or "".
func (c *construction) goes(fn *function, x ast.Expr, path []ast.Node, here act) string {
	a := c.of[fn]
	switch parent := path[len(path)-1].(type) {
	case *ast.SelectorExpr:
		if s := c.info.Selections[parent]; s != nil && s.Kind() == types.MethodVal {
			call, ok := path[max(len(path)-2, 0)].(*ast.CallExpr)
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
			if slices.Contains(parent.Lhs, x) || len(parent.Rhs) == len(parent.Lhs) && parent.Rhs[i] != x || identOf(to) != nil && identOf(to).Name == "_" {
				continue
			}
			if c.owner[v] != fn || identOf(to) == nil && c.exposes(c.info.TypeOf(x)) && !c.reads(c.classes(to)) {
				return "stores " + types.ExprString(x) + " in " + types.ExprString(to)
			}
		}
	case *ast.CompositeLit, *ast.KeyValueExpr:
		at, ok := c.stored(parent, x, path)
		switch {
		case c.info.Types[x].IsNil():
		case ok:
			a.builds = append(a.builds, here.saying("keeps "+types.ExprString(x)+", which a protocol reads at "+c.place(at)))
		case c.exposes(c.info.TypeOf(x)):
			return "stores " + types.ExprString(x) + " where no protocol reads it"
		}
	}
	return ""
}

// stored reports whether an element of a composite literal is in a place that protocols read, and where.
func (c *construction) stored(in ast.Node, x ast.Expr, path []ast.Node) (token.Pos, bool) {
	lit, ok := in.(*ast.CompositeLit)
	kv, keyed := in.(*ast.KeyValueExpr)
	if keyed {
		lit, ok = path[max(len(path)-2, 0)].(*ast.CompositeLit)
	}
	if !ok {
		return 0, false
	}
	t := c.info.TypeOf(lit)
	if isPointer(t) {
		t = elem(t)
	}
	of, ok := under(t).(*types.Struct)
	if !ok {
		return c.where(elements(t))
	}
	for k := range of.NumFields() {
		if keyed && of.Field(k).Name() == identOf(kv.Key).Name || !keyed && k < len(lit.Elts) && lit.Elts[k] == x {
			return c.where(append(parts(of.Field(k).Type()), fieldClass(of, k)))
		}
	}
	return 0, false
}

// gives says to which function that is no constructor a call gives its receiver or argument x, or "".
func (c *construction) gives(fn *function, x ast.Expr, call *ast.CallExpr, here act) string {
	a, to := c.of[fn], c.callee(call)
	switch {
	case ast.Unparen(call.Fun) == x, c.info.Types[call.Fun].IsType(), c.builtin(call) != "", inPackage(to, registers), c.reading(call), c.sorts(call):
	case c.called(call) != nil:
		a.calls = append(a.calls, here.calling(c.called(call))...)
	case to == nil && c.isAddress(x): // of a variable
	case to == nil && !isLock(c.info.TypeOf(x)): // which may keep it
		return "gives " + types.ExprString(x) + " to " + types.ExprString(call.Fun)
	case to == nil:
		a.hands = append(a.hands, here.saying("gives "+types.ExprString(x)+" to "+types.ExprString(call.Fun)))
	case len(c.bodies(to)) > 0:
		a.calls = append(a.calls, here.calling(c.bodies(to)...)...)
	default:
		return "gives " + types.ExprString(x) + " to " + display(to)
	}
	return ""
}

// isAddress reports whether x is the address of a local variable.
func (c *construction) isAddress(x ast.Expr) bool {
	u, ok := x.(*ast.UnaryExpr)
	return ok && u.Op == token.AND && identOf(u.X) != nil
}

// points reports an address by which what protocols read could be written as something else.
func (c *construction) points(fn *function, n ast.Node) {
	var of step
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.pointsAt(fn, n.X)
		}
		if steps := c.steps(selectorOf(ast.Unparen(n.X))); n.Op == token.AND && len(steps) > 0 {
			of = steps[len(steps)-1]
		}
	case *ast.SelectorExpr:
		s := c.info.Selections[n]
		if s == nil || s.Kind() != types.MethodVal || !byPointer(s.Obj().(*types.Func)) {
			return
		}
		c.pointsAt(fn, n.X)
		steps := c.steps(n)
		if len(steps) == 0 { // it is not promoted
			steps = c.steps(selectorOf(ast.Unparen(n.X)))
		}
		if len(steps) > 0 && !isPointer(steps[len(steps)-1].field.Type()) && !isInterface(steps[len(steps)-1].field.Type()) {
			of = steps[len(steps)-1]
		}
	}
	if of.field == nil || !c.examined(of.field.Pkg()) {
		return
	}
	t := of.field.Type()
	if isRegister(t, "") || embedsRegisters(t) {
		return // it is not assigned as a whole
	}
	if at, ok := c.where(append(parts(t), of.class)); ok {
		c.report(fn, n,
			"takes the address of field %s, which a protocol reads at %s: what writes there is unknown",
			of.field.Name(), c.place(at))
	}
}

// pointsAt does so for the address of an element.
func (c *construction) pointsAt(fn *function, x ast.Expr) {
	x = ast.Unparen(x)
	if _, ok := x.(*ast.IndexExpr); !ok {
		return
	}
	t := c.info.TypeOf(x)
	if t == nil || isPointer(t) || isInterface(t) || isRegister(t, "") || embedsRegisters(t) || c.apart(fn, x) {
		return
	}
	if at, ok := c.where(c.classes(x)); ok {
		c.report(fn, x, "takes the address of %s, which a protocol reads at %s: what writes there is unknown",
			types.ExprString(x), c.place(at))
	}
}

// keeps reports how a function that is no constructor has more than the value of what protocols read.
func (c *construction) keeps(fn *function, n ast.Node, path []ast.Node) {
	x, ok := n.(ast.Expr)
	if !ok || !c.exposes(c.info.TypeOf(x)) || c.byValue(x, path) {
		return
	}
	place := x
	switch x := x.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
	case *ast.SliceExpr:
		place = x.X
	case *ast.UnaryExpr:
		place = x.X
	default:
		return
	}
	switch parent := path[len(path)-1].(type) {
	case *ast.SelectorExpr:
		if s := c.info.Selections[parent]; s != nil && s.Kind() == types.FieldVal {
			return // it is only followed
		}
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.ParenExpr:
		if within(parent.(ast.Expr)) == x {
			return
		}
	case *ast.AssignStmt:
		if slices.Contains(parent.Lhs, x) {
			return
		}
	}
	if at, ok := c.where(c.classes(place)); ok {
		c.report(fn, x,
			"has %s, which a protocol reads at %s, and which could be written through it: "+
				"copy its elements, or read them one by one", types.ExprString(x), c.place(at))
	}
}
