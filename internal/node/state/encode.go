package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"example.org/doorway/messaging"
)

// short is the part of plans whose shortest encoding is one byte.
type short struct{}

func (short) least() int { return 1 }

type boolean struct{ short }

func (boolean) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	if v.Bool() {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func (boolean) decode(data []byte, v reflect.Value) ([]byte, error) {
	yes, rest, err := bit(data)
	v.SetBool(yes)
	return rest, err
}

// bit decodes a byte that is 0 or 1.
func bit(data []byte) (bool, []byte, error) {
	switch {
	case len(data) == 0:
		return false, nil, errEnd
	case data[0] > 1:
		return false, nil, fmt.Errorf("%d is neither true nor false", data[0])
	}
	return data[0] == 1, data[1:], nil
}

type unsigned struct{ short }

func (unsigned) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	return binary.AppendUvarint(dst, v.Uint())
}

func (unsigned) decode(data []byte, v reflect.Value) ([]byte, error) {
	x, rest, err := number(data)
	if err == nil && v.OverflowUint(x) {
		err = fmt.Errorf("%d is too large for a %v", x, v.Type())
	}
	v.SetUint(x)
	return rest, err
}

// number decodes a varint, which must be as short as possible.
func number(data []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(data)
	switch {
	case n == 0:
		return 0, nil, errEnd
	case n < 0:
		return 0, nil, errors.New("a number of more than 64 bits")
	case n > 1 && data[n-1] == 0:
		return 0, nil, fmt.Errorf("%d is encoded in %d bytes: it takes fewer", x, n)
	}
	return x, data[n:], nil
}

// clock encodes the types [messaging.Time] and [messaging.Clock].
type clock struct {
	unsigned
	ticks bool
}

func (c clock) encode(dst []byte, v reflect.Value, f mapping) []byte {
	t := v.Uint()
	if f != nil {
		t = uint64(f(messaging.Time(t), c.ticks))
	}
	return binary.AppendUvarint(dst, t)
}

type signed struct{ short }

func (signed) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	return binary.AppendVarint(dst, v.Int())
}

func (signed) decode(data []byte, v reflect.Value) ([]byte, error) {
	u, rest, err := number(data)
	x := int64(u>>1) ^ -int64(u&1) // zigzag, as in binary.AppendVarint
	if err == nil && v.OverflowInt(x) {
		err = fmt.Errorf("%d is too large for a %v", x, v.Type())
	}
	v.SetInt(x)
	return rest, err
}

type text struct{ short }

func (text) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	s := v.String()
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func (text) decode(data []byte, v reflect.Value) ([]byte, error) {
	n, rest, err := length(data, 1)
	if err != nil {
		return nil, err
	}
	v.SetString(string(rest[:n]))
	return rest[n:], nil
}

// length decodes a length, if the remaining data suffice for that many elements of
// the given size. Memory for them is allocated only then.
func length(data []byte, least int) (int, []byte, error) {
	n, rest, err := number(data)
	if err == nil && n > uint64(len(rest)/least) {
		err = fmt.Errorf("%w: %d elements in %d bytes", errEnd, n, len(rest))
	}
	return int(n), rest, err
}

// set encodes the type [messaging.Set], without trailing zero words.
type set struct{ short }

func (set) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	n := v.Len()
	for n > 0 && v.Index(n-1).Uint() == 0 {
		n--
	}
	return array{unsigned{}, n}.encode(binary.AppendUvarint(dst, uint64(n)), v, nil)
}

func (set) decode(data []byte, v reflect.Value) ([]byte, error) {
	rest, err := slice{elem: unsigned{}}.decode(data, v)
	if n := v.Len(); err == nil && n > 0 && v.Index(n-1).Uint() == 0 {
		err = errors.New("a set that ends in 64 of which it has none")
	}
	return rest, err
}

type array struct {
	elem plan
	n    int
}

func (a array) least() int { return a.n * a.elem.least() }

func (a array) encode(dst []byte, v reflect.Value, f mapping) []byte {
	for i := range a.n {
		dst = a.elem.encode(dst, v.Index(i), f)
	}
	return dst
}

func (a array) decode(data []byte, v reflect.Value) (_ []byte, err error) {
	for i := range a.n {
		if data, err = a.elem.decode(data, v.Index(i)); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return data, nil
}

type slice struct {
	short
	elem plan
}

func (s slice) encode(dst []byte, v reflect.Value, f mapping) []byte {
	n := v.Len()
	return array{s.elem, n}.encode(binary.AppendUvarint(dst, uint64(n)), v, f)
}

func (s slice) decode(data []byte, v reflect.Value) ([]byte, error) {
	v.SetZero()
	n, rest, err := length(data, s.elem.least())
	if err != nil || n == 0 {
		return rest, err
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n)) // without spare capacity
	return array{s.elem, n}.decode(rest, v)
}

// record encodes the fields of a struct.
type record []field

type field struct {
	index int
	name  string
	plan  plan
}

func (r record) least() int {
	n := 0
	for i := range r {
		n += r[i].plan.least()
	}
	return n
}

func (r record) encode(dst []byte, v reflect.Value, f mapping) []byte {
	for i := range r {
		dst = r[i].plan.encode(dst, v.Field(r[i].index), f)
	}
	return dst
}

func (r record) decode(data []byte, v reflect.Value) (_ []byte, err error) {
	for i := range r {
		if data, err = r[i].plan.decode(data, v.Field(r[i].index)); err != nil {
			return nil, fmt.Errorf("%s: %w", r[i].name, err)
		}
	}
	return data, nil
}

type pointer struct {
	short
	elem plan
}

func (p pointer) encode(dst []byte, v reflect.Value, f mapping) []byte {
	if v.IsNil() {
		return append(dst, 0)
	}
	return p.elem.encode(append(dst, 1), v.Elem(), f)
}

func (p pointer) decode(data []byte, v reflect.Value) ([]byte, error) {
	v.SetZero()
	there, rest, err := bit(data)
	if err != nil || !there {
		return rest, err
	}
	v.Set(reflect.New(v.Type().Elem()))
	return p.elem.decode(rest, v.Elem())
}
