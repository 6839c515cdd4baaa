package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

const knowing = "a process may know only what it has read from registers"

// state reports the fields that the protocol reads and that something else can write:
// other packages, or a function that is not part of the construction of the lock.
func (e *examination) state(r *region) {
	written := e.setters(r)
	for _, fn := range r.reach {
		fn.each(func(n ast.Node) {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || e.info.Selections[sel] == nil || !r.isForeign(sel) {
				return
			}
			f, ok := e.info.Selections[sel].Obj().(*types.Var)
			if !ok || f.Pkg() == nil || e.standard(f.Pkg()) {
				return
			}
			switch at, ok := written[f.Origin()]; {
			case ok:
				e.report(fn, sel.Sel, access, "reads field %s, which outlives the call and is written at %s, not by a constructor: %s", f.Name(), e.place(at), knowing)
			case e.public(f) && !holdsRegisters(f.Type()) && !isFunc(f.Type()) && !types.IsInterface(f.Type()):
				e.report(fn, sel.Sel, access, "reads exported field %s, which outlives the call and other packages can write: %s", f.Name(), knowing)
			}
		})
	}
}

// setters returns the fields that are written through a receiver or parameter of a
// function which is neither part of the protocol nor only called by constructors, and
// where.
func (e *examination) setters(r *region) map[*types.Var]token.Pos {
	callers := map[*function][]*function{}
	for _, fn := range e.all {
		fn.each(func(n ast.Node) {
			if call, ok := n.(*ast.CallExpr); ok {
				if to := e.callee(call); to != nil && e.functions[fullName(to)] != nil {
					callee := e.functions[fullName(to)]
					callers[callee] = append(callers[callee], fn)
				}
			}
		})
	}
	written := map[*types.Var]token.Pos{}
	for _, fn := range e.all {
		if r.within[fn] || e.constructs(fn, callers) {
			continue
		}
		fn.each(func(n ast.Node) {
			for w := range e.written(n) {
				if v, ok := e.base(w.to).(*types.Var); !ok || !e.receives(v) {
					continue
				}
				for x := w.to; x != nil; x = within(x) {
					if sel, ok := x.(*ast.SelectorExpr); ok && e.info.Selections[sel] != nil {
						if f, ok := e.info.Selections[sel].Obj().(*types.Var); ok {
							written[f.Origin()] = w.to.Pos()
						}
						break
					}
				}
			}
		})
	}
	return written
}

// constructs reports whether a function is called by functions that make the lock
// themselves, and by nothing else.
func (e *examination) constructs(fn *function, callers map[*function][]*function) bool {
	if fn.obj == nil || e.public(fn.obj) || fn.sig.Results().Len() == 0 && len(callers[fn]) == 0 {
		return false
	}
	if slices.ContainsFunc(e.taken, func(t taken) bool { return fullName(t.fn) == fullName(fn.obj) }) {
		return false
	}
	return !slices.ContainsFunc(callers[fn], func(by *function) bool { return by.sig.Results().Len() == 0 || by.sig.Recv() != nil })
}

// receives reports whether v is a receiver or parameter of a function.
func (e *examination) receives(v *types.Var) bool {
	fn := e.owner[v]
	if fn == nil {
		return false
	}
	_, param := e.arguments(v)
	return param || fn.sig.Recv() == v
}

// within returns the expression of the memory of which that of x is a part, or nil.
func within(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return nil
}

// public reports whether other packages can use a field, variable or function.
func (p *program) public(obj types.Object) bool {
	return obj.Exported() && obj.Pkg() != nil && obj.Pkg().Name() != "main" && !strings.HasSuffix(p.fset.Position(obj.Pos()).Filename, "_test.go")
}

// assignable reports whether other packages can assign v.
func (p *program) assignable(v *types.Var) bool {
	return (v.IsField() || packageLevel(v)) && p.public(v)
}
