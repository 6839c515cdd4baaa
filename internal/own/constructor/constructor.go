// Package constructor tells what a constructor of one's own makes: locks, or nodes that pass messages.
package constructor

import (
	"fmt"
	"reflect"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/mutex"
)

// A Made is what a constructor makes, for n processes or nodes: one of Lock and Nodes is nil.
type Made struct {
	Name  string
	Lock  func(n int) mutex.Mutex
	Nodes func(n int) messaging.Algorithm
	By    reflect.Value // the constructor
}

var (
	lockType      = reflect.TypeFor[mutex.Mutex]()
	nodeType      = reflect.TypeFor[messaging.Node]()
	algorithmType = reflect.TypeFor[messaging.Algorithm]()
)

const signatures = "a constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where T is a lock; " +
	"of a protocol it is a func(messaging.Start) messaging.Node, or returns a messaging.Algorithm, for n nodes or any number"

// Of returns what a constructor makes. An error names the constructor, and says what constructors there are.
func Of(name string, constructor any) (Made, error) {
	m := Made{Name: name, By: reflect.ValueOf(constructor)}
	if !m.By.IsValid() || m.By.Kind() != reflect.Func || m.By.IsNil() {
		return m, fmt.Errorf("%s is a %T: %s", name, constructor, signatures)
	}
	t := m.By.Type()
	of, sized := sized(t)
	switch {
	case sized && of.ConvertibleTo(algorithmType):
		m.Nodes = func(n int) messaging.Algorithm { return call[messaging.Algorithm](m.By, n) }
	case sized && of.Implements(lockType):
		m.Lock = func(n int) mutex.Mutex { return call[mutex.Mutex](m.By, n) }
	case sized:
		return m, fmt.Errorf("%s returns a %v, which has no %s: %s", name, of, strings.Join(missing(of), ", "), signatures)
	case t.NumIn() == 1 && t.In(0) == reflect.TypeFor[messaging.Start]() && !t.IsVariadic() && t.NumOut() == 1 && t.Out(0).Implements(nodeType):
		m.Nodes = func(int) messaging.Algorithm {
			return func(s messaging.Start) messaging.Node { return call[messaging.Node](m.By, s) }
		}
	default:
		return m, fmt.Errorf("%s is a %v: %s", name, t, signatures)
	}
	return m, nil
}

// sized returns the result of a func(n int) T or a func() T.
func sized(t reflect.Type) (of reflect.Type, is bool) {
	if t.NumIn() > 1 || t.IsVariadic() || t.NumOut() != 1 || t.NumIn() == 1 && t.In(0) != reflect.TypeFor[int]() {
		return nil, false
	}
	return t.Out(0), true
}

// call returns what a function makes of an argument, if it takes one.
func call[T any](f reflect.Value, argument any) T {
	result := f.Call([]reflect.Value{reflect.ValueOf(argument)}[:f.Type().NumIn()])[0]
	made, _ := reflect.TypeAssert[T](result.Convert(reflect.TypeFor[T]()))
	return made
}

// missing returns the methods of a lock that a type does not have.
func missing(t reflect.Type) (all []string) {
	for _, m := range []struct {
		name string
		of   reflect.Type
	}{
		{"Lock(int)", reflect.TypeFor[interface{ Lock(i int) }]()},
		{"Processes() int", reflect.TypeFor[interface{ Processes() int }]()},
		{"Unlock(int)", reflect.TypeFor[interface{ Unlock(i int) }]()},
	} {
		if !t.Implements(m.of) {
			all = append(all, m.name)
		}
	}
	return all
}
