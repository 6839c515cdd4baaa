package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
)

// entryPoints are the methods by which a lock is explored.
var entryPoints = []string{"Lock", "TryLock", "LockContext", "Unlock"}

// roots returns the entry points: the named methods, and those of the named types; or
// without names, those of all types, and the functions that take a process.
func (p *program) roots(typeNames []string) ([]*function, error) {
	var found []*function
	for _, name := range typeNames {
		name, _, _ = strings.Cut(name, "[") // of a type that was instantiated
		name, only, one := strings.Cut(name, ".")
		obj, ok := p.main.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			return nil, fmt.Errorf("no type %s in package %s", name, p.main.Name())
		}
		before := len(found)
		for _, method := range entryPoints {
			m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p.main, method)
			if m, ok := m.(*types.Func); ok && (!one || method == only) {
				found = append(found, p.bodies(m)...)
			}
		}
		if len(found) == before {
			return nil, fmt.Errorf("the source of the methods of %s.%s was not found", p.main.Name(), name)
		}
	}
	if len(typeNames) > 0 {
		return found, nil
	}
	for _, fn := range p.all {
		if fn.takesProcess() || fn.sig.Recv() != nil && slices.Contains(entryPoints, fn.name) && fn.takesNumber() {
			found = append(found, fn)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no lock in package %s: it has neither a method Lock(i int) nor a function that takes a *register.Process", p.main.Name())
	}
	return found, nil
}

func (fn *function) takesProcess() bool {
	for v := range fn.sig.Params().Variables() {
		if isPointer(v.Type()) && isRegister(elem(v.Type()), "Process") {
			return true
		}
	}
	return false
}

// takesNumber reports whether the last parameter is the number of a process.
func (fn *function) takesNumber() bool {
	n := fn.sig.Params().Len()
	return n > 0 && types.Identical(fn.sig.Params().At(n-1).Type(), types.Typ[types.Int])
}

// reached returns the functions that roots reach, without those in except: each that one of them
// calls, names, or has as a literal.
func (p *program) reached(roots []*function, except map[*function]bool) []*function {
	var reach []*function
	seen := map[*function]bool{}
	add := func(fns []*function) {
		for _, fn := range fns {
			if !seen[fn] && !except[fn] {
				seen[fn] = true
				reach = append(reach, fn)
			}
		}
	}
	add(roots)
	for i := 0; i < len(reach); i++ {
		reach[i].each(func(n ast.Node, _ []ast.Node) {
			switch n := n.(type) {
			case *ast.FuncLit:
				add([]*function{p.literals[n]})
			case *ast.Ident:
				if fn := p.function(n); fn != nil {
					add(p.bodies(fn))
				}
			case *ast.CallExpr:
				add(p.callees(n))
				if p.isCall(n, "Processes.Context") {
					add(p.contexts())
				}
			}
		})
	}
	return reach
}

// contexts returns the methods of contexts that the examined source declares, which package register calls.
func (p *program) contexts() (found []*function) {
	for _, fn := range p.all {
		if fn.obj != nil && fn.sig.Recv() != nil && slices.Contains([]string{"Deadline", "Done", "Err", "Value"}, fn.name) {
			found = append(found, fn)
		}
	}
	return found
}

// callees returns the functions that a call may run, itself or by a function of package register.
func (p *program) callees(call *ast.CallExpr) (found []*function) {
	fn := p.callee(call)
	switch {
	case inPackage(fn, registers):
		for _, arg := range call.Args {
			if isFunc(p.info.TypeOf(arg)) {
				found = append(found, p.targets(arg)...)
			}
		}
	case fn != nil:
		return p.bodies(fn)
	case p.dynamic(call):
		return p.targets(call.Fun)
	}
	return found
}

// dynamic reports whether a call is of a function value.
func (p *program) dynamic(call *ast.CallExpr) bool {
	return p.info.Types[call.Fun].IsValue() && p.callee(call) == nil
}

// bodies returns what runs when fn is called: its declaration, whose package is loaded if necessary; or of a
// method of an interface that only its package can implement, since it is not exported, all of that name.
func (p *program) bodies(fn *types.Func) (found []*function) {
	if !overInterface(fn) {
		if fn.Pkg() != nil && p.functions[fullName(fn)] == nil {
			p.follow(fn.Pkg())
		}
		if f := p.functions[fullName(fn)]; f != nil {
			found = append(found, f)
		}
		return found
	}
	for _, f := range p.all {
		if !fn.Exported() && f.obj != nil && f.sig.Recv() != nil && f.name == fn.Name() && f.obj.Pkg().Path() == fn.Pkg().Path() {
			found = append(found, f)
		}
	}
	return found
}

// exactly returns the functions that a function value is known to be: a literal, the name of a function, or a
// variable that was declared as one. Otherwise it returns the type of the value.
func (p *program) exactly(e ast.Expr) (found []*function, named *types.Func, sig *types.Signature) {
	e = ast.Unparen(e)
	if lit, ok := e.(*ast.FuncLit); ok {
		return []*function{p.literals[lit]}, nil, nil
	}
	if fn := p.function(name(e)); fn != nil {
		return p.bodies(fn), fn, nil
	}
	if v, ok := p.info.ObjectOf(identOf(e)).(*types.Var); ok && p.fixed(v) && p.owner[v] != nil && p.initial[v] != nil {
		return p.exactly(p.initial[v])
	}
	sig, _ = under(p.info.TypeOf(e)).(*types.Signature)
	return nil, nil, sig
}

