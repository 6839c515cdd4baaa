package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A function is a declared function or a function literal.
type function struct {
	name  string      // of the declaration it is in
	obj   *types.Func // if it is declared
	node  ast.Node
	body  *ast.BlockStmt
	sig   *types.Signature
	outer *function // the function around a literal
}

// index records the functions in files, and facts across them: the owners of
// variables, the sources of function values, the writes at package level.
func (p *program) index(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				obj, ok := p.info.Defs[d.Name].(*types.Func)
				if !ok || d.Body == nil {
					continue
				}
				fn := p.add(&function{name: d.Name.Name, obj: obj, node: d, body: d.Body, sig: obj.Signature()})
				p.functions[obj.FullName()] = fn
				p.handedIn(fn)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok {
						p.survey(s, &function{name: s.Names[0].Name})
					}
				}
			}
		}
	}
}

func (p *program) add(fn *function) *function {
	p.all = append(p.all, fn)
	for _, v := range fn.variables() {
		p.owner[v] = fn
	}
	p.survey(fn.body, fn)
	return fn
}

// variables returns the receiver and parameters of fn, and its named results.
func (fn *function) variables() []*types.Var {
	all := slices.AppendSeq(slices.Collect(fn.sig.Params().Variables()), fn.sig.Results().Variables())
	if r := fn.sig.Recv(); r != nil {
		all = append(all, r)
	}
	return all
}

// survey is index for the body of a function. Outside of functions, in stands for
// the declaration: it has a name, and owns nothing.
func (p *program) survey(root ast.Node, in *function) {
	called := map[ast.Expr]bool{}
	var results *types.Tuple
	if in.sig != nil {
		results = in.sig.Results()
	}
	ast.Inspect(root, func(n ast.Node) bool {
		p.holds(n, results)
		for _, a := range assignments(n) {
			p.flow(a.to, a.from)
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			sig, ok := p.info.TypeOf(n).(*types.Signature)
			if !ok {
				return false
			}
			fn := &function{name: in.name, node: n, body: n.Body, sig: sig, outer: in}
			p.literals[n] = fn
			p.values[key(sig)] = append(p.values[key(sig)], fn)
			p.add(fn)
			return false
		case *ast.Ident:
			if v, ok := p.info.Defs[n].(*types.Var); ok && !v.IsField() && in.node != nil {
				p.owner[v] = in
			}
			sig, ok := p.info.TypeOf(n).(*types.Signature)
			if fn := p.function(n); fn != nil && ok && !called[n] {
				p.taken = append(p.taken, taken{fn, key(sig), in})
			}
		case *ast.CaseClause:
			if v, ok := p.info.Implicits[n].(*types.Var); ok {
				p.owner[v] = in
			}
		case *ast.CallExpr:
			called[name(n.Fun)] = true
			p.named[name(n.Fun)] = n
			if t, ok := types.Unalias(p.info.TypeOf(n)).(*types.Named); ok && p.info.Types[n.Fun].IsType() && isFunc(t) {
				p.converted[t.Obj()] = append(p.converted[t.Obj()], n.Args...)
			}
			if fn := p.callee(n); fn != nil {
				p.calls[fullName(fn)] = append(p.calls[fullName(fn)], n)
			}
		case *ast.SendStmt:
			p.flow(n.Chan, n.Value)
		case *ast.SelectorExpr:
			if s := p.info.Selections[n]; s != nil && s.Kind() == types.MethodExpr && !called[n.Sel] {
				called[n.Sel] = true
				p.taken = append(p.taken, taken{s.Obj().(*types.Func), key(s.Type().(*types.Signature)), in})
			}
		case *ast.CompositeLit:
			p.elements(n)
		case *ast.ReturnStmt:
			p.yields[in] = append(p.yields[in], n.Results...)
		}
		if in.node != nil && !in.initial() {
			p.overwritten(n)
		}
		return true
	})
}

// said names fn, or the declaration it is in; a method after its type, if its package has another
// function of that name, but not one by which locks are explored.
func (p *program) said(fn *function) string {
	of := fn
	for of.outer != nil {
		of = of.outer
	}
	if of.obj == nil || of.sig.Recv() == nil || named(of.sig.Recv().Type()) == nil || slices.Contains(entryPoints, fn.name) {
		return fn.name
	}
	for _, other := range p.all {
		if other != of && other.obj != nil && other.name == of.name && other.obj.Pkg() == of.obj.Pkg() {
			return named(of.sig.Recv().Type()).Obj().Name() + "." + fn.name
		}
	}
	return fn.name
}

