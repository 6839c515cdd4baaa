package state

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"example.org/doorway/messaging"
)

// Messages is how the messages of an algorithm are encoded. It may be used by
// several goroutines at a time.
type Messages struct {
	kinds  []reflect.Type
	plans  []plan
	number map[reflect.Type]int
}

// NewMessages returns the encoding of messages of these kinds, of each of which it
// is given one: what Kinds of an algorithm's package returns. A message is
// encoded as the number of its kind among them, followed by its fields, so those
// that exchange messages list the same kinds in the same order. NewMessages panics
// if a kind is there twice, or is not plain data, or is a pointer.
func NewMessages(kinds ...messaging.Message) *Messages {
	ms := &Messages{number: map[reflect.Type]int{}}
	for k, kind := range kinds {
		p, v := of(kind)
		t := v.Type()
		if _, twice := ms.number[t]; twice {
			panic(fmt.Sprintf("state: two kinds of messages are %v", t))
		}
		if v.CanSet() {
			panic(fmt.Sprintf("state: a message is a %v: a pointer would make it its sender's", reflect.TypeOf(kind)))
		}
		ms.number[t] = k
		ms.kinds, ms.plans = append(ms.kinds, t), append(ms.plans, p)
	}
	return ms
}

// Kind returns the number of m's kind; -1 if it is of none of them.
func (ms *Messages) Kind(m messaging.Message) int {
	k, ok := ms.number[reflect.TypeOf(m)]
	if !ok {
		return -1
	}
	return k
}

// Append appends the encoding of m to dst. It returns an error, and dst as it
// was, if m is of none of the kinds.
func (ms *Messages) Append(dst []byte, m messaging.Message) ([]byte, error) {
	return ms.AppendMapped(dst, m, nil)
}

// AppendMapped is Append of m with f(t) in the place of every time t in it, as
// [AppendMapped] does it.
func (ms *Messages) AppendMapped(dst []byte, m messaging.Message, f func(messaging.Time) messaging.Time) ([]byte, error) {
	k := ms.Kind(m)
	if k < 0 {
		return dst, fmt.Errorf("state: a %T is none of the messages %v", m, ms.kinds)
	}
	return ms.plans[k].encode(binary.AppendUvarint(dst, uint64(k)), reflect.ValueOf(m), f), nil
}

// Decode returns the message that data is the encoding of. It returns an error
// if they are of none of the kinds, end too early, or go on behind the message.
func (ms *Messages) Decode(data []byte) (messaging.Message, error) {
	k, rest, err := number(data)
	if err != nil {
		return nil, fmt.Errorf("state: these are no data of a message: %w", err)
	}
	if k >= uint64(len(ms.kinds)) {
		return nil, fmt.Errorf("state: data of a message of kind %d: there are %d, %v", k, len(ms.kinds), ms.kinds)
	}
	m := reflect.New(ms.kinds[k]).Elem()
	if err := whole(ms.plans[k], rest, m); err != nil {
		return nil, fmt.Errorf("state: these are no data of a %v: %w", ms.kinds[k], err)
	}
	return m.Interface(), nil
}
