package contract

import (
	"go/types"
	"iter"
)

func typeName(t types.Type) string { return types.TypeString(t, nil) }

// parts yields the types of what is in a place of type t and refers to other memory.
func parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) { yieldParts(t, yield) }
}

func yieldParts(t types.Type, yield func(types.Type) bool) bool {
	if !refers(t) {
		return true
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return yield(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return yieldParts(u.Elem(), yield)
	case *types.Struct:
		for f := range u.Fields() {
			if !yieldParts(f.Type(), yield) {
				return false
			}
		}
		return true
	}
	return yield(types.Unalias(t))
}

// parametric reports whether t depends on a type parameter.
func parametric(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if parametric(a) {
				return true
			}
		}
	case *types.Pointer:
		return parametric(t.Elem())
	case *types.Slice:
		return parametric(t.Elem())
	case *types.Array:
		return parametric(t.Elem())
	case *types.Chan:
		return parametric(t.Elem())
	case *types.Map:
		return parametric(t.Key()) || parametric(t.Elem())
	case *types.Signature:
		for _, of := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range of.Variables() {
				if parametric(v.Type()) {
					return true
				}
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if parametric(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if parametric(m.Type()) {
				return true
			}
		}
	}
	return false
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

// refers reports whether other memory can be reached and written through a value of
// type t.
func refers(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range t.Variables() {
			if refers(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
