package contract

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// key names a type, roughly: identical types have the same key, and so has a type that an import has both from
// source and from export data.
func key(t types.Type) string {
	list := func(of *types.Tuple) string {
		var keys []string
		for v := range of.Variables() {
			keys = append(keys, key(v.Type()))
		}
		return "(" + strings.Join(keys, ", ") + ")"
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()].Name() // uint8 for byte
	case *types.Named:
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + key(t.Elem())
	case *types.Slice:
		return "[]" + key(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), key(t.Elem()))
	case *types.Signature:
		return "func" + list(t.Params()) + list(t.Results())
	case *types.Interface:
		names := []string{"interface"}
		for m := range t.Methods() {
			names = append(names, m.Name())
		}
		return strings.Join(names, " ")
	case nil:
		return ""
	default:
		return fmt.Sprintf("%T", t)
	}
}

// generic reports whether a signature depends on type parameters.
func generic(sig *types.Signature) bool {
	return strings.Contains(key(sig), "TypeParam") || sig.RecvTypeParams().Len() > 0 || sig.TypeParams().Len() > 0
}

// components returns the types of which t is made.
func components(t types.Type) (all []types.Type) {
	switch t := under(t).(type) {
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case *types.Struct:
		for f := range t.Fields() {
			all = append(all, f.Type())
		}
	case *types.Tuple:
		for v := range t.Variables() {
			all = append(all, v.Type())
		}
	case interface{ Elem() types.Type }:
		return []types.Type{t.Elem()}
	}
	return all
}

// inPlace reports whether ok holds of a type of what is in the same place as a value of type t.
func inPlace(t types.Type, ok func(types.Type) bool) bool {
	return (is[*types.Array](t) || is[*types.Struct](t)) && slices.ContainsFunc(components(t), ok)
}

// elem returns the type of what a value of type t refers to, or has as elements, or nil.
func elem(t types.Type) types.Type {
	switch t := under(t).(type) {
	case *types.Pointer:
		if is[*types.Array](t.Elem()) {
			return elem(t.Elem())
		}
		return t.Elem()
	case interface{ Elem() types.Type }:
		return t.Elem()
	}
	return nil
}

// plain reports whether a value of type t is all in its place: numbers, strings, booleans, and arrays and
// structs of these; of types without methods, if it is to be printed or compared.
func plain(t types.Type, methods bool) bool {
	if !methods && types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
		return false
	}
	return is[*types.Basic](t) && !isUnsafe(t) || (is[*types.Array](t) || is[*types.Struct](t)) && !inPlace(t, func(t types.Type) bool { return !plain(t, methods) })
}

// isRegister reports whether t is the named type of package register.
func isRegister(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == registers || n.Obj().Pkg().Path() == cells) && (name == "" || n.Obj().Name() == name)
}

// hasRegisters reports whether a value of type t is, or has in it, a register.
func hasRegisters(t types.Type) bool {
	if isRegister(t, "") {
		return is[*types.Struct](t) && !isRegister(t, "Processes")
	}
	return inPlace(t, hasRegisters)
}

// isLock reports whether t has the methods of a lock.
func isLock(t types.Type) bool {
	for _, name := range []string{"Lock", "Unlock"} {
		m, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if _, ok := m.(*types.Func); !ok {
			return false
		}
	}
	return true
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func isTypeParam(t types.Type) bool { _, ok := types.Unalias(t).(*types.TypeParam); return ok }

func isUnsafe(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func isInterface(t types.Type) bool { return t != nil && types.IsInterface(t) }

func is[T types.Type](t types.Type) bool { _, ok := under(t).(T); return ok }

// named returns the type with a name that t is or points to, or nil.
func named(t types.Type) *types.Named {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// under returns the underlying type of t, which may be nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func overInterface(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && types.IsInterface(r.Type())
}

// byPointer reports whether fn is a method that can write its receiver.
func byPointer(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && is[*types.Pointer](r.Type())
}

// typeName returns the name of a type as a reader of the source knows it.
func (p *program) typeName(t types.Type) string {
	return types.TypeString(t, func(of *types.Package) string {
		if of == p.main {
			return ""
		}
		return of.Name()
	})
}
