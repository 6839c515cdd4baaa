package contract

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// typeName names a type in the same way as all that are identical to it.
func typeName(t types.Type) string {
	list := func(of *types.Tuple) string {
		var names []string
		for v := range of.Variables() {
			names = append(names, typeName(v.Type()))
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()].Name() // uint8 for byte
	case *types.Pointer:
		return "*" + typeName(t.Elem())
	case *types.Slice:
		return "[]" + typeName(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeName(t.Elem()))
	case *types.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	case *types.Chan:
		return "chan " + typeName(t.Elem())
	case *types.Signature:
		return "func" + list(t.Params()) + list(t.Results())
	case *types.Struct:
		return "struct" + shape(t)
	case *types.Interface:
		if t.Empty() {
			return "any"
		}
	case *types.Named:
		names := []string{types.TypeString(t.Origin(), nil)}
		for a := range t.TypeArgs().Types() {
			names = append(names, typeName(a))
		}
		return strings.Join(names, " ")
	}
	return types.TypeString(t, nil)
}

// shape names the fields of a struct, but for their tags.
func shape(s *types.Struct) string {
	var fields strings.Builder
	for f := range s.Fields() {
		fmt.Fprintf(&fields, "{%s %t %s}", f.Name(), f.Embedded(), typeName(f.Type()))
	}
	return fields.String()
}

// components returns the types of which t is made, unless it has a name.
func components(t types.Type) (all []types.Type) {
	switch t := t.(type) {
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

// inside returns the types of what is in the same place as a value of type t, if that is an
// array, a struct, or several results.
func inside(t types.Type) (all []types.Type, ok bool) {
	switch u := under(t).(type) {
	case *types.Array, *types.Struct, *types.Tuple:
		return components(u), true
	}
	return nil, false
}

// parts returns the types of what is in a place of type t and refers to other memory.
func parts(t types.Type) (all []types.Type) {
	within, ok := inside(t)
	if !ok && refers(t) {
		return []types.Type{types.Unalias(t)}
	}
	for _, t := range within {
		all = append(all, parts(t)...)
	}
	return all
}

// anyType stands for the types that depend on a type parameter.
const anyType = ""

// placeName names the type of a place, as another type to which a pointer to the place can be converted; the
// fields of structs have names of their own.
func placeName(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	switch {
	case ok && isStruct(t):
		return typeName(n.Origin())
	case parametric(t):
		return anyType
	}
	return typeName(t.Underlying())
}

// refers reports whether other memory can be reached and written through a value of
// type t.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Signature: // what a function writes is examined there
		return false
	}
	within, ok := inside(t)
	return !ok || slices.ContainsFunc(within, refers)
}

// plain reports whether the text of a value of type t depends on no memory but its own.
func plain(t types.Type) bool {
	if types.NewMethodSet(t).Len() > 0 {
		return false
	}
	within, ok := inside(t)
	_, basic := t.Underlying().(*types.Basic)
	return (ok || basic && !refers(t)) && !slices.ContainsFunc(within, func(t types.Type) bool { return !plain(t) })
}

// parametric reports whether t depends on a type parameter.
func parametric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return slices.ContainsFunc(slices.Collect(t.TypeArgs().Types()), parametric)
	default:
		return slices.ContainsFunc(components(t), parametric)
	}
}

// mayCall reports whether a function may be reached from a value of type t.
func mayCall(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] || isError(t) {
		return false
	}
	seen[t] = true
	if isFunc(t) || types.IsInterface(t) {
		return true
	}
	return slices.ContainsFunc(components(under(t)), func(t types.Type) bool { return mayCall(t, seen) })
}

// elem returns the type of the elements of a slice, an array, a pointer to one, or a map, or nil.
func elem(t types.Type) types.Type {
	switch t := under(t).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Pointer:
		if isArray(t.Elem()) {
			return elem(t.Elem())
		}
	}
	return nil
}

// isError reports whether t is the type error.
func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// isRegister reports whether t is the named type of package register.
func isRegister(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == registers && (name == "" || n.Obj().Name() == name)
}

// holdsRegisters reports whether registers can be reached from a value of type t, without
// a call.
func holdsRegisters(t types.Type) bool { return reachesRegisters(t, map[types.Type]bool{}) }

func reachesRegisters(t types.Type, seen map[types.Type]bool) bool {
	if isRegister(t, "") {
		_, basic := t.Underlying().(*types.Basic) // Outcome
		return !basic
	}
	if isChan(t) || seen[t] {
		return false
	}
	seen[t] = true
	return slices.ContainsFunc(components(under(t)), func(t types.Type) bool { return reachesRegisters(t, seen) })
}

// embedsRegisters reports whether a value of type t is, or has in it, a register.
func embedsRegisters(t types.Type) bool {
	if _, several := t.(*types.Tuple); t == nil || several {
		return false
	}
	if isRegister(t, "") {
		_, ok := t.Underlying().(*types.Struct)
		return ok && !isRegister(t, "Processes")
	}
	within, _ := inside(t)
	return slices.ContainsFunc(within, embedsRegisters)
}

func isFunc(t types.Type) bool { _, ok := under(t).(*types.Signature); return ok }

func isArray(t types.Type) bool { _, ok := under(t).(*types.Array); return ok }

func isMap(t types.Type) bool { _, ok := under(t).(*types.Map); return ok }

func isStruct(t types.Type) bool { _, ok := under(t).(*types.Struct); return ok }

func isChan(t types.Type) bool { _, ok := under(t).(*types.Chan); return ok }

func isPointer(t types.Type) bool { _, ok := under(t).(*types.Pointer); return ok }

// named returns the type with a name that t is or points to, or nil.
func named(t types.Type) *types.Named {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// under returns the underlying type of t, which may be nil; of a type parameter whose types all have the same
// one, that.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if of, ok := types.Unalias(t).(*types.TypeParam); ok {
		if core := core(of.Constraint()); core != nil {
			return core
		}
	}
	return t.Underlying()
}

// core returns the underlying type of all types of a constraint, or nil.
func core(constraint types.Type) (one types.Type) {
	i, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return constraint.Underlying()
	}
	for of := range i.EmbeddedTypes() {
		u, ok := of.(*types.Union)
		if !ok {
			one = core(of)
			continue
		}
		for term := range u.Terms() {
			if next := under(term.Type()); one == nil {
				one = next
			} else if !types.Identical(one, next) {
				return nil
			}
		}
	}
	return one
}
