package state

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"example.org/doorway/internal/node/typename"
	"example.org/doorway/messaging"
)

// nested encodes a field of type [messaging.Node]: a node that is part of another, and
// of the same type as long as the other lives. So its type is not encoded: it is
// restored in a copy of the node that is there.
type nested struct{ short }

func (nested) encode(dst []byte, v reflect.Value, f mapping) []byte {
	if v.IsNil() {
		return append(dst, 0)
	}
	p, node := planOf(v.Interface())
	return p.encode(append(dst, 1), node, f)
}

func (nested) decode(data []byte, v reflect.Value) ([]byte, error) {
	there, rest, err := bit(data)
	switch {
	case err != nil || !there && v.IsNil():
		return rest, err
	case !there:
		return nil, fmt.Errorf("no node, but there is a %v", v.Elem().Type())
	case v.IsNil():
		return nil, errors.New("a node, but there is none to restore")
	}
	p, before := planOf(v.Interface())
	after := reflect.New(before.Type())
	after.Elem().Set(before) // for unexported fields
	rest, err = p.decode(rest, after.Elem())
	v.Set(after)
	return rest, err
}

// A Remaker is a node in which others are part for a while only, or with other starts from time
// to time. Remake makes them anew, or sets them to nil, as the fields before the first of type
// [messaging.Node] say; so these fields are restored before.
type Remaker interface {
	messaging.Node
	Remake()
}

var typeOfRemaker = reflect.TypeFor[Remaker]()

// remade is the record of a [Remaker].
type remade struct{ record }

func (r remade) decode(data []byte, v reflect.Value) ([]byte, error) {
	k := max(0, slices.IndexFunc(r.record, func(f field) bool { _, is := f.plan.(nested); return is }))
	rest, err := r.record[:k].decode(data, v)
	if err != nil {
		return nil, err
	}
	v.Addr().Interface().(Remaker).Remake()
	return r.record[k:].decode(rest, v)
}

// enclosed encodes a field of type [messaging.Message]: a message in another, preceded by
// the name of its kind. Of types that have one name, such as those declared in functions, the
// names of all but the first that is encoded end in a number.
type enclosed struct{ short }

// kinds are the types of messages that were enclosed, by name: those of package path and
// type.
var kinds sync.Map

func (enclosed) encode(dst []byte, v reflect.Value, f mapping) []byte {
	if v.IsNil() {
		return text{}.encode(dst, reflect.ValueOf(""), nil)
	}
	p, m := planOf(v.Interface())
	of := m.Type().PkgPath() + "." + typename.Kind(m.Type())
	name := of
	for k := 2; ; k++ {
		if before, known := kinds.LoadOrStore(name, m.Type()); !known || before == m.Type() {
			break
		}
		name = fmt.Sprint(of, " ", k)
	}
	return p.encode(text{}.encode(dst, reflect.ValueOf(name), nil), m, f)
}

func (enclosed) decode(data []byte, v reflect.Value) ([]byte, error) {
	v.SetZero()
	var name string
	rest, err := text{}.decode(data, reflect.ValueOf(&name).Elem())
	if err != nil || name == "" {
		return rest, err
	}
	kind, known := kinds.Load(name)
	if !known {
		return nil, fmt.Errorf("a message of the unknown kind %q", name)
	}
	m := reflect.New(kind.(reflect.Type)).Elem()
	rest, err = compiled(m.Type()).plan.decode(rest, m)
	v.Set(m)
	return rest, err
}
