package contract

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// loops reports the loops of fn in which a process waits by plain loads.
func (p *program) loops(fn *function) {
	fn.each(func(n ast.Node, _ []ast.Node) {
		if loop, ok := n.(*ast.ForStmt); ok && p.spins(loop) {
			p.report(fn, n, "loops over plain loads: await the condition, or use register.Repeat")
		}
	})
}

// A loop is a for statement that loads and awaits nothing. It ends, whatever it loads, if each round moves a
// counter towards a bound.
type loop struct {
	*program
	stmt     *ast.ForStmt
	assigned map[types.Object]int // how often, in a round
}

// spins reports whether a loop may wait for registers by plain loads.
func (p *program) spins(stmt *ast.ForStmt) bool {
	if done := p.does(stmt); done&loads == 0 || done&awaits != 0 {
		return false
	}
	l := &loop{p, stmt, map[types.Object]int{}}
	for n := range ast.Preorder(stmt) {
		if stmt.Init != nil && stmt.Init.Pos() <= n.Pos() && n.End() <= stmt.Init.End() {
			continue
		}
		for _, to := range written(n) {
			l.assigned[p.base(to)]++
		}
		if id, ok := n.(*ast.Ident); ok && p.info.Defs[id] != nil {
			l.assigned[p.info.Defs[id]] = 2 // it is another one in each round
		}
	}
	for counter, goes := range l.counters() {
		if l.assigned[counter] == 1 && l.bounded(counter, goes) {
			return false
		}
	}
	return true
}

// counters returns the variables that each round moves, in the post statement, or in a statement of the body that
// no continue passes over; and where to: 1 is up, -1 down.
func (l *loop) counters() map[types.Object]int {
	moves := []ast.Stmt{l.stmt.Post}
	if !slices.ContainsFunc(slices.Collect(ast.Preorder(l.stmt.Body)), func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && b.Tok == token.CONTINUE
	}) {
		moves = append(moves, l.stmt.Body.List...)
	}
	found := map[types.Object]int{}
	for _, s := range moves {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			found[l.base(s.X)] = map[token.Token]int{token.INC: 1, token.DEC: -1}[s.Tok]
		case *ast.AssignStmt:
			for i, to := range s.Lhs {
				if v := l.info.ObjectOf(identOf(to)); v != nil && s.Tok != token.DEFINE && len(s.Rhs) == len(s.Lhs) && l.same(s.Rhs[i], v) {
					found[v] = l.stride(s.Tok, identOf(to), s.Rhs[i])
				}
			}
		}
	}
	return found
}

// bounded reports whether the condition of the loop, or of an if statement that leaves it, bounds a counter.
func (l *loop) bounded(counter types.Object, goes int) bool {
	return l.stmt.Cond != nil && l.ends(l.stmt.Cond, false, counter, goes) ||
		slices.ContainsFunc(l.stmt.Body.List, func(s ast.Stmt) bool {
			leaving, ok := s.(*ast.IfStmt)
			return ok && leaves(leaving.Body) && l.ends(leaving.Cond, true, counter, goes)
		})
}

// leaves reports whether a block ends the loop that it is in.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.BREAK && last.Label == nil
	}
	return false
}

// ends reports whether part of a condition compares a counter with something that is the same in each round, so
// that it is equal to end after finitely many rounds.
func (l *loop) ends(e ast.Expr, end bool, counter types.Object, goes int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && l.ends(e.X, !end, counter, goes)
	case *ast.BinaryExpr:
		if e.Op == token.LAND && !end || e.Op == token.LOR && end {
			return l.ends(e.X, end, counter, goes) || l.ends(e.Y, end, counter, goes)
		}
		x, y, op := e.X, e.Y, e.Op
		if end { // the loop goes on while the comparison is false
			op = inverse[op]
		}
		if op == token.NEQ {
			return l.same(e, counter) && !l.same(e, nil)
		}
		if l.counts(y, counter) {
			x, y, op = y, x, mirror[op]
		}
		less, more := op == token.LSS || op == token.LEQ, op == token.GTR || op == token.GEQ
		return l.counts(x, counter) && l.same(y, nil) && (less && goes == 1 || more && goes == -1)
	}
	return false
}

// inverse has the comparisons that are true where these are false, and mirror those with the sides exchanged.
var (
	inverse = map[token.Token]token.Token{
		token.EQL: token.NEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.LSS: token.GEQ,
	}
	mirror = map[token.Token]token.Token{
		token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ,
	}
)

// counts reports whether e is a counter, converted or not, its length, or it and something fixed.
func (l *loop) counts(e ast.Expr, counter types.Object) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return l.info.ObjectOf(e) == counter
	case *ast.CallExpr:
		return len(e.Args) == 1 && (l.info.Types[e.Fun].IsType() || l.builtin(e) == "len") && l.counts(e.Args[0], counter)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && l.counts(e.X, counter) && l.same(e.Y, nil)
	}
	return false
}

// same reports whether e is the same in each round, but for a counter: it has no other variable that the loop
// assigns, and calls nothing.
func (l *loop) same(e ast.Expr, counter types.Object) bool {
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.Ident:
			if obj := l.info.ObjectOf(n); obj != counter && l.assigned[obj] > 0 {
				return false
			}
		case *ast.CallExpr:
			if !l.info.Types[n.Fun].IsType() && l.builtin(n) == "" {
				return false
			}
		}
	}
	return true
}

// stride returns where an assignment of from moves a variable: 1 is up, -1 down, and 0 elsewhere.
func (p *program) stride(op token.Token, v *ast.Ident, from ast.Expr) int {
	by := from
	if op != token.ASSIGN {
		op += token.ADD - token.ADD_ASSIGN
	} else if e, ok := ast.Unparen(from).(*ast.BinaryExpr); ok && p.isVariable(e.X, v) {
		op, by = e.Op, e.Y
	} else if e, ok := ast.Unparen(from).(*ast.SliceExpr); ok && p.isVariable(e.X, v) && e.Low != nil && e.High == nil {
		op, by = token.SUB, e.Low // t = t[1:]
	}
	switch {
	case (op == token.ADD || op == token.SHL) && p.positive(by, 1), op == token.MUL && p.positive(by, 2):
		return 1
	case (op == token.SUB || op == token.SHR) && p.positive(by, 1), op == token.QUO && p.positive(by, 2):
		return -1
	}
	return 0
}

func (p *program) isVariable(e ast.Expr, v *ast.Ident) bool {
	return identOf(e) != nil && p.info.ObjectOf(identOf(e)) == p.info.ObjectOf(v)
}

// positive reports whether e is a constant that is at least least.
func (p *program) positive(e ast.Expr, least int64) bool {
	v := p.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Compare(v, token.GEQ, constant.MakeInt64(least))
}