// targets returns the functions that a function value may be. If it is not known exactly, these are all of its type
// that the examined source uses as values.
func (p *program) targets(e ast.Expr) []*function {
	found, _, sig := p.exactly(e)
	for i := 0; i < len(p.valued) && sig != nil; i++ { // bodies may load more
		if of := p.valued[i]; of.sig != nil && key(of.sig) == key(sig) {
			bodies, _, _ := p.exactly(of.site)
			found = append(found, bodies...)
		}
	}
	return found
}

// unknown says how a function value may be another than its targets, or "".
func (p *program) unknown(e ast.Expr) string {
	found, named, sig := p.exactly(e)
	if sig == nil {
		if len(found) == 0 && named != nil {
			return "may be " + display(named) + ": a protocol must call that by its name"
		}
		return ""
	}
	v, _ := p.info.ObjectOf(identOf(e)).(*types.Var)
	element := p.owner[v] != nil && p.protocols[p.owner[v]] && !isParameter(p.owner[v], v) && p.initial[v] == nil
	if element || within(ast.Unparen(e)) != nil {
		return "is kept in a slice or a map, or behind a pointer"
	}
	if why, ok := p.outside[key(sig)]; ok {
		return why
	}
	why := p.foreign(sig)
	if len(p.targets(e)) == 0 {
		why = "nothing in the examined source sets"
	}
	for _, of := range p.valued {
		if of.sig == nil || key(of.sig) != key(sig) && !generic(of.sig) || of.sig.Params().Len() != sig.Params().Len() {
			continue
		}
		bodies, named, _ := p.exactly(of.site)
		s := p.info.Selections[selectorOf(of.site)]
		switch {
		case generic(of.sig):
			why = "may be a function with type parameters"
		case s != nil && s.Kind() == types.MethodVal && !plain(s.Recv(), true) && !p.protocols[of.in]:
			why = "may be method " + display(named) + " of a value that is chosen elsewhere: give the value as an argument"
		case len(bodies) == 0 && (!overInterface(named) || named.Exported()):
			why = "may be " + display(named) + ": a protocol must call that by its name"
		}
	}
	p.outside[key(sig)] = why
	return why
}

func selectorOf(e ast.Expr) *ast.SelectorExpr { sel, _ := e.(*ast.SelectorExpr); return sel }

// fixed reports whether a variable has its first value for ever.
func (p *program) fixed(v *types.Var) bool { return !p.assigned[p.of(v)] && !p.addressed[v] }

// foreign says how a function of a type can come from elsewhere, or "": by what other packages can import, from
// an interface, or by the result of a call into another package.
func (p *program) foreign(sig *types.Signature) (why string) {
	known, first := map[types.Type]bool{}, token.Pos(math.MaxInt)
	note := func(at token.Pos, t types.Type, what string) {
		if at < first && mentions(t, key(sig), known) {
			first, why = at, "may come from "+what
		}
	}
	for id, obj := range p.info.Defs {
		v, variable := obj.(*types.Var)
		if obj != nil && obj.Exported() && !p.private(obj) && p.examined(obj.Pkg()) && (!variable || v.IsField() || packageLevel(v)) {
			note(id.Pos(), obj.Type(), "other packages, by "+id.Name)
		}
	}
	for n, obj := range p.info.Implicits {
		if _, ok := n.(*ast.CaseClause); ok {
			note(n.Pos(), obj.Type(), "the interface at "+p.place(n.Pos()))
		}
	}
	for x, tv := range p.info.Types {
		if _, ok := x.(*ast.TypeAssertExpr); ok {
			note(x.Pos(), tv.Type, "the interface at "+p.place(x.Pos()))
		}
		call, ok := x.(*ast.CallExpr)
		if !ok || !tv.IsValue() {
			continue
		}
		if to := p.callee(call); to != nil && (!p.examined(to.Pkg()) || overInterface(to) && to.Exported()) {
			note(x.Pos(), tv.Type, "the call at "+p.place(x.Pos()))
		}
	}
	return why
}

// examined reports whether the source of a package is examined.
func (p *program) examined(pkg *types.Package) bool {
	return pkg != nil && p.sources[pkg.Path()] != nil
}

// mentions reports whether a value of type t may have, or be, a function of the type with a key.
func mentions(t types.Type, of string, known map[types.Type]bool) bool {
	if t == nil {
		return false
	}
	if found, ok := known[t]; ok {
		return found
	}
	known[t] = false
	in := func(t types.Type) bool { return mentions(t, of, known) }
	if sig, ok := under(t).(*types.Signature); ok {
		known[t] = key(sig) == of || in(sig.Params()) || in(sig.Results())
	} else if named(t) == nil || !isStruct(t) { // whose fields are looked at themselves
		known[t] = slices.ContainsFunc(components(t), in)
	}
	return known[t]
}
