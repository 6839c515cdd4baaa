package mutants

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// An edit replaces the bytes from one offset to another with text.
type edit struct {
	from, to int
	text     string
}

// mutants returns the mutants that at makes, node by node of the syntax of a protocol, like the
// given one but for the change.
func (p *protocol) mutants(at func(*operators, ast.Node), like Mutant) []Mutant {
	o := &operators{
		protocol: p, like: like,
		statements: map[*ast.CallExpr]bool{}, sources: map[string]bool{}, keys: map[string]int{},
	}
	for _, o.function = range p.funcs {
		ast.Inspect(o.function.Body, func(n ast.Node) bool {
			if n == nil || p.nodes && p.rejects(n) {
				return false
			}
			at(o, n)
			return true
		})
	}
	slices.SortStableFunc(o.made, func(a, b Mutant) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return o.made
}

// name returns the name of a function: that of a method of a node has its type, since a
// package may have several.
func (p *protocol) name(f *ast.FuncDecl) string {
	if !p.nodes || f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(p.text(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}

// operators make the mutants of a protocol.
//
// Code that they remove stays in the source, where it is unreachable, so the mutant
// uses the same names as the original and compiles.
type operators struct {
	*protocol
	like       Mutant
	function   *ast.FuncDecl
	statements map[*ast.CallExpr]bool // calls whose value is unused
	sources    map[string]bool        // that were made
	keys       map[string]int
	made       []Mutant
}

// add makes the mutant with these edits, in the order of the source, unless another has the same
// source. If the change spans several lines, Before and After have the first of them.
func (o *operators) add(what string, edits ...edit) {
	open, closing := o.fset.Position(o.function.Body.Lbrace), o.fset.Position(o.function.Body.Rbrace)
	source, from := o.files[open.Filename], edits[0].from
	var changed []byte
	at := 0
	for _, e := range edits {
		changed = append(append(changed, source[at:e.from]...), e.text...)
		at = e.to
	}
	changed = append(changed, source[at:]...)
	if o.sources[open.Filename+string(changed)] {
		return
	}
	o.sources[open.Filename+string(changed)] = true
	m := o.like
	m.File, m.Func, m.Change = open.Filename, o.name(o.function), what
	m.Line = 1 + bytes.Count(source[:from], []byte("\n"))
	m.Before, m.After = lineAt(source, from), lineAt(changed, from)
	m.body = body{open.Offset + 1, closing.Offset}
	m.changed = string(changed[m.body.from : m.body.to+len(changed)-len(source)])
	if o.keys[m.Key()]++; o.keys[m.Key()] > 1 {
		m.Change += fmt.Sprintf(" (%d)", o.keys[m.Key()])
	}
	o.made = append(o.made, m)
}

// lineAt returns the line of a text at an offset.
func lineAt(text []byte, at int) string {
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[from:], []byte("\n"))
	return string(bytes.TrimSpace(line))
}

// lock makes the changes to a lock.
func (o *operators) lock(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		o.swapStatements(n.List)
	case *ast.CaseClause:
		o.swapStatements(n.Body)
	case *ast.ExprStmt:
		o.drop(n)
	case *ast.IfStmt:
		if o.effect(n.Cond)&awaits == 0 {
			o.decide(n.Cond)
		}
	case *ast.CallExpr:
		o.call(n)
	case *ast.BinaryExpr:
		o.binary(n)
	}
}

// drop removes a write, or a call of another part of the protocol.
func (o *operators) drop(s *ast.ExprStmt) {
	call := called(s)
	if call == nil {
		return
	}
	o.statements[call] = true
	if isWrite(call) || o.effects[o.callee(call)] != 0 || method(call, 1) == "Absorb" {
		o.dropStatement(s)
	}
}

func (o *operators) dropStatement(s ast.Stmt) {
	o.add("drop "+o.brief(s), o.replace(s, "if false { "+o.text(s)+" }"))
}

// call removes a wait, omits a wake-up, splits an atomic step, and leaves values out
// of a maximum.
func (o *operators) call(call *ast.CallExpr) {
	switch {
	case o.statements[call] && (isAwait(call) || o.isBool(call)): // drop takes it out
	case isAwaitEither(call):
		for _, a := range []int{2, 4} {
			o.predicate(call.Args[a])
		}
		o.swapTexts(call.Args[1], call.Args[3], call.Args[2], call.Args[4])
		o.skip(call)
	case isAwait(call), o.effects[o.callee(call)]&awaits != 0 && o.isBool(call):
		o.skip(call)
	case o.effects[o.callee(call)] != 0 && o.isBool(call):
		o.decide(call)
	case method(call, 1) == "Store":
		if f := call.Fun.(*ast.SelectorExpr); !o.locals[lastName(f.X)] { // which have no Set
			o.add(o.brief(call)+" wakes no process", o.replace(f.Sel, "Set"))
		}
	case method(call, 1) == "Do":
		o.add("not one atomic step: "+o.brief(call), o.replace(call.Fun, "func(f func()) { f() }"))
	default:
		o.maximum(call)
	}
}

// maximum leaves a value out of a maximum of two, unless it is a constant.
func (o *operators) maximum(call *ast.CallExpr) {
	if len(call.Args) != 2 || o.text(call.Fun) != "max" {
		return
	}
	for _, arg := range call.Args {
		if _, constant := arg.(*ast.BasicLit); !constant {
			o.ignore(arg, call)
		}
	}
}

// skip continues without waiting.
func (o *operators) skip(wait *ast.CallExpr) {
	o.add("skip "+o.brief(wait), o.replace(wait, "(true || "+o.text(wait)+")"))
}

// decide makes a condition always true, and always false.
func (o *operators) decide(cond ast.Expr) {
	o.add("always "+o.brief(cond), o.replace(cond, "(true || "+o.text(cond)+")"))
	o.never(cond)
}

func (o *operators) never(cond ast.Expr) {
	o.add("never "+o.brief(cond), o.replace(cond, "(false && ("+o.text(cond)+"))"))
}

// predicate decides the condition of one half of an await of either of two registers.
func (o *operators) predicate(holds ast.Expr) {
	f, ok := holds.(*ast.FuncLit)
	if !ok {
		for _, is := range []string{"true", "false"} {
			o.add(is+" for "+o.brief(holds), o.replace(holds, "func(uint64) bool { return "+is+" }"))
		}
		return
	}
	if len(f.Body.List) != 1 {
		return
	}
	if r, ok := f.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
		o.decide(r.Results[0])
	}
}