// initial reports whether fn is an init of its package, or a literal in one.
func (fn *function) initial() bool {
	for fn.outer != nil {
		fn = fn.outer
	}
	return fn.name == "init" && fn.sig != nil && fn.sig.Recv() == nil
}

// taken is a function whose value is taken, with its type and place.
type taken struct {
	fn  *types.Func
	key string
	in  *function
}

// flow records an assignment to a variable or field that may hold functions, or to a part
// of what it holds.
func (p *program) flow(to, from ast.Expr) {
	for within(to) != nil {
		to = within(to)
	}
	if v := p.variable(to); v != nil && contains(v.Type(), mayCall) {
		p.flows[v] = append(p.flows[v], from)
	}
}

// elements records what a composite literal assigns to its fields or elements.
func (p *program) elements(lit *ast.CompositeLit) {
	t := under(p.info.TypeOf(lit))
	if ptr, ok := t.(*types.Pointer); ok { // {...} that stands for &T{...}
		t = under(ptr.Elem())
	}
	for i, value := range lit.Elts {
		kv, keyed := value.(*ast.KeyValueExpr)
		if keyed {
			value = kv.Value
		}
		to := elem(t)
		switch t := t.(type) {
		case *types.Struct:
			f := t.Field(i)
			if to = f.Type(); keyed {
				f, to = p.variable(kv.Key), p.info.TypeOf(kv.Key)
			}
			if f != nil && contains(f.Type(), mayCall) {
				p.flows[f.Origin()] = append(p.flows[f.Origin()], value)
			}
		case *types.Array:
			to = t.Elem()
		}
		p.hold(to, p.info.TypeOf(value))
	}
}

// overwritten records the package-level variables that n writes, or passes to code
// that may write them.
func (p *program) overwritten(n ast.Node) {
	note := func(e ast.Expr) {
		if v, ok := p.base(e).(*types.Var); ok && packageLevel(v) {
			if _, ok := p.writes[qualified(v)]; !ok {
				p.writes[qualified(v)] = e.Pos()
			}
		}
	}
	for w := range p.written(n) {
		note(w.to)
	}
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			note(n.X)
		}
	case *ast.CallExpr:
		if recv := p.addressed(n); recv != nil {
			note(recv)
		}
	}
}

// variable returns the variable or field that e names.
func (p *program) variable(e ast.Expr) *types.Var {
	_, indexed := ast.Unparen(e).(*ast.IndexExpr)
	v, ok := p.info.ObjectOf(name(e)).(*types.Var)
	if indexed || !ok {
		return nil
	}
	return v.Origin()
}

// base returns the object of the innermost name of e, such as l in
// l.node[i].next, or nil.
func (p *program) base(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return p.info.ObjectOf(e)
	case *ast.SelectorExpr:
		if p.info.Selections[e] == nil {
			return p.info.ObjectOf(e.Sel) // of another package
		}
		return p.base(e.X)
	case *ast.UnaryExpr:
		return p.base(e.X)
	}
	if of := within(e); of != nil {
		return p.base(of)
	}
	return nil
}

// callee returns the function or method that a call names, or nil for a function
// value, a conversion or a builtin.
func (p *program) callee(call *ast.CallExpr) *types.Func { return p.function(name(call.Fun)) }

// function returns the function or method of which n is the name, or nil.
func (p *program) function(n ast.Node) *types.Func {
	id, _ := n.(*ast.Ident)
	fn, _ := p.info.Uses[id].(*types.Func)
	return fn
}

// name returns the identifier of e, or of its selector, for a function that may be
// instantiated.
func name(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return name(e.X)
	case *ast.IndexListExpr:
		return name(e.X)
	}
	return nil
}

// dynamic reports whether a call is of a function value.
func (p *program) dynamic(call *ast.CallExpr) bool {
	tv := p.info.Types[call.Fun]
	return tv.IsValue() && p.callee(call) == nil
}

// declared returns the declared function of fn, loading its package if necessary,
// or nil.
func (p *program) declared(fn *types.Func) *function {
	if f := p.functions[fullName(fn)]; f != nil {
		return f
	}
	if fn.Pkg() == nil || overInterface(fn) || !p.follow(fn.Pkg()) {
		return nil
	}
	return p.functions[fullName(fn)]
}

