package state

import (
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// Within calls f with v, and with all that is within it: plain data, or the exported fields of
// a node. The path has the names of fields, and [2] for an element. If f returns false, it goes
// no deeper there.
func Within(path []string, v reflect.Value, f func(path []string, v reflect.Value) bool) {
	walk(path, v, false, f)
}

// walk is Within, and of slices with what is behind their length, if whole is set.
func walk(path []string, v reflect.Value, whole bool, f func(path []string, v reflect.Value) bool) {
	if !f(path, v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(path, v.Elem(), whole, f)
		}
	case reflect.Slice, reflect.Array:
		if whole && v.Kind() == reflect.Slice {
			v = v.Slice(0, v.Cap())
		}
		for i := range v.Len() {
			walk(append(path, "["+strconv.Itoa(i)+"]"), v.Index(i), whole, f)
		}
	case reflect.Struct:
		for i, field := range fieldsOf(v.Type()) {
			switch {
			case field.Anonymous && field.Type.Kind() == reflect.Struct:
				walk(path, v.Field(i), whole, f)
			case field.IsExported():
				walk(append(path, field.Name), v.Field(i), whole, f)
			}
		}
	}
}

// Bytes returns how much memory a value and what is within it take; where two refer to the same, that counts twice.
func Bytes(v any) int64 {
	n := 0
	Within(nil, reflect.ValueOf(&v), func(_ []string, v reflect.Value) bool {
		switch v.Kind() {
		case reflect.String:
			n += v.Len()
		case reflect.Slice:
			n += v.Cap() * int(v.Type().Elem().Size())
			return v.Type().Elem().Kind() > reflect.Complex128 // numbers have nothing within
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				n += int(v.Elem().Type().Size())
			}
		}
		return true
	})
	return int64(n)
}

// refers reports whether values of a type of plain data may refer to memory.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		return slices.ContainsFunc(fieldsOf(t), func(f *reflect.StructField) bool { return refers(f.Type) })
	}
	return false
}

var fields sync.Map // of types, which reflect makes anew each time

// fieldsOf returns the fields of a struct.
func fieldsOf(t reflect.Type) []*reflect.StructField {
	if known, ok := fields.Load(t); ok {
		return known.([]*reflect.StructField)
	}
	all := make([]*reflect.StructField, t.NumField())
	for i := range all {
		f := t.Field(i)
		all[i] = &f
	}
	fields.Store(t, all)
	return all
}
