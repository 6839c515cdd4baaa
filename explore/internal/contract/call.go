package contract

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"example.org/doorway/internal/spelling"
)

// call reports a call that a protocol must not make, or arguments that it must not give.
func (p *program) call(fn *function, call *ast.CallExpr) {
	switch to := p.callee(call); {
	case p.converts(call):
		p.conversion(fn, call)
	case p.builtin(call) != "":
		p.predeclared(fn, call, p.builtin(call))
	case to != nil:
		p.byName(fn, call, to)
		fallthrough
	default:
		p.contexts(fn, call)
	}
}

// predeclared reports a predeclared function that a protocol must not call.
func (p *program) predeclared(fn *function, call *ast.CallExpr, name string) {
	switch {
	case name == "make":
		if !p.table(fn, call) {
			p.report(fn, call,
				"makes memory that is not a table of its own: "+
					"write t := make([]T, n), with T of numbers, strings and booleans, and use only t[i], len(t) and range t")
		}
	case name == "panic":
		if t := p.info.TypeOf(call.Args[0]); !plain(t, true) && !isError(t) {
			p.report(fn, call, "panics with more than a text")
		}
	case name == "recover":
		p.report(fn, call, "calls recover: a run is abandoned by a panic, which must not be recovered")
	case !slices.Contains(builtins, name):
		p.report(fn, call, "calls %s: a protocol may call only the predeclared functions %s, and make for a table of its own",
			name, spelling.Enumerate(builtins))
	}
}

const pure = "calls %s: of the standard library, a protocol may call only functions of numbers and strings, from %s"

// byName reports a call of a function by its name that a protocol must not make.
func (p *program) byName(fn *function, call *ast.CallExpr, to *types.Func) {
	switch {
	case len(p.bodies(to)) > 0: // they are examined themselves
	case inPackage(to, registers):
		if _, ok := operation(to); !ok || overInterface(to) {
			p.report(fn, call, "calls %s, which is not part of a protocol: of package register, a protocol may call only %s",
				display(to), spelling.Enumerate(slices.Sorted(maps.Keys(operations))))
		}
	case inPackage(to, tables) && display(to) == "renaming.Table.At":
	case overInterface(to) && inPackage(to, mutexes) && slices.Contains(entryPoints, to.Name()) && p.ofReceiver(fn, call.Fun): // the caller examines that lock
	case overInterface(to):
		p.report(fn, call, "calls %s through an interface that other packages can implement: its effects are unknown", display(to))
	case !p.standard(to.Pkg()):
		p.report(fn, call, "calls %s, whose source was not found", display(to))
	case allowed[to.Pkg().Path()] == "":
		p.report(fn, call, pure, display(to), spelling.Enumerate(slices.Sorted(maps.Keys(allowed))))
	case !slices.Contains(strings.Fields(allowed[to.Pkg().Path()]), strings.TrimPrefix(display(to), to.Pkg().Name()+".")):
		p.report(fn, call, pure+" only %s", display(to), to.Pkg().Path(), spelling.Enumerate(strings.Fields(allowed[to.Pkg().Path()])))
	default:
		for _, arg := range call.Args {
			if t := p.info.TypeOf(arg); !plain(t, false) && (!isError(t) || display(to) != "fmt.Errorf") {
				p.report(fn, arg, "passes %s to %s: a protocol may pass it only numbers, strings and booleans, of types without methods",
					p.typeName(t), display(to))
			}
		}
	}
}

// contexts reports a context that a call is given and that is not the caller's own: one that a lock keeps or
// derives may be over, and carries state from call to call.
func (p *program) contexts(fn *function, call *ast.CallExpr) {
	sig, _ := under(p.info.TypeOf(call.Fun)).(*types.Signature)
	for i := range min(sig.Params().Len(), len(call.Args)) {
		if arg := call.Args[i]; isContext(sig.Params().At(i).Type()) && !p.isParameter(arg) {
			p.report(fn, arg, "gives %s the context %s: LockContext passes on the context that it is called with, and no other",
				types.ExprString(call.Fun), types.ExprString(arg))
		}
	}
}

