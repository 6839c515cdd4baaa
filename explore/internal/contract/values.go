package contract

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// targets returns the functions that the value of e may be, those that are known.
func (p *program) targets(e ast.Expr) []*function {
	found, _ := p.traced(e)
	return found
}

// traced returns the functions that the value of e may be, and if they are not all known, why.
// All that is assigned to a variable or field must be a literal, the name of a function, or
// such a variable; no other package may assign to it; and nothing may have its address.
func (p *program) traced(e ast.Expr) (found []*function, why string) {
	t := &tracer{program: p, known: map[*types.Var]map[*function]bool{}}
	for before := -1; before < t.size && t.why == ""; {
		before, t.seen = t.size, map[*types.Var]bool{}
		found = slices.Collect(maps.Keys(t.trace(e)))
	}
	slices.SortFunc(found, func(a, b *function) int { return cmp.Compare(a.node.Pos(), b.node.Pos()) })
	return found, t.why
}

// A tracer looks for the functions that values may be, until it finds no more.
type tracer struct {
	*program
	known map[*types.Var]map[*function]bool
	size  int                 // of known
	seen  map[*types.Var]bool // in this round
	why   string              // if not empty, that some are not known
}

func (t *tracer) unknown(format string, args ...any) map[*function]bool {
	t.why = cmp.Or(t.why, fmt.Sprintf(format, args...))
	return nil
}

func (t *tracer) all(es []ast.Expr) map[*function]bool {
	found := map[*function]bool{}
	for _, e := range es {
		maps.Copy(found, t.trace(e))
	}
	return found
}

func (t *tracer) trace(e ast.Expr) map[*function]bool {
	e = ast.Unparen(e)
	if tv := t.info.Types[e]; tv.IsNil() {
		return nil
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		return map[*function]bool{t.literals[e]: true}
	case *ast.CallExpr:
		return t.result(e)
	}
	if fn := t.function(name(e)); fn != nil {
		found := map[*function]bool{}
		for _, f := range t.bodies(fn) {
			found[f] = true
		}
		if why := t.outsider(fn); len(found) == 0 && why != "" {
			return t.unknown("%s", why)
		}
		return found
	}
	if v := t.variable(e); v != nil && (t.info.TypeOf(e) == nil || isFunc(t.info.TypeOf(e))) {
		return t.held(v)
	}
	return t.unknown("is kept in a slice or a map, or behind a pointer or an interface: its effects are unknown")
}

// result returns the functions that the result of a call may be.
func (t *tracer) result(call *ast.CallExpr) map[*function]bool {
	if t.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return t.trace(call.Args[0])
	}
	var makers map[*function]bool
	if t.dynamic(call) || t.callee(call) != nil {
		makers = t.trace(call.Fun)
	}
	if len(makers) == 0 && !t.dynamic(call) {
		return t.unknown("is the result of %s, whose source is not examined", types.ExprString(call))
	}
	found := map[*function]bool{}
	for f := range makers {
		maps.Copy(found, t.all(t.returned(f)))
	}
	return found
}

// held returns the functions that a variable or field may hold.
func (t *tracer) held(v *types.Var) map[*function]bool {
	if t.known[v] == nil {
		t.known[v] = map[*function]bool{}
	}
	if t.seen[v] {
		return t.known[v]
	}
	t.seen[v] = true
	args, why := t.arguments(v)
	switch {
	case why != "":
		return t.unknown("%s", why)
	case t.assignable(v) && v.IsField():
		return t.unknown("other packages can set by the exported field %s: its effects are unknown", v.Name())
	case t.assignable(v):
		return t.unknown("other packages can set by the exported variable %s: its effects are unknown", v.Name())
	case t.pointed[v]:
		return t.unknown("may be set by the address of %s: its effects are unknown", v.Name())
	case len(t.flows[v])+len(args) == 0:
		return t.unknown("nothing in the examined source sets: its effects are unknown")
	}
	before := len(t.known[v])
	maps.Copy(t.known[v], t.all(slices.Concat(t.flows[v], args)))
	t.size += len(t.known[v]) - before
	return t.known[v]
}

// returned returns what a function may return as a function.
func (p *program) returned(fn *function) (all []ast.Expr) {
	for v := range fn.sig.Results().Variables() {
		all = append(all, p.flows[v]...)
	}
	for _, x := range p.yields[fn] {
		if _, several := p.info.TypeOf(x).(*types.Tuple); several || isFunc(p.info.TypeOf(x)) {
			all = append(all, x)
		}
	}
	return all
}

// values returns the elements of a composite literal.
func values(lit *ast.CompositeLit) (all []ast.Expr) {
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		all = append(all, x)
	}
	return all
}

// arguments returns what calls give to v, if it is a parameter or a receiver; or why that is not known.
func (p *program) arguments(v *types.Var) (args []ast.Expr, why string) {
	fn := p.owner[v]
	if fn == nil {
		return nil, ""
	}
	i := slices.Index(fn.receives(), v)
	params := fn.sig.Params().Len()
	switch {
	case i < 0:
		return nil, ""
	case fn.obj == nil:
		return nil, fmt.Sprintf("is argument %s of a function literal, which may be called anywhere: declare the function", v.Name())
	case p.unseen(fn) || fn.sig.Variadic() && i == params-1:
		return nil, fmt.Sprintf("is argument %s of %s, which is not only called by name: its effects are unknown", v.Name(), p.said(fn))
	case fn.obj.Exported() && !p.private(fn.obj):
		return nil, fmt.Sprintf("other packages can set by argument %s of %s: its effects are unknown", v.Name(), p.said(fn))
	}
	for _, at := range p.sites(fn) {
		sel, _ := ast.Unparen(at.call.Fun).(*ast.SelectorExpr)
		switch {
		case i < params && len(at.call.Args) == params:
			args = append(args, at.call.Args[i])
		case i == params && sel != nil:
			args = append(args, sel.X)
		default:
			return nil, fmt.Sprintf("is argument %s of %s, which is given the results of a call: its effects are unknown", v.Name(), p.said(fn))
		}
	}
	return args, ""
}

// outsider says why a named function whose source is not examined may not be run as a value, or "".
func (p *program) outsider(f *types.Func) string {
	switch {
	case overInterface(f):
		return fmt.Sprintf("may be %s, called through an interface that other packages can implement: its effects are unknown", display(f))
	case inPackage(f, registers):
		return fmt.Sprintf("may be %s: a protocol must call the methods of registers by their names", display(f))
	case p.standard(f.Pkg()) && slices.Contains(strings.Fields(allowed[f.Pkg().Path()]), f.Name()) && !filling[fullName(f)] && !interprets(f):
		return ""
	case p.standard(f.Pkg()):
		return fmt.Sprintf("may be %s: of the standard library, a protocol may call only functions of their arguments", display(f))
	}
	return fmt.Sprintf("may be %s, whose source was not found", display(f))
}
