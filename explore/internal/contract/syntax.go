package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

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
	return slices.DeleteFunc(slices.Clone(all), func(x ast.Expr) bool { return x == nil || isBlank(x) })
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
		return is[*types.Array](p.info.TypeOf(x.X)) && p.direct(x.X)
	}
	return false
}

// identOf returns e as an identifier, or nil.
func identOf(e ast.Expr) *ast.Ident { id, _ := ast.Unparen(e).(*ast.Ident); return id }

func isBlank(e ast.Expr) bool { return identOf(e) != nil && identOf(e).Name == "_" }

func selectorOf(e ast.Expr) *ast.SelectorExpr {
	sel, _ := ast.Unparen(e).(*ast.SelectorExpr)
	return sel
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

// addressOf returns the place whose address n takes, itself, by slicing an array or by calling a method, or nil.
func (p *program) addressOf(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return ast.Unparen(n.X)
		}
	case *ast.SliceExpr:
		if is[*types.Array](p.info.TypeOf(n.X)) {
			return ast.Unparen(n.X)
		}
	case *ast.SelectorExpr:
		if to := p.method(n); to != nil && byPointer(to) && !is[*types.Pointer](p.info.TypeOf(n.X)) &&
			!slices.ContainsFunc(p.steps(n), func(s step) bool { return is[*types.Pointer](s.field.Type()) }) {
			return ast.Unparen(n.X)
		}
	}
	return nil
}
