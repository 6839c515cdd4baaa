package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// offers reports a function by which others can write registers of a lock.
func (c *construction) offers(fn *function) {
	a := c.of[fn]
	switch {
	case fn.isEntryPoint(), a == nil && fn.obj == nil, a != nil && a.valid, c.others[fn], !c.offered(fn), !c.hasLock(fn):
	case c.writesRegisters(fn):
		c.report(fn, fn.node, "writes registers of a lock, and others can call it: only Lock, TryLock, LockContext and Unlock may")
	}
}

// offered reports whether other packages can run fn, other than by a function that they can call.
func (c *construction) offered(fn *function) bool {
	for fn.obj == nil && c.immediate(fn) != "" {
		fn = fn.outer
	}
	switch private := c.private(fn.node.Pos()); {
	case fn.obj == nil:
		return !private
	case private:
		return fn.obj.Exported() && fn.sig.Recv() != nil
	default:
		return fn.obj.Exported() || fn.name == "init" || fn.name == "main" || c.taken(fn) || len(c.callers(fn, true)) > 0
	}
}

// hasLock reports whether a function has a lock that is examined.
func (p *program) hasLock(fn *function) (has bool) {
	ast.Inspect(fn.node, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		has = has || ok && p.lockType(p.info.TypeOf(x))
		return !has
	})
	return has
}

// lockType reports whether t is a lock that is examined, is embedded in one, or points to one.
func (p *program) lockType(t types.Type) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && p.locks[[2]string{n.Obj().Pkg().Path(), n.Obj().Name()}]
}

// writesRegisters reports whether fn writes registers, itself or by functions that it names, other than as a user of
// a lock.
func (p *program) writesRegisters(fn *function) bool {
	seen := map[*function]bool{}
	var writing func(fn *function) bool
	writing = func(fn *function) (found bool) {
		if seen[fn] {
			return false
		}
		seen[fn] = true
		ast.Inspect(fn.body, func(n ast.Node) bool {
			to := p.function(n)
			if to != nil && onRegisters(to)&writes != 0 && !inPackage(to, mutexes) {
				found = true
			} else if to != nil {
				found = found || slices.ContainsFunc(p.bodies(to), func(fn *function) bool { return !fn.isEntryPoint() && writing(fn) })
			}
			return !found
		})
		return found
	}
	return writing(fn)
}

// gains reports a protocol function by which others get more than the value of what protocols read.
func (c *construction) gains(fn *function) {
	k := slices.IndexFunc(fn.results(), c.exposes)
	if k < 0 || fn.obj == nil && c.immediate(fn) != "" {
		return
	}
	outside := func(by *function) bool { return !c.protocols[by] }
	if fn.obj == nil || fn.obj.Exported() || c.taken(fn) || len(c.callers(fn, true)) > 0 ||
		slices.ContainsFunc(c.callers(fn, false), outside) {
		c.report(fn, fn.node, "returns a %s, through which what a protocol reads could be written: "+
			"a method for protocols is not for others", c.typeName(fn.results()[k]))
	}
}

// keeps reports how a function that is no constructor has more than the value of what protocols read, or gives
// away registers of a lock.
func (c *construction) keeps(fn *function, x ast.Expr, path []ast.Node) {
	t, place := c.info.TypeOf(x), x
	switch y := x.(type) {
	case *ast.SliceExpr:
		place = y.X
	case *ast.UnaryExpr:
		place = y.X
	}
	at, ok := c.where(c.selected(place))
	switch {
	case c.leads(x, path[len(path)-1]):
	case ok && c.exposes(t) && !c.byValue(x, path):
		c.report(fn, x, "has %s, which a protocol reads at %s, and which could be written through it: "+
			"copy its elements, or read them one by one", types.ExprString(x), c.place(at))
	case refersToRegisters(t) && (ok || !isLock(t)) && !c.private(x.Pos()) && !c.others[fn] && c.leaves(x, path) && c.hasLock(fn):
		c.report(fn, x, "gives away %s, by which others could write registers of a lock", types.ExprString(x))
	}
}

// refersToRegisters reports whether a value of type t refers to registers.
func refersToRegisters(t types.Type) bool {
	of := elem(t)
	return of != nil && !isRegister(of, "Process") && (hasRegisters(of) || refersToRegisters(of))
}

// leaves reports whether a function gives x away, or has it as something else.
func (c *construction) leaves(x ast.Expr, path []ast.Node) bool {
	switch parent := path[len(path)-1].(type) {
	case *ast.ReturnStmt, *ast.CompositeLit, *ast.KeyValueExpr, *ast.SendStmt, *ast.ValueSpec:
		return true
	case *ast.AssignStmt:
		return parent.Tok != token.DEFINE && !slices.Contains(parent.Lhs, x)
	case *ast.CallExpr:
		to, k := c.callee(parent), slices.Index(parent.Args, x)
		if k < 0 || c.builtin(parent) != "" || inPackage(to, registers) {
			return false
		}
		if to == nil || len(c.bodies(to)) == 0 {
			return true
		}
		params := to.Signature().Params()
		return isInterface(params.At(min(k, params.Len()-1)).Type())
	}
	return false
}
