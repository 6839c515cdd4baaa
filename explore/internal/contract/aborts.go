package contract

import (
	"go/ast"
	"go/types"
)

// beside reports what is done to registers beside an entry that may be aborted: it may not have run at all, if
// the context was over before, or an earlier entry is still being absorbed.
func (p *program) beside(reach []*function) {
	for _, fn := range reach {
		if p.doing(fn)&enters == 0 {
			continue
		}
		var others []*ast.CallExpr
		tries := ""
		fn.calls(func(call *ast.CallExpr) {
			if done := p.does(call); done&enters != 0 {
				tries = types.ExprString(call.Fun)
			} else if done&^retries != 0 {
				others = append(others, call)
			}
		})
		for _, call := range others {
			if tries != "" {
				p.report(fn, call, "calls %s beside %s, whose entry may not have run: use registers only in that entry",
					types.ExprString(call.Fun), tries)
			}
		}
	}
}

// aborts reports the awaits of an entry that may be aborted, one given to Processes.Try
// or Processes.Context, whose results are not used.
func (p *program) aborts(reach []*function) {
	for _, fn := range p.abortable(reach) {
		fn.each(func(n ast.Node, _ []ast.Node) {
			switch n := n.(type) {
			case *ast.ExprStmt:
				p.lost(fn, n.X)
			case *ast.AssignStmt:
				last := len(n.Lhs) - 1 // of several results, the last tells of an abort
				for i, to := range n.Lhs {
					if isBlank(to) && (i == last || len(n.Rhs) > 1) {
						p.lost(fn, n.Rhs[min(i, len(n.Rhs)-1)])
					}
				}
			case *ast.IfStmt:
				if len(n.Body.List) == 0 && n.Else == nil {
					p.lost(fn, n.Cond)
				}
			}
		})
	}
}

// lost reports what tells of an abort, in an expression that is not used: what awaits, or a variable.
func (p *program) lost(fn *function, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		what := ""
		call, ok := n.(*ast.CallExpr)
		if ok && !p.converts(call) && !p.isCall(call, "Process.Absorb") && returns(p.info.TypeOf(call)) && p.does(call)&awaits != 0 {
			what = "the result of " + types.ExprString(call.Fun)
		}
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := p.object(id).(*types.Var); ok && !v.IsField() && tells(v.Type()) {
				what = id.Name
			}
		}
		if what != "" {
			p.report(fn, n, "does not use %s: an aborted acquisition would go on to enter", what)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal && (!ok || p.converts(call))
	})
}

// returns reports whether a call with a result of type t returns a value, of several, one that can tell of an abort.
func returns(t types.Type) bool {
	if of, ok := t.(*types.Tuple); ok {
		return of.Len() > 0 && tells(of.At(of.Len()-1).Type())
	}
	return true
}

// tells reports whether a value of type t can tell of an abort.
func tells(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 || isRegister(t, "Outcome") || isError(t)
}

// abortable returns the functions that the entries given to Try and Context reach. What
// is given to Process.Absorb runs when they are over, and is not aborted.
func (p *program) abortable(reach []*function) []*function {
	var entries []*function
	absorbed := map[*function]bool{}
	for _, fn := range reach {
		fn.calls(func(call *ast.CallExpr) {
			switch {
			case p.isCall(call, "Processes.Try", "Processes.Context"):
				entries = append(entries, p.callees(call)...)
			case p.isCall(call, "Process.Absorb"):
				for _, f := range p.callees(call) {
					absorbed[f] = true
				}
			}
		})
	}
	return p.reached(entries, absorbed)
}
