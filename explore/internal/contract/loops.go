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
		for _, fn := range p.callees(n) {
			into(fn)
		}
	}
	return all
}

// loops reports the loops of fn in which a process waits by plain loads.
func (p *program) loops(fn *function) {
	labels, of := map[types.Object]token.Pos{}, map[ast.Stmt]types.Object{}
	fn.each(func(n ast.Node) {
		if l, ok := n.(*ast.LabeledStmt); ok {
			label := p.info.Defs[l.Label]
			labels[label], of[l.Stmt] = l.Pos(), label
		}
	})
	fn.each(func(n ast.Node) {
		spins := false
		switch n := n.(type) {
		case *ast.ForStmt:
			spins = p.spins(n, of[n])
		case *ast.BranchStmt:
			if from, ok := labels[p.info.Uses[n.Label]]; ok && n.Tok == token.GOTO && from < n.Pos() {
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

// A loop is a for statement that may end only depending on registers.
//
// It ends otherwise if it has an exit (its condition, a break or a return) that
// depends on no load of the loop, but on something that changes, as in a loop that
// counts, or halves, or shortens a slice. The change is trusted to reach the exit. Or
// if it is a bounded scan: part of its condition compares a counter, which each round
// moves towards the other side of the comparison, whatever is loaded meanwhile.
type loop struct {
	*program
	stmt  *ast.ForStmt
	label types.Object

	pass   pass
	barred bool                  // in this pass: the rest is not reached in each round
	moved  map[types.Object]bool // variables that the loop assigns
	paced  map[types.Object]bool // those that every round advances
	swayed map[types.Object]bool // those that depend on a load of the loop
	course map[types.Object]course
	ends   bool // there is such an exit
}

// A course is where the value of an expression goes from round to round.
type course int

const (
	up course = 1 << iota
	down
	astray
	still course = 0
)

// Each pass over a loop computes what the next one needs.
type pass int

const (
	pacing pass = iota
	swaying
	exiting
)

// A position is the place of a statement in a loop.
type position struct {
	guards    []ast.Expr // the conditions under which it is reached
	cases     bool       // some of them are of a switch or of an inner loop
	breaks    ast.Stmt   // the statement that a break leaves; nil in a function literal
	continues ast.Stmt
}

func (s position) under(es ...ast.Expr) position {
	s.guards = slices.Clone(s.guards)
	for _, e := range es {
		if e != nil {
			s.guards = append(s.guards, e)
		}
	}
	return s
}

// spins reports whether a loop waits for registers by plain loads.
func (p *program) spins(stmt *ast.ForStmt, label types.Object) bool {
	if done := p.does(stmt); done&loads == 0 || done&awaits != 0 {
		return false
	}
	l := &loop{
		program: p, stmt: stmt, label: label,
		moved: map[types.Object]bool{}, paced: map[types.Object]bool{}, swayed: map[types.Object]bool{},
		course: map[types.Object]course{},
	}
	l.round(pacing)
	for before := -1; before < len(l.swayed); {
		before = len(l.swayed)
		l.round(swaying)
	}
	l.round(exiting)
	return !l.ends
}

func (l *loop) round(pass pass) {
	l.pass, l.barred = pass, false
	s := position{breaks: l.stmt, continues: l.stmt}
	if l.stmt.Cond != nil {
		l.exit(s.under(not(l.stmt.Cond)))
	}
	l.walk(l.stmt.Body, s)
	l.barred = false // a continue goes there too
	if l.stmt.Post != nil {
		l.walk(l.stmt.Post, s)
	}
}

// walk visits the statement n.
func (l *loop) walk(n ast.Stmt, at position) {
	switch n := n.(type) {
	case nil:
	case *ast.BlockStmt:
		l.list(n.List, at)
	case *ast.LabeledStmt:
		l.walk(n.Stmt, at)
	case *ast.IfStmt:
		l.walk(n.Init, at)
		l.walk(n.Body, at.under(n.Cond))
		l.walk(n.Else, at.under(not(n.Cond)))
	case *ast.SwitchStmt:
		l.walk(n.Init, at)
		at = at.under(n.Tag)
		at.breaks, at.cases = n, true
		for _, c := range n.Body.List {
			at = at.under(c.(*ast.CaseClause).List...)
			l.walk(c, at)
		}
	case *ast.TypeSwitchStmt:
		at.breaks, at.cases = n, true
		l.walk(n.Body, at)
	case *ast.CaseClause:
		l.list(n.Body, at)
	case *ast.ForStmt:
		l.walk(n.Init, at)
		at = at.under(n.Cond)
		at.breaks, at.continues, at.cases = n, n, true
		l.walk(n.Body, at)
		l.walk(n.Post, at)
	case *ast.RangeStmt:
		for _, a := range assignments(n) {
			l.assign(a.to, a.from, false, at)
		}
		at = at.under(n.X)
		at.breaks, at.continues, at.cases = n, n, true
		l.walk(n.Body, at)
	case *ast.ReturnStmt:
		if at.breaks != nil {
			l.exit(at)
		}
	case *ast.BranchStmt:
		l.branch(n, at)
	default:
		l.simple(n, at)
	}
}

func (l *loop) list(stmts []ast.Stmt, at position) {
	for _, s := range stmts {
		l.walk(s, at)
	}
}

// simple visits a statement without nested statements except in function literals,
// which are assumed to run where they are written.
func (l *loop) simple(n ast.Node, at position) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			l.walk(n.Body, position{guards: at.guards, cases: true})
			return false
		case *ast.IncDecStmt:
			l.assign(n.X, n.X, true, at)
			l.move(n.X, map[token.Token]course{token.INC: up, token.DEC: down}[n.Tok])
		case *ast.AssignStmt:
			for _, a := range assignments(n) {
				obj := l.base(a.to)
				l.assign(a.to, a.from, n.Tok != token.DEFINE && (n.Tok != token.ASSIGN || l.mentions(a.from, map[types.Object]bool{obj: true})), at)
				l.move(a.to, l.stride(n.Tok, obj, a.from))
			}
		case *ast.ValueSpec:
			for _, a := range assignments(n) {
				l.assign(a.to, a.from, false, at)
			}
		}
		return true
	})
}

// assign records an assignment, which is a step if it advances the variable.
func (l *loop) assign(to, from ast.Expr, step bool, at position) {
	obj := l.base(to)
	if obj == nil {
		return
	}
	switch l.pass {
	case pacing:
		l.moved[obj] = true
		if step && len(at.guards) == 0 && !l.barred {
			l.paced[obj] = true
		}
	case swaying:
		whether := (l.barred || l.anyDepends(at.guards)) && (!step || !l.paced[obj])
		if l.depends(from) || whether {
			l.swayed[obj] = true
		}
	}
}

func (l *loop) branch(n *ast.BranchStmt, at position) {
	within := false // the loop, and what it is about
	if n.Label != nil {
		pos := l.info.ObjectOf(n.Label).Pos()
		within = l.stmt.Pos() <= pos && pos < l.stmt.End()
	}
	itself := n.Label != nil && l.info.ObjectOf(n.Label) == l.label
	switch n.Tok {
	case token.CONTINUE:
		if itself || n.Label == nil && at.continues == l.stmt {
			l.barred = l.barred || l.pass == pacing && len(at.guards) > 0 || l.anyDepends(at.guards)
			return
		}
	case token.BREAK:
		if itself || n.Label == nil && at.breaks == l.stmt {
			l.exit(at)
			return
		}
	}
	if n.Label != nil && !within && !itself {
		l.exit(at)
	}
}

// exit records an exit of the loop. One without a condition is taken in the first
// round.
func (l *loop) exit(at position) {
	if l.pass != exiting || l.barred {
		return
	}
	if !l.anyDepends(at.guards) && (len(at.guards) == 0 || slices.ContainsFunc(at.guards, l.changes)) ||
		len(at.guards) == 1 && !at.cases && l.bounds(at.guards[0], true) {
		l.ends = true
	}
}

func not(e ast.Expr) ast.Expr { return &ast.UnaryExpr{OpPos: e.Pos(), Op: token.NOT, X: e} }

// bounds reports whether part of the condition e alone makes it equal to end after
// finitely many rounds.
func (l *loop) bounds(e ast.Expr, end bool) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && l.bounds(e.X, !end)
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.LAND && !end, e.Op == token.LOR && end:
			return l.bounds(e.X, end) || l.bounds(e.Y, end)
		case l.depends(e):
			return false
		}
		x, y := l.heading(e.X), l.heading(e.Y)
		op := e.Op
		if end { // the loop goes on while the comparison is false
			op = map[token.Token]token.Token{
				token.EQL: token.NEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.LSS: token.GEQ,
			}[op]
		}
		switch op {
		case token.LSS, token.LEQ:
			return x == up && y&^down == 0 || y == down && x&^up == 0
		case token.GTR, token.GEQ:
			return x == down && y&^up == 0 || y == up && x&^down == 0
		case token.NEQ:
			return x != still && y == still || x == still && y != still
		}
	}
	return false
}

