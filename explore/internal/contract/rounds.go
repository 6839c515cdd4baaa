package contract

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// A Loop is a for statement of a lock whose rounds carry nothing over: each begins in the
// same local state. It is reached at most once in an entry, or an exit, by each way of
// calls; except from other such loops.
type Loop struct {
	File        string // its base name
	First, Last int    // lines, in which no other calls are
}

// rounds returns the loops of the examined package that carry nothing from one round to
// the next.
//
// Such a loop awaits. It has no statement but its condition that runs between rounds, and
// assigns only variables that are declared in its body. It calls nothing but accesses
// and awaits, and its loops are such loops.
func (p *program) rounds(reach, roots []*function) (found []Loop) {
	once := p.once(reach, roots)
	for _, fn := range reach {
		if !once[fn] || fn.obj != nil && fn.obj.Pkg() != p.main || fn.labelled() {
			continue
		}
		fn.each(func(n ast.Node, path []ast.Node) {
			l, ok := n.(*ast.ForStmt)
			if !ok || !p.stateless(l) || p.besides(fn, l) {
				return
			}
			for _, outer := range path {
				if loop, ok := outer.(*ast.ForStmt); isLoop(outer) && (!ok || !p.stateless(loop)) {
					return
				}
			}
			first, last := p.fset.Position(l.Pos()), p.fset.Position(l.End())
			found = append(found, Loop{filepath.Base(first.Filename), first.Line, last.Line})
		})
	}
	return found
}

// besides reports whether the lines of a loop have calls that are outside of it.
func (p *program) besides(fn *function, l ast.Stmt) (found bool) {
	first, last := p.fset.Position(l.Pos()).Line, p.fset.Position(l.End()).Line
	for n := range ast.Preorder(fn.body) {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && (call.End() <= l.Pos() || l.End() <= call.Pos()) &&
			p.fset.Position(call.Pos()).Line <= last && first <= p.fset.Position(call.End()).Line
	}
	return found
}

// stateless reports whether a loop awaits, and all its rounds begin in the same local state.
func (p *program) stateless(l *ast.ForStmt) bool {
	ok := p.does(l)&awaits != 0
	ast.Inspect(l, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // given to an await, as all others are of no use
		case *ast.ForStmt:
			ok = ok && n.Init == nil && n.Post == nil && (n == l || p.stateless(n))
		case *ast.RangeStmt:
			ok = false
		case *ast.CallExpr:
			ok = ok && p.plainly(n)
		}
		for _, to := range written(n) {
			v, _ := p.info.ObjectOf(identOf(to)).(*types.Var)
			ok = ok && v != nil && l.Body.Pos() <= v.Pos() && v.Pos() < l.Body.End()
		}
		return ok
	})
	return ok
}

// plainly reports whether a call is an access to a register, an await, a conversion, or
// computes something without a loop.
func (p *program) plainly(call *ast.CallExpr) bool {
	if fn := p.callee(call); inPackage(fn, registers) {
		done, ok := operation(fn)
		return ok && done&(retries|steps|marks|enters) == 0
	}
	return p.converts(call) || slices.Contains(strings.Fields("len cap max min panic"), p.builtin(call))
}

// once returns the functions of reach that are called, by each way of calls, at most once in
// an entry or an exit: the roots, and what these call outside of loops, directly or by
// Processes.Try and Processes.Context.
func (p *program) once(reach, roots []*function) map[*function]bool {
	callers, often := map[*function][]*function{}, map[*function]bool{}
	for _, fn := range reach {
		direct, labelled := map[ast.Node]bool{}, fn.labelled()
		fn.each(func(n ast.Node, path []ast.Node) {
			var found []*function
			switch n := n.(type) {
			case *ast.CallExpr:
				direct[name(n.Fun)], direct[ast.Unparen(n.Fun)] = true, true
				if p.isCall(n, "Processes.Try", "Processes.Context") {
					for _, arg := range n.Args {
						direct[ast.Unparen(arg)], direct[name(arg)] = true, true
					}
				} else if p.callee(n) == nil {
					found = p.callees(n)
				}
			case *ast.FuncLit:
				found = []*function{p.literals[n]}
			case *ast.Ident:
				if to := p.function(n); to != nil {
					found = p.bodies(to)
				}
			}
			for _, f := range found {
				callers[f] = append(callers[f], fn)
				often[f] = often[f] || !direct[n] || labelled || slices.ContainsFunc(path, isLoop)
			}
		})
	}
	once := map[*function]bool{}
	for before := -1; before < len(once); {
		before = len(once)
		for _, fn := range reach {
			called := slices.Contains(roots, fn) || len(callers[fn]) > 0
			if called && !often[fn] && !slices.ContainsFunc(callers[fn], func(by *function) bool { return !once[by] }) {
				once[fn] = true
			}
		}
	}
	return once
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// labelled reports whether fn has labels.
func (fn *function) labelled() (found bool) {
	fn.each(func(n ast.Node, _ []ast.Node) {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Label != nil
	})
	return found
}
