package host

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

// recall copies the durable fields of a node that has crashed to a new one.
func recall(node, crashed messaging.Node) {
	to, from := reflect.ValueOf(layer.Innermost(node)), reflect.ValueOf(layer.Innermost(crashed))
	if to.Kind() == reflect.Pointer && to.Type() == from.Type() && to.Elem().Kind() == reflect.Struct {
		recallFields(to.Elem(), from.Elem())
	}
}

// recallFields does so for the fields of a struct, including those of structs and nodes in it.
func recallFields(to, from reflect.Value) {
	for k := range to.NumField() {
		switch f := to.Type().Field(k); {
		case durable(f):
			to.Field(k).Set(from.Field(k))
		case f.Type == typeOfNode && f.IsExported() && !to.Field(k).IsNil() && !from.Field(k).IsNil():
			part := to.Field(k).Interface().(messaging.Node)
			checkDurable(part)
			recall(part, from.Field(k).Interface().(messaging.Node))
		case f.Type.Kind() == reflect.Struct && (f.IsExported() || f.Anonymous):
			recallFields(to.Field(k), from.Field(k))
		}
	}
}

var typeOfNode = reflect.TypeFor[messaging.Node]()

// durable reports whether a field is declared as durable.
func durable(f reflect.StructField) bool { return f.Tag.Get("messaging") == "durable" }

// checked are the types of nodes that have passed checkDurable.
var checked sync.Map

// checkDurable panics if a field of the node is declared as durable that would be
// forgotten: one that is not exported, behind a pointer, or in a slice, an array or a map.
func checkDurable(n messaging.Node) {
	t := reflect.TypeOf(layer.Innermost(n))
	if _, known := checked.Load(t); known || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return
	}
	checkFields(t, t.Elem(), true, map[reflect.Type]bool{})
	checked.Store(t, nil)
}

// checkFields does so for the fields of a struct in a node; if it is not reached, those
// that are durable are not recalled. Beyond has the types that are looked into without being reached.
func checkFields(node, t reflect.Type, reached bool, beyond map[reflect.Type]bool) {
	if !reached && beyond[t] {
		return
	}
	beyond[t] = beyond[t] || !reached
	for k := range t.NumField() {
		f := t.Field(k)
		element := f.Type
		for !durable(f) && !beyond[element] && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map}, element.Kind()) {
			beyond[element] = true
			element = element.Elem()
		}
		switch {
		case durable(f) && (!reached || !f.IsExported()):
			panic(fmt.Sprintf("messaging: a %v declares %s as durable, but it would be forgotten: such a field is exported, and not behind a pointer or in a slice, an array or a map",
				node, f.Name))
		case durable(f): // with all that is in it
		case element.Kind() == reflect.Struct:
			checkFields(node, element, reached && element == f.Type && (f.IsExported() || f.Anonymous), beyond)
		}
	}
}
