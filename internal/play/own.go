package play

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
)

// An own is an algorithm of one's own: of a lock, or of nodes.
type own struct {
	name  string
	lock  func(n int) mutex.Mutex
	nodes func(n int) messaging.Algorithm

	constructor reflect.Value // as it was given
}

var owns []own

const signatures = "a constructor is a func(n int) mutex.Mutex, a func(n int) *T or a func() *T, where T is a lock; " +
	"of a protocol it is a func(messaging.Start) messaging.Node, or returns a messaging.Algorithm, for n nodes or any number"

// Add adds an algorithm of one's own: a constructor of a lock, func(n int) mutex.Mutex or the like, or of a protocol.
func Add(name string, constructor any) error {
	if len(strings.Fields(name)) != 1 || strings.ContainsAny(name, ";#") {
		return fmt.Errorf("play: the name %q is not one word without ; and #", name)
	}
	if slices.ContainsFunc(List().Algorithms, func(a Algorithm) bool { return a.Name == name }) {
		return fmt.Errorf("play: there is an algorithm %s already", name)
	}
	c := reflect.ValueOf(constructor)
	o := own{name: name, constructor: c}
	if o.nodes = ofNodes(c); o.nodes == nil {
		if o.lock = ofLock(c); o.lock == nil {
			return fmt.Errorf("play: %s is a %T: %s", name, constructor, signatures)
		}
	}
	owns = append(owns, o)
	return nil
}

// ownOf returns the algorithm of one's own of that name, if there is one.
func ownOf(name string) (o own, is bool) {
	k := slices.IndexFunc(owns, func(o own) bool { return o.name == name })
	if k < 0 {
		return own{}, false
	}
	return owns[k], true
}

// sized returns what c returns and what calls it, if it is a func(n int) T or a func() T; otherwise nil.
func sized(c reflect.Value) (of reflect.Type, call func(n int) reflect.Value) {
	if !c.IsValid() || c.Kind() != reflect.Func || c.IsNil() {
		return nil, nil
	}
	t := c.Type()
	if t.NumIn() > 1 || t.IsVariadic() || t.NumOut() != 1 || t.NumIn() == 1 && t.In(0) != reflect.TypeFor[int]() {
		return nil, nil
	}
	return t.Out(0), func(n int) reflect.Value { return c.Call([]reflect.Value{reflect.ValueOf(n)}[:t.NumIn()])[0] }
}

// ofLock returns a constructor of locks for n processes, if c is one; otherwise nil.
func ofLock(c reflect.Value) func(n int) mutex.Mutex {
	of, call := sized(c)
	if call == nil || !of.Implements(reflect.TypeFor[mutex.Mutex]()) {
		return nil
	}
	return func(n int) mutex.Mutex {
		lock, _ := reflect.TypeAssert[mutex.Mutex](call(n))
		return lock
	}
}

// ofNodes returns a constructor of algorithms for n nodes, if c makes nodes or algorithms; otherwise nil.
func ofNodes(c reflect.Value) func(n int) messaging.Algorithm {
	algorithm := reflect.TypeFor[messaging.Algorithm]()
	if of, call := sized(c); call != nil && of.ConvertibleTo(algorithm) {
		return func(n int) messaging.Algorithm {
			a, _ := reflect.TypeAssert[messaging.Algorithm](call(n).Convert(algorithm))
			return a
		}
	}
	node, is := reflect.TypeFor[func(messaging.Start) messaging.Node](), false
	if c.IsValid() && c.Kind() == reflect.Func && !c.IsNil() {
		t := c.Type()
		is = t.NumIn() == 1 && t.In(0) == node.In(0) && !t.IsVariadic() && t.NumOut() == 1 && t.Out(0).Implements(node.Out(0))
	}
	if !is {
		return nil
	}
	return func(int) messaging.Algorithm {
		return func(s messaging.Start) messaging.Node {
			n, _ := reflect.TypeAssert[messaging.Node](c.Call([]reflect.Value{reflect.ValueOf(s)})[0])
			return n
		}
	}
}

// protocol returns the row of an algorithm of one's own for nodes, which claims nothing.
func (o own) protocol() catalog.Protocol {
	return catalog.Protocol{Entry: catalog.Entry{Name: o.name, Source: yours}, New: o.nodes}
}

const yours = "your own"

// algorithm makes it as a scenario says.
func (o own) algorithm(of sim.Setting) (a messaging.Algorithm, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panics: %v", o.name, r)
		}
	}()
	if o.nodes == nil {
		return nil, errors.New(o.name + " makes a lock, of processes: its text begins with processes, not nodes")
	}
	if of.Request != nil || of.Inform != nil || of.Sets != "" || of.Timeouts != 0 {
		return nil, errors.New(o.name + " takes no sets and no timeouts")
	}
	if a = o.nodes(of.Nodes); a == nil {
		return nil, errors.New(o.name + " returns nil")
	}
	return a, nil
}

// row returns it as it is listed.
func (o own) row() Algorithm {
	a := Algorithm{Name: o.name, Kind: "nodes", Group: yours, Source: yours, Least: 1, Most: mostNodes, Usual: 3, Text: "nodes %d; algorithm " + o.name}
	if o.lock != nil {
		a.Kind, a.Least, a.Most, a.Usual, a.Text = "lock", 1, mostProcesses, 2, "processes %d; lock "+o.name
	}
	return a
}
