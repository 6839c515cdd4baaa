package contract

import (
	"go/ast"
	"go/types"
	"slices"
)

// What a call through an interface runs is known if only the package of the interface
// can name it, and if all that is assigned to variables of it is of types of that
// package, with their own methods.

// hold notes that a value of one type is assigned to a variable of another. Invalid is
// the type of a value of which nothing is known.
func (p *program) hold(to, from types.Type) {
	if t, ok := ownInterface(to); ok && from != nil && !types.Identical(to, from) {
		p.held[t] = append(p.held[t], from)
	}
}

// ownInterface returns the name of an interface that only its package can name.
func ownInterface(t types.Type) (*types.TypeName, bool) {
	if t == nil {
		return nil, false
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !types.IsInterface(n) || n.Obj().Exported() || n.Obj().Pkg() == nil {
		return nil, false
	}
	return n.Obj(), true
}

// value returns the type of a result of x, if it has several, and otherwise its own.
func (p *program) value(x ast.Expr, result int) types.Type {
	t := p.info.TypeOf(x)
	results, several := t.(*types.Tuple)
	switch {
	case several && result < results.Len():
		return results.At(result).Type()
	case result > 0:
		return types.Typ[types.Invalid]
	}
	return t
}

// holds notes what a node assigns, in a function with these results.
func (p *program) holds(n ast.Node, results *types.Tuple) {
	_, ranges := n.(*ast.RangeStmt)
	for _, a := range assignments(n) {
		to, from := p.info.TypeOf(a.to), p.value(a.from, a.result)
		if ranges && types.Identical(p.element(a.from), to) {
			from = to
		} else if ranges {
			from = types.Typ[types.Invalid]
		}
		p.hold(to, from)
	}
	switch n := n.(type) {
	case *ast.ReturnStmt:
		for i := range results.Len() {
			if last := len(n.Results) - 1; last >= 0 {
				p.hold(results.At(i).Type(), p.value(n.Results[min(i, last)], i-min(i, last)))
			}
		}
	case *ast.SendStmt:
		if c, ok := under(p.info.TypeOf(n.Chan)).(*types.Chan); ok {
			p.hold(c.Elem(), p.info.TypeOf(n.Value))
		}
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			p.hold(p.info.TypeOf(n.Type), types.Typ[types.Invalid])
		}
	case *ast.TypeSwitchStmt:
		for _, c := range n.Body.List {
			for _, t := range c.(*ast.CaseClause).List {
				p.hold(p.info.TypeOf(t), types.Typ[types.Invalid])
			}
		}
	case *ast.CallExpr:
		p.holdArguments(n)
	}
}

// element returns the type of what a range over x yields as its value.
func (p *program) element(x ast.Expr) types.Type {
	t := under(p.info.TypeOf(x))
	if a, ok := t.(*types.Array); ok {
		return a.Elem()
	}
	if e := elem(t); e != nil {
		return e
	}
	return types.Typ[types.Invalid]
}

func (p *program) holdArguments(call *ast.CallExpr) {
	t := p.info.TypeOf(call.Fun)
	switch {
	case p.info.Types[call.Fun].IsType():
		for _, arg := range call.Args {
			p.hold(t, p.info.TypeOf(arg))
		}
		return
	case p.builtin(call) == "append":
		for _, arg := range call.Args[1:] {
			p.hold(elem(p.info.TypeOf(call.Args[0])), p.info.TypeOf(arg))
		}
		return
	}
	sig, ok := under(t).(*types.Signature)
	if !ok || len(call.Args) == 0 {
		return
	}
	n := sig.Params().Len()
	for i := range max(n, len(call.Args)) {
		to := sig.Params().At(min(i, n-1)).Type()
		if sig.Variadic() && i >= n-1 && !call.Ellipsis.IsValid() {
			to = elem(to)
		}
		switch {
		case i < len(call.Args) && (i > 0 || len(call.Args) > 1 || n == 1 || sig.Variadic()):
			p.hold(to, p.info.TypeOf(call.Args[i]))
		case len(call.Args) == 1: // f(g())
			p.hold(to, p.value(call.Args[0], i))
		}
	}
}

// handedIn notes what other packages can hand to fn.
func (p *program) handedIn(fn *function) {
	if !ast.IsExported(fn.name) {
		return
	}
	for v := range fn.sig.Params().Variables() {
		p.hold(v.Type(), types.Typ[types.Invalid])
		p.hold(elem(v.Type()), types.Typ[types.Invalid])
	}
}

// open reports whether a value of an interface may have a method whose source is not
// that of a type of its package.
func (p *program) open(t *types.TypeName, seen ...*types.TypeName) bool {
	for _, from := range p.held[t] {
		if inner, ok := ownInterface(from); ok {
			if !slices.Contains(seen, inner) && p.open(inner, append(seen, t)...) {
				return true
			}
			continue
		}
		if b, ok := from.(*types.Basic); ok && b.Kind() == types.UntypedNil {
			continue
		}
		if n := named(from); n == nil || types.IsInterface(n) || n.Obj().Pkg() != t.Pkg() {
			return true
		}
	}
	is := func(x types.Type) bool { return types.Identical(x, t.Type()) }
	x := p.exposed(t.Pkg())
	for f, assignable := range x.fields {
		if assignable && contains(f.Type(), is) {
			return true
		}
	}
	return slices.ContainsFunc(t.Pkg().Scope().Names(), func(name string) bool {
		v, ok := t.Pkg().Scope().Lookup(name).(*types.Var)
		return ok && p.assignable(v) && contains(v.Type(), is)
	})
}
