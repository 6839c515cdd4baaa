package messaging

import "reflect"

// recall copies the durable fields of a node that has crashed to a new one.
func recall(node, crashed Node) {
	to, from := reflect.ValueOf(innermost(node)), reflect.ValueOf(innermost(crashed))
	if to.Kind() == reflect.Pointer && to.Type() == from.Type() && to.Elem().Kind() == reflect.Struct {
		recallFields(to.Elem(), from.Elem())
	}
}

// innermost returns the node that n wraps, or n.
func innermost(n Node) Node {
	for {
		w, wraps := n.(interface{ Unwrap() Node })
		if !wraps {
			return n
		}
		n = w.Unwrap()
	}
}

// recallFields does so for the fields of a struct, including those of embedded structs.
func recallFields(to, from reflect.Value) {
	for k := range to.NumField() {
		switch f := to.Type().Field(k); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			recallFields(to.Field(k), from.Field(k))
		case f.IsExported() && f.Tag.Get("messaging") == "durable":
			to.Field(k).Set(from.Field(k))
		}
	}
}
