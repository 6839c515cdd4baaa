package contract

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A region is the set of functions reachable from some roots. Memory is its own if
// it is made there: the variables of its functions, and what they allocate. All
// other memory is foreign: arguments and captured variables of the roots, and
// package-level variables.
type region struct {
	*program
	reach   []*function
	within  map[*function]bool
	guessed map[*function]*guess // of those that only a guess leads to, the first
	levels  map[*types.Var]level // of own variables
	leaks   map[*function]level  // of what a function returns

	pointed map[*types.Var]bool // own variables whose address is taken
	stored  map[string]level    // by the type of a place in own memory that is not a variable, what is stored there

	from    map[string]bool // if not nil, only what values of these types refer to can be foreign
	changed bool            // a level was raised
}

// anyType stands for the types that depend on a type parameter.
const anyType = ""

// A level describes how a value can reach foreign memory.
type level int

const (
	nothing  level = iota // it cannot
	beyond                // the value refers to own memory, which may refer to foreign memory
	directly              // the value refers to foreign memory
)

// load returns the level of a value loaded through one of level l.
func (l level) load() level {
	if l == nothing {
		return nothing
	}
	return directly
}

// held returns the level of a reference to memory that holds a value of level l.
func (l level) held() level { return min(l, beyond) }

// region returns the functions that roots reach, whose receivers and arguments are foreign.
func (p *program) region(roots []*function) *region {
	r := p.reached(roots...)
	for _, fn := range roots {
		r.receive(fn)
	}
	r.settle()
	return r
}

// receive marks the receiver and the arguments of fn as foreign.
func (r *region) receive(fn *function) {
	r.stranger(fn)
	if recv := fn.sig.Recv(); recv != nil {
		r.raise(recv, directly)
	}
}

// settle finds what refers to foreign memory.
func (r *region) settle() {
	for r.changed = true; r.changed; {
		r.changed = false
		for _, fn := range r.reach {
			fn.each(func(n ast.Node) { r.spread(fn, n) })
		}
	}
}

// stranger marks the arguments of fn as unknown.
func (r *region) stranger(fn *function) {
	for v := range fn.sig.Params().Variables() {
		r.raise(v, directly)
	}
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

func (r *region) own(v *types.Var) bool {
	return r.within[r.owner[v.Origin()]] || r.spared(v.Type())
}

// spared reports whether no value of type t can refer to foreign memory.
func (r *region) spared(t types.Type) bool { return r.from != nil && !r.from[typeName(t)] }

// raise raises the level of an own variable to l.
func (r *region) raise(v *types.Var, l level) {
	if v = v.Origin(); r.levels[v] < l && refers(v.Type()) && !r.spared(v.Type()) {
		r.levels[v], r.changed = l, true
	}
}

// spread follows references to foreign memory through one node of fn.
func (r *region) spread(fn *function, n ast.Node) {
	value := r.level
	if _, ok := n.(*ast.RangeStmt); ok {
		value = r.element
	}
	for _, a := range assignments(n) {
		r.assign(a.to, value(a.from))
	}
	switch n := n.(type) {
	case *ast.RangeStmt:
		r.bound(r.callees(n))
	case *ast.TypeSwitchStmt:
		a, ok := n.Assign.(*ast.AssignStmt)
		if !ok {
			return
		}
		for _, c := range n.Body.List {
			if v, ok := r.info.Implicits[c].(*types.Var); ok {
				r.raise(v, r.level(a.Rhs[0]))
			}
		}
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			r.leak(fn, r.level(e))
		}
		for v := range fn.sig.Results().Variables() {
			r.leak(fn, r.levels[v])
		}
	case *ast.SelectorExpr:
		r.method(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			r.point(n.X)
		}
	case *ast.SliceExpr:
		if isArray(r.info.TypeOf(n.X)) {
			r.point(n.X)
		}
	case *ast.CallExpr:
		r.call(n)
	}
}

func (r *region) leak(fn *function, l level) {
	if r.leaks[fn] < l {
		r.leaks[fn], r.changed = l, true
	}
}

// method passes the receiver to a method that is called or made a value.
func (r *region) method(sel *ast.SelectorExpr) {
	fn := r.function(sel.Sel)
	if fn == nil || fn.Signature().Recv() == nil {
		return
	}
	callees := r.implementations(fn)
	if f := r.declared(fn); f != nil {
		callees = append(callees, f)
	}
	l := directly // of a method expression, the receiver is unknown
	if s := r.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
		pointer := isPointer(r.info.TypeOf(sel.X))
		switch {
		case byPointer(fn) && !pointer:
			r.point(sel.X)
			l = r.address(sel.X)
		case pointer && !byPointer(fn):
			l = r.level(sel.X).load()
		default:
			l = r.level(sel.X)
		}
		if len(s.Index()) > 1 { // of an embedded field, perhaps of a pointer
			l = max(l, r.level(sel.X).load())
		}
	}
	for _, f := range callees {
		r.raise(f.sig.Recv(), l)
	}
}

