package contract

import (
	"go/types"
	"strings"
)

// An exposure is what other packages can reach of a package by exported names.
type exposure struct {
	types  map[*types.TypeName]bool // of values that they can have, or make
	fields map[*types.Var]bool      // of such values, that they can write
}

// exposed returns what other packages can reach of pkg.
func (p *program) exposed(pkg *types.Package) *exposure {
	if x := p.exposures[pkg]; x != nil {
		return x
	}
	x := &exposure{types: map[*types.TypeName]bool{}, fields: map[*types.Var]bool{}}
	p.exposures[pkg] = x
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); p.public(obj) {
			x.add(pkg, obj.Type())
		}
	}
	return x
}

// add adds what can be reached from a value of type t.
func (x *exposure) add(pkg *types.Package, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			x.add(pkg, a)
		}
		if t = t.Origin(); t.Obj().Pkg() != pkg || x.types[t.Obj()] {
			return
		}
		x.types[t.Obj()] = true
		for m := range t.Methods() {
			if m.Exported() {
				x.add(pkg, m.Type())
			}
		}
		x.add(pkg, t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				x.fields[f] = f.Exported()
				x.add(pkg, f.Type())
			}
		}
	default:
		for _, of := range append(components(t), exchanged(t)...) {
			x.add(pkg, of)
		}
	}
}

// public reports whether other packages can name a package-level variable, a type or a
// function, or can call a method.
func (p *program) public(obj types.Object) bool {
	if !obj.Exported() || obj.Pkg() == nil || obj.Pkg().Name() == "main" || strings.HasSuffix(p.fset.Position(obj.Pos()).Filename, "_test.go") {
		return false
	}
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return true
	}
	n := named(fn.Signature().Recv().Type())
	return n != nil && p.exposed(obj.Pkg()).types[n.Obj()]
}

// assignable reports whether other packages can assign to a package-level variable or a
// field, of a value that they have.
func (p *program) assignable(v *types.Var) bool {
	switch {
	case v.Pkg() == nil || p.standard(v.Pkg()):
		return false
	case v.IsField():
		return p.exposed(v.Pkg()).fields[v.Origin()]
	}
	return packageLevel(v) && p.public(v)
}
