package contract

import (
	"go/ast"
	"go/token"
	"go/types"
)

// aborts reports the awaits of an entry that may be aborted, one given to Processes.Try
// or Processes.Context, whose results are not used.
func (e *examination) aborts(r *region) {
	for _, fn := range e.abortable(r) {
		fn.each(func(n ast.Node) {
			for _, call := range unused(n) {
				if what := e.waits(call); what != "" {
					e.report(fn, call, aborting, "does not use the result of %s: an aborted acquisition would go on to enter", what)
				}
			}
		})
	}
}

// abortable returns the functions that the entries given to Try and Context reach. What
// is given to Process.Absorb runs when they are over, and is not aborted.
func (e *examination) abortable(r *region) []*function {
	var reach []*function
	seen, absorbed := map[*function]bool{}, map[*function]bool{}
	add := func(fns ...*function) {
		for _, fn := range fns {
			if fn != nil && !seen[fn] {
				seen[fn] = true
				reach = append(reach, fn)
			}
		}
	}
	given := func(fn *function, names []string, use func(fns ...*function)) {
		fn.each(func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || !e.calls(call, names...) {
				return
			}
			for _, arg := range call.Args {
				if t := e.info.TypeOf(arg); t != nil && isFunc(t) {
					use(e.targets(arg)...)
				}
			}
		})
	}
	for _, fn := range r.reach {
		given(fn, []string{"Processes.Try", "Processes.Context"}, add)
		given(fn, []string{"Process.Absorb"}, func(fns ...*function) {
			for _, fn := range fns {
				absorbed[fn] = true
			}
		})
	}
	mentioned := func(fn *function) {
		if !absorbed[fn] {
			add(fn)
		}
	}
	for i := 0; i < len(reach); i++ {
		reach[i].each(func(n ast.Node) {
			switch n := n.(type) {
			case *ast.FuncLit:
				mentioned(e.literals[n])
			case *ast.Ident:
				if f, ok := e.info.Uses[n].(*types.Func); ok {
					mentioned(e.declared(f))
				}
			case *ast.CallExpr:
				add(e.callees(n)...)
			case *ast.RangeStmt:
				add(e.iterators(n)...)
			}
		})
	}
	return reach
}

// calls reports whether a call is of one of these functions of package register.
func (e *examination) calls(call *ast.CallExpr, names ...string) bool {
	fn := e.callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != registers {
		return false
	}
	for _, name := range names {
		if display(fn) == name {
			return true
		}
	}
	return false
}

// unused returns the calls whose results the statement n does not use.
func unused(n ast.Node) (calls []*ast.CallExpr) {
	add := func(e ast.Expr) {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			calls = append(calls, call)
		}
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		add(n.X)
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if id, ok := to.(*ast.Ident); ok && id.Name == "_" && len(n.Lhs) == len(n.Rhs) && n.Tok == token.ASSIGN {
				add(n.Rhs[i])
			}
		}
		if id, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && id.Name == "_" && len(n.Lhs) > len(n.Rhs) {
			add(n.Rhs[0]) // of its results, the last tells of an abort
		}
	}
	return calls
}

// waits returns what a call is of, if its result tells that an await was aborted: an
// await, a Repeat with one in it, or a function that awaits and whose last result is a
// bool or an Outcome.
func (e *examination) waits(call *ast.CallExpr) string {
	fn := e.callee(call)
	switch {
	case fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == registers:
		if onRegisters(fn)&awaits == 0 && (!e.calls(call, "register.Repeat") || e.givenDoes(call)&awaits == 0) {
			return ""
		}
		return display(fn)
	case !e.tells(call):
		return ""
	}
	for _, f := range e.callees(call) {
		if e.does(f.body)&awaits == 0 {
			continue
		}
		if f.obj == nil {
			return "a function that awaits"
		}
		return f.name + ", which awaits"
	}
	return ""
}

// givenDoes returns the effects of the functions given in a call.
func (e *examination) givenDoes(call *ast.CallExpr) (all effect) {
	for _, arg := range call.Args {
		for _, f := range e.targets(arg) {
			all |= e.does(f.body)
		}
	}
	return all
}

// tells reports whether the type of a call, or of its last result, is that of what tells
// of an abort.
func (e *examination) tells(call *ast.CallExpr) bool {
	t := e.info.TypeOf(call)
	if t == nil {
		return false
	}
	if results, ok := t.(*types.Tuple); ok && results.Len() > 0 {
		t = results.At(results.Len() - 1).Type()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 || isRegister(t, "Outcome")
}