// implementations returns the possible implementations of an interface method, if
// the interface is not exported.
func (p *program) implementations(fn *types.Func) (found []*function) {
	if !overInterface(fn) {
		return nil
	}
	t, ok := types.Unalias(fn.Signature().Recv().Type()).(*types.Named)
	if !ok || t.Obj().Exported() || t.Obj().Pkg() == nil || p.sources[t.Obj().Pkg().Path()] == nil {
		return nil
	}
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || types.IsInterface(obj.Type()) || !types.Implements(types.NewPointer(obj.Type()), t.Underlying().(*types.Interface)) {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), fn.Name())
		if m, ok := m.(*types.Func); ok {
			f := p.declared(m)
			if f == nil {
				return nil // it has the method from elsewhere
			}
			found = append(found, f)
		}
	}
	return found
}

// callees returns the known functions that n, a call or a range, may run.
func (p *program) callees(n ast.Node) []*function {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if isFunc(p.info.TypeOf(n.X)) {
			return p.targets(n.X)
		}
	case *ast.CallExpr:
		fn := p.callee(n)
		switch {
		case fn == nil && p.dynamic(n):
			return p.targets(n.Fun)
		case fn == nil:
		case overInterface(fn):
			return p.implementations(fn)
		case p.declared(fn) != nil:
			return []*function{p.declared(fn)}
		}
	}
	return nil
}

// targets returns the functions that e may be: those assigned to it, or all of its
// type if an assignment is unknown.
func (p *program) targets(e ast.Expr) []*function {
	found, known := p.assigned(e)
	if sig, ok := under(p.info.TypeOf(e)).(*types.Signature); ok && !known {
		return p.ofType(key(sig))
	}
	return found
}

// assigned returns the functions that are assigned to e, and whether they are all known.
// Those of the standard library that a protocol may call are not returned.
func (p *program) assigned(e ast.Expr) (found []*function, known bool) {
	seen := map[*types.Var]bool{}
	var trace func(e ast.Expr) bool
	all := func(es []ast.Expr) bool {
		return len(es) > 0 && !slices.ContainsFunc(es, func(e ast.Expr) bool { return !trace(e) })
	}
	trace = func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if tv := p.info.Types[e]; tv.IsNil() {
			return true
		}
		switch e := e.(type) {
		case *ast.FuncLit:
			found = append(found, p.literals[e])
			return p.literals[e] != nil
		case *ast.CallExpr:
			if tv := p.info.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
				return trace(e.Args[0])
			}
			fn := p.callee(e)
			if fn == nil || fn.Signature().Results().Len() != 1 || p.declared(fn) == nil {
				return false
			}
			return all(p.yields[p.declared(fn)])
		}
		if fn := p.function(name(e)); fn != nil {
			f := p.declared(fn)
			if f != nil {
				found = append(found, f)
			}
			return f != nil || p.outsider(fn) == ""
		}
		v := p.variable(e)
		if v == nil {
			return false
		}
		if seen[v] {
			return true
		}
		seen[v] = true
		args, param := p.arguments(v)
		return all(append(slices.Clone(p.flows[v]), args...)) && (!param || len(args) > 0)
	}
	known = trace(e)
	return found, known
}

// arguments returns the arguments for v, if it is a parameter of a declared
// function.
func (p *program) arguments(v *types.Var) (args []ast.Expr, param bool) {
	fn := p.owner[v]
	if fn == nil {
		return nil, false
	}
	i := slices.Index(slices.Collect(fn.sig.Params().Variables()), v)
	if i >= 0 && fn.obj != nil {
		for _, call := range p.calls[fullName(fn.obj)] {
			if i < len(call.Args) {
				args = append(args, call.Args[i])
			}
		}
	}
	return args, i >= 0
}

// ofType returns all functions of a type whose value is taken.
func (p *program) ofType(key string) []*function {
	found := slices.Clone(p.values[key])
	for _, t := range p.taken {
		if f := p.functions[fullName(t.fn)]; f != nil && t.key == key {
			found = append(found, f)
		}
	}
	return found
}

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
			if one && method != only {
				continue
			}
			m, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p.main, method)
			if m, ok := m.(*types.Func); ok {
				if f := p.declared(m); f != nil {
					found = append(found, f)
				}
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
		if ptr, ok := types.Unalias(v.Type()).(*types.Pointer); ok && isRegister(ptr.Elem(), "Process") {
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

func overInterface(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && types.IsInterface(r.Type())
}

func packageLevel(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// fullName names a function in the same way whether its package was read from
// source or imported.
func fullName(fn *types.Func) string { return fn.Origin().FullName() }

func qualified(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }
