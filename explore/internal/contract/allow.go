package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// allowed has, by package of the standard library, the functions that a protocol may
// call. Their results depend only on their arguments, and they write no memory, except
// for those in filling.
var allowed = map[string]string{
	"cmp":    `Compare Less Or`,
	"errors": `Is Join New`,
	"fmt":    `Errorf Sprint Sprintf Sprintln`,
	"math": `Abs Ceil Exp Exp2 Floor Inf IsInf IsNaN Log Log10 Log2 Max Min Mod NaN Pow Round Signbit Sqrt
		Trunc`,
	"math/bits": `Add Add32 Add64 Div Div32 Div64 LeadingZeros LeadingZeros16 LeadingZeros32 LeadingZeros64
		LeadingZeros8 Len Len16 Len32 Len64 Len8 Mul Mul32 Mul64 OnesCount OnesCount16 OnesCount32 OnesCount64
		OnesCount8 Rem Rem32 Rem64 Reverse Reverse16 Reverse32 Reverse64 Reverse8 ReverseBytes ReverseBytes16
		ReverseBytes32 ReverseBytes64 RotateLeft RotateLeft16 RotateLeft32 RotateLeft64 RotateLeft8 Sub Sub32
		Sub64 TrailingZeros TrailingZeros16 TrailingZeros32 TrailingZeros64 TrailingZeros8`,
	"slices": `All Backward BinarySearch BinarySearchFunc Clone Compact CompactFunc Compare CompareFunc
		Concat Contains ContainsFunc Delete DeleteFunc Equal EqualFunc Index IndexFunc Insert IsSorted
		IsSortedFunc Max MaxFunc Min MinFunc Repeat Replace Reverse Sort SortFunc SortStableFunc Values`,
	"strconv": `Atoi FormatBool FormatInt FormatUint Itoa ParseBool ParseInt ParseUint Quote`,
	"strings": `Builder.Len Builder.Reset Builder.String Builder.WriteByte Builder.WriteRune Builder.WriteString
		Compare Contains ContainsRune Count Cut CutPrefix CutSuffix EqualFold Fields HasPrefix HasSuffix Index
		IndexByte IndexRune Join LastIndex LastIndexByte Repeat Replace ReplaceAll Split ToLower ToUpper Trim
		TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix`,
	"unicode":      `IsDigit IsLetter IsLower IsSpace IsUpper ToLower ToUpper`,
	"unicode/utf8": `RuneCountInString RuneLen ValidString`,
}

// operations has the functions of package register that a protocol may call, and what
// each does to registers or to the protocol.
var operations = map[string]effect{
	"Word.Load":                 loads,
	"Word.Store":                stores,
	"Word.Set":                  stores,
	"Word.CompareAndSwap":       loads | stores,
	"Word.Swap":                 loads | stores,
	"Word.FetchAdd":             loads | stores,
	"Word.Await":                awaits,
	"Word.AwaitValue":           awaits,
	"Gate.Load":                 loads,
	"Gate.Store":                stores,
	"Gate.Set":                  stores,
	"Gate.Await":                awaits,
	"Gate.GiveWay":              stores,
	"Relay.Load":                loads,
	"Relay.Store":               stores,
	"Relay.Set":                 stores,
	"Local.Load":                loads,
	"Local.Store":               stores,
	"Local.CompareAndSwap":      loads | stores,
	"Local.Swap":                loads | stores,
	"Local.Await":               awaits,
	"Bare.Load":                 loads,
	"Bare.CompareAndSwap":       loads | stores,
	"Bare.Swap":                 loads | stores,
	"register.AwaitEither":      awaits,
	"register.AwaitEitherRelay": awaits,
	"register.Repeat":           retries,
	"register.AgainIf":          0,
	"register.Pure":             retries,
	"Step.Do":                   steps,
	"Process.ID":                0,
	"Process.Name":              0,
	"Process.Doorway":           marks,
	"Process.Inside":            marks,
	"Process.Pass":              stores,
	"Process.Absorb":            marks,
	"Processes.Len":             0,
	"Processes.Entry":           marks,
	"Processes.Exit":            marks,
	"Processes.Try":             marks,
	"Processes.Context":         marks,
}

// builtins are the predeclared functions that a protocol may call.
var builtins = strings.Fields("append cap clear complex copy delete imag len make max min new panic real")

// used reports a function that a protocol must not call.
func (p *program) used(fn *function, id *ast.Ident, f *types.Func) {
	switch {
	case len(p.bodies(f)) > 0: // they are examined themselves
	case inPackage(f, registers):
		if _, ok := operations[display(f)]; !ok || overInterface(f) {
			p.report(fn, id, foreign, "calls %s, which is not part of a protocol: of package register, a protocol may call only %s", display(f), enumerate(slices.Sorted(maps.Keys(operations))))
		}
	case inPackage(f, tables) && display(f) == "renaming.Table.At":
	case p.standard(f.Pkg()) && !overInterface(f):
		names, ok := allowed[f.Pkg().Path()]
		switch {
		case !ok:
			p.report(fn, id, foreign, "calls %s: of the standard library, a protocol may call only functions of their arguments, from %s", display(f), enumerate(slices.Sorted(maps.Keys(allowed))))
		case !slices.Contains(strings.Fields(names), strings.TrimPrefix(display(f), f.Pkg().Name()+".")):
			p.report(fn, id, foreign, "calls %s: of the standard library, a protocol may call only functions of their arguments, from %s only %s", display(f), f.Pkg().Path(), enumerate(strings.Fields(names)))
		case p.named[id] == nil && (filling[fullName(f)] || byPointer(f) || interprets(f)):
			p.report(fn, id, foreign, byName, display(f))
		}
	case overInterface(f) && inPackage(f, mutexes) && slices.Contains(entryPoints, f.Name()) && p.named[id] != nil && p.within(fn, p.named[id].Fun): // the caller of Check examines it
	case overInterface(f):
		p.report(fn, id, foreign, "calls %s through an interface that other packages can implement: its effects are unknown", interfaceMethod(f))
	default:
		p.report(fn, id, foreign, "calls %s, whose source was not found", display(f))
	}
}