// ignore removes a value from its expression.
func (o *operators) ignore(value, in ast.Expr) {
	o.add("ignore "+o.brief(value)+" in "+o.brief(in), o.replace(value, "0*("+o.text(value)+")"))
}

var weaker = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

// binary weakens a comparison, removes one of two conditions, or makes an off-by-one
// error.
func (o *operators) binary(e *ast.BinaryExpr) {
	if op, ok := weaker[e.Op]; ok {
		from := o.offset(e.OpPos)
		o.add(op.String()+" for "+e.Op.String()+" in "+o.brief(e), edit{from, from + len(e.Op.String()), op.String()})
	}
	switch e.Op {
	case token.LAND, token.LOR:
		other := token.LAND
		if e.Op == token.LAND {
			other = token.LOR
		}
		o.add(other.String()+" for "+e.Op.String()+" in "+o.brief(e), o.replace(e, "(("+o.text(e.X)+") "+other.String()+" ("+o.text(e.Y)+"))"))
		for _, x := range []ast.Expr{e.X, e.Y} {
			switch {
			case o.effect(x)&awaits != 0: // skip takes it out
			case e.Op == token.LAND:
				o.add("drop "+o.brief(x)+" from "+o.brief(e), o.replace(x, "(true || "+o.text(x)+")"))
			default:
				o.never(x)
			}
		}
		if o.effect(e.X) != 0 && o.effect(e.Y) != 0 {
			o.swapTexts(e.X, e.Y)
		}
	case token.OR:
		for _, x := range []ast.Expr{e.X, e.Y} {
			if call, ok := x.(*ast.CallExpr); ok && isLoad(call) {
				o.ignore(x, e)
			}
		}
	case token.ADD, token.SUB:
		if isLiteral(e.X, "1") {
			o.add("not 1 in "+o.brief(e), o.replace(e, o.text(e.Y)))
		}
		if isLiteral(e.Y, "1") {
			o.add("not 1 in "+o.brief(e), o.replace(e, o.text(e.X)))
		}
	}
}

func isLiteral(x ast.Expr, value string) bool {
	l, ok := x.(*ast.BasicLit)
	return ok && l.Value == value
}

// swapStatements swaps consecutive statements that both access registers, if neither
// depends on the other.
func (o *operators) swapStatements(list []ast.Stmt) {
	list = slices.DeleteFunc(slices.Clone(list), isDoorway)
	for k := range len(list) - 1 {
		a, b := list[k], list[k+1]
		if o.effect(a) == 0 || o.effect(b) == 0 || o.depends(a, b) || o.depends(b, a) {
			continue
		}
		if r, ok := b.(*ast.ReturnStmt); ok {
			if len(r.Results) == 1 {
				o.add("swap "+o.brief(a)+" and "+o.brief(r.Results[0]),
					o.replace(a, "returned := "+o.text(r.Results[0])), o.replace(b, o.text(a)+"; return returned"))
			}
			continue
		}
		o.swapTexts(a, b)
	}
}

// isDoorway reports whether s only marks the end of the doorway.
func isDoorway(s ast.Stmt) bool {
	return method(called(s), 0) == "Doorway"
}

// depends reports whether a uses what b assigns.
func (o *operators) depends(a, b ast.Stmt) bool {
	assigned := map[types.Object]bool{}
	for n := range ast.Preorder(b) {
		if n, ok := n.(*ast.AssignStmt); ok {
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					assigned[o.info.ObjectOf(id)] = true
				}
			}
		}
	}
	for n := range ast.Preorder(a) {
		if id, ok := n.(*ast.Ident); ok && assigned[o.info.ObjectOf(id)] {
			return true
		}
	}
	return false
}

// swapTexts swaps a and b, which name the change, and each of the pairs that follow.
func (o *operators) swapTexts(a, b ast.Node, more ...ast.Node) {
	nodes := append([]ast.Node{a, b}, more...)
	var edits []edit
	for k := 0; k < len(nodes); k += 2 {
		edits = append(edits, o.replace(nodes[k], o.text(nodes[k+1])), o.replace(nodes[k+1], o.text(nodes[k])))
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	o.add("swap "+o.brief(a)+" and "+o.brief(b), edits...)
}

// isBool reports whether a call of a function of the package returns a bool.
func (o *operators) isBool(call *ast.CallExpr) bool {
	f, ok := o.callee(call).(*types.Func)
	if !ok {
		return false
	}
	r := f.Signature().Results()
	return r.Len() == 1 && types.Identical(r.At(0).Type(), types.Typ[types.Bool])
}

func (o *operators) replace(n ast.Node, text string) edit {
	return edit{o.offset(n.Pos()), o.offset(n.End()), text}
}

func (o *operators) offset(p token.Pos) int { return o.fset.Position(p).Offset }
