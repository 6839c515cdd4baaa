package contract

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// allowed has, by package of the standard library, the functions that a protocol may
// call. Their results depend only on their arguments, and they write no memory.
var allowed = map[string]string{
	"cmp":    `Compare Less`,
	"errors": `New`,
	"fmt":    `Errorf Sprint Sprintf Sprintln`,
	"math": `Abs Ceil Exp Exp2 Floor Inf IsInf IsNaN Log Log10 Log2 Max Min Mod NaN Pow Round Signbit Sqrt
		Trunc`,
	"math/bits": `Add Add32 Add64 Div Div32 Div64 LeadingZeros LeadingZeros16 LeadingZeros32 LeadingZeros64
		LeadingZeros8 Len Len16 Len32 Len64 Len8 Mul Mul32 Mul64 OnesCount OnesCount16 OnesCount32 OnesCount64
		OnesCount8 Rem Rem32 Rem64 Reverse Reverse16 Reverse32 Reverse64 Reverse8 ReverseBytes ReverseBytes16
		ReverseBytes32 ReverseBytes64 RotateLeft RotateLeft16 RotateLeft32 RotateLeft64 RotateLeft8 Sub Sub32
		Sub64 TrailingZeros TrailingZeros16 TrailingZeros32 TrailingZeros64 TrailingZeros8`,
	"strconv": `Atoi FormatBool FormatInt FormatUint Itoa ParseBool ParseInt ParseUint Quote`,
}

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

// operations has the functions of package register that a protocol may call, and what
// each does to registers or to the protocol.
var operations = byName(map[effect]string{
	loads:          "Word.Load",
	stores:         "Word.Store Word.Set Word.GiveWay Process.Pass",
	loads | stores: "Word.CompareAndSwap Word.Swap Word.FetchAdd",
	awaits: `Word.Await Word.AwaitExclusive Word.AwaitValue register.AwaitEither
		register.AwaitEitherInTurn`,
	retries: "register.Repeat register.Pure",
	steps:   "Step.Do",
	marks: `Process.Doorway Process.Inside Process.Absorb Processes.Entry Processes.Exit Processes.Try
		Processes.Context`,
	0: "register.AgainIf Process.ID Process.Name Processes.Len",
})

// ofCells has what is of cells.
var ofCells = byName(map[effect]string{
	loads:          "cell.Plain.Load cell.Local.Load",
	stores:         "cell.Local.Store",
	loads | stores: "cell.Plain.CompareAndSwap cell.Plain.Swap cell.Local.CompareAndSwap cell.Local.Swap",
	awaits:         "cell.Local.Await cell.Local.Park",
})

// operation returns what a function of package register, or of cells, does.
func operation(fn *types.Func) (does effect, listed bool) {
	if does, listed = operations[display(fn)]; !listed {
		does, listed = ofCells[display(fn)]
	}
	return does, listed
}

func byName(effects map[effect]string) map[string]effect {
	all := map[string]effect{}
	for does, names := range effects {
		for name := range strings.FieldsSeq(names) {
			all[name] = does
		}
	}
	return all
}

// A promise is the contract of a function that is given to one of package register.
type promise struct {
	clause string
	writes bool   // captured variables
	may    effect // to registers
}

// promises has the functions of package register that take a function, but for those that
// continue the protocol.
var promises = map[string]promise{
	"register.Repeat":            {"which must carry nothing from one try to the next", false, everything},
	"register.Pure":              {"which must have no effect but its result", false, loads | retries},
	"Word.Await":                 {awaited, false, 0},
	"Word.AwaitValue":            {awaited, false, 0},
	"Word.AwaitExclusive":        {awaited, false, 0},
	"cell.Local.Await":           {awaited, false, 0},
	"cell.Local.Park":            {awaited, false, 0},
	"register.AwaitEither":       {awaited, false, 0},
	"register.AwaitEitherInTurn": {awaited, false, 0},
	"Step.Do":                    {"which is one atomic step and must not wait", true, everything &^ (awaits | steps)},
}

const awaited = "which may only test the value that it is given"

// builtins are the predeclared functions that a protocol may call.
var builtins = strings.Fields("cap complex imag len max min panic real")

func enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// call reports a call that a protocol must not make, or arguments that it must not give.
func (p *program) call(fn *function, call *ast.CallExpr) {
	to := p.callee(call)
	switch {
	case p.info.Types[call.Fun].IsType():
		p.converts(fn, call)
	case p.builtin(call) == "make":
		if !p.table(fn, call) {
			p.report(fn, call,
				"makes memory that is not a table of its own: "+
					"write t := make([]T, n), with T of numbers, strings and booleans, and use only t[i], len(t) and range t")
		}
	case p.builtin(call) == "panic":
		if !plain(p.info.TypeOf(call.Args[0]), true) && !isError(p.info.TypeOf(call.Args[0])) {
			p.report(fn, call, "panics with more than a text")
		}
	case p.builtin(call) != "":
		if name := p.builtin(call); name == "recover" {
			p.report(fn, call, "calls recover: a run is abandoned by a panic, which must not be recovered")
		} else if !slices.Contains(builtins, name) {
			p.report(fn, call,
				"calls %s: a protocol may call only the predeclared functions %s, and make for a table of its own",
				name, enumerate(builtins))
		}
	case to == nil:
		if why := p.unknown(call.Fun); why != "" {
			p.report(fn, call.Fun,
				"calls %s, a function value that %s: its effects are unknown",
				types.ExprString(ast.Unparen(call.Fun)), why)
		}
	default:
		p.calls(fn, call, to)
	}
}

// calls reports a call of a function by its name that a protocol must not make.
func (p *program) calls(fn *function, call *ast.CallExpr, to *types.Func) {
	names, listed := "", false
	if to.Pkg() != nil {
		names, listed = allowed[to.Pkg().Path()]
	}
	switch {
	case len(p.bodies(to)) > 0: // they are examined themselves
	case inPackage(to, registers):
		p.operation(fn, call, to)
	case inPackage(to, tables) && display(to) == "renaming.Table.At":
	case overInterface(to) && inPackage(to, mutexes) && slices.Contains(entryPoints, to.Name()) && p.part(fn, call.Fun): // the caller of Check examines it
	case overInterface(to):
		p.report(fn, call,
			"calls %s through an interface that other packages can implement: its effects are unknown", display(to))
	case !p.standard(to.Pkg()):
		p.report(fn, call, "calls %s, whose source was not found", display(to))
	case !listed:
		p.report(fn, call,
			"calls %s: of the standard library, a protocol may call only functions of numbers and strings, from %s",
			display(to), enumerate(slices.Sorted(maps.Keys(allowed))))
	case !slices.Contains(strings.Fields(names), strings.TrimPrefix(display(to), to.Pkg().Name()+".")):
		p.report(fn, call,
			"calls %s: of the standard library, a protocol may call only functions of numbers and strings, "+
				"from %s only %s", display(to), to.Pkg().Path(), enumerate(strings.Fields(names)))
	default:
		for _, arg := range call.Args {
			if t := p.info.TypeOf(arg); !plain(t, false) {
				p.report(fn, arg,
					"passes %s to %s: a protocol may pass it only numbers, strings and booleans, "+
						"of types without methods", p.typeName(t), display(to))
			}
		}
	}
}

// operation reports a call of package register that a protocol must not make, or a function given to it that is unknown.
func (p *program) operation(fn *function, call *ast.CallExpr, to *types.Func) {
	if _, ok := operation(to); !ok || overInterface(to) {
		p.report(fn, call,
			"calls %s, which is not part of a protocol: of package register, a protocol may call only %s",
			display(to), enumerate(slices.Sorted(maps.Keys(operations))))
		return
	}
	for _, arg := range call.Args {
		if !isFunc(p.info.TypeOf(arg)) {
			continue
		}
		if why := p.unknown(arg); why != "" {
			p.report(fn, arg,
				"calls %s, a function value that %s: its effects are unknown",
				types.ExprString(ast.Unparen(arg)), why)
		}
	}
}

