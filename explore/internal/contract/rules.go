package contract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
)

// A finding is a place where a rule is broken. A place may break several rules; of
// several breaches of one rule there, the first is reported.
type finding struct {
	pos  token.Pos
	in   string
	rule rule
}

type rule int

const (
	writing  rule = iota // to memory that is not its own
	access               // to registers where it is not allowed
	foreign              // use of anything that is not a function of the values read
	looping              // over plain loads, without a bound
	aborting             // without a word of it
)

// report reports what fn does at a node. If that it runs is a guess, it is reported where
// it may be called.
func (p *program) report(fn *function, at ast.Node, of rule, format string, args ...any) {
	f, what := finding{at.Pos(), p.said(fn), of}, fmt.Sprintf(format, args...)
	if g := p.guessed[fn]; g != nil {
		f = finding{g.call.Pos(), p.said(g.in), of}
		name := p.said(fn)
		if fn.obj == nil {
			name = "a literal in " + name
		}
		what = fmt.Sprintf("calls %s, which may be %s or any other function of its type; at %s, that %s", types.ExprString(g.call), name, p.place(at.Pos()), what)
	}
	if p.found[f] == "" {
		p.found[f] = what
	}
}

// protocol examines all functions that the protocols reach.
func (p *program) protocol(r *region) {
	for _, fn := range r.reach {
		p.whole(fn)
		fn.each(func(n ast.Node) {
			for w := range p.written(n) {
				p.kept(r, fn, w)
			}
			p.statement(fn, n)
			p.makes(fn, n)
			if id, ok := n.(*ast.Ident); ok {
				p.use(fn, id)
			}
			p.strangers(r, fn, n)
			p.unknown(fn, n)
			if call, ok := n.(*ast.CallExpr); ok {
				p.handed(r, fn, call)
			}
		})
		p.copies(fn)
		p.loops(fn)
	}
	p.state(r)
	p.aborts(r)
	for _, fn := range r.reach {
		fn.each(func(n ast.Node) {
			if call, ok := n.(*ast.CallExpr); ok {
				p.giving(call)
			}
		})
	}
}

// whole fails the examination unless all types in fn are known.
func (p *program) whole(fn *function) {
	for _, fault := range p.faults {
		if fn.node.Pos() <= fault.Pos && fault.Pos < fn.node.End() {
			p.fail(errors.New(fault.Error()))
		}
	}
	fn.each(func(n ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name == "_" {
			return
		}
		_, defines := p.info.Defs[id]
		if obj := p.info.Uses[id]; obj == nil && !defines || obj != nil && obj.Type() == types.Typ[types.Invalid] && obj.Pkg() != nil {
			switch obj.(type) {
			case *types.PkgName, *types.Label: // have none
			default:
				why := "its type is unknown"
				if len(p.faults) > 0 {
					why = p.faults[0].Error()
				}
				p.fail(fmt.Errorf("%s cannot be examined because of %s: %s", p.said(fn), id.Name, why))
			}
		}
	})
}

// kept reports a write to memory that outlives the protocol.
func (p *program) kept(r *region, fn *function, w write) {
	if !r.breaks(w) {
		return
	}
	v, _ := p.base(w.to).(*types.Var)
	switch {
	case v == nil:
		p.report(fn, w.to, writing, "writes memory that outlives the call: %s", keeping)
	case packageLevel(v):
		p.report(fn, w.to, writing, "writes package-level variable %s, which all locks share: %s", v.Name(), keeping)
	case p.direct(w):
		p.report(fn, w.to, writing, "assigns variable %s, declared outside of the protocol: %s", v.Name(), keeping)
	default:
		p.report(fn, w.to, writing, "writes plain memory reached through %s: %s", v.Name(), keeping)
	}
}

const keeping = "a process may keep state only in local variables and registers"

// breaks reports whether w writes foreign memory.
func (r *region) breaks(w write) bool {
	if w.contents {
		return r.level(w.to) == directly
	}
	return r.isForeign(w.to)
}

// direct reports whether w writes a variable, or part of one, rather than what it
// points to.
func (p *program) direct(w write) bool {
	if w.contents {
		return false
	}
	switch x := ast.Unparen(w.to).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		sel := p.info.Selections[x]
		return (sel == nil || !sel.Indirect()) && p.direct(write{to: x.X})
	case *ast.IndexExpr:
		return isArray(p.info.TypeOf(x.X)) && p.direct(write{to: x.X})
	}
	return false
}

