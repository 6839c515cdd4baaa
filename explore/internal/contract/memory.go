package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An ownership says which memory is made by functions of a set: their variables, and what they
// allocate. All other memory is foreign to them: what they are given from outside of the set,
// captured variables of other functions, and package-level variables.
//
// A value is foreign if it refers to foreign memory. Own memory may have foreign values: then they
// may be found wherever memory has that field, or is of that type.
type ownership struct {
	*program
	set     []*function
	within  map[*function]bool
	root    *function           // if not nil, the variables of the functions around it are foreign
	apart   bool                // what a literal captures is foreign to it, since it may run later
	foreign map[*types.Var]bool // variables that may have foreign values, and fields, in own memory
	results map[*function]bool  // functions that may return foreign values
	stored  map[string]bool     // by [placeName]: what may be foreign in own memory that is no variable or field
	changed bool
}

// settle computes an ownership. Those functions of the set of which called is true are given what is foreign.
func (o *ownership) settle(called func(fn *function) bool) {
	o.within, o.foreign, o.results, o.stored = map[*function]bool{}, map[*types.Var]bool{}, map[*function]bool{}, map[string]bool{}
	for _, fn := range o.set {
		o.within[fn] = true
		if called(fn) {
			for _, v := range fn.receives() {
				o.note(v)
			}
		}
	}
	for o.changed = true; o.changed; {
		o.changed = false
		for _, fn := range o.set {
			fn.each(func(n ast.Node) { o.spread(fn, n) })
			if fn.obj != nil {
				for _, at := range o.sites(fn) {
					o.pass(fn, at)
				}
			}
		}
	}
}

// note notes that a variable or field may have a foreign value.
func (o *ownership) note(v *types.Var) {
	if v = o.origin(v); !refers(v.Type()) || o.foreign[v] {
		return
	}
	o.foreign[v], o.changed = true, true
	if t := v.Type(); o.pointed[v] || isStruct(t) || isArray(t) {
		o.store(t)
	}
}

// store notes that a foreign value may be in a place of type t that is no variable or field, or has one's address.
func (o *ownership) store(t types.Type) {
	if t == nil {
		return
	}
	for _, of := range o.inside(nil, t) {
		if len(of) > 0 {
			o.note(of[len(of)-1])
		}
	}
	for _, t := range parts(t) {
		if name := placeName(t); !o.stored[name] {
			o.stored[name], o.changed = true, true
		}
	}
}

// found reports whether a foreign value may be in a place of type t that is no variable or field, or has one's
// address.
func (o *ownership) found(t types.Type) bool {
	for _, t := range parts(t) {
		if o.stored[anyType] || o.stored[placeName(t)] || parametric(t) && len(o.stored) > 0 {
			return true
		}
	}
	return false
}

// spread follows foreign values through one node of fn.
func (o *ownership) spread(fn *function, n ast.Node) {
	value := o.strange
	if _, ok := n.(*ast.RangeStmt); ok {
		value = o.element
	}
	for _, a := range assignments(n) {
		if t := o.info.TypeOf(a.to); t != nil && refers(t) && value(fn, a.from) {
			o.assign(a.to)
		}
	}
	switch n := n.(type) {
	case *ast.TypeSwitchStmt:
		a, ok := n.Assign.(*ast.AssignStmt)
		if !ok || !o.strange(fn, a.Rhs[0]) {
			return
		}
		for _, c := range n.Body.List {
			if v, ok := o.info.Implicits[c].(*types.Var); ok {
				o.note(v)
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			o.give(fn, o.strange(fn, e))
		}
		for v := range fn.sig.Results().Variables() {
			o.give(fn, o.kept(v))
		}
	case *ast.CompositeLit:
		o.literal(fn, n)
	case *ast.CallExpr:
		o.call(fn, n)
	}
}

func (o *ownership) give(fn *function, strange bool) {
	if strange && !o.results[fn] {
		o.results[fn], o.changed = true, true
	}
}

// assign assigns a foreign value to a place.
func (o *ownership) assign(to ast.Expr) {
	t := o.info.TypeOf(to)
	switch x := ast.Unparen(to).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		v := o.variable(to)
		if v == nil || packageLevel(v) {
			return
		}
		o.note(v)
	case *ast.IndexExpr, *ast.StarExpr:
		o.store(t)
		for isArray(o.info.TypeOf(within(x))) { // part of a variable or field
			x = within(x)
			if v := o.variable(x); v != nil && !packageLevel(v) {
				o.note(v)
				return
			}
			if _, ok := x.(*ast.IndexExpr); !ok {
				return
			}
		}
	}
}

