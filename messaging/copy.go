package messaging

import (
	"reflect"
	"slices"
	"sync"
)

// copied returns m as a network would deliver it: a copy that shares no memory with m, in
// which an empty slice is nil, no slice has spare capacity, and a [Set] ends with its largest
// member. What is not plain data remains as it is.
func copied(m any) any {
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() == reflect.Pointer || !refers(t) || !loose(reflect.ValueOf(m)) {
		return m
	}
	v := reflect.New(t).Elem()
	detach(v, reflect.ValueOf(m))
	return v.Interface()
}

// loose reports whether v refers to memory.
func loose(v reflect.Value) bool {
	if !refers(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && v.Elem().Kind() != reflect.Pointer && loose(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if loose(v.Index(i)) {
				return true
			}
		}
		return false
	case reflect.Struct:
		for i := range v.NumField() {
			if loose(v.Field(i)) {
				return true
			}
		}
		return false
	}
	return !v.IsNil()
}

// detach sets v to a copy of src that shares no memory with it.
func detach(v, src reflect.Value) {
	if !refers(v.Type()) {
		v.Set(src)
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		n := src.Len()
		for v.Type() == typeOfSet && n > 0 && src.Index(n-1).Uint() == 0 {
			n--
		}
		v.SetZero()
		if n == 0 {
			return
		}
		v.Grow(n)
		v.SetLen(n)
		v.SetCap(n)
		reflect.Copy(v, src)
		if refers(v.Type().Elem()) {
			for i := range n {
				detach(v.Index(i), src.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			detach(v.Index(i), src.Index(i))
		}
	case reflect.Struct:
		v.Set(src)
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && refers(f.Type()) {
				detach(f, src.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(src)
		if !src.IsNil() {
			own := reflect.New(v.Type().Elem())
			detach(own.Elem(), src.Elem())
			v.Set(own)
		}
	case reflect.Interface:
		v.Set(src)
		if !src.IsNil() {
			v.Set(reflect.ValueOf(copied(src.Interface())))
		}
	}
}

var typeOfSet = reflect.TypeFor[Set]()

// referring has, by type, whether its values are plain data that refer to memory.
var referring sync.Map

// refers reports whether values of t are plain data that refers to memory.
func refers(t reflect.Type) bool {
	if known, ok := referring.Load(t); ok {
		return known.(bool)
	}
	r, plain := reference(t, nil)
	referring.Store(t, r && plain)
	return r && plain
}

// reference reports whether values of t refer to memory, and whether they are plain data; within
// holds the enclosing types.
func reference(t reflect.Type, within []reflect.Type) (refers, plain bool) {
	if slices.Contains(within, t) {
		return true, false
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return true, false
	case reflect.Interface:
		return true, t == typeOfMessage
	case reflect.Pointer:
		if t.Elem().Kind() != reflect.Struct {
			return true, false
		}
		_, plain = reference(t.Elem(), within)
		return true, plain
	case reflect.Slice:
		_, plain = reference(t.Elem(), within)
		return true, plain
	case reflect.Array:
		return reference(t.Elem(), within)
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			r, p := reference(t.Field(i).Type, within)
			refers, plain = refers || r, plain && p
		}
		return refers, plain
	}
	return false, true
}

var typeOfMessage = reflect.TypeFor[Message]()