// bound gives a method whose value was taken elsewhere, as by a constructor, a
// receiver from there.
func (r *region) bound(callees []*function) {
	for _, f := range callees {
		if f.sig.Recv() == nil {
			continue
		}
		for _, t := range r.taken {
			if !r.within[t.in] && fullName(t.fn) == fullName(f.obj) {
				r.raise(f.sig.Recv(), directly)
			}
		}
	}
}

// call passes arguments to the functions that a call may run. The standard library
// may pass any argument to a function that it receives.
func (r *region) call(call *ast.CallExpr) {
	callees := r.callees(call)
	if r.dynamic(call) {
		r.bound(callees)
	}
	for x, fs := range r.interpreted(call) {
		for _, f := range fs {
			r.raise(f.sig.Recv(), r.level(x))
			r.stranger(f)
		}
	}
	if len(call.Args) > 1 && r.fills(call) {
		r.store(elem(r.info.TypeOf(call.Args[0])), r.filler(call))
	}
	for _, f := range callees {
		params := f.sig.Params()
		for i, arg := range call.Args {
			l := r.level(arg)
			switch last := params.Len() - 1; {
			case last < 0:
			case len(call.Args) == 1 && last > 0: // f(g())
				for v := range params.Variables() {
					r.raise(v, l)
				}
			case f.sig.Variadic() && i >= last && !call.Ellipsis.IsValid():
				r.raise(params.At(last), l.held())
			default:
				r.raise(params.At(min(i, last)), l)
			}
		}
	}
	fn := r.callee(call)
	switch {
	case fn != nil && r.declared(fn) == nil:
		for _, arg := range r.run(call) {
			r.bound(r.targets(arg))
			if r.standard(fn.Pkg()) {
				for _, f := range r.targets(arg) {
					r.stranger(f)
				}
			}
		}
	case r.builtin(call) == "copy":
		if v, ok := r.base(call.Args[0]).(*types.Var); ok && r.own(v) {
			r.raise(v, r.element(call.Args[1]).held())
		}
	}
}

// assign assigns a value of level l to to.
func (r *region) assign(to ast.Expr, l level) {
	t := r.info.TypeOf(to)
	if t == nil || !refers(t) {
		return
	}
	direct := r.direct(write{to: to})
	if !direct {
		r.store(t, l)
		l = l.held()
	}
	if v, ok := r.base(to).(*types.Var); ok && r.own(v) {
		r.raise(v, l)
	}
}

// point notes that the address of the variable of which e is a part is taken.
func (r *region) point(e ast.Expr) {
	if v, ok := r.base(e).(*types.Var); ok && r.own(v) && !r.pointed[v.Origin()] {
		r.pointed[v.Origin()], r.changed = true, true
	}
}

// store notes that a value of level l is stored in a place of type t. It may be found
// by any other way to a place of that type.
func (r *region) store(t types.Type, l level) {
	if t == nil || l == nothing {
		return
	}
	for _, place := range parts(t) {
		name := typeName(place)
		if parametric(place) {
			name = anyType
		}
		if r.stored[name] < l {
			r.stored[name], r.changed = l, true
		}
	}
}

// found returns the level of what may be stored in a place of type t.
func (r *region) found(t types.Type) level {
	l := r.stored[anyType]
	if t == nil {
		return l
	}
	for _, place := range parts(t) {
		if !parametric(place) {
			l = max(l, r.stored[typeName(place)])
			continue
		}
		for _, s := range r.stored {
			l = max(l, s)
		}
	}
	return l
}

// filler returns the level of what a call stores in the elements of its first argument.
func (r *region) filler(call *ast.CallExpr) (l level) {
	for _, arg := range call.Args[1:] {
		if call.Ellipsis.IsValid() || r.builtin(call) == "copy" {
			l = max(l, r.element(arg))
		} else {
			l = max(l, r.level(arg))
		}
	}
	return l
}