// converts reports a conversion by which the same memory has two types.
func (p *program) converts(fn *function, call *ast.CallExpr) {
	to, from := p.info.TypeOf(call), p.info.TypeOf(call.Args[0])
	_, slice := under(from).(*types.Slice)
	switch {
	case isBasic(to) && isBasic(from) && !isUnsafe(to) && !isUnsafe(from), isFunc(to) && isFunc(from):
	case isPointer(to) && slice: // the first elements, as an array
	case types.Identical(to, from):
	default:
		p.report(fn, call,
			"converts %s to %s: a protocol may convert only numbers, strings and functions, "+
				"and a slice to a pointer to an array", p.typeName(from), p.typeName(to))
	}
}

// part reports whether x is part of the receiver of the method that fn is, or is in:
// a field of it, or an element or a field of one.
func (p *program) part(fn *function, x ast.Expr) bool {
	fn = fn.outermost()
	for {
		switch y := x.(type) {
		case *ast.SelectorExpr:
			x = y.X
		case *ast.ParenExpr, *ast.IndexExpr, *ast.StarExpr:
			x = within(y)
		case *ast.Ident:
			return p.info.Uses[y] != nil && p.info.Uses[y] == fn.sig.Recv()
		default: // such as a slice of it, or what a function returns
			return false
		}
	}
}

// table reports whether a call of make makes a table of a process: the first value of a local variable of which
// only elements are read and written.
func (p *program) table(fn *function, call *ast.CallExpr) bool {
	t, ok := under(p.info.TypeOf(call)).(*types.Slice)
	if !ok || !plain(t.Elem(), true) {
		return false
	}
	for v, from := range p.initial {
		if ast.Unparen(from) == call {
			return p.tabular(v) && p.owner[v] == fn
		}
	}
	return false
}

func (p *program) tabular(v *types.Var) bool {
	call, ok := ast.Unparen(p.initial[v]).(*ast.CallExpr)
	return ok && p.builtin(call) == "make" && p.fixed(v) && !p.mixed[v]
}

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
		if isFunc(p.info.TypeOf(arg)) {
			for _, fn := range p.targets(arg) {
				p.keep(given{fn, display(to)}, call)
			}
		}
	}
}

// A given is a function that was given to a function of package register.
type given struct {
	fn *function
	to string // the function that received it
}

// keep examines all functions that a given function reaches.
func (p *program) keep(g given, call *ast.CallExpr) {
	if p.done[g] {
		return
	}
	p.done[g] = true
	promise := promises[g.to]
	reach := p.reached([]*function{g.fn}, nil)
	for _, fn := range reach {
		where := "inside the function given to " + g.to + ", " + promise.clause
		if !fn.inside(g.fn) {
			where = "in a call from the function given to " + g.to + " at " + p.place(call.Pos()) + ", " + promise.clause
		}
		fn.each(func(n ast.Node, _ []ast.Node) {
			for _, to := range written(n) {
				v, _ := p.base(to).(*types.Var)
				owner := p.owner[v]
				if owner == nil || owner == fn || promise.writes || owner.inside(g.fn) && fn.inside(g.fn) {
					continue
				}
				if fn.inside(g.fn) || !slices.Contains(reach, owner) || !p.during(fn, owner) {
					p.report(fn, to, "assigns captured variable %s %s", v.Name(), where)
				}
			}
			if f := p.function(n); f != nil && onRegisters(f)&^promise.may != 0 {
				p.report(fn, n, "calls %s %s", display(f), where)
			}
		})
	}
}

// onRegisters returns what a function of package register does itself. An unknown
// one counts as a mark: a protocol may not call it, nor may a given function.
func onRegisters(fn *types.Func) effect {
	if !inPackage(fn, registers) {
		return 0
	}
	if done, ok := operation(fn); ok {
		return done
	}
	return marks
}

// does returns the effects of n, including those of the functions that it calls.
func (p *program) does(n ast.Node) effect { return p.doing(n, map[*function]bool{}) }

func (p *program) doing(n ast.Node, seen map[*function]bool) (all effect) {
	into := func(fns []*function) {
		for _, fn := range fns {
			if !seen[fn] {
				seen[fn] = true
				all |= p.doing(fn.body, seen)
			}
		}
	}
	for n := range ast.Preorder(n) {
		if fn := p.function(n); fn != nil {
			all |= onRegisters(fn)
			into(p.bodies(fn))
		}
		if call, ok := n.(*ast.CallExpr); ok {
			into(p.callees(call))
		}
	}
	return all
}
