package explore

import (
	"fmt"
	"reflect"
	"unsafe"

	"example.org/doorway/internal/seam"
	"example.org/doorway/register"
)

// name names the registers of the lock after the fields that they are in, as
// number[2] or node[1].turn; one that is in no field is register[k].
func (x *extraction) name() {
	found := x.fields()
	for k := range x.vars {
		v := &x.vars[k]
		if v.name = found[unsafe.Pointer(v.word)]; v.name == "" {
			v.name = fmt.Sprintf("register[%d]", k)
		}
	}
}

// fields returns the names of the registers in the fields of the lock.
func (x *extraction) fields() map[unsafe.Pointer]string {
	found := map[unsafe.Pointer]string{}
	walk(reflect.ValueOf(&x.lock).Elem(), "", 0, func(at unsafe.Pointer, name string) {
		if _, ok := found[at]; !ok {
			found[at] = name
		}
	})
	return found
}

// nameOf returns the name of w.
func (x *extraction) nameOf(w *seam.Number) string {
	x.name()
	return x.vars[x.of[w]].name
}

var (
	wordType      = reflect.TypeFor[register.Word]()
	gateType      = reflect.TypeFor[register.Gate]()
	relayType     = reflect.TypeFor[register.Relay]()
	processesType = reflect.TypeFor[register.Processes]()
)

// maxDepth is how deep walk follows pointers and fields.
const maxDepth = 12

// walk calls found with the address and the name of every register in v.
func walk(v reflect.Value, name string, depth int, found func(unsafe.Pointer, string)) {
	if depth > maxDepth || !v.IsValid() {
		return
	}
	switch v.Type() {
	case wordType, gateType, relayType:
		if v.CanAddr() {
			found(v.Addr().UnsafePointer(), name)
		}
		return
	case processesType:
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), name, depth+1, found)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			f := v.Type().Field(k)
			inner := f.Name
			if f.Anonymous || f.Type.Kind() == reflect.Interface {
				inner = name
			} else if name != "" {
				inner = name + "." + f.Name
			}
			walk(v.Field(k), inner, depth+1, found)
		}
	case reflect.Slice, reflect.Array:
		for k := range v.Len() {
			walk(v.Index(k), fmt.Sprintf("%s[%d]", name, k), depth+1, found)
		}
	}
}