func interfaceMethod(f *types.Func) string {
	if f.Pkg() == nil {
		return "error." + f.Name()
	}
	return display(f)
}

const byName = "uses %s as a value: a function of the standard library that writes memory or runs methods must be called by its name"

func enumerate(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// interprets reports whether fn, of the standard library, runs methods of its
// arguments.
func interprets(fn *types.Func) bool {
	return inPackage(fn, "fmt") || inPackage(fn, "errors")
}

// within reports whether x is part of the receiver of the method that fn is, or is in:
// a field of it, or an element or a field of one.
func (p *program) within(fn *function, x ast.Expr) bool {
	for fn.outer != nil {
		fn = fn.outer
	}
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

// handed reports the arguments of a call that the standard library must not have.
func (p *program) handed(o *ownership, fn *function, call *ast.CallExpr) {
	to := p.callee(call)
	if to == nil || !p.standard(to.Pkg()) {
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && byPointer(to) && p.info.Types[sel.X].IsType() {
		p.report(fn, call, foreign, byName, display(to))
	}
	for _, arg := range call.Args {
		t := p.info.TypeOf(arg)
		switch {
		case t == nil:
		case embedsRegisters(elem(t)):
			p.report(fn, arg, access, "passes registers to %s: %s", display(to), throughMethods)
		case interprets(to) && !plain(t) && !p.plainError(o, fn, arg):
			p.report(fn, arg, foreign, "passes %s to %s: a protocol may pass it only numbers, strings and booleans, of types without methods, and errors that it made or that are variables", p.typeName(t), display(to))
		}
	}
}

// plainError reports whether x is an error of the standard library that the protocol made, or that is kept in
// a package-level variable; not one whose methods the examined source declares.
func (p *program) plainError(o *ownership, fn *function, x ast.Expr) bool {
	if !isError(p.info.TypeOf(x)) || slices.ContainsFunc(p.all, func(fn *function) bool {
		return fn.obj != nil && fn.sig.Recv() != nil && fn.name == "Error"
	}) || slices.ContainsFunc(slices.Collect(maps.Values(p.listed)), func(l listing) bool {
		return !l.Standard && !strings.HasPrefix(l.ImportPath, "example.org/doorway/")
	}) {
		return false
	}
	v := p.variable(x)
	if v == nil || !packageLevel(v) {
		return !o.strange(fn, x)
	}
	made, ok := ast.Unparen(p.initial[v]).(*ast.CallExpr)
	return p.standard(v.Pkg()) || ok && p.callee(made) != nil && interprets(p.callee(made))
}

const throughMethods = "a protocol may use a register only through its methods"

// typeName returns the name of a type as a reader of the source knows it.
func (p *program) typeName(t types.Type) string {
	return types.TypeString(t, func(of *types.Package) string {
		if of == p.main {
			return ""
		}
		return of.Name()
	})
}

// copies reports the registers in fn that are used as values: copied, compared or
// assigned.
func (p *program) copies(fn *function) {
	ast.PreorderStack(fn.body, nil, func(n ast.Node, path []ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false // another function
		case *ast.RangeStmt:
			if x.Value != nil && embedsRegisters(p.info.TypeOf(x.Value)) {
				p.report(fn, x.Value, access, "copies registers in a range: %s", throughMethods)
			}
		case *ast.ParenExpr, *ast.CompositeLit: // what is in the former; the latter makes one
		case ast.Expr:
			if what := p.copied(x, path); what != "" {
				p.report(fn, x, access, "copies registers in %s: %s", what, throughMethods)
			}
		}
		return true
	})
}

// copied returns what is done to the value of x, if it has registers.
func (p *program) copied(x ast.Expr, path []ast.Node) string {
	tv := p.info.Types[x]
	if !tv.IsValue() || !embedsRegisters(tv.Type) {
		return ""
	}
	last := len(path) - 1
	switch parent := path[last].(type) {
	case *ast.ParenExpr:
		return p.copied(x, path[:last])
	case *ast.SelectorExpr:
		if s := p.info.Selections[parent]; s != nil && s.Kind() == types.MethodVal {
			if f, ok := s.Obj().(*types.Func); ok && !byPointer(f) && embedsRegisters(f.Signature().Recv().Type()) {
				return "a method with such a receiver"
			}
		}
		return ""
	case *ast.IndexExpr:
		if parent.X == x {
			return ""
		}
	case *ast.SliceExpr:
		return ""
	case *ast.UnaryExpr:
		if parent.Op == token.AND {
			return ""
		}
	case *ast.RangeStmt:
		return "" // of its key; its value is seen to
	case *ast.CallExpr:
		if b := p.builtin(parent); b == "len" || b == "cap" {
			return ""
		}
		return "a call"
	case *ast.BinaryExpr:
		return "a comparison"
	}
	return "an assignment"
}