// literal assigns the elements of a composite literal.
func (o *ownership) literal(fn *function, lit *ast.CompositeLit) {
	t := o.info.TypeOf(lit)
	if ptr, ok := under(t).(*types.Pointer); ok { // {...} that stands for &T{...}
		t = ptr.Elem()
	}
	s, isStruct := under(t).(*types.Struct)
	for i, x := range lit.Elts {
		kv, keyed := x.(*ast.KeyValueExpr)
		if keyed {
			x = kv.Value
		}
		switch {
		case !o.strange(fn, x):
		case isStruct && keyed:
			o.note(o.variable(kv.Key))
		case isStruct:
			o.note(s.Field(i))
		default:
			o.store(elem(t))
		}
	}
}

// pass gives a function the arguments of a call.
func (o *ownership) pass(fn *function, at site) {
	params, args := fn.sig.Params(), at.call.Args
	last := params.Len() - 1
	for i, arg := range args {
		switch strange := o.strange(at.in, arg); {
		case !strange || last < 0:
		case len(args) == 1 && last > 0: // f(g())
			for v := range params.Variables() {
				o.note(v)
			}
		case fn.sig.Variadic() && i >= last && !at.call.Ellipsis.IsValid():
			o.store(elem(params.At(last).Type()))
		default:
			o.note(params.At(min(i, last)))
		}
	}
	if recv := fn.sig.Recv(); recv != nil && o.receiver(at.in, at.call) {
		o.note(recv)
	}
}

// receiver reports whether the receiver of a method that is called is foreign.
func (o *ownership) receiver(in *function, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	s := o.info.Selections[sel]
	switch {
	case s == nil || s.Kind() != types.MethodVal:
		return true // of a method expression, it is unknown
	case o.strange(in, sel.X) || o.embedded(sel, s):
		return true
	case overInterface(s.Obj().(*types.Func)): // perhaps of an embedded field of what the interface has
		for v := range o.foreign {
			if v.Embedded() {
				return true
			}
		}
	case o.addressed(call) != nil:
		return o.outside(in, sel.X)
	}
	return false
}

// embedded reports whether a selection follows an embedded pointer that may be foreign.
func (o *ownership) embedded(sel *ast.SelectorExpr, s *types.Selection) bool {
	t := o.info.TypeOf(sel.X)
	for _, k := range s.Index()[:len(s.Index())-1] {
		if ptr, ok := under(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		f := under(t).(*types.Struct).Field(k)
		if t = f.Type(); o.kept(f) {
			return true
		}
	}
	return false
}

// kept reports whether a field, or a variable, of own memory may have a foreign value.
func (o *ownership) kept(v *types.Var) bool {
	return refers(v.Type()) && (o.foreign[o.origin(v)] || o.pointed[o.origin(v)] && o.found(v.Type()))
}

// call follows what a call stores in memory.
func (o *ownership) call(fn *function, call *ast.CallExpr) {
	to := o.callee(call)
	copies := to != nil && copying[fullName(to)]
	if !o.fills(call) && !copies {
		return
	}
	for i, arg := range call.Args {
		strange := o.strange
		if copies || call.Ellipsis.IsValid() || o.builtin(call) == "copy" {
			strange = o.element
		}
		if (i > 0 || copies) && strange(fn, arg) {
			o.store(elem(o.info.TypeOf(call.Args[0])))
		}
	}
}

// outside reports whether the place that e denotes is foreign, as is l.n if l is a pointer that was given from
// outside.
func (o *ownership) outside(in *function, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := o.info.ObjectOf(e).(*types.Var)
		return ok && !o.declares(in, v)
	case *ast.SelectorExpr:
		s := o.info.Selections[e]
		switch {
		case s == nil || s.Kind() != types.FieldVal:
			return s == nil
		case s.Indirect():
			return o.strange(in, e.X) || o.embedded(e, s)
		}
		return o.outside(in, e.X)
	case *ast.IndexExpr:
		if isArray(o.info.TypeOf(e.X)) {
			return o.outside(in, e.X)
		}
		return o.strange(in, e.X)
	case *ast.StarExpr:
		return o.strange(in, e.X)
	}
	return false
}

