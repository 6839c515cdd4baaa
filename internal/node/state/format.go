package state

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"example.org/doorway/internal/node/typename"
	"example.org/doorway/messaging"
)

// Format returns v, the state of a node or a message, in readable form:
//
//	Phase: waiting, Highest: 3, Mine: (3, S1), Replies: 2, Deferred: [0 4 0]
//	Request{Of: (3, S1)}
//
// An ID is formatted by name, or in decimal if name is nil. A negative ID, the zero
// Stamp and a nil pointer are formatted as none, a Set as {S1 S3}. A type other
// than a struct that has a String method is formatted by it.
func Format(v any, name func(messaging.ID) string) string {
	if name == nil {
		name = func(id messaging.ID) string { return strconv.Itoa(int(id)) }
	}
	p := printer{name: name}
	value := reflect.ValueOf(v)
	switch {
	case !value.IsValid():
		return "nil"
	case value.Kind() == reflect.Pointer && !value.IsNil() && value.Elem().Kind() == reflect.Struct:
		p.fields(value.Elem())
	default:
		p.top(value)
	}
	return p.String()
}

// top writes a value with the name of its type, if it is a struct: a message.
func (p *printer) top(v reflect.Value) {
	if v.Kind() == reflect.Struct && v.Type() != typeOfStamp {
		p.WriteString(typename.Kind(v.Type()))
	}
	p.value(v)
}

type printer struct {
	strings.Builder
	name func(messaging.ID) string
	deep int // how many values the next one is in
}

// deepest and longest limit what is written of a value that contains itself, or is long.
const deepest, longest = 50, 1 << 16

// full reports whether no more is written, and writes that there would be more.
func (p *printer) full() bool {
	full := p.Len() > longest
	if full {
		p.WriteString("…")
	}
	return full
}

var typeOfStamp = reflect.TypeFor[messaging.Stamp]()

// known writes v if its type has a special format, and reports whether it does.
func (p *printer) known(v any) bool {
	switch v := v.(type) {
	case messaging.ID:
		p.id(v)
	case messaging.Stamp:
		p.stamp(v)
	case messaging.Set:
		p.set(v)
	case fmt.Stringer:
		if k := reflect.TypeOf(v).Kind(); k == reflect.Struct || k == reflect.Pointer {
			return false // it may contain IDs to name
		}
		p.WriteString(v.String())
	default:
		return false
	}
	return true
}

func (p *printer) id(id messaging.ID) {
	if id < 0 {
		p.WriteString("none")
	} else {
		p.WriteString(p.name(id))
	}
}

func (p *printer) stamp(s messaging.Stamp) {
	if s.IsZero() {
		p.WriteString("none")
		return
	}
	fmt.Fprintf(&p.Builder, "(%d, ", s.Time)
	p.id(s.ID)
	p.WriteByte(')')
}

func (p *printer) set(s messaging.Set) {
	p.WriteByte('{')
	between := ""
	for id := range s.All() {
		if p.WriteString(between); p.full() {
			break
		}
		p.id(id)
		between = " "
	}
	p.WriteByte('}')
}

func (p *printer) value(v reflect.Value) {
	if p.deep > deepest {
		p.WriteString("…")
		return
	}
	if p.full() {
		return
	}
	p.deep++
	defer func() { p.deep-- }()
	if v.CanInterface() && p.known(v.Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		p.WriteByte('{')
		p.fields(v)
		p.WriteByte('}')
	case reflect.Slice, reflect.Array:
		p.elements(v)
	case reflect.Pointer:
		if v.IsNil() {
			p.WriteString("none")
		} else {
			p.value(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			p.WriteString("none")
		} else {
			p.top(v.Elem())
		}
	case reflect.String:
		text := v.String()
		p.WriteString(strconv.Quote(text[:min(len(text), longest)]))
		if len(text) > longest {
			p.WriteString("…")
		}
	default:
		fmt.Fprint(&p.Builder, v)
	}
}

// fields writes the exported fields of a struct, including those of embedded
// structs.
func (p *printer) fields(v reflect.Value) {
	between := ""
	exported(v, func(name string, f reflect.Value) {
		p.WriteString(between + name + ": ")
		p.value(f)
		between = ", "
	})
}

// exported yields the exported fields of v, including those of embedded structs.
func exported(v reflect.Value, yield func(name string, f reflect.Value)) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type != typeOfStamp:
			exported(v.Field(i), yield)
		case f.IsExported():
			yield(f.Name, v.Field(i))
		}
	}
}

func (p *printer) elements(v reflect.Value) {
	p.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			p.WriteByte(' ')
		}
		if p.full() {
			break
		}
		p.value(v.Index(i))
	}
	p.WriteByte(']')
}

// Fields returns the exported fields of v, a struct or a pointer to one, including those
// of embedded structs. Their values are formatted as by Format.
func Fields(v any, name func(messaging.ID) string) (all []struct{ Name, Value string }) {
	value := reflect.Indirect(reflect.ValueOf(v))
	if value.Kind() != reflect.Struct {
		return nil
	}
	exported(value, func(field string, f reflect.Value) {
		p := printer{name: name}
		p.value(f)
		all = append(all, struct{ Name, Value string }{field, p.String()})
	})
	return all
}