// move records where an assignment moves a variable.
func (l *loop) move(to ast.Expr, by course) {
	if obj := l.base(to); obj != nil && l.pass == pacing {
		if _, ok := ast.Unparen(to).(*ast.Ident); !ok {
			by = astray
		}
		l.course[obj] |= by
	}
}

// operators are those of assignments that move a variable.
var operators = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR,
}

// stride returns where an assignment of from moves obj.
func (l *loop) stride(tok token.Token, obj types.Object, from ast.Expr) course {
	isObj := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && obj != nil && l.info.ObjectOf(id) == obj
	}
	by := from
	if tok == token.ASSIGN {
		switch e := ast.Unparen(from).(type) {
		case *ast.SliceExpr: // t = t[1:]
			if isObj(e.X) && e.Low != nil && e.High == nil && l.positive(e.Low, 1) {
				return down
			}
			return astray
		case *ast.BinaryExpr:
			if tok, by = e.Op, e.Y; !isObj(e.X) {
				if by = e.X; e.Op != token.ADD || !isObj(e.Y) {
					return astray
				}
			}
		}
	} else {
		tok = operators[tok]
	}
	switch {
	case (tok == token.ADD || tok == token.SHL) && l.positive(by, 1), tok == token.MUL && l.positive(by, 2):
		return up
	case (tok == token.SUB || tok == token.SHR) && l.positive(by, 1), tok == token.QUO && l.positive(by, 2):
		return down
	}
	return astray
}

