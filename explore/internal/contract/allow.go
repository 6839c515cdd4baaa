package contract

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
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
	case f.Pkg() == nil, p.functions[fullName(f)] != nil: // error.Error; or a function that is examined itself
	case of(f, registers):
		if _, ok := operations[display(f)]; !ok || overInterface(f) {
			p.report(fn, id, foreign, "calls %s, which is not part of a protocol: of package register, a protocol may call only %s", display(f), enumerate(slices.Sorted(maps.Keys(operations))))
		}
	case of(f, tables) && display(f) == "renaming.Table.At":
	case p.standard(f.Pkg()):
		names, ok := allowed[f.Pkg().Path()]
		switch {
		case !ok:
			p.report(fn, id, foreign, "calls %s: of the standard library, a protocol may call only functions of their arguments, from %s", display(f), enumerate(slices.Sorted(maps.Keys(allowed))))
		case !slices.Contains(strings.Fields(names), strings.TrimPrefix(display(f), f.Pkg().Name()+".")):
			p.report(fn, id, foreign, "calls %s: of the standard library, a protocol may call only functions of their arguments, from %s only %s", display(f), f.Pkg().Path(), enumerate(strings.Fields(names)))
		case p.named[id] == nil && (filling[fullName(f)] || byPointer(f) || interprets(f)):
			p.report(fn, id, foreign, byName, display(f))
		}
	case overInterface(f) && of(f, mutexes) && p.named[id] != nil && p.within(fn, p.named[id].Fun): // the caller of Check examines it
	case overInterface(f):
		t, ok := ownInterface(f.Signature().Recv().Type())
		if !ok || len(p.implementations(f)) == 0 || p.open(t) {
			p.report(fn, id, foreign, "calls %s through an interface: its implementation is unknown", display(f))
		}
	default:
		p.report(fn, id, foreign, "calls %s, whose source was not found", display(f))
	}
}

const byName = "uses %s as a value: a function of the standard library that writes memory or runs methods must be called by its name"

func enumerate(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// interprets reports whether fn, of the standard library, runs methods of its
// arguments.
func interprets(fn *types.Func) bool {
	return of(fn, "fmt") || of(fn, "errors")
}

// runnable are the methods that the functions of fmt and errors run.
var runnable = []string{"As", "Error", "Format", "GoString", "Is", "String", "Unwrap"}

// interpreted returns the methods that a call of the standard library, or of the
// method of error, may run, by the expression of the receiver.
func (p *program) interpreted(call *ast.CallExpr) map[ast.Expr][]*function {
	fn := p.callee(call)
	found := map[ast.Expr][]*function{}
	switch {
	case fn == nil:
	case fn.Pkg() == nil && fn.Name() == "Error":
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			found[sel.X] = p.interpretable(p.info.TypeOf(sel.X))
		}
	case p.standard(fn.Pkg()) && interprets(fn):
		for _, arg := range call.Args {
			found[arg] = p.interpretable(p.info.TypeOf(arg))
		}
	}
	return found
}

// interpretable returns the methods of runnable that a value of type t may have. For
// an interface they are those of all types of the program and of its imports.
func (p *program) interpretable(t types.Type) (found []*function) {
	if t == nil || plain(t) {
		return nil
	}
	if types.IsInterface(t) {
		return p.anyInterpretable()
	}
	for _, name := range runnable {
		m, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
		f, ok := m.(*types.Func)
		switch {
		case !ok:
		case overInterface(f): // of an embedded one
			return p.anyInterpretable()
		case p.declared(f) != nil:
			found = append(found, p.declared(f))
		}
	}
	return found
}

func (p *program) anyInterpretable() (found []*function) {
	p.followAll()
	for _, fn := range p.all {
		if fn.obj != nil && fn.sig.Recv() != nil && slices.Contains(runnable, fn.name) {
			found = append(found, fn)
		}
	}
	return found
}

// followAll makes the source of all imported packages part of the program.
func (p *program) followAll() {
	if p.followed {
		return
	}
	p.followed = true
	for _, path := range slices.Sorted(maps.Keys(p.listed)) {
		if pkg, err := p.imports.Import(path); err == nil && !p.standard(pkg) && !internal(path) {
			p.follow(pkg)
		}
	}
}

// internal reports whether a package is one of those that package register is made of,
// which no lock outside of the library can import.
func internal(path string) bool { return strings.HasPrefix(path, "example.org/doorway/") }

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
func (p *program) handed(r *region, fn *function, call *ast.CallExpr) {
	to := p.callee(call)
	if to == nil {
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if to.Pkg() == nil && to.Name() == "Error" && !p.known(r, sel.X) {
			p.report(fn, sel.X, foreign, "calls error.Error through an interface: its implementation is unknown")
		}
		if _, ok := types.Unalias(p.info.TypeOf(sel.X)).(*types.TypeParam); ok && overInterface(to) {
			p.report(fn, sel.Sel, foreign, "calls %s through a type parameter: its implementation is unknown", display(to))
		}
		if p.standard(to.Pkg()) && byPointer(to) && p.info.Types[sel.X].IsType() {
			p.report(fn, call, foreign, byName, display(to))
		}
	}
	if !p.standard(to.Pkg()) {
		return
	}
	for i, arg := range call.Args {
		t := p.info.TypeOf(arg)
		switch {
		case t == nil:
		case embedsRegisters(elem(t)):
			p.report(fn, arg, access, "passes registers to %s: %s", display(to), throughMethods)
		case interprets(to) && !p.shows(r, call, i, t):
			p.report(fn, arg, foreign, "passes %s to %s: a protocol may pass it only numbers, strings, booleans, and errors by %%v, %%s, %%q or %%w", p.typeName(t), display(to))
		}
	}
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

// shows reports whether the methods that are run for an argument are known, and the
// result depends on no address.
func (p *program) shows(r *region, call *ast.CallExpr, i int, t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	switch {
	case plain(t), basic:
		return true
	case !types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)):
		return false
	}
	return p.known(r, call.Args[i]) && p.asText(call, i)
}

// known reports whether the type of an error is among those of the program: it was made
// by the protocol, or is kept in a package-level variable, or is no interface.
func (p *program) known(r *region, x ast.Expr) bool {
	if t := p.info.TypeOf(x); t == nil || !types.IsInterface(t) || r.level(x) == nothing {
		return true
	}
	v := p.variable(x)
	return v != nil && packageLevel(v)
}

var verb = regexp.MustCompile(`%([^a-zA-Z%]*)([a-zA-Z%])`)

// asText reports whether a format shows its argument i by its methods.
func (p *program) asText(call *ast.CallExpr, i int) bool {
	fn := p.callee(call)
	if name := fn.Name(); fn.Pkg().Path() == "errors" || name == "Sprint" || name == "Sprintln" {
		return true
	}
	format := p.info.Types[call.Args[0]].Value
	if format == nil || format.Kind() != constant.String || call.Ellipsis.IsValid() {
		return false
	}
	n := 0
	for _, v := range verb.FindAllStringSubmatch(constant.StringVal(format), -1) {
		if strings.ContainsAny(v[1], "[*") {
			return false
		}
		if v[2] == "%" {
			continue
		}
		if n++; n == i {
			return strings.Contains("vsqw", v[2]) && !strings.Contains(v[1], "#")
		}
	}
	return false
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
	case *ast.IndexExpr, *ast.SliceExpr:
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