// declares reports whether a function of the set declares v; with apart, whether in does; with a
// root, whether they are made when that runs.
func (o *ownership) declares(in *function, v *types.Var) bool {
	owner := o.owner[o.origin(v)]
	if o.root != nil && owner != in {
		if in.inside(o.root) {
			return o.within[owner] && (owner == o.root || !o.root.inside(owner)) // not of a function around the root
		}
		if !o.local(in) {
			return false // it may have captured them before
		}
	}
	return o.within[owner] && (!o.apart || owner == in)
}

// element reports whether the elements of e may be foreign.
func (o *ownership) element(in *function, e ast.Expr) bool {
	t := o.info.TypeOf(e)
	switch of := elem(t); {
	case isFunc(t) || isChan(t):
		return true // what it yields is unknown
	case isMap(t) && refers(under(t).(*types.Map).Key()):
		return true
	case of != nil && !refers(of):
		return false
	default:
		return o.strange(in, e) || of != nil && o.found(of)
	}
}

// strange reports whether the value of e may be foreign.
func (o *ownership) strange(in *function, e ast.Expr) bool {
	e = ast.Unparen(e)
	if t := o.info.TypeOf(e); t != nil && !refers(t) {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := o.info.ObjectOf(e).(*types.Var)
		return ok && (!o.declares(in, v) || o.kept(v))
	case *ast.SelectorExpr:
		s := o.info.Selections[e]
		switch {
		case s == nil:
			_, ok := o.info.ObjectOf(e.Sel).(*types.Var)
			return ok
		case s.Kind() != types.FieldVal:
			return false // a method value reaches its receiver only by a call
		}
		return o.strange(in, e.X) || o.embedded(e, s) || o.kept(s.Obj().(*types.Var))
	case *ast.IndexExpr:
		return o.element(in, e.X)
	case *ast.SliceExpr:
		return o.strange(in, e.X) || isArray(o.info.TypeOf(e.X)) && o.outside(in, e.X)
	case *ast.StarExpr:
		return o.strange(in, e.X) || o.found(o.info.TypeOf(e))
	case *ast.TypeAssertExpr:
		return o.strange(in, e.X)
	case *ast.UnaryExpr: // from a channel, it is unknown
		return e.Op != token.AND || o.outside(in, e.X)
	case *ast.CallExpr:
		return o.result(in, e)
	}
	return false
}

// result reports whether a result of a call may be foreign. Nothing else can write the results of package
// register, and a table has registers.
func (o *ownership) result(in *function, call *ast.CallExpr) bool {
	fn := o.callee(call)
	switch {
	case inPackage(fn, registers) || inPackage(fn, tables):
		return false
	case fn != nil && (overInterface(fn) || !o.standard(fn.Pkg())):
		bodies := o.bodies(fn)
		return len(bodies) == 0 || slices.ContainsFunc(bodies, func(f *function) bool { return !o.within[f] || o.results[f] })
	case fn == nil && o.dynamic(call):
		lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
		return !ok || !o.within[o.literals[lit]] || o.results[o.literals[lit]]
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && o.info.Selections[sel] != nil && (o.strange(in, sel.X) || o.outside(in, sel.X)) {
		return true // a method may return part of its receiver
	}
	for i, arg := range call.Args { // of a conversion, a builtin function, or one of the standard library
		switch {
		case o.info.Types[arg].IsType(), fn != nil && copying[fullName(fn)], i > 0 && o.builtin(call) == "append":
		case o.strange(in, arg), fn != nil && o.element(in, arg):
			return true
		}
	}
	return false
}

// copying are the functions that return new memory, with the references of their
// arguments.
var copying = map[string]bool{
	"slices.Clone": true, "slices.Concat": true, "slices.Repeat": true,
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

// builtin returns the name of the builtin function that is called, or "".
func (p *program) builtin(call *ast.CallExpr) string {
	if b, ok := p.info.Uses[name(call.Fun)].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// filling are the functions that write what their first argument refers to.
var filling = map[string]bool{
	"append": true, "clear": true, "copy": true, "delete": true,
	"slices.Compact": true, "slices.CompactFunc": true, "slices.Delete": true, "slices.DeleteFunc": true,
	"slices.Insert": true, "slices.Replace": true, "slices.Reverse": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true,
}

// standard reports whether a package is of the standard library.
func (p *program) standard(pkg *types.Package) bool {
	return pkg != nil && p.listed[pkg.Path()].Standard
}
