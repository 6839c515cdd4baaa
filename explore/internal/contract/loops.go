package contract

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// An effect is what a function does to registers or to the protocol.
type effect uint

const (
	loads   effect = 1 << iota
	stores         // or wakes
	awaits         // awaits a condition
	retries        // calls Repeat or Pure
	steps          // begins an atomic step
	marks          // a phase of the protocol, or an abort
)

const everything = loads | stores | awaits | retries | steps | marks

// onRegisters returns what a function of package register does itself. An unknown
// one counts as a mark: a protocol may not call it, nor may a given function.
func onRegisters(fn *types.Func) effect {
	if !inPackage(fn, registers) {
		return 0
	}
	if done, ok := operations[display(fn)]; ok {
		return done
	}
	return marks
}

// does returns the effects of n, including those of the functions that it calls.
func (p *program) does(n ast.Node) effect { return p.doing(n, map[*function]bool{}) }

func (p *program) doing(n ast.Node, seen map[*function]bool) (all effect) {
	into := func(fn *function) {
		if fn != nil && !seen[fn] {
			seen[fn] = true
			all |= p.doing(fn.body, seen)
		}
	}
	for n := range ast.Preorder(n) {
		if fn := p.function(n); fn != nil {
			all |= onRegisters(fn)
			into(p.functions[fullName(fn)])
		}
		if call, ok := n.(*ast.CallExpr); ok {
			for _, fn := range p.callees(call) {
				into(fn)
			}
		}
	}
	return all
}

// loops reports the loops of fn in which a process waits by plain loads.
func (p *program) loops(fn *function) {
	labels := map[types.Object]token.Pos{}
	fn.each(func(n ast.Node) {
		spins := false
		switch n := n.(type) {
		case *ast.LabeledStmt:
			labels[p.info.Defs[n.Label]] = n.Pos()
		case *ast.ForStmt:
			spins = p.spins(n)
		case *ast.BranchStmt:
			if from, ok := labels[p.info.Uses[n.Label]]; ok && n.Tok == token.GOTO {
				done := p.between(fn, from, n.Pos())
				spins = done&loads != 0 && done&awaits == 0
			}
		}
		if spins {
			p.report(fn, n, looping, spinning)
		}
	})
}

const spinning = "loops over plain loads: await the condition, or use register.Repeat"

// between returns the effects of the calls of fn between two places.
func (p *program) between(fn *function, from, to token.Pos) (done effect) {
	fn.each(func(n ast.Node) {
		if n, ok := n.(*ast.CallExpr); ok && from <= n.Pos() && n.End() <= to {
			done |= p.does(n)
		}
	})
	return done
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
		for w := range p.written(n) {
			l.assigned[p.base(w.to)]++
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

// A course is where the value of a counter goes from round to round.
type course int

const (
	up course = iota
	down
	astray
)

// counters returns the variables that each round moves, and where: in the post statement, or in a statement of
// the body that no continue passes over.
func (l *loop) counters() map[types.Object]course {
	moves := []ast.Stmt{l.stmt.Post}
	if !slices.ContainsFunc(slices.Collect(ast.Preorder(l.stmt.Body)), func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && (b.Tok == token.CONTINUE || b.Tok == token.GOTO)
	}) {
		moves = append(moves, l.stmt.Body.List...)
	}
	found := map[types.Object]course{}
	for _, s := range moves {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			found[l.base(s.X)] = map[token.Token]course{token.INC: up, token.DEC: down}[s.Tok]
		case *ast.AssignStmt:
			for _, a := range assignments(s) {
				id, ok := a.to.(*ast.Ident)
				if ok && s.Tok != token.DEFINE && l.fixed(a.from, l.info.ObjectOf(id)) {
					found[l.info.ObjectOf(id)] = l.stride(s.Tok, id, a.from)
				}
			}
		}
	}
	return found
}

// bounded reports whether the condition of the loop, or of an if statement that leaves it, bounds a counter.
func (l *loop) bounded(counter types.Object, goes course) bool {
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
func (l *loop) ends(e ast.Expr, end bool, counter types.Object, goes course) bool {
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
			return l.fixed(e, counter) && !l.fixed(e, nil)
		}
		if l.counts(y, counter) {
			x, y, op = y, x, mirror[op]
		}
		less, more := op == token.LSS || op == token.LEQ, op == token.GTR || op == token.GEQ
		return l.counts(x, counter) && l.fixed(y, nil) && (less && goes == up || more && goes == down)
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
		return (e.Op == token.ADD || e.Op == token.SUB) && l.counts(e.X, counter) && l.fixed(e.Y, nil)
	}
	return false
}

// fixed reports whether e is the same in each round, but for a counter: it has no other variable that the loop
// assigns, and calls nothing.
func (l *loop) fixed(e ast.Expr, counter types.Object) bool {
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

// stride returns where an assignment of from moves a variable.
func (p *program) stride(tok token.Token, v *ast.Ident, from ast.Expr) course {
	isV := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && p.info.ObjectOf(id) == p.info.ObjectOf(v)
	}
	by := from
	if tok == token.ASSIGN {
		switch e := ast.Unparen(from).(type) {
		case *ast.SliceExpr: // t = t[1:]
			if isV(e.X) && e.Low != nil && e.High == nil && p.positive(e.Low, 1) {
				return down
			}
			return astray
		case *ast.BinaryExpr:
			if tok, by = e.Op, e.Y; !isV(e.X) {
				if by = e.X; e.Op != token.ADD || !isV(e.Y) {
					return astray
				}
			}
		}
	}
	if s, known := strides[tok]; known && p.positive(by, s.least) {
		return s.course
	}
	return astray
}

// strides has where an operation by a constant that is at least least leads.
var strides = map[token.Token]struct {
	least  int64
	course course
}{
	token.ADD: {1, up}, token.SHL: {1, up}, token.MUL: {2, up},
	token.ADD_ASSIGN: {1, up}, token.SHL_ASSIGN: {1, up}, token.MUL_ASSIGN: {2, up},
	token.SUB: {1, down}, token.SHR: {1, down}, token.QUO: {2, down},
	token.SUB_ASSIGN: {1, down}, token.SHR_ASSIGN: {1, down}, token.QUO_ASSIGN: {2, down},
}

// positive reports whether e is a constant that is at least least.
func (p *program) positive(e ast.Expr, least int64) bool {
	v := p.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Compare(v, token.GEQ, constant.MakeInt64(least))
}
