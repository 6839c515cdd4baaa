package contract

import (
	"go/ast"
	"go/types"
	"slices"
)

// aborts reports the awaits of an entry that may be aborted, one given to Processes.Try
// or Processes.Context, whose results are not used.
func (p *program) aborts(o *ownership) {
	for _, fn := range p.abortable(o) {
		fn.each(func(n ast.Node) {
			for _, call := range p.dropped(n) {
				if what := p.waits(call); what != "" {
					p.report(fn, call, aborting, "does not use the result of %s: an aborted acquisition would go on to enter", what)
				}
			}
		})
	}
}

// abortable returns the functions that the entries given to Try and Context reach. What
// is given to Process.Absorb runs when they are over, and is not aborted.
func (p *program) abortable(o *ownership) []*function {
	var entries []*function
	absorbed := map[*function]bool{}
	for _, fn := range o.set {
		fn.each(func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || !p.isCall(call, "Processes.Try", "Processes.Context", "Process.Absorb") {
				return
			}
			for _, arg := range call.Args {
				if !isFunc(p.info.TypeOf(arg)) {
					continue
				}
				for _, f := range p.targets(arg) {
					if p.isCall(call, "Process.Absorb") {
						absorbed[f] = true
					} else {
						entries = append(entries, f)
					}
				}
			}
		})
	}
	return p.reached(entries, absorbed)
}

// isCall reports whether a call is of one of these functions of package register.
func (p *program) isCall(call *ast.CallExpr, names ...string) bool {
	fn := p.callee(call)
	return inPackage(fn, registers) && slices.Contains(names, display(fn))
}

// dropped returns the calls whose results n does not use, gives to variables that are never
// read, or tests without a consequence.
func (p *program) dropped(n ast.Node) (calls []*ast.CallExpr) {
	add := func(to, from ast.Expr) {
		id, _ := to.(*ast.Ident)
		call, ok := ast.Unparen(from).(*ast.CallExpr)
		v, local := p.info.ObjectOf(id).(*types.Var)
		if ok && id != nil && (id.Name == "_" || local && !p.read(v)) {
			calls = append(calls, call)
		}
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		add(blank, n.X)
	case *ast.AssignStmt:
		last := len(n.Lhs) - 1
		if len(n.Rhs) == 1 {
			add(n.Lhs[last], n.Rhs[0]) // of several results, the last tells of an abort
			break
		}
		for i, to := range n.Lhs {
			add(to, n.Rhs[i])
		}
	case *ast.ValueSpec:
		for i, from := range n.Values {
			add(n.Names[len(n.Names)-len(n.Values)+i], from)
		}
	case *ast.IfStmt:
		if idle(n) {
			for n := range ast.Preorder(n.Cond) {
				if call, ok := n.(*ast.CallExpr); ok {
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}

var blank = ast.NewIdent("_")

// idle reports whether an if statement does nothing in either case.
func idle(n *ast.IfStmt) bool { return len(n.Body.List) == 0 && n.Else == nil }

// read reports whether anything depends on a variable: it is used other than by an
// assignment to it or to the blank identifier, or by an if statement that is idle.
func (p *program) read(v *types.Var) bool {
	fn := p.owner[v]
	if fn == nil {
		return true // not a local variable
	}
	for result := range fn.sig.Results().Variables() {
		if result == v {
			return true
		}
	}
	for fn.outer != nil && fn.outer.node != nil {
		fn = fn.outer
	}
	unread := map[ast.Node]bool{}
	for n := range ast.Preorder(fn.body) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				unread[to] = true
				if id, ok := to.(*ast.Ident); ok && id.Name == "_" && len(n.Lhs) == len(n.Rhs) {
					unread[ast.Unparen(n.Rhs[i])] = true
				}
			}
		case *ast.IfStmt:
			if idle(n) {
				for n := range ast.Preorder(n.Cond) {
					unread[n] = true
				}
			}
		case *ast.Ident:
			if p.info.Uses[n] == v && !unread[n] {
				return true
			}
		}
	}
	return false
}

// waits returns what a call is of, if its result tells that an await was aborted: an
// await, a Repeat with one in it, or a function that awaits and has a result: of several,
// the last must be a bool, an Outcome or an error.
func (p *program) waits(call *ast.CallExpr) string {
	fn := p.callee(call)
	switch {
	case inPackage(fn, registers):
		if onRegisters(fn)&awaits == 0 && (!p.isCall(call, "register.Repeat") || p.givenDoes(call)&awaits == 0) {
			return ""
		}
		return display(fn)
	case !p.tells(call):
		return ""
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

// givenDoes returns the effects of the functions given in a call.
func (p *program) givenDoes(call *ast.CallExpr) (all effect) {
	for _, arg := range call.Args {
		for _, f := range p.targets(arg) {
			all |= p.does(f.body)
		}
	}
	return all
}

// tells reports whether a call has a result that can tell of an abort.
func (p *program) tells(call *ast.CallExpr) bool {
	t := p.info.TypeOf(call)
	if t == nil {
		return false
	}
	results, ok := t.(*types.Tuple)
	if !ok || results.Len() == 0 {
		return !ok
	}
	t = results.At(results.Len() - 1).Type()
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 || isRegister(t, "Outcome") || types.Identical(t, types.Universe.Lookup("error").Type())
}
