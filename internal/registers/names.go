// Package registers inspects the registers of a lock from outside: the names of
// their fields, and the accesses of an entry and exit.
package registers

import (
	"fmt"
	"reflect"
	"unsafe"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// Names returns the registers of a lock by address, each with the name of its
// field, such as number[2] or node[1].turn.
func Names(lock mutex.Mutex) map[unsafe.Pointer]string {
	found := map[unsafe.Pointer]string{}
	walk(reflect.ValueOf(lock), "", 0, func(at unsafe.Pointer, name string) {
		if _, ok := found[at]; !ok {
			found[at] = name
		}
	})
	return found
}

var (
	wordType      = reflect.TypeFor[register.Word]()
	gateType      = reflect.TypeFor[register.Gate]()
	relayType     = reflect.TypeFor[register.Relay]()
	localType     = reflect.TypeFor[register.Local]()
	bareType      = reflect.TypeFor[register.Bare]()
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
	case wordType, gateType, relayType, localType, bareType:
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
