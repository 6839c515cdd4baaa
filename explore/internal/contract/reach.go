package contract

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// reached returns the functions that roots reach, without those in except: each that one of them
// calls, names, or has as a literal.
func (p *program) reached(roots []*function, except map[*function]bool) []*function {
	var reach []*function
	seen := map[*function]bool{}
	add := func(fns ...*function) {
		for _, fn := range fns {
			if fn != nil && !seen[fn] && !except[fn] {
				seen[fn] = true
				reach = append(reach, fn)
			}
		}
	}
	add(roots...)
	for i := 0; i < len(reach); i++ {
		reach[i].each(func(n ast.Node) { add(p.mentioned(n)...) })
	}
	return reach
}

// mentioned returns the functions that n names, has as a literal, calls, or gives to a function
// whose source is not examined.
func (p *program) mentioned(n ast.Node) (all []*function) {
	switch n := n.(type) {
	case *ast.FuncLit:
		return []*function{p.literals[n]}
	case *ast.Ident:
		if fn := p.function(n); fn != nil {
			return p.bodies(fn)
		}
	case *ast.CallExpr:
		for _, x := range p.run(n) {
			all = append(all, p.targets(x)...)
		}
	}
	return all
}

// run returns the function values that a call runs, or gives to a function whose source is not
// examined.
func (p *program) run(call *ast.CallExpr) (all []ast.Expr) {
	if p.dynamic(call) {
		return []ast.Expr{call.Fun}
	}
	if to := p.callee(call); to != nil && len(p.bodies(to)) == 0 {
		for _, arg := range call.Args {
			if isFunc(p.info.TypeOf(arg)) {
				all = append(all, arg)
			}
		}
	}
	return all
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
