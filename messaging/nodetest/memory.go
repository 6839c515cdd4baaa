package nodetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// A field is a field of a node that must not change, with a description of its value.
type field struct {
	name, value string
	inner       bool // its value is the type of a node within the node
}

// stillFixed panics if an unexported field has changed.
func (n *watched) stillFixed(handler string) {
	for k, f := range fixed(n.Node) {
		if f == n.initial[k] {
			continue
		}
		if f.inner {
			history.Fail(history.State, "%s of node %d was a %s, but is a %s after %s: a node within a node keeps its type", f.name, n.start.Self, n.initial[k].value, f.value, handler)
		}
		history.Fail(history.Fixed, "%s of node %d was %s, but is %s after %s", f.name, n.start.Self, n.initial[k].value, f.value, handler)
	}
}

// fixed returns the unexported fields of a node and of the nodes within it, and their types; of a
// [state.Remaker] only its own, since it makes others anew.
func fixed(node messaging.Node) []field { return unexported(nil, reflect.ValueOf(node).Elem()) }

func unexported(all []field, v reflect.Value) []field {
	remakes := reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[state.Remaker]())
	for i := range v.NumField() {
		switch f, value := v.Type().Field(i), v.Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = unexported(all, value)
		case !f.IsExported():
			all = append(all, field{name: f.Name, value: constant(value)})
		case f.Type == reflect.TypeFor[messaging.Node]() && !value.IsNil() && !remakes:
			all = append(all, field{f.Name, value.Elem().Type().String(), true})
			all = unexported(all, value.Elem().Elem())
		}
	}
	return all
}

// constant describes the values of a field that must not change, and of all memory that it
// refers to: slices, maps, pointers and interfaces, but not what a function has captured.
// Addresses are not part of it, so fields of two nodes with the same start are alike.
func constant(v reflect.Value) string {
	d := description{seen: map[memory]int{}}
	d.value(v)
	return d.String()
}

// A description is built by constant.
type description struct {
	strings.Builder
	seen map[memory]int // by memory, the number in the order of visiting
}

type memory struct {
	at uintptr
	t  reflect.Type
}

// known reports whether the memory at an address is described already, and refers to it.
func (d *description) known(at uintptr, t reflect.Type) bool {
	k, known := d.seen[memory{at, t}]
	if known {
		fmt.Fprintf(&d.Builder, "&%d", k)
		return true
	}
	d.seen[memory{at, t}] = len(d.seen)
	return false
}

func (d *description) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			d.WriteString("nil")
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !d.known(v.Pointer(), v.Type()) {
			d.WriteByte('&')
			d.value(v.Elem())
		}
	case reflect.Interface:
		fmt.Fprintf(&d.Builder, "%v ", v.Elem().Type())
		d.value(v.Elem())
	case reflect.Struct:
		d.list("{", v.NumField(), "}", func(i int) {
			fmt.Fprintf(&d.Builder, "%s:", v.Type().Field(i).Name)
			d.value(v.Field(i))
		})
	case reflect.Slice:
		if v.Len() > 0 && d.known(v.Pointer(), v.Type()) {
			fmt.Fprintf(&d.Builder, "[:%d]", v.Len())
			return
		}
		d.list("[", v.Len(), "]", func(i int) { d.value(v.Index(i)) })
	case reflect.Array:
		d.list("[", v.Len(), "]", func(i int) { d.value(v.Index(i)) })
	case reflect.Map:
		if v.IsNil() || !d.known(v.Pointer(), v.Type()) {
			d.entries(v)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		d.WriteString(v.Type().String())
	default:
		fmt.Fprint(&d.Builder, v)
	}
}

func (d *description) list(begin string, n int, end string, element func(i int)) {
	d.WriteString(begin)
	for i := range n {
		if i > 0 {
			d.WriteByte(' ')
		}
		element(i)
	}
	d.WriteString(end)
}

// entries describes a map, in the order of the descriptions of its keys.
func (d *description) entries(v reflect.Value) {
	values := map[string]reflect.Value{}
	for it := v.MapRange(); it.Next(); {
		values[constant(it.Key())] = it.Value()
	}
	keys := slices.Sorted(maps.Keys(values))
	d.list("map[", len(keys), "]", func(i int) {
		d.WriteString(keys[i] + ":")
		d.value(values[keys[i]])
	})
}
