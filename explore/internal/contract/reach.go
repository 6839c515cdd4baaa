package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// entryPoints are the methods by which a lock is explored.
var entryPoints = []string{"Lock", "TryLock", "LockContext", "Unlock"}

// isEntryPoint reports whether fn is an entry point: its last parameter is the number of a process.
func (fn *function) isEntryPoint() bool {
	n := fn.sig.Params().Len()
	return fn.obj != nil && fn.sig.Recv() != nil && slices.Contains(entryPoints, fn.name) &&
		n > 0 && types.Identical(fn.sig.Params().At(n-1).Type(), types.Typ[types.Int])
}

func (fn *function) takesProcess() bool {
	for v := range fn.sig.Params().Variables() {
		if is[*types.Pointer](v.Type()) && isRegister(elem(v.Type()), "Process") {
			return true
		}
	}
	return false
}

// roots returns the entry points: the named methods, and those of the named types; or
// without names, those of all types, and the functions that take a process.
func (p *program) roots(typeNames []string) (found []*function, err error) {
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
		p.addLock(obj.Type())
	}
	if len(typeNames) > 0 {
		return found, nil
	}
	for _, fn := range p.all {
		if fn.isEntryPoint() {
			p.addLock(fn.sig.Recv().Type())
		} else if !fn.takesProcess() {
			continue
		}
		found = append(found, fn)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no lock in package %s: it has neither a method Lock(i int) nor a function that takes a *register.Process", p.main.Name())
	}
	return found, nil
}

// addLock records the type of a lock that is examined, and those that are embedded in it.
func (p *program) addLock(t types.Type) {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil || p.lockType(n) {
		return
	}
	p.locks[[2]string{n.Obj().Pkg().Path(), n.Obj().Name()}] = true
	if of, ok := n.Underlying().(*types.Struct); ok && !isRegister(n, "") {
		for f := range of.Fields() {
			if f.Embedded() {
				p.addLock(f.Type())
			}
		}
	}
}

// reach returns what the protocols reach. What they reach may add source, and with it functions of the same types.
func (p *program) reach(roots []*function) (reach []*function) {
	for before := -1; before < len(p.values); {
		before = len(p.values)
		clear(p.next)
		clear(p.effects)
		reach = p.reached(roots, nil)
	}
	for _, fn := range reach {
		p.protocols[fn] = true
	}
	return reach
}

// reached returns the functions that roots reach, without those in except: each that one of them
// calls, names, or has as a literal.
func (p *program) reached(roots []*function, except map[*function]bool) (reach []*function) {
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
		next, ok := p.next[reach[i]]
		if !ok {
			next = p.leadsTo(reach[i].body)
			p.next[reach[i]] = next
		}
		add(next)
	}
	return reach
}

// leadsTo returns the functions that a node calls, names, or has as literals.
func (p *program) leadsTo(root ast.Node) (found []*function) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = append(found, p.literals[n])
			return false
		case *ast.Ident:
			if fn := p.function(n); fn != nil {
				found = append(found, p.bodies(fn)...)
			}
		case *ast.CallExpr:
			found = append(found, p.callees(n)...)
			if inPackage(p.callee(n), "fmt") { // it calls the method Error of an error
				found = append(found, p.methods("Error")...)
			}
		}
		return true
	})
	return found
}

// callees returns the functions that a call may run, itself or by a function of package register.
func (p *program) callees(call *ast.CallExpr) (found []*function) {
	switch fn := p.callee(call); {
	case inPackage(fn, registers):
		for _, arg := range call.Args {
			if is[*types.Signature](p.info.TypeOf(arg)) {
				found = append(found, p.targets(arg)...)
			}
		}
	case fn != nil:
		found = p.bodies(fn)
	case p.info.Types[call.Fun].IsValue():
		found = p.targets(call.Fun)
	}
	return found
}

