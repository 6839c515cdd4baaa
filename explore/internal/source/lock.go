// Package source examines the source of a lock: where its methods are declared, whether
// they keep the contract of protocols, and which of their loops carry nothing from one
// round to the next.
package source

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"example.org/doorway/mutex"
)

// Examine examines the source of a lock for breaches of the contract, where its methods are
// declared, and that of the locks that it is made of by fields of an interface type. It
// returns a [*Breach] for the first breach, and an [*UnexaminedError] if there is
// source that was not examined. Otherwise it returns the loops that carry nothing from one
// round to the next; of a lock that is made of others, none.
func Examine(lock mutex.Mutex) (loops []Loop, err error) {
	locks := locksWithin(reflect.ValueOf(lock))
	for _, l := range locks {
		if loops, err = examine(l); err != nil {
			return nil, err
		}
	}
	if len(locks) > 1 {
		return nil, nil
	}
	return loops, nil
}

// A Breach is where the source of a lock, or a run of it, breaks the contract of protocols.
type Breach struct {
	What string
	File string
	Line int
}

func (b *Breach) Error() string { return fmt.Sprintf("%s:%d: %s", b.File, b.Line, b.What) }

// An UnexaminedError means that the source of a lock was not examined.
type UnexaminedError struct {
	of  string // the type with its package
	why error
}

func (e *UnexaminedError) Unwrap() error { return e.why }

func (e *UnexaminedError) Error() string {
	return fmt.Sprintf("explore: the source of %s was not examined: %v: "+
		"run the check where its module is, with the go command in PATH, or set Config.Unexamined", e.of, e.why)
}

// locksWithin returns the lock v, and those that its fields, or elements or fields of
// these, hold by interfaces.
func locksWithin(v reflect.Value) []reflect.Value {
	all, seen := []reflect.Value{v}, map[any]bool{}
	var follow func(v reflect.Value)
	follow = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if v = v.Elem(); !v.IsValid() {
				return
			}
			if v.Type().Implements(reflect.TypeFor[mutex.Mutex]()) {
				all = append(all, v)
			}
			follow(v)
		case reflect.Pointer:
			if at := [2]any{v.Type(), v.Pointer()}; !v.IsNil() && !seen[at] {
				seen[at] = true
				follow(v.Elem())
			}
		case reflect.Struct:
			for k := range v.NumField() {
				follow(v.Field(k))
			}
		case reflect.Slice, reflect.Array:
			for k := range v.Len() {
				follow(v.Index(k))
			}
		case reflect.Map:
			for i := v.MapRange(); i.Next(); {
				follow(i.Value())
			}
		}
	}
	follow(v)
	return all
}

// examine examines the methods of one lock.
func examine(lock reflect.Value) (loops []Loop, err error) {
	byPackage := map[string][]Declaration{}
	var packages []string
	for _, method := range []string{"Lock", "Unlock", "TryLock", "LockContext"} {
		if _, ok := methodOf(lock.Type(), method); !ok {
			continue
		}
		d, ok := Declared(lock, method)
		if !ok {
			return nil, &UnexaminedError{lock.Type().String(), errors.New("no source declares its method " + method)}
		}
		if byPackage[d.path] == nil {
			packages = append(packages, d.path)
		}
		byPackage[d.path] = append(byPackage[d.path], d)
	}
	for _, path := range packages {
		found, err := examinePackage(byPackage[path])
		if err != nil {
			return nil, err
		}
		if len(packages) == 1 {
			loops = found
		}
	}
	return loops, nil
}

// A Loop loop carries nothing from one round to the next.
type Loop struct {
	Path        string // of its package
	File        string // its base name
	First, Last int    // its lines
}

// A Declaration is where a method is declared.
type Declaration struct {
	File     string // as the compiler recorded it
	Line     int
	path     string // of the package
	typeName string
	method   string
}

func (d Declaration) String() string { return d.path + "." + d.typeName }

// Declared returns the declaration of a method of v: that of its type, or of the type,
// embedded at the least depth, by which it is promoted.
func Declared(v reflect.Value, method string) (Declaration, bool) {
	for level := []reflect.Value{v}; len(level) > 0; {
		var next []reflect.Value
		for _, v := range level {
			v = pointed(v)
			if !v.IsValid() {
				continue
			}
			if d, ok := declaredBy(v.Type(), method); ok {
				return d, true
			}
			if v.Kind() == reflect.Struct {
				for k := range v.NumField() {
					if v.Type().Field(k).Anonymous {
						next = append(next, v.Field(k))
					}
				}
			}
		}
		level = next
	}
	return Declaration{}, false
}

// pointed follows pointers and interfaces. For a nil pointer there is a zero value.
func pointed(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return reflect.Zero(v.Type().Elem())
		}
		v = v.Elem()
	}
	return v
}

// declaredBy returns the declaration of a method of type t, or of a pointer to it. What
// the compiler makes of a promoted method has no file.
func declaredBy(t reflect.Type, method string) (Declaration, bool) {
	for _, of := range []reflect.Type{t, reflect.PointerTo(t)} {
		m, ok := methodOf(of, method)
		if !ok || of.Kind() == reflect.Interface {
			continue
		}
		if f := runtime.FuncForPC(m.Func.Pointer()); f != nil {
			if file, line := f.FileLine(f.Entry()); file != "<autogenerated>" {
				name, _, _ := strings.Cut(t.Name(), "[") // of a type that was instantiated
				return Declaration{file, line, t.PkgPath(), name, method}, true
			}
		}
	}
	return Declaration{}, false
}

// methodOf returns a method of t. Its name is a constant in each call of MethodByName:
// with a variable there, the linker would keep every exported method of every type.
func methodOf(t reflect.Type, method string) (reflect.Method, bool) {
	switch method {
	case "Lock":
		return t.MethodByName("Lock")
	case "Unlock":
		return t.MethodByName("Unlock")
	case "TryLock":
		return t.MethodByName("TryLock")
	case "LockContext":
		return t.MethodByName("LockContext")
	}
	panic("explore: no method " + method + " is examined")
}
