package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
)

// An assignment gives a place the value of an expression, or one of its results; or of a
// range, an element.
type assignment struct {
	to, from ast.Expr
	result   int // which, if there are several
}

// assignments returns what n assigns or declares.
func assignments(n ast.Node) (all []assignment) {
	var to, from []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		to, from = n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, id := range n.Names {
			to = append(to, id)
		}
		from = n.Values
	case *ast.RangeStmt:
		to, from = places(n), []ast.Expr{n.X}
	}
	for i, to := range to {
		if k := min(i, len(from)-1); k >= 0 {
			all = append(all, assignment{to, from[k], i - k})
		}
	}
	return all
}

// places returns the key and the value of a range, those that there are.
func places(n *ast.RangeStmt) []ast.Expr {
	return slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(x ast.Expr) bool { return x == nil })
}

// A write is to the memory that to denotes, or with contents, to what to refers to.
type write struct {
	to       ast.Expr
	contents bool
}

// written yields the writes of n, without those of its children.
func (p *program) written(n ast.Node) iter.Seq[write] {
	return func(yield func(write) bool) {
		var to []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); !ok || p.info.Uses[id] != nil { // not declared here
					to = append(to, e)
				}
			}
		case *ast.IncDecStmt:
			to = append(to, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				to = places(n)
			}
		case *ast.CallExpr:
			if len(n.Args) > 0 && p.fills(n) {
				yield(write{n.Args[0], true})
			} else if fn := p.callee(n); fn != nil && p.standard(fn.Pkg()) && byPointer(fn) {
				if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
					s := p.info.Selections[sel]
					yield(write{sel.X, p.addressed(n) == nil || s != nil && s.Indirect()})
				}
			}
		}
		for _, e := range to {
			if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
				continue
			}
			if !yield(write{e, false}) {
				return
			}
		}
	}
}

func (p *program) fills(call *ast.CallExpr) bool {
	if fn := p.callee(call); fn != nil {
		return filling[fullName(fn)]
	}
	return filling[p.builtin(call)]
}

// addressed returns the variable whose address a call of a method takes, or nil.
func (p *program) addressed(call *ast.CallExpr) ast.Expr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if fn := p.function(sel.Sel); fn == nil || !byPointer(fn) || isPointer(p.info.TypeOf(sel.X)) {
		return nil
	}
	return sel.X
}

// byPointer reports whether fn is a method that can write its receiver.
func byPointer(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && isPointer(r.Type())
}
