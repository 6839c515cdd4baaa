package contract

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Function values. What a call of one may run is known to this package only if no other
// package can give it another.

// values reports the function values that n runs and that may be functions from elsewhere.
func (e *examination) values(r *region, fn *function, n ast.Node) {
	for _, x := range e.run(n) {
		if from := e.outside(r, x, map[ast.Expr]bool{}); from != "" {
			e.report(fn, x, foreign, "calls %s, a function value that %s", types.ExprString(ast.Unparen(x)), from)
		}
	}
}

// outside says which function from outside of the examined source x may be, or be made of;
// or "". It ends where it is unknown what is assigned.
func (e *examination) outside(r *region, x ast.Expr, seen map[ast.Expr]bool) string {
	x = ast.Unparen(x)
	if tv := e.info.Types[x]; seen[x] || tv.IsNil() || tv.IsType() {
		return ""
	}
	seen[x] = true
	first := func(all ...ast.Expr) string {
		for _, x := range all {
			if from := e.outside(r, x, seen); from != "" {
				return from
			}
		}
		return ""
	}
	switch x := x.(type) {
	case *ast.CallExpr:
		return e.outsideResult(x, first)
	case *ast.CompositeLit:
		return first(values(x)...)
	case *ast.SliceExpr:
		return first(x.X)
	case *ast.StarExpr:
		return first(x.X)
	case *ast.UnaryExpr:
		return first(x.X)
	case *ast.TypeAssertExpr:
		return first(x.X)
	case *ast.IndexExpr:
		if name(x) == nil || !isFunc(e.info.TypeOf(x)) || e.info.Types[x.Index].IsValue() {
			return first(x.X)
		}
	}
	if f := e.function(name(x)); f != nil {
		return e.outsider(f)
	}
	v := e.variable(x)
	if v == nil || !contains(v.Type(), mayCall) {
		return ""
	}
	if from := e.outsideVariable(r, v); from != "" {
		return from
	}
	args, _ := e.arguments(v)
	return first(slices.Concat(e.flows[v], args, e.receivers(v))...)
}

// receivers returns what v may be, if it is the receiver of a method of a function type:
// all that is converted to the type.
func (e *examination) receivers(v *types.Var) []ast.Expr {
	n, ok := types.Unalias(v.Type()).(*types.Named)
	if fn := e.owner[v]; !ok || fn == nil || fn.sig.Recv() != v {
		return nil
	}
	return e.converted[n.Obj()]
}

// mayCall reports whether a value of a type may be a function.
func mayCall(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return isFunc(t) || ok && i.NumMethods() == 0
}

const settable = "other packages can set by %s %s: its effects are unknown"

// outsideVariable says how other packages can set v, or "". A protocol gives its
// own functions the arguments.
func (e *examination) outsideVariable(r *region, v *types.Var) string {
	if e.assignable(v) {
		if v.IsField() {
			return fmt.Sprintf(settable, "the exported field", v.Name())
		}
		return fmt.Sprintf(settable, "the exported variable", v.Name())
	}
	fn := e.owner[v]
	if _, param := e.arguments(v); fn == nil || !param || r.within[fn] {
		return ""
	}
	if fn.obj != nil && e.public(fn.obj) || fn.obj == nil && e.published(fn) {
		return fmt.Sprintf(settable, fmt.Sprintf("argument %s of", v.Name()), fn.name)
	}
	return ""
}

// published reports whether other packages can have a function literal: one that an
// exported function returns, or that an exported variable is declared with.
func (e *examination) published(lit *function) bool {
	is := func(x ast.Expr) bool { return e.literals[literal(x)] == lit }
	if lit.outer.obj != nil && e.public(lit.outer.obj) && slices.ContainsFunc(e.yields[lit.outer], is) {
		return true
	}
	for v, from := range e.flows {
		if packageLevel(v) && e.assignable(v) && slices.ContainsFunc(from, is) {
			return true
		}
	}
	return false
}

func literal(x ast.Expr) *ast.FuncLit {
	lit, _ := ast.Unparen(x).(*ast.FuncLit)
	return lit
}

// outsideResult is outside for the result of a call.
func (e *examination) outsideResult(call *ast.CallExpr, first func(...ast.Expr) string) string {
	fn := e.callee(call)
	if fn == nil && !e.dynamic(call) || fn != nil && e.standard(fn.Pkg()) { // a conversion, append, slices.Clone
		return first(call.Args...)
	}
	for _, f := range e.callees(call) {
		if from := first(e.yields[f]...); from != "" {
			return from
		}
	}
	return ""
}

// outsider says that a named function is not one of the examined source, or "".
func (p *program) outsider(f *types.Func) string {
	switch {
	case p.declared(f) != nil || f.Pkg() == nil:
		return ""
	case overInterface(f):
		if t, ok := ownInterface(f.Signature().Recv().Type()); ok && len(p.implementations(f)) > 0 && !p.open(t) {
			return ""
		}
		return fmt.Sprintf("may be %s, called through an interface: its implementation is unknown", display(f))
	case of(f, registers):
		return fmt.Sprintf("may be %s: a protocol must call the methods of registers by their names", display(f))
	case p.standard(f.Pkg()):
		names := strings.Fields(allowed[f.Pkg().Path()])
		if slices.Contains(names, f.Name()) && !filling[fullName(f)] && !interprets(f) {
			return ""
		}
		return fmt.Sprintf("may be %s: of the standard library, a protocol may call only functions of their arguments", display(f))
	}
	return fmt.Sprintf("may be %s, whose source was not found", display(f))
}
