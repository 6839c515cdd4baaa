package state

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/messaging"
)

// A Constant is a field of a node that must not change, with a description of its value.
type Constant struct {
	Name, Value string
	Inner       bool     // its value is the type of a node within the node
	memory      []region // to which it refers
}

// Equals reports whether a constant has its value still.
func (c Constant) Equals(other Constant) bool {
	return c.Name == other.Name && c.Value == other.Value && c.Inner == other.Inner
}

// Constants returns the unexported fields of a node and of the nodes within it, and their types;
// of a [Remaker] only its own, since it makes others anew.
func Constants(node messaging.Node) []Constant { return unexported(nil, reflect.ValueOf(node).Elem()) }

func unexported(all []Constant, v reflect.Value) []Constant {
	remakes := reflect.PointerTo(v.Type()).Implements(typeOfRemaker)
	for i, f := range fieldsOf(v.Type()) {
		switch value := v.Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = unexported(all, value)
		case !f.IsExported():
			d := description{seen: map[memory]int{}}
			d.value(value)
			all = append(all, Constant{f.Name, d.String(), false, d.memory})
		case f.Type == typeOfNode && !remakes && value.IsNil():
			all = append(all, Constant{f.Name, "nil", true, nil})
		case f.Type == typeOfNode && !remakes:
			all = append(all, Constant{f.Name, "a " + value.Elem().Type().String(), true, nil})
			all = unexported(all, value.Elem().Elem())
		}
	}
	return all
}

// A description says the values of a field that must not change, and of all memory that it
// refers to: slices, maps, pointers and interfaces, but not what a function has captured.
// Addresses are not part of it, so fields of two nodes with the same start are alike.
type description struct {
	strings.Builder
	seen   map[memory]int // by memory, the number in the order of visiting
	memory []region
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

// refers notes memory of n elements.
func (d *description) refers(at uintptr, n int, elem reflect.Type) {
	d.memory = append(d.memory, region{from: at, to: at + uintptr(n)*elem.Size()})
}

func (d *description) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			d.WriteString("nil")
			return
		}
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Size() == 0 {
			fmt.Fprintf(&d.Builder, "[%d]", v.Len())
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !d.known(v.Pointer(), v.Type()) {
			d.refers(v.Pointer(), 1, v.Type().Elem())
			d.WriteByte('&')
			d.value(v.Elem())
		}
	case reflect.Interface:
		fmt.Fprintf(&d.Builder, "%v ", v.Elem().Type())
		d.value(v.Elem())
	case reflect.Struct:
		d.list("{", v.NumField(), "}", func(i int) {
			d.WriteString(fieldsOf(v.Type())[i].Name + ":")
			d.value(v.Field(i))
		})
	case reflect.Slice:
		if v.Cap() > 0 && d.known(v.Pointer(), v.Type()) {
			fmt.Fprintf(&d.Builder, "[:%d]", v.Len())
			return
		}
		d.refers(v.Pointer(), v.Cap(), v.Type().Elem())
		d.list("[", v.Len(), "]", func(i int) { d.value(v.Index(i)) })
		if spare := v.Cap() - v.Len(); spare > 0 {
			all := v.Slice(0, v.Cap())
			d.list("+[", spare, "]", func(i int) { d.value(all.Index(v.Len() + i)) })
		}
	case reflect.Array:
		d.list("[", v.Len(), "]", func(i int) { d.value(v.Index(i)) })
	case reflect.Map:
		if v.IsNil() || !d.known(v.Pointer(), v.Type()) {
			d.entries(v)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		d.WriteString(v.Type().String())
	case reflect.String:
		d.WriteString(strconv.Quote(v.String()))
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

// entries describes a map, in the order of the descriptions of its entries.
func (d *description) entries(v reflect.Value) {
	var all []string
	for it := v.MapRange(); it.Next(); {
		entry := description{seen: maps.Clone(d.seen)}
		entry.value(it.Key())
		entry.WriteByte(':')
		entry.value(it.Value())
		d.memory = append(d.memory, entry.memory...)
		all = append(all, entry.String())
	}
	slices.Sort(all)
	d.list("map[", len(all), "]", func(i int) { d.WriteString(all[i]) })
}
