// Package state copies, compares, encodes, restores and prints the states of
// nodes, and encodes messages, so that no algorithm has code for it.
//
//	saved := state.Append(nil, node)
//	node.Request(out)
//	err := state.Restore(node, saved) // as if it had not asked
//
// The state of a node, which is a pointer to a struct, is in its exported fields;
// an unexported field is fixed when the node is made, and is left alone. Of an
// embedded struct the same is true. All fields of a message, and of a struct
// within a state, are exported.
//
// # Types
//
// State is plain data: booleans, integers, strings, and arrays, slices and structs
// of them, and pointers to structs, none of which contains itself. There is no
// place for maps, whose order is chance; for functions, channels and interfaces,
// of which nobody can tell what they hold; nor for floating-point numbers, which
// machines round differently. [Check] names what is out of place; the other
// functions panic. What is found of a type is remembered.
//
// # Encoding
//
// It is canonical: of two states, the encodings are equal exactly if the states
// are. A slice that is nil equals one that is empty, and a [messaging.Set] one
// that has had larger members. Two pointers are equal if what they point to is, so
// a state that points to one thing twice is restored with two things.
//
// An integer takes as few bytes as it needs (the varint of encoding/binary), a
// string, slice or set is preceded by its length, a pointer by 0 if it is nil and
// else 1, and there is nothing between the fields. What Append does not write,
// Restore does not accept. The encoding has no names and no types: who reads it
// knows of what it is, and it is for the same version of the algorithm.
package state

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"example.org/doorway/messaging"
)

// Append appends the encoding of v, the state of a node or a message, to dst.
func Append(dst []byte, v any) []byte {
	p, value := of(v)
	return p.encode(dst, value, nil)
}

// AppendMapped is Append of v with f(t) in the place of every t of type
// [messaging.Time] or [messaging.Clock] in it, 0 too. Restored from that, a node has
// other readings of its clocks: as many checkers want that would otherwise see a new
// state whenever a clock advances. If f keeps the order of times, what was sorted by them stays so.
func AppendMapped(dst []byte, v any, f func(messaging.Time) messaging.Time) []byte {
	p, value := of(v)
	return p.encode(dst, value, f)
}

// Times calls f with every [messaging.Time] and [messaging.Clock] in v, the state of
// a node or a message, in the order of the encoding.
func Times(v any, f func(messaging.Time)) {
	scratch(func(buf []byte) []byte {
		return AppendMapped(buf, v, func(t messaging.Time) messaging.Time { f(t); return t })
	})
}

// Restore gives node the state that data is the encoding of. The node is made for
// the same start as that which was encoded, or at least of the same type: data do
// not tell. None of the memory of its former state is written to, for messages may
// share it. If Restore returns an error, data are no encoding, and the node is as
// it was. How much memory it takes is bounded by a small multiple of len(data),
// whatever they are.
func Restore(node any, data []byte) error {
	p, value := ofNode(node)
	restored := reflect.New(value.Type()).Elem()
	restored.Set(value) // for what is unexported
	if err := whole(p, data, restored); err != nil {
		return fmt.Errorf("state: these are no data of a %v: %w", value.Type(), err)
	}
	value.Set(restored)
	return nil
}

// Copy gives dst the state of src, a node of the same type. They share no memory
// afterwards, unless they did in what is unexported. It panics if the types differ.
func Copy(dst, src any) {
	if reflect.TypeOf(dst) != reflect.TypeOf(src) {
		panic(fmt.Sprintf("state: a %T cannot have the state of a %T", dst, src))
	}
	scratch(func(buf []byte) []byte {
		buf = Append(buf, src)
		if err := Restore(dst, buf); err != nil {
			panic(fmt.Sprintf("state: what was just encoded cannot be restored: %v", err))
		}
		return buf
	})
}

// Clone returns a new node in the state of node. They share what is unexported,
// and nothing else.
func Clone[N any](node N) N {
	_, value := ofNode(node)
	twin := reflect.New(value.Type())
	twin.Elem().Set(value)
	clone := twin.Interface().(N)
	Copy(clone, node)
	return clone
}

// Equal says whether a and b, two nodes or two messages, are of the same type and
// have equal states.
func Equal(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	equal := false
	scratch(func(buf []byte) []byte {
		buf = Append(buf, a)
		half := len(buf)
		buf = Append(buf, b)
		equal = bytes.Equal(buf[:half], buf[half:])
		return buf
	})
	return equal
}

// Check says whether v, a node or a message, is of a type that this package can
// deal with: nil, or an error that names the part of the type that it cannot.
func Check(v any) error {
	t := reflect.TypeOf(v)
	if t == nil {
		return fmt.Errorf("state: nil is neither a node nor a message")
	}
	c := compiled(t)
	return c.err
}

// of returns how v is encoded, and the value that is.
func of(v any) (plan, reflect.Value) {
	value := reflect.ValueOf(v)
	if !value.IsValid() {
		panic("state: nil is neither a node nor a message")
	}
	c := compiled(value.Type())
	if c.err != nil {
		panic(c.err.Error())
	}
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			panic(fmt.Sprintf("state: a nil %T has no state", v))
		}
		value = value.Elem()
	}
	return c.plan, value
}

// ofNode is of for what is restored in place.
func ofNode(node any) (plan, reflect.Value) {
	p, value := of(node)
	if !value.CanSet() {
		panic(fmt.Sprintf("state: a %T is no node, for it is no pointer", node))
	}
	return p, value
}

// whole decodes data, all of them, into v.
func whole(p plan, data []byte, v reflect.Value) error {
	rest, err := p.decode(data, v)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("of %d bytes, %d are left over", len(data), len(rest))
	}
	return err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// scratch lends a buffer to use, which returns it when it has grown.
func scratch(use func(buf []byte) []byte) {
	buf := buffers.Get().(*[]byte)
	*buf = use((*buf)[:0])
	buffers.Put(buf)
}
