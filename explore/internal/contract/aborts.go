package contract

import (
	"go/ast"
	"go/types"
)

// aborts reports the awaits of an entry that may be aborted, one given to Processes.Try
// or Processes.Context, whose results are not used.
func (p *program) aborts(reach []*function) {
	for _, fn := range p.abortable(reach) {
		fn.each(func(n ast.Node, _ []ast.Node) {
			var lost ast.Node
			switch n := n.(type) {
			case *ast.ExprStmt:
				lost = n
			case *ast.AssignStmt:
				last := len(n.Lhs) - 1 // of several results, the last tells of an abort
				for i, to := range n.Lhs {
					if id := identOf(to); id != nil && id.Name == "_" && (i == last || len(n.Rhs) > 1) {
						lost = n.Rhs[min(i, len(n.Rhs)-1)]
					}
				}
			case *ast.IfStmt:
				if len(n.Body.List) == 0 && n.Else == nil {
					lost = n.Cond
				}
			}
			p.lost(fn, lost)
		})
	}
}

// lost reports what waits, or is the result of what waits, in an expression that is not used.
func (p *program) lost(fn *function, x ast.Node) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if what := p.waits(n); what != "" {
				p.report(fn, n, "does not use the result of %s: an aborted acquisition would go on to enter", what)
			}
		case *ast.Ident:
			if v, ok := p.info.Uses[n].(*types.Var); ok && !v.IsField() && tells(v.Type()) {
				p.report(fn, n, "does not use %s: an aborted acquisition would go on to enter", n.Name)
			}
		}
		call, ok := n.(*ast.CallExpr)
		_, literal := n.(*ast.FuncLit)
		return !literal && (!ok || p.info.Types[call.Fun].IsType())
	})
}

// abortable returns the functions that the entries given to Try and Context reach. What
// is given to Process.Absorb runs when they are over, and is not aborted.
func (p *program) abortable(reach []*function) []*function {
	var entries []*function
	absorbed := map[*function]bool{}
	for _, fn := range reach {
		fn.each(func(n ast.Node, _ []ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || !p.isCall(call, "Processes.Try", "Processes.Context", "Process.Absorb") {
				return
			}
			for _, arg := range call.Args {
				if !isFunc(p.info.TypeOf(arg)) {
					continue
				}
				found := p.targets(arg)
				if !p.isCall(call, "Process.Absorb") {
					entries = append(entries, found...)
					continue
				}
				for _, f := range found {
					absorbed[f] = true
				}
			}
		})
	}
	return p.reached(entries, absorbed)
}

// waits returns what a call is of, if its result tells that an await was aborted: an
// await, a Repeat with one in it, or a function that awaits and has a result: of several,
// the last must be a bool, an Outcome or an error.
func (p *program) waits(call *ast.CallExpr) string {
	fn := p.callee(call)
	if inPackage(fn, registers) {
		if onRegisters(fn)&awaits != 0 || p.isCall(call, "register.Repeat") && p.does(call)&awaits != 0 {
			return display(fn)
		}
		return ""
	}
	t := p.info.TypeOf(call)
	if results, ok := t.(*types.Tuple); ok {
		if results.Len() == 0 || !tells(results.At(results.Len()-1).Type()) {
			return ""
		}
	}
	for _, f := range p.callees(call) {
		if p.does(f.body)&awaits == 0 {
			continue
		}
		if f.obj == nil {
			return "a function that awaits"
		}
		return f.name + ", which awaits"
	}
	return ""
}

// tells reports whether a value of type t can tell of an abort.
func tells(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 || isRegister(t, "Outcome") || isError(t)
}
