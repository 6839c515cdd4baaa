package nodes

import "reflect"

// A span is memory that a value refers to, from an address to before another.
type span struct{ from, to uintptr }

func (s span) overlaps(t span) bool { return s.from < t.to && t.from < s.to }

type spans []span

func (ss *spans) add(at, size uintptr) {
	if size > 0 {
		*ss = append(*ss, span{at, at + size})
	}
}

// reach adds the memory that plain data refers to; of a node, its exported fields.
func (ss *spans) reach(v reflect.Value) {
	within(nil, v, func(_ []string, v reflect.Value) bool {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				ss.add(v.Pointer(), v.Type().Elem().Size())
			}
		case reflect.Slice:
			ss.add(v.Pointer(), uintptr(v.Cap())*v.Type().Elem().Size())
			return refers(v.Type().Elem())
		case reflect.Array:
			return refers(v.Type().Elem())
		}
		return true
	})
}

// refers reports whether values of a type may refer to memory.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Array, reflect.Struct:
		return true
	}
	return false
}
