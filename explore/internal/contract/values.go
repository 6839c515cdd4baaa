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

// strangers reports the function values that n runs and that may be functions from elsewhere.
func (p *program) strangers(r *region, fn *function, n ast.Node) {
	for _, x := range p.run(n) {
		if from := p.outside(r, x, map[ast.Expr]bool{}); from != "" {
			p.report(fn, x, foreign, "calls %s, a function value that %s", types.ExprString(ast.Unparen(x)), from)
		}
	}
}

// outside says which function from outside of the examined source x may be, or be made of;
// or "". It ends where it is unknown what is assigned.
func (p *program) outside(r *region, x ast.Expr, seen map[ast.Expr]bool) string {
	x = ast.Unparen(x)
	if tv := p.info.Types[x]; seen[x] || tv.IsNil() || tv.IsType() {
		return ""
	}
	seen[x] = true
	first := func(all ...ast.Expr) string {
		for _, x := range all {
			if from := p.outside(r, x, seen); from != "" {
				return from
			}
		}
		return ""
	}
	switch x := x.(type) {
	case *ast.CallExpr:
		return p.outsideResult(x, first)
	case *ast.CompositeLit:
		return first(values(x)...)
	case *ast.SliceExpr, *ast.StarExpr:
		return first(within(x))
	case *ast.UnaryExpr:
		return first(x.X)
	case *ast.TypeAssertExpr:
		return first(x.X)
	case *ast.IndexExpr:
		if name(x) == nil || !isFunc(p.info.TypeOf(x)) || p.info.Types[x.Index].IsValue() {
			return first(x.X)
		}
	}
	if f := p.function(name(x)); f != nil {
		return p.outsider(f)
	}
	v := p.variable(x)
	if v == nil || !contains(v.Type(), mayCall) {
		return ""
	}
	if from := p.outsideVariable(r, v); from != "" {
		return from
	}
	args, _ := p.arguments(v)
	return first(slices.Concat(p.flows[v], args, p.receivers(v))...)
}

// receivers returns what v may be, if it is the receiver of a method of a function type:
// all that is converted to the type.
func (p *program) receivers(v *types.Var) []ast.Expr {
	n, ok := types.Unalias(v.Type()).(*types.Named)
	if fn := p.owner[v]; !ok || fn == nil || fn.sig.Recv() != v {
		return nil
	}
	return p.converted[n.Obj()]
}

// mayCall reports whether a value of a type may be a function.
func mayCall(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return isFunc(t) || ok && i.NumMethods() == 0
}

const settable = "other packages can set by %s %s: its effects are unknown"

// outsideVariable says how other packages can set v, or "". A protocol gives its
// own functions the arguments.
func (p *program) outsideVariable(r *region, v *types.Var) string {
	if p.assignable(v) {
		if v.IsField() {
			return fmt.Sprintf(settable, "the exported field", v.Name())
		}
		return fmt.Sprintf(settable, "the exported variable", v.Name())
	}
	fn := p.owner[v]
	if _, param := p.arguments(v); fn == nil || !param || r.within[fn] {
		return ""
	}
	if fn.obj != nil && p.public(fn.obj) || fn.obj == nil && p.published(fn) {
		return fmt.Sprintf(settable, fmt.Sprintf("argument %s of", v.Name()), p.said(fn))
	}
	return ""
}

// published reports whether other packages can have a function literal: one that an
// exported function returns, or that an exported variable is declared with.
func (p *program) published(lit *function) bool {
	is := func(x ast.Expr) bool { return ast.Unparen(x) == lit.node }
	if lit.outer.obj != nil && p.public(lit.outer.obj) && slices.ContainsFunc(p.yields[lit.outer], is) {
		return true
	}
	for v, from := range p.flows {
		if packageLevel(v) && p.assignable(v) && slices.ContainsFunc(from, is) {
			return true
		}
	}
	return false
}

// outsideResult is outside for the result of a call.
func (p *program) outsideResult(call *ast.CallExpr, first func(...ast.Expr) string) string {
	fn := p.callee(call)
	if fn == nil && !p.dynamic(call) || fn != nil && p.standard(fn.Pkg()) { // a conversion, append, slices.Clone
		return first(call.Args...)
	}
	for _, f := range p.callees(call) {
		if from := first(p.yields[f]...); from != "" {
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
