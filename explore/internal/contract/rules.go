package contract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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

// report reports what fn does at a node.
func (p *program) report(fn *function, at ast.Node, of rule, format string, args ...any) {
	f := finding{at.Pos(), p.said(fn), of}
	if p.found[f] == "" {
		p.found[f] = fmt.Sprintf(format, args...)
	}
}

// protocol examines all functions that the protocols reach.
func (p *program) protocol(o *ownership) {
	for _, fn := range o.set {
		p.whole(fn)
		fn.each(func(n ast.Node) {
			for w := range p.written(n) {
				p.kept(o, fn, w)
			}
			p.statement(fn, n)
			p.makes(fn, n)
			if id, ok := n.(*ast.Ident); ok {
				p.use(fn, id)
			}
			if call, ok := n.(*ast.CallExpr); ok {
				p.unknown(fn, call)
				p.handed(o, fn, call)
			}
		})
		p.copies(fn)
		p.loops(fn)
		p.remembers(o, fn)
	}
	p.state(o)
	p.aborts(o)
	for _, fn := range o.set {
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
func (p *program) kept(o *ownership, fn *function, w write) {
	if !o.breaks(fn, w) {
		return
	}
	v, _ := p.base(w.to).(*types.Var)
	switch {
	case v == nil:
		p.report(fn, w.to, writing, "writes memory that outlives the call: %s", keeping)
	case packageLevel(v):
		p.report(fn, w.to, writing, "writes package-level variable %s, which all locks share: %s", v.Name(), keeping)
	case !w.contents && p.direct(w.to):
		p.report(fn, w.to, writing, "assigns variable %s, declared outside of the protocol: %s", v.Name(), keeping)
	default:
		p.report(fn, w.to, writing, "writes plain memory reached through %s: %s", v.Name(), keeping)
	}
}

const keeping = "a process may keep state only in local variables and registers"

// breaks reports whether w writes foreign memory.
func (o *ownership) breaks(fn *function, w write) bool {
	if w.contents {
		return o.strange(fn, w.to)
	}
	return o.outside(fn, w.to)
}

// remembers reports what a literal captures that its function may return: it could keep state from
// one call to the next.
func (p *program) remembers(o *ownership, fn *function) {
	if outermost := fn.outermost(); fn == outermost || !p.mayReturnFunction(outermost) {
		return
	}
	fn.each(func(n ast.Node) {
		id, _ := n.(*ast.Ident)
		v, ok := p.info.Uses[id].(*types.Var)
		if !ok || v.IsField() || packageLevel(v) || p.owner[v.Origin()].inside(fn) {
			return
		}
		if v = p.origin(v); p.reassigned[v] || p.pointed[v] || refers(v.Type()) && !o.foreign[v] && o.within[p.owner[v]] {
			p.report(fn, id, writing, "uses captured variable %s, which may change, in a function that may return a function: %s", v.Name(), keeping)
		}
	})
}

// mayReturnFunction reports whether a result of fn may be, or have, a function.
func (p *program) mayReturnFunction(fn *function) bool {
	return fn.sig != nil && slices.ContainsFunc(slices.Collect(fn.sig.Results().Variables()), func(v *types.Var) bool {
		return mayCall(v.Type(), map[types.Type]bool{})
	})
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
	case *ast.CallExpr:
		if len(n.Args) > 0 && isChan(p.info.TypeOf(n.Args[0])) {
			what = channel
		}
	case *ast.RangeStmt:
		switch under(p.info.TypeOf(n.X)).(type) {
		case *types.Chan:
			what = channel
		case *types.Map:
			what = "ranges over a map: its order does not depend only on the values read"
		case *types.Signature:
			if call, ok := ast.Unparen(n.X).(*ast.CallExpr); !ok || p.callee(call) == nil || !p.standard(p.callee(call).Pkg()) {
				what = "ranges over a function: a protocol may range only over numbers, strings, slices and arrays"
			}
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
	case *types.Func:
		p.used(fn, id, obj)
	}
}

// unknown reports the function values that a call runs, or that the standard library runs for it,
// unless they are known.
func (p *program) unknown(fn *function, call *ast.CallExpr) {
	if to := p.callee(call); to != nil && len(p.bodies(to)) == 0 && len(call.Args) == 1 {
		if several, ok := p.info.TypeOf(call.Args[0]).(*types.Tuple); ok && mayCall(several, map[types.Type]bool{}) {
			p.report(fn, call, foreign, "gives %s the results of a call: a protocol gives each argument on its own", display(to))
		}
	}
	for _, x := range p.run(call) {
		if _, why := p.traced(x); why != "" {
			p.report(fn, x, foreign, "calls %s, a function value that %s", types.ExprString(ast.Unparen(x)), why)
		}
	}
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
	if !inPackage(to, registers) {
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
	o := &ownership{program: p, set: p.reached([]*function{g.fn}, nil), root: g.fn}
	o.settle(func(fn *function) bool { return fn == g.fn || p.unseen(fn) })
	for _, fn := range o.set {
		where := fmt.Sprintf("inside the function given to %s, %s", g.to, promise.clause)
		if !fn.inside(g.fn) {
			where = fmt.Sprintf("in a call from the function given to %s at %s, %s", g.to, p.place(at), promise.clause)
		}
		fn.each(func(n ast.Node) {
			for w := range p.written(n) {
				if promise.writes || !o.breaks(fn, w) {
					continue
				}
				v, _ := p.base(w.to).(*types.Var)
				switch {
				case v == nil:
					p.report(fn, w.to, writing, "writes memory that it did not make %s", where)
				case !w.contents && p.direct(w.to):
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

// inPackage reports whether fn is a function of a package.
func inPackage(fn *types.Func, path string) bool {
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