// bodies returns what runs when fn is called: its declaration, whose package is loaded if necessary; or of a
// method of an interface that only its package can implement, since it is not exported, all of that name.
func (p *program) bodies(fn *types.Func) []*function {
	if overInterface(fn) {
		if fn.Exported() {
			return nil
		}
		return slices.DeleteFunc(p.methods(fn.Name()), func(f *function) bool { return f.obj.Pkg().Path() != fn.Pkg().Path() })
	}
	fn = fn.Origin()
	f := p.declared[fn]
	if f == nil && fn.Pkg() != nil && fn.Pkg() != p.main && p.follow(fn.Pkg()) {
		k := slices.IndexFunc(p.all, func(f *function) bool { return f.obj != nil && same(fn, f.obj) })
		if k >= 0 {
			f = p.all[k]
			p.declared[fn] = f
		}
	}
	if f == nil {
		return nil
	}
	return []*function{f}
}

// methods returns the methods of a name.
func (p *program) methods(name string) (found []*function) {
	for _, f := range p.all {
		if f.obj != nil && f.sig.Recv() != nil && f.name == name {
			found = append(found, f)
		}
	}
	return found
}

// exactly returns the functions that a function value is known to be: a literal, the name of a function, or a
// variable that was declared as one. Otherwise it returns the type of the value.
func (p *program) exactly(e ast.Expr) (found []*function, sig *types.Signature) {
	e = ast.Unparen(e)
	if lit, ok := e.(*ast.FuncLit); ok {
		return []*function{p.literals[lit]}, nil
	}
	if fn := p.function(name(e)); fn != nil {
		return p.bodies(fn), nil
	}
	if v, ok := p.info.ObjectOf(identOf(e)).(*types.Var); ok && p.fixed(v) && p.owner(v) != nil && p.initial[v] != nil {
		return p.exactly(p.initial[v])
	}
	sig, _ = under(p.info.TypeOf(e)).(*types.Signature)
	return nil, sig
}

// targets returns the functions that a function value may be. If it is not known exactly, these are all of its type
// that the examined source uses as values.
func (p *program) targets(e ast.Expr) []*function {
	found, sig := p.exactly(e)
	if sig == nil {
		return found
	}
	of := key(sig)
	for i := 0; i < len(p.values); i++ { // bodies may load more
		if p.values[i].of == of {
			bodies, _ := p.exactly(p.values[i].at)
			found = append(found, bodies...)
		}
	}
	return found
}

// unknown says why a function value that a protocol finds, in a field or captured, may be another than its targets,
// or "". In a test or a program it cannot be, if it is of a type that it has only for locks.
func (p *program) unknown(e ast.Expr) string {
	_, sig := p.exactly(e)
	if sig == nil {
		return ""
	}
	of := key(sig)
	ours := func(v *types.Var) bool {
		n := named(v.Type())
		return n != nil && (n.Obj().Pkg() == p.main || isRegister(n, ""))
	}
	if !p.private(e.Pos()) || !slices.ContainsFunc(slices.Collect(sig.Params().Variables()), ours) {
		return "other packages could set"
	}
	for _, c := range p.calls {
		if t := p.info.TypeOf(c.at); is[*types.Signature](t) && !p.examined(c.of.Pkg()) && key(under(t)) == of {
			return "may come from the call at " + p.place(c.at.Pos())
		}
	}
	for _, v := range p.values {
		if v.sig.Params().Len() != sig.Params().Len() || v.of != of && !generic(v.sig) {
			continue
		}
		bodies, _ := p.exactly(v.at)
		if sel := selectorOf(v.at); p.method(sel) != nil && !plain(p.info.TypeOf(sel.X), true) && !p.protocols[v.in] || len(bodies) == 0 || generic(v.sig) {
			return "may be " + types.ExprString(v.at) + ", of a value that is chosen elsewhere"
		}
	}
	return ""
}

// private reports whether no other package can import what is at a position: a program or a test.
func (p *program) private(at token.Pos) bool {
	file := p.fset.File(at)
	return file != nil && (strings.HasSuffix(file.Name(), "_test.go") || p.main.Name() == "main")
}
