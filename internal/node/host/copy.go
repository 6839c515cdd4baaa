package host

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/doorway/messaging"
)

// Copied returns m as a network would deliver it: a copy that shares no memory with m, in
// which an empty slice is nil, no slice has spare capacity, and a [messaging.Set] ends with its largest
// member. What is not plain data remains as it is.
func Copied(m any) any {
	if !loose(m) {
		return m
	}
	t := reflect.TypeOf(m)
	v := reflect.New(t).Elem()
	formOf(t).detach(v, reflect.ValueOf(m))
	return v.Interface()
}

// loose reports whether m is plain data that refers to memory.
func loose(m any) bool {
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() == reflect.Pointer {
		return false
	}
	f := formOf(t)
	switch {
	case f == nil:
		return false
	case f.carries:
		return loose(reflect.ValueOf(m).Field(f.fields[0].index).Interface())
	}
	return f.loose(reflect.ValueOf(m))
}

// A form is a type of plain data that refers to memory.
type form struct {
	element *form   // of a slice, an array or a pointer; nil: it refers to none
	fields  []field // of a struct, the exported ones that refer to memory
	carries bool    // of a struct: that is one, a message, as in a frame of a link
}

type field struct {
	index int
	*form
}

// loose reports whether v refers to memory.
func (f *form) loose(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface:
		return loose(v.Interface())
	case reflect.Array:
		for i := range v.Len() {
			if f.element.loose(v.Index(i)) {
				return true
			}
		}
		return false
	case reflect.Struct:
		for _, part := range f.fields {
			if part.loose(v.Field(part.index)) {
				return true
			}
		}
		return false
	}
	return !v.IsNil()
}

// detach sets v to a copy of src that shares no memory with it.
func (f *form) detach(v, src reflect.Value) {
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
		if f.element != nil {
			for i := range n {
				f.element.detach(v.Index(i), src.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.element.detach(v.Index(i), src.Index(i))
		}
	case reflect.Struct:
		v.Set(src)
		for _, part := range f.fields {
			part.detach(v.Field(part.index), src.Field(part.index))
		}
	case reflect.Pointer:
		v.Set(src)
		if !src.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(src.Elem())
			if f.element != nil {
				f.element.detach(own.Elem(), src.Elem())
			}
			v.Set(own)
		}
	case reflect.Interface:
		v.Set(src)
		if !src.IsNil() {
			v.Set(reflect.ValueOf(Copied(src.Interface())))
		}
	}
}

var typeOfSet = reflect.TypeFor[messaging.Set]()

// forms has, by type, its form.
var forms sync.Map

// recent has those of most types by address, where they are found in less time. No other type gets the address of one
// in forms.
var recent [256]atomic.Pointer[known]

type known struct {
	address uintptr
	form    *form
}

// formOf returns the form of a type; nil: its values are no plain data, or refer to no memory.
func formOf(t reflect.Type) *form {
	address := reflect.ValueOf(t).Pointer()
	slot := &recent[address>>5%uintptr(len(recent))]
	k := slot.Load()
	if k != nil && k.address == address {
		return k.form
	}
	f := seek(t)
	if k == nil {
		slot.Store(&known{address, f})
	}
	return f
}

// seek returns the form of a type from those of all, or makes it.
func seek(t reflect.Type) *form {
	if known, ok := forms.Load(t); ok {
		return known.(*form)
	}
	var f *form
	if refers, plain := reference(t, nil); refers && plain {
		f = &form{}
		switch t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Pointer:
			f.element = formOf(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if inner := formOf(t.Field(i).Type); inner != nil && t.Field(i).IsExported() {
					f.fields = append(f.fields, field{i, inner})
				}
			}
		}
	}
	if f != nil && len(f.fields) == 1 {
		f.carries = t.Field(f.fields[0].index).Type == typeOfMessage
	}
	forms.Store(t, f)
	return f
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

var typeOfMessage = reflect.TypeFor[messaging.Message]()