// positive reports whether e is a constant that is at least least.
func (l *loop) positive(e ast.Expr, least int64) bool {
	v := l.info.Types[e].Value
	return v != nil && v.Kind() == constant.Int && constant.Compare(v, token.GEQ, constant.MakeInt64(least))
}

// heading returns where the value of e goes, if it depends on variables that each
// round moves.
func (l *loop) heading(e ast.Expr) course {
	e = ast.Unparen(e)
	if !l.mentions(e, l.moved) {
		return still
	}
	switch e := e.(type) {
	case *ast.Ident:
		if obj := l.info.ObjectOf(e); l.paced[obj] {
			return l.course[obj]
		}
	case *ast.CallExpr: // a conversion, or a length
		if len(e.Args) == 1 && (l.info.Types[e.Fun].IsType() || l.builtin(e) == "len") {
			return l.heading(e.Args[0])
		}
	case *ast.BinaryExpr:
		x, y := l.heading(e.X), l.heading(e.Y)
		if e.Op == token.SUB {
			y = y&astray | y&up<<1 | y&down>>1
		}
		if e.Op == token.ADD || e.Op == token.SUB {
			return x | y
		}
	}
	return astray
}

// changes reports whether an expression may differ from round to round.
func (l *loop) changes(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if call, ok := n.(*ast.CallExpr); ok && l.info.Types[call.Fun].IsValue() {
			return true
		}
	}
	return l.mentions(e, l.moved)
}

// depends reports whether the value of e depends on a load of the loop.
func (l *loop) depends(e ast.Expr) bool { return l.does(e)&loads != 0 || l.mentions(e, l.swayed) }

func (l *loop) anyDepends(es []ast.Expr) bool { return slices.ContainsFunc(es, l.depends) }

func (l *loop) mentions(e ast.Expr, set map[types.Object]bool) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok && set[l.info.ObjectOf(id)] {
			return true
		}
	}
	return false
}
