package state

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"example.org/doorway/messaging"
)

// Messages encodes the messages of an algorithm. It is safe for concurrent use.
type Messages struct {
	kinds  []reflect.Type
	plans  []plan
	number map[reflect.Type]int
}

// NewMessages returns the encoding of messages of the given kinds, with one example
// each, as returned by Kinds of the package of an algorithm. A message is encoded
// as the index of its kind, followed by its fields, so both sides must list the
// same kinds in the same order. NewMessages panics if a kind occurs twice, is not
// plain data, or is a pointer.
func NewMessages(kinds ...messaging.Message) *Messages {
	ms := &Messages{number: map[reflect.Type]int{}}
	for k, kind := range kinds {
		p, v := of(kind)
		t := v.Type()
		if _, twice := ms.number[t]; twice {
			panic(fmt.Sprintf("state: the kind %v occurs twice", t))
		}
		if v.CanSet() {
			panic(fmt.Sprintf("state: a message is a %v: a pointer would share it with its sender", reflect.TypeOf(kind)))
		}
		ms.number[t] = k
		ms.kinds, ms.plans = append(ms.kinds, t), append(ms.plans, p)
	}
	return ms
}

// Kind returns the index of the kind of m, or -1 if it is not listed.
func (ms *Messages) Kind(m messaging.Message) int {
	k, ok := ms.number[reflect.TypeOf(m)]
	if !ok {
		return -1
	}
	return k
}

// Append appends the encoding of m to dst. If the kind of m is not listed, it
// returns dst unchanged and an error.
func (ms *Messages) Append(dst []byte, m messaging.Message) ([]byte, error) {
	return ms.AppendMapped(dst, m, nil)
}

// AppendMapped is Append of m with f(t) in place of every time t, as by
// [AppendMapped].
func (ms *Messages) AppendMapped(dst []byte, m messaging.Message, f func(t messaging.Time, clock bool) messaging.Time) ([]byte, error) {
	k := ms.Kind(m)
	if k < 0 {
		return dst, fmt.Errorf("state: a %T is not one of the messages %v", m, ms.kinds)
	}
	return ms.plans[k].encode(binary.AppendUvarint(dst, uint64(k)), reflect.ValueOf(m), f), nil
}

// Decode returns the message encoded in data. It returns an error if the kind is
// not listed, or if data are too short or too long.
func (ms *Messages) Decode(data []byte) (messaging.Message, error) {
	k, rest, err := number(data)
	if err != nil {
		return nil, fmt.Errorf("state: not the encoding of a message: %w", err)
	}
	if k >= uint64(len(ms.kinds)) {
		return nil, fmt.Errorf("state: a message of kind %d: there are %d kinds, %v", k, len(ms.kinds), ms.kinds)
	}
	m := reflect.New(ms.kinds[k]).Elem()
	if err := whole(ms.plans[k], rest, m); err != nil {
		return nil, fmt.Errorf("state: not the encoding of a %v: %w", ms.kinds[k], err)
	}
	return m.Interface(), nil
}
