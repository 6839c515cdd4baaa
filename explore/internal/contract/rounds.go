package contract

import (
	"go/ast"
	"go/token"
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
		if !once[fn] || fn.obj != nil && fn.obj.Pkg() != p.main {
			continue
		}
		loops := map[ast.Stmt]bool{}
		fn.walk(func(n ast.Node, outer []ast.Stmt) {
			l, ok := n.(*ast.ForStmt)
			if ok && p.does(l)&awaits != 0 && p.stateless(l) && !slices.ContainsFunc(outer, func(o ast.Stmt) bool { return !loops[o] }) {
				loops[l] = true
			}
		})
		for l := range loops {
			if !fn.labelled() && !p.besides(fn, l) {
				first, last := p.fset.Position(l.Pos()), p.fset.Position(l.End())
				found = append(found, Loop{filepath.Base(first.Filename), first.Line, last.Line})
			}
		}
	}
	return found
}

// besides reports whether the lines of a loop have calls that are outside of it.
func (p *program) besides(fn *function, l ast.Stmt) bool {
	first, last := p.fset.Position(l.Pos()).Line, p.fset.Position(l.End()).Line
	for n := range ast.Preorder(fn.body) {
		call, ok := n.(*ast.CallExpr)
		if ok && (call.End() <= l.Pos() || l.End() <= call.Pos()) &&
			p.fset.Position(call.Pos()).Line <= last && first <= p.fset.Position(call.End()).Line {
			return true
		}
	}
	return false
}

// stateless reports whether all rounds of a loop begin in the same local state.
func (p *program) stateless(l *ast.ForStmt) bool {
	if l.Init != nil || l.Post != nil {
		return false
	}
	ok := true
	ast.Inspect(l, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // given to an await, as all others are of no use
		case *ast.ForStmt:
			ok = ok && n.Init == nil && n.Post == nil && (n == l || p.does(n)&awaits != 0 && p.stateless(n))
		case *ast.RangeStmt:
			ok = false
		case *ast.CallExpr:
			ok = ok && p.plainly(n)
		}
		for w := range p.written(n) {
			_, named := ast.Unparen(w.to).(*ast.Ident)
			v, _ := p.base(w.to).(*types.Var)
			ok = ok && named && !w.contents && v != nil && l.Body.Pos() <= v.Pos() && v.Pos() < l.Body.End()
		}
		return ok
	})
	return ok
}

// plainly reports whether a call is an access to a register, an await, a conversion, or
// computes something without a loop.
func (p *program) plainly(call *ast.CallExpr) bool {
	if p.info.Types[call.Fun].IsType() {
		return true
	}
	if fn := p.callee(call); inPackage(fn, registers) {
		done, ok := operations[display(fn)]
		return ok && done&(retries|steps|marks) == 0
	}
	return slices.Contains(strings.Fields("len cap max min panic"), p.builtin(call))
}

// once returns the functions of reach that are called, by each way of calls, at most once in
// an entry or an exit: the roots, and what these call outside of loops, directly or by
// Processes.Try and Processes.Context.
func (p *program) once(reach, roots []*function) map[*function]bool {
	callers := map[*function][]*function{}
	often := map[*function]bool{}
	call := func(by, fn *function, fine bool) {
		if fn != nil {
			callers[fn] = append(callers[fn], by)
			often[fn] = often[fn] || !fine
		}
	}
	for _, fn := range reach {
		direct := map[ast.Node]bool{}
		fn.walk(func(n ast.Node, outer []ast.Stmt) {
			switch n := n.(type) {
			case *ast.CallExpr:
				direct[ast.Node(name(n.Fun))] = true
				if p.isCall(n, "Processes.Try", "Processes.Context") {
					for _, arg := range n.Args {
						direct[ast.Unparen(arg)] = true
						direct[ast.Node(name(arg))] = true
					}
				}
				if p.callee(n) == nil {
					for _, f := range p.callees(n) {
						call(fn, f, false)
					}
				}
			case *ast.FuncLit:
				call(fn, p.literals[n], direct[n] && len(outer) == 0)
			case *ast.Ident:
				if to := p.function(n); to != nil {
					for _, f := range p.bodies(to) {
						call(fn, f, direct[n] && len(outer) == 0 && !overInterface(to))
					}
				}
			}
		})
		if fn.labelled() { // perhaps a goto
			often[fn] = true
		}
	}
	once := map[*function]bool{}
	for before := -1; before < len(once); {
		before = len(once)
		for _, fn := range reach {
			root := slices.Contains(roots, fn)
			if !often[fn] && (root || len(callers[fn]) > 0) && !slices.ContainsFunc(callers[fn], func(by *function) bool { return !once[by] }) {
				once[fn] = true
			}
		}
	}
	return once
}

// walk visits the nodes of fn, except those in nested function literals, with the loops
// around each.
func (fn *function) walk(visit func(n ast.Node, outer []ast.Stmt)) {
	var loops []ast.Stmt
	fn.each(func(n ast.Node) {
		for len(loops) > 0 && n.Pos() >= loops[len(loops)-1].End() {
			loops = loops[:len(loops)-1]
		}
		visit(n, loops)
		switch n := n.(type) {
		case *ast.ForStmt:
			loops = append(loops, n)
		case *ast.RangeStmt:
			loops = append(loops, n)
		}
	})
}

// labelled reports whether fn has labels.
func (fn *function) labelled() (found bool) {
	fn.each(func(n ast.Node) {
		if b, ok := n.(*ast.BranchStmt); ok {
			found = found || b.Label != nil || b.Tok == token.GOTO
		}
	})
	return found
}