// isForeign reports whether the memory that e denotes is foreign, as that of l.n if
// l is a pointer argument.
func (r *region) isForeign(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		return ok && !r.own(v)
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			return sel == nil
		}
		if sel.Indirect() {
			l := r.level(e.X)
			if len(sel.Index()) > 1 { // perhaps by an embedded pointer
				l = l.load()
			}
			return l == directly
		}
		return r.isForeign(e.X)
	case *ast.IndexExpr:
		if isArray(r.info.TypeOf(e.X)) {
			return r.isForeign(e.X)
		}
		return r.level(e.X) == directly
	case *ast.StarExpr:
		return r.level(e.X) == directly
	}
	return false
}

// address returns the level of &e.
func (r *region) address(e ast.Expr) level {
	if r.isForeign(e) {
		return directly
	}
	return r.level(e).held()
}

// element returns the level of the elements of e.
func (r *region) element(e ast.Expr) level {
	switch t := under(r.info.TypeOf(e)).(type) {
	case *types.Array:
		return r.level(e)
	case *types.Slice:
		if !refers(t.Elem()) {
			return nothing
		}
	case *types.Signature:
		return directly // the source of an iterator is unknown
	}
	return max(r.level(e).load(), r.found(elem(r.info.TypeOf(e))))
}

// level returns the level of the value of e.
func (r *region) level(e ast.Expr) level {
	e = ast.Unparen(e)
	t := r.info.TypeOf(e)
	if t != nil && (!refers(t) || r.spared(t)) {
		return nothing
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		switch {
		case !ok:
			return nothing
		case !r.own(v):
			return directly
		}
		l := r.levels[v.Origin()]
		if r.pointed[v.Origin()] {
			l = max(l, r.found(t))
		}
		return l
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		switch {
		case sel == nil:
			if _, ok := r.info.ObjectOf(e.Sel).(*types.Var); ok {
				return directly
			}
			return nothing
		case sel.Kind() != types.FieldVal:
			return nothing // a method value reaches its receiver only by a call
		case sel.Indirect():
			return max(r.level(e.X).load(), r.found(t))
		}
		return r.level(e.X)
	case *ast.IndexExpr:
		return r.element(e.X)
	case *ast.SliceExpr:
		if isArray(r.info.TypeOf(e.X)) {
			return r.address(e.X)
		}
		return r.level(e.X)
	case *ast.StarExpr:
		return max(r.level(e.X).load(), r.found(t))
	case *ast.TypeAssertExpr:
		return r.level(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return r.address(e.X)
		}
		return directly
	case *ast.CompositeLit:
		var l level
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			l = max(l, r.level(elt))
		}
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return l
		}
		return l.held() // a slice, a map, or an elided &T
	case *ast.CallExpr:
		return r.result(e)
	}
	return nothing
}

// copying are the functions that return new memory, with the references of their
// arguments.
var copying = map[string]bool{
	"slices.Clone": true, "slices.Concat": true, "slices.Repeat": true,
}

// result returns the level of the result of a call. Nothing else can write the
// results of package register, and a table has registers.
func (r *region) result(call *ast.CallExpr) (l level) {
	fn := r.callee(call)
	switch {
	case of(fn, registers):
		return nothing
	case r.builtin(call) == "append":
		l = r.level(call.Args[0])
		for _, arg := range call.Args[1:] {
			if call.Ellipsis.IsValid() {
				l = max(l, r.element(arg).held())
			} else {
				l = max(l, r.level(arg).held())
			}
		}
		return l
	case fn != nil && copying[fullName(fn)]:
		for _, arg := range call.Args {
			l = max(l, r.element(arg).held())
		}
		return l
	}
	if callees := r.callees(call); len(callees) > 0 {
		for _, f := range callees {
			l = max(l, r.leaks[f])
		}
		return l
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && r.info.Selections[sel] != nil {
		l = max(r.level(sel.X), r.address(sel.X)) // a method may return it
	}
	for _, arg := range call.Args { // of a conversion, or the standard library
		if fn != nil {
			l = max(l, r.handedBack(arg, r.info.TypeOf(call)))
		} else {
			l = max(l, r.level(arg))
		}
	}
	return l
}

// handedBack returns the level of what a function of the standard library with this
// result may return of an argument: the argument, or what it has, as does slices.MaxFunc.
func (r *region) handedBack(arg ast.Expr, result types.Type) level {
	t := r.info.TypeOf(arg)
	if t == nil || result == nil || types.Identical(t, result) || isFunc(result) {
		return r.level(arg)
	}
	if _, slice := t.Underlying().(*types.Slice); slice || parametric(t) {
		return r.element(arg)
	}
	return r.level(arg)
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
