package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
)

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
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if n.Tok == token.ASSIGN && e != nil {
					to = append(to, e)
				}
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
	fn, ok := p.info.Uses[sel.Sel].(*types.Func)
	if !ok || !byPointer(fn) {
		return nil
	}
	if _, pointer := under(p.info.TypeOf(sel.X)).(*types.Pointer); pointer {
		return nil
	}
	return sel.X
}

// byPointer reports whether fn is a method that can write its receiver.
func byPointer(fn *types.Func) bool {
	r := fn.Signature().Recv()
	if r == nil {
		return false
	}
	_, ok := types.Unalias(r.Type()).(*types.Pointer)
	return ok
}