// statement reports a statement that involves other goroutines, or depends on more
// than the values read.
func (p *program) statement(fn *function, n ast.Node) {
	what := ""
	switch n := n.(type) {
	case *ast.GoStmt:
		what = "uses a go statement: a process is explored alone, without other goroutines"
	case *ast.DeferStmt:
		what = "uses a defer statement: a run may be abandoned at any operation, and a deferred call must not run then"
	case *ast.SendStmt, *ast.SelectStmt:
		what = channel
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			what = channel
		}
	case *ast.RangeStmt:
		switch under(p.info.TypeOf(n.X)).(type) {
		case *types.Chan:
			what = channel
		case *types.Map:
			what = "ranges over a map: its order does not depend only on the values read"
		}
	}
	if what != "" {
		p.report(fn, n, foreign, "%s", what)
	}
}

// makes reports registers that a protocol makes.
func (p *program) makes(fn *function, n ast.Node) {
	made := func(x ast.Expr) bool {
		t := p.info.TypeOf(x)
		_, literal := ast.Unparen(x).(*ast.CompositeLit)
		return literal && t != nil && (embedsRegisters(t) || embedsRegisters(elem(t)))
	}
	found := false
	switch n := n.(type) {
	case *ast.UnaryExpr:
		found = n.Op == token.AND && made(n.X)
	case *ast.AssignStmt:
		found = slices.ContainsFunc(n.Rhs, made)
	case *ast.ValueSpec:
		t := p.info.TypeOf(n.Names[0])
		found = slices.ContainsFunc(n.Values, made) || len(n.Values) == 0 && embedsRegisters(t)
	case *ast.CallExpr:
		switch t := under(p.info.TypeOf(n)).(type) {
		case *types.Pointer:
			found = p.builtin(n) == "new" && embedsRegisters(t.Elem())
		case *types.Slice:
			found = p.builtin(n) == "make" && embedsRegisters(t.Elem())
		}
	}
	if found {
		p.report(fn, n, access, "makes a register: the constructor makes the registers of a lock, for all its processes")
	}
}

const channel = "uses a channel: processes may share only registers"

// use reports a name for anything that is not a function of the values read.
func (p *program) use(fn *function, id *ast.Ident) {
	obj := p.info.Uses[id]
	if obj == nil {
		return
	}
	if obj.Pkg() == types.Unsafe {
		p.report(fn, id, foreign, "uses unsafe.%s: the memory that it reaches cannot be examined", obj.Name())
		return
	}
	switch obj := obj.(type) {
	case *types.Builtin:
		switch obj.Name() {
		case "recover":
			p.report(fn, id, foreign, "calls recover: a run is abandoned by a panic, which must not be recovered")
		case "close":
			p.report(fn, id, foreign, channel)
		default:
			if !slices.Contains(builtins, obj.Name()) {
				p.report(fn, id, foreign, "calls %s: a protocol may call only the predeclared functions %s", obj.Name(), enumerate(builtins))
			}
		}
	case *types.Var:
		if obj.Pkg() != nil && packageLevel(obj) {
			p.shared(fn, id, obj)
		}
	case *types.Func:
		p.used(fn, id, obj)
	}
}

// shared reports the use of a package-level variable.
func (p *program) shared(fn *function, id *ast.Ident, v *types.Var) {
	if p.standard(v.Pkg()) {
		if !types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			p.report(fn, id, foreign, "uses %s.%s: of the variables of the standard library, a protocol may use only errors, such as io.EOF", v.Pkg().Name(), v.Name())
		}
		return
	}
	if v.Pkg() != p.main {
		p.follow(v.Pkg())
	}
	if holdsRegisters(v.Type()) {
		p.report(fn, id, foreign, "uses package-level variable %s, whose registers all locks would share: make it a field", v.Name())
	} else if at, ok := p.writes[qualified(v)]; ok {
		p.report(fn, id, writing, "reads package-level variable %s, written at %s: all locks share it, and %s", v.Name(), p.place(at), knowing)
	} else if p.assignable(v) && !isFunc(v.Type()) && !types.IsInterface(v.Type()) {
		p.report(fn, id, writing, "reads package-level variable %s, which other packages can write: all locks share it, and %s", v.Name(), knowing)
	}
}

