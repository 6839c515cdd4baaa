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
	if !of(fn, registers) {
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

// spins reports whether a loop may wait for registers by plain loads: it loads, awaits nothing, and has
// no counter that ends it whatever it loads.
func (p *program) spins(stmt *ast.ForStmt) bool {
	if done := p.does(stmt); done&loads == 0 || done&awaits != 0 {
		return false
	}
	assigned := map[types.Object]int{} // how often, in a round
	for n := range ast.Preorder(stmt) {
		if stmt.Init != nil && stmt.Init.Pos() <= n.Pos() && n.End() <= stmt.Init.End() {
			continue
		}
		for w := range p.written(n) {
			assigned[p.base(w.to)]++
		}
		if id, ok := n.(*ast.Ident); ok && p.info.Defs[id] != nil {
			assigned[p.info.Defs[id]] = 2 // it is another one in each round
		}
	}
	for obj, course := range p.counters(stmt, assigned) {
		is := func(e ast.Expr, end bool) bool { return p.ends(e, end, obj, course, assigned) }
		if assigned[obj] == 1 && (stmt.Cond != nil && is(stmt.Cond, false) || slices.ContainsFunc(stmt.Body.List, func(s ast.Stmt) bool {
			leaves, ok := s.(*ast.IfStmt)
			return ok && p.leaves(leaves.Body, stmt) && is(leaves.Cond, true)
		})) {
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

// counters returns the variables that each round of a loop moves, and where: in its post statement, or in a
// statement of its body that no continue passes over.
func (p *program) counters(stmt *ast.ForStmt, assigned map[types.Object]int) map[types.Object]course {
	found := map[types.Object]course{}
	add := func(s ast.Stmt) {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			found[p.base(s.X)] = map[token.Token]course{token.INC: up, token.DEC: down}[s.Tok]
		case *ast.AssignStmt:
			for _, a := range assignments(s) {
				if id, ok := a.to.(*ast.Ident); ok && s.Tok != token.DEFINE && p.fixed(a.from, assigned, p.info.ObjectOf(id)) {
					found[p.info.ObjectOf(id)] = p.stride(s.Tok, id, a.from)
				}
			}
		}
	}
	if stmt.Post != nil {
		add(stmt.Post)
	}
	skips := slices.ContainsFunc(slices.Collect(ast.Preorder(stmt.Body)), func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && (b.Tok == token.CONTINUE || b.Tok == token.GOTO)
	})
	for _, s := range stmt.Body.List {
		if !skips {
			add(s)
		}
	}
	return found
}

// leaves reports whether a block ends the loop that it is in.
func (p *program) leaves(b *ast.BlockStmt, loop *ast.ForStmt) bool {
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

// ends reports whether part of a condition compares a counter, or the length of one, with something that is the
// same in each round, so that it is equal to end after finitely many rounds.
func (p *program) ends(e ast.Expr, end bool, obj types.Object, goes course, assigned map[types.Object]int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && p.ends(e.X, !end, obj, goes, assigned)
	case *ast.BinaryExpr:
		if e.Op == token.LAND && !end || e.Op == token.LOR && end {
			return p.ends(e.X, end, obj, goes, assigned) || p.ends(e.Y, end, obj, goes, assigned)
		}
		x, y, op := e.X, e.Y, e.Op
		if end { // the loop goes on while the comparison is false
			op = inverse[op]
		}
		if op == token.NEQ {
			return p.fixed(x, assigned, obj) && p.fixed(y, assigned, obj) && (!p.fixed(x, assigned, nil) || !p.fixed(y, assigned, nil))
		}
		if p.counts(y, obj, assigned) {
			x, y, op = y, x, mirror[op]
		}
		less, more := op == token.LSS || op == token.LEQ, op == token.GTR || op == token.GEQ
		return p.counts(x, obj, assigned) && p.fixed(y, assigned, nil) && (less && goes == up || more && goes == down)
	}
	return false
}

// inverse has the comparisons that are true where these are false, and mirror those with the sides exchanged.
var (
	inverse = map[token.Token]token.Token{token.EQL: token.NEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.LSS: token.GEQ}
	mirror  = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}
)

// counts reports whether e is a variable, converted or not, its length, or it and something fixed.
func (p *program) counts(e ast.Expr, obj types.Object, assigned map[types.Object]int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.info.ObjectOf(e) == obj
	case *ast.CallExpr:
		return len(e.Args) == 1 && (p.info.Types[e.Fun].IsType() || p.builtin(e) == "len") && p.counts(e.Args[0], obj, assigned)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && p.counts(e.X, obj, assigned) && p.fixed(e.Y, assigned, nil)
	}
	return false
}

// fixed reports whether e is the same in each round, but for a variable: it has no other that the loop assigns, and
// calls nothing.
func (p *program) fixed(e ast.Expr, assigned map[types.Object]int, but types.Object) bool {
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.Ident:
			if obj := p.info.ObjectOf(n); obj != but && assigned[obj] > 0 {
				return false
			}
		case *ast.CallExpr:
			if !p.info.Types[n.Fun].IsType() && p.builtin(n) == "" {
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
	switch tok {
	case token.ADD, token.SHL, token.ADD_ASSIGN, token.SHL_ASSIGN:
		if p.positive(by, 1) {
			return up
		}
	case token.MUL, token.MUL_ASSIGN:
		if p.positive(by, 2) {
			return up
		}
	case token.SUB, token.SHR, token.SUB_ASSIGN, token.SHR_ASSIGN:
		if p.positive(by, 1) {
			return down
		}
	case token.QUO, token.QUO_ASSIGN:
		if p.positive(by, 2) {
			return down
		}
	}
	return astray
}

// positive reports whether e is a constant that is at least least.
func (p *program) positive(e ast.Expr, least int64) bool {
	v := p.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Compare(v, token.GEQ, constant.MakeInt64(least))
}
