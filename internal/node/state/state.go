// Package state copies, compares, encodes, restores and prints the states of nodes, and
// encodes messages, so that algorithms need no code for it.
//
//	saved := state.Append(nil, node)
//	node.Request(out)
//	err := state.Restore(node, saved) // undoes the request
//
// A node is a pointer to a struct. Its state is in the exported fields; unexported
// fields are constant and are left alone. The same holds for embedded structs. All
// fields of a message, and of a struct within a state, are exported.
//
// # Types
//
// State is plain data: booleans, integers, strings, and arrays, slices and structs
// of them, and pointers to structs, without recursive types. It must not contain maps,
// whose order is random; functions, channels and interfaces, whose contents are unknown;
// or floating-point numbers, which machines round differently. [Check] reports what is
// not supported; the other functions panic. The result is cached per type.
//
// Two interfaces are supported: a field of type [messaging.Node], for a node that is part
// of another from the beginning to the end, unless that is a [Remaker], and one of type
// [messaging.Message].
//
// # Encoding
//
// The encoding is canonical: two encodings are equal if and only if the states are equal.
// A nil slice equals an empty one, and a [messaging.Set] equals one that has had larger
// members. Two pointers are equal if their targets are, so a state with two pointers to
// one struct is restored with two structs.
//
// An integer is encoded as a varint (encoding/binary). A string, slice or set is preceded
// by its length, a pointer by 0 if nil and 1 otherwise, and fields follow each other
// without separators. Restore accepts only what Append writes. The encoding has no names
// and no types: a reader must know the type, and the version of the algorithm must be
// the same.
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
	p, value := planOf(v)
	return p.encode(dst, value, nil)
}

// AppendMapped is Append of v with f(t, clock) in place of every t of type [messaging.Time]
// or, if clock is set, [messaging.Clock], including 0. A node restored from the result has
// shifted clocks, which a checker needs to avoid a new state for every clock tick. If f is
// monotonic, slices sorted by time stay sorted.
func AppendMapped(dst []byte, v any, f func(t messaging.Time, clock bool) messaging.Time) []byte {
	p, value := planOf(v)
	return p.encode(dst, value, f)
}

// Times calls f with every [messaging.Time] and, if clock is set, [messaging.Clock] in v,
// the state of a node or a message, in the order of the encoding.
func Times(v any, f func(t messaging.Time, clock bool)) {
	scratch(func(buf []byte) []byte {
		return AppendMapped(buf, v, func(t messaging.Time, clock bool) messaging.Time { f(t, clock); return t })
	})
}

// Restore sets node to the encoded state in data. The node must have the same type, and
// should have the same start, as the encoded one; data do not identify them. Restore does
// not write to memory of the former state, since messages may share it. If data are
// invalid, it returns an error and leaves node unchanged. For any data, it allocates at
// most a small multiple of len(data).
func Restore(node any, data []byte) error {
	p, value := planOfNode(node)
	restored := reflect.New(value.Type()).Elem()
	restored.Set(value) // for unexported fields
	if err := whole(p, data, restored); err != nil {
		return fmt.Errorf("state: not the encoding of a %v: %w", value.Type(), err)
	}
	value.Set(restored)
	return nil
}

// CloneMessage returns a message that is equal to m, and shares no memory with it.
func CloneMessage(m messaging.Message) messaging.Message { return MapMessage(m, nil) }

// MapMessage is CloneMessage of m with f(t, clock) in place of every time t, as by
// [AppendMapped].
func MapMessage(m messaging.Message, f func(t messaging.Time, clock bool) messaging.Time) messaging.Message {
	p, value := planOf(m)
	clone := reflect.New(value.Type()).Elem()
	scratch(func(buf []byte) []byte {
		buf = p.encode(buf, value, f)
		if err := whole(p, buf, clone); err != nil {
			panic(fmt.Sprintf("state: cannot restore a message that was just encoded: %v", err))
		}
		return buf
	})
	return clone.Interface()
}

// Decode returns the message, or other plain data, that is encoded in data. It returns an
// error as Restore does, and panics if this package does not support the type, or if it is
// a pointer.
func Decode[T any](data []byte) (v T, err error) {
	value := reflect.ValueOf(&v).Elem()
	c := compiled(value.Type())
	switch {
	case c.err != nil:
		panic(c.err.Error())
	case value.Kind() == reflect.Pointer:
		panic(fmt.Sprintf("state: cannot decode a %v: it is a pointer", value.Type()))
	}
	if err := whole(c.plan, data, value); err != nil {
		return v, fmt.Errorf("state: not the encoding of a %v: %w", value.Type(), err)
	}
	return v, nil
}

// Equal reports whether a and b, two nodes or two messages, are of the same type and
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

// Check returns nil if this package supports the type of v, a node or a message, and
// those of the nodes and messages within it; otherwise it returns an error that names the
// part of the type that it does not support.
func Check(v any) error {
	t := reflect.TypeOf(v)
	if t == nil {
		return fmt.Errorf("state: nil is neither a node nor a message")
	}
	c := compiled(t)
	if c.err != nil || !c.open {
		return c.err
	}
	var err error
	Within(nil, reflect.ValueOf(v), func(_ []string, v reflect.Value) bool {
		switch {
		case err != nil:
		case v.Type() == typeOfNode && !v.IsNil():
			err = Check(v.Interface())
		case v.Type() == typeOfMsg && !v.IsNil():
			err = CheckMessage(v.Interface())
		default:
			return true
		}
		return false
	})
	return err
}

// CheckMessage is [Check] of a message, which must not be a pointer, since sender and
// receiver would share what it points to, nor contain a node.
func CheckMessage(m messaging.Message) error {
	t := reflect.TypeOf(m)
	switch {
	case t == nil:
	case t.Kind() == reflect.Pointer:
		return fmt.Errorf("state: a message is a %v: a pointer would share it with its sender", t)
	case compiled(t).node != "":
		return fmt.Errorf("state: %s is a messaging.Node: a message must not contain a node, whose unexported fields a copy would share", compiled(t).node)
	}
	return Check(m)
}

// planOf returns the plan for v, and the value to encode.
func planOf(v any) (plan, reflect.Value) {
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

// planOfNode is planOf for a node that is restored in place.
func planOfNode(node any) (plan, reflect.Value) {
	p, value := planOf(node)
	if !value.CanSet() {
		panic(fmt.Sprintf("state: a %T is not a node: it is not a pointer", node))
	}
	return p, value
}

// whole decodes all of data into v.
func whole(p plan, data []byte, v reflect.Value) error {
	rest, err := p.decode(data, v)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d of %d bytes left over", len(rest), len(data))
	}
	return err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// scratch passes a pooled buffer to use, which returns the buffer after appending
// to it.
func scratch(use func(buf []byte) []byte) {
	buf := buffers.Get().(*[]byte)
	*buf = use((*buf)[:0])
	buffers.Put(buf)
}
