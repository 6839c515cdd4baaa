package contract

import (
	"go/types"
	"slices"
	"strings"
)

func typeName(t types.Type) string { return types.TypeString(t, nil) }

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

// exchanged returns the types of what a function, or a method of an interface, takes and
// returns.
func exchanged(t types.Type) (all []types.Type) {
	switch t := t.(type) {
	case *types.Signature:
		return append(components(t.Params()), components(t.Results())...)
	case *types.Interface:
		for m := range t.Methods() {
			all = append(all, exchanged(m.Type())...)
		}
	}
	return all
}

// inside returns the types of what is in the same place as a value of type t, if that is an
// array, a struct, or several results.
func inside(t types.Type) (all []types.Type, ok bool) {
	switch u := t.Underlying().(type) {
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

// refers reports whether other memory can be reached and written through a value of
// type t.
func refers(t types.Type) bool {
	if basic, ok := t.Underlying().(*types.Basic); ok {
		return basic.Kind() == types.UnsafePointer
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
		return slices.ContainsFunc(append(components(t), exchanged(t)...), parametric)
	}
}

// contains reports whether a value of type t is, or has, one of a type for which is is
// true, other than by a named struct.
func contains(t types.Type, is func(types.Type) bool) bool {
	if is(t) {
		return true
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		_, ok := n.Underlying().(*types.Struct)
		return !ok && contains(n.Underlying(), is)
	}
	return slices.ContainsFunc(components(types.Unalias(t)), func(t types.Type) bool { return contains(t, is) })
}

// elem returns the type of the elements of a slice or map, or nil.
func elem(t types.Type) types.Type {
	switch t := under(t).(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	}
	return nil
}

// isRegister reports whether t is the named type of package register.
func isRegister(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == registers && (name == "" || n.Obj().Name() == name)
}

// holdsRegisters reports whether registers can be reached from a value of type t, without
// a call.
func holdsRegisters(t types.Type, within ...types.Type) bool {
	if isRegister(t, "") {
		_, basic := t.Underlying().(*types.Basic) // Outcome
		return !basic
	}
	if _, ok := t.Underlying().(*types.Chan); ok || slices.Contains(within, t) {
		return false
	}
	within = append(within, t)
	return slices.ContainsFunc(components(t.Underlying()), func(t types.Type) bool { return holdsRegisters(t, within...) })
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

func isPointer(t types.Type) bool { _, ok := under(t).(*types.Pointer); return ok }

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

// key identifies a signature. It is a string because the types of a package that is
// loaded from two sources are not identical.
func key(sig *types.Signature) string {
	var b strings.Builder
	for _, t := range []*types.Tuple{sig.Params(), sig.Results()} {
		for _, t := range components(t) {
			b.WriteString(typeName(t) + ";")
		}
		b.WriteByte('>')
	}
	return b.String()
}