// unknown reports a call of a function value whose targets are unknown.
func (p *program) unknown(fn *function, n ast.Node) {
	var f ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if p.dynamic(n) && !p.yield(n) {
			f = n.Fun
		}
	case *ast.RangeStmt:
		if !isFunc(p.info.TypeOf(n.X)) {
			return
		}
		f = n.X
		if call, ok := f.(*ast.CallExpr); ok && p.callee(call) != nil && p.standard(p.callee(call).Pkg()) {
			return // its targets are known
		}
	}
	if f == nil {
		return
	}
	if _, known := p.assigned(f); !known && len(p.targets(f)) == 0 {
		p.report(fn, f, foreign, "calls a function from outside of the package: its effects are unknown")
	}
}

// yield reports whether a call is of the function that an iterator receives:
// usually the body of a loop.
func (p *program) yield(call *ast.CallExpr) bool {
	v := p.variable(call.Fun)
	if v == nil || p.owner[v] == nil {
		return false
	}
	sig := p.owner[v].sig
	return sig.Results().Len() == 0 && sig.Params().Len() == 1 && sig.Params().At(0) == v
}

// A given is a function that was given to a function of package register.
type given struct {
	fn *function
	to string // the function that received it
}

// promises has, for each function of package register that takes a function, the
// contract of the latter, and what it may do to registers.
var promises = map[string]struct {
	clause string
	writes bool   // captured variables
	may    effect // registers
}{
	"register.Repeat":           {"which must carry nothing from one try to the next", false, everything},
	"register.Pure":             {"which must have no effect but its result", false, loads | retries},
	"Word.Await":                {awaited, false, 0},
	"Word.AwaitValue":           {awaited, false, 0},
	"Gate.Await":                {awaited, false, 0},
	"Local.Await":               {awaited, false, 0},
	"register.AwaitEither":      {awaited, false, 0},
	"register.AwaitEitherRelay": {awaited, false, 0},
	"Step.Do":                   {"which is one atomic step and must not wait", true, everything &^ (awaits | steps)},
}

const awaited = "which may only test the value that it is given"

// giving examines the functions that a call gives to a function of package register.
func (p *program) giving(call *ast.CallExpr) {
	to := p.callee(call)
	if !of(to, registers) {
		return
	}
	if _, ok := promises[display(to)]; !ok {
		return
	}
	for _, arg := range call.Args {
		if t := p.info.TypeOf(arg); t == nil || !isFunc(t) {
			continue
		}
		for _, fn := range p.targets(arg) {
			if g := (given{fn, display(to)}); !p.done[g] {
				p.done[g] = true
				p.promise(g, call.Pos())
			}
		}
	}
}

// promise examines all functions that a given function reaches.
func (p *program) promise(g given, at token.Pos) {
	promise := promises[g.to]
	r := p.region([]*function{g.fn})
	for _, fn := range r.reach {
		where := fmt.Sprintf("inside the function given to %s, %s", g.to, promise.clause)
		if !fn.inside(g.fn) {
			where = fmt.Sprintf("in a call from the function given to %s at %s, %s", g.to, p.place(at), promise.clause)
		}
		fn.each(func(n ast.Node) {
			for w := range p.written(n) {
				if promise.writes || !r.breaks(w) {
					continue
				}
				v, _ := p.base(w.to).(*types.Var)
				switch {
				case v == nil:
					p.report(fn, w.to, writing, "writes memory that it did not make %s", where)
				case p.direct(w):
					p.report(fn, w.to, writing, "assigns captured variable %s %s", v.Name(), where)
				default:
					p.report(fn, w.to, writing, "writes memory reached through %s, which it did not make, %s", v.Name(), where)
				}
			}
			if f := p.function(n); f != nil && onRegisters(f)&^promise.may != 0 {
				p.report(fn, n, access, "calls %s %s", display(f), where)
			}
		})
	}
}

// inside reports whether fn is outer, or a literal in it.
func (fn *function) inside(outer *function) bool {
	for ; fn != nil; fn = fn.outer {
		if fn == outer {
			return true
		}
	}
	return false
}

// place formats a line as [Breach] does.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// of reports whether fn is a function of a package.
func of(fn *types.Func, path string) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == path
}

// display names a function as the source does.
func display(fn *types.Func) string {
	name := fn.Name()
	if r := fn.Signature().Recv(); r != nil && named(r.Type()) != nil {
		name = named(r.Type()).Obj().Name() + "." + name
		if fn.Pkg().Path() == registers {
			return name
		}
	}
	return fn.Pkg().Name() + "." + name
}
