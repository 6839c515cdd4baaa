package explore

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"example.org/doorway/explore/internal/contract"
	"example.org/doorway/mutex"
)

// vet examines the source of a lock for breaches of the contract, where its methods are
// declared, and that of the locks that it is made of by fields of an interface type. It
// returns a [*LockError] for the first breach, and an [*unexaminedError] if there is
// source that was not examined. Otherwise it returns the loops that carry nothing from one
// round to the next; of a lock that is made of others, none.
func vet(lock mutex.Mutex) (loops []stateless, err error) {
	locks := locksWithin(reflect.ValueOf(lock))
	for _, l := range locks {
		if loops, err = vetLock(l); err != nil {
			return nil, err
		}
	}
	if len(locks) > 1 {
		return nil, nil
	}
	return loops, nil
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

// vetLock examines the methods of one lock.
func vetLock(lock reflect.Value) (loops []stateless, err error) {
	byPackage := map[string][]declaration{}
	var packages []string
	for _, method := range []string{"Lock", "Unlock", "TryLock", "LockContext"} {
		if _, ok := lock.Type().MethodByName(method); !ok {
			continue
		}
		d, ok := declared(lock, method)
		if !ok {
			return nil, &unexaminedError{lock.Type().String(), errors.New("no source declares its method " + method)}
		}
		if byPackage[d.path] == nil {
			packages = append(packages, d.path)
		}
		byPackage[d.path] = append(byPackage[d.path], d)
	}
	for _, path := range packages {
		found, err := vetPackage(byPackage[path])
		if err != nil {
			return nil, err
		}
		if len(packages) == 1 {
			for _, l := range found {
				loops = append(loops, stateless{path, l})
			}
		}
	}
	return loops, nil
}

// A stateless loop carries nothing from one round to the next.
type stateless struct {
	path string // of its package
	contract.Loop
}

// A vetting is a result of vetPackage.
type vetting struct {
	loops []contract.Loop
	err   error
}

// vetted has the results of vetPackage, by the methods.
var vetted sync.Map

// vetPackage examines methods of one package.
func vetPackage(methods []declaration) ([]contract.Loop, error) {
	file := methods[0].file
	var names []string
	for _, m := range methods {
		if strings.HasSuffix(m.file, "_test.go") {
			file = m.file // without it, test files do not belong to the package
		}
		names = append(names, m.typeName+"."+m.method)
	}
	key := file + " " + strings.Join(names, " ")
	if found, ok := vetted.Load(key); ok {
		v := found.(vetting)
		return v.loops, v.err
	}
	source, err := read(file, methods[0].path)
	if err != nil {
		return nil, &unexaminedError{methods[0].String(), err}
	}
	breaches, loops, err := source.Examine(names...)
	if err != nil {
		return nil, &unexaminedError{methods[0].String(), err}
	}
	found := vetting{loops: loops}
	if len(breaches) > 0 {
		b := breaches[0]
		found.err = &LockError{File: b.File, Line: b.Line, What: b.Func + ": " + b.What}
	}
	vetted.Store(key, found)
	return found.loops, found.err
}

// sources has the sources of packages, by their path and whether test files belong to it.
var sources sync.Map

// read returns the source of the package that contains file, which is read once.
func read(file, path string) (*contract.Source, error) {
	at, err := contract.Locate(file, path)
	if err != nil {
		return nil, err
	}
	key := [2]any{path, strings.HasSuffix(file, "_test.go")}
	if found, ok := sources.Load(key); ok && found.(*contract.Source).Has(at) {
		return found.(*contract.Source), nil
	}
	source, err := contract.Read(at)
	if err == nil {
		sources.Store(key, source)
	}
	return source, err
}

// A declaration is where a method is declared.
type declaration struct {
	file     string // as the compiler recorded it
	line     int
	path     string // of the package
	typeName string
	method   string
}

func (d declaration) String() string { return d.path + "." + d.typeName }

// declared returns the declaration of a method of v: that of its type, or of the type,
// embedded at the least depth, by which it is promoted.
func declared(v reflect.Value, method string) (declaration, bool) {
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
	return declaration{}, false
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
func declaredBy(t reflect.Type, method string) (declaration, bool) {
	for _, of := range []reflect.Type{t, reflect.PointerTo(t)} {
		m, ok := of.MethodByName(method)
		if !ok || of.Kind() == reflect.Interface {
			continue
		}
		if f := runtime.FuncForPC(m.Func.Pointer()); f != nil {
			if file, line := f.FileLine(f.Entry()); file != "<autogenerated>" {
				name, _, _ := strings.Cut(t.Name(), "[") // of a type that was instantiated
				return declaration{file, line, t.PkgPath(), name, method}, true
			}
		}
	}
	return declaration{}, false
}