// isParameter reports whether an expression is a parameter of a protocol, which has its first value.
func (p *program) isParameter(e ast.Expr) bool {
	v, _ := p.info.ObjectOf(identOf(e)).(*types.Var)
	return p.protocols[p.owner(v)] && p.owner(v).hasParameter(v) && p.fixed(v)
}

// conversion reports a conversion by which the same memory has two types.
func (p *program) conversion(fn *function, call *ast.CallExpr) {
	to, from := p.info.TypeOf(call), p.info.TypeOf(call.Args[0])
	_, slice := under(from).(*types.Slice)
	switch {
	case is[*types.Basic](to) && is[*types.Basic](from) && !isUnsafe(to) && !isUnsafe(from), is[*types.Signature](to) && is[*types.Signature](from):
	case is[*types.Pointer](to) && slice: // the first elements, as an array
	case types.Identical(to, from):
	default:
		p.report(fn, call,
			"converts %s to %s: a protocol may convert only numbers, strings and functions, "+
				"and a slice to a pointer to an array", p.typeName(from), p.typeName(to))
	}
}

// ofReceiver reports whether x is part of the receiver of the method that fn is, or is in.
func (p *program) ofReceiver(fn *function, x ast.Expr) bool {
	v, _ := p.base(x).(*types.Var)
	return v != nil && v == fn.outermost().sig.Recv()
}

// table reports whether a call of make makes a table of a process: the first value of a local variable of which
// only elements are read and written.
func (p *program) table(fn *function, call *ast.CallExpr) bool {
	t, ok := under(p.info.TypeOf(call)).(*types.Slice)
	if !ok || !plain(t.Elem(), true) {
		return false
	}
	for v, from := range p.initial {
		if from == call {
			return p.tabular(v) && p.owner(v) == fn
		}
	}
	return false
}

func (p *program) tabular(v *types.Var) bool {
	call, ok := p.initial[v].(*ast.CallExpr)
	return ok && p.builtin(call) == "make" && p.fixed(v) && p.only(v, func(id *ast.Ident, path []ast.Node) bool {
		switch in := path[len(path)-1].(type) {
		case *ast.IndexExpr:
			return in.X == id
		case *ast.RangeStmt:
			return in.X == id
		case *ast.CallExpr:
			return p.builtin(in) == "len"
		}
		return false
	})
}

// only reports whether ok holds of all uses of a local variable.
func (p *program) only(v *types.Var, ok func(id *ast.Ident, path []ast.Node) bool) bool {
	all := p.owner(v) != nil
	if all {
		ast.PreorderStack(p.owner(v).body, nil, func(n ast.Node, path []ast.Node) bool {
			if id, is := n.(*ast.Ident); is && p.info.Uses[id] == v {
				all = all && ok(id, path)
			}
			return all
		})
	}
	return all
}

// A gift is a function that was given to a function of package register.
type gift struct {
	fn *function
	to string // the function that received it
}

// promised examines the functions that a call gives to a function of package register.
func (p *program) promised(call *ast.CallExpr) {
	to := p.callee(call)
	if !inPackage(to, registers) {
		return
	}
	promise, ok := promises[display(to)]
	if !ok {
		return
	}
	for _, fn := range p.callees(call) {
		if g := (gift{fn, display(to)}); !p.given[g] {
			p.given[g] = true
			p.keepsTo(promise, g, call)
		}
	}
}

// keepsTo reports what a given function, and those that it reaches, must not do.
func (p *program) keepsTo(promise promise, g gift, call *ast.CallExpr) {
	for _, fn := range p.reached([]*function{g.fn}, nil) {
		where := "inside the function given to " + g.to + ", " + promise.clause
		if !fn.inside(g.fn) {
			where = "in a call from the function given to " + g.to + " at " + p.place(call.Pos()) + ", " + promise.clause
		}
		fn.each(func(n ast.Node, _ []ast.Node) {
			for _, to := range written(n) {
				v, _ := p.base(to).(*types.Var)
				if owner := p.owner(v); owner != nil && !promise.writes && fn.inside(g.fn) && !owner.inside(g.fn) {
					p.report(fn, to, "assigns captured variable %s %s", v.Name(), where)
				}
			}
			if f := p.function(n); f != nil && onRegisters(f)&^promise.may != 0 {
				p.report(fn, n, "calls %s %s", display(f), where)
			}
		})
	}
}
