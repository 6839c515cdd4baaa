package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"example.org/doorway/messaging"
)

// nesting is how many messages may be within each other. Without a limit, some megabytes of data
// could exhaust the stack.
const nesting = 8

// Kinds encode the messages of a protocol for another process. A message, and one that is
// enclosed in another, is preceded by the number of its kind, from 1; for none there is 0.
type Kinds struct {
	all    []*kind
	number map[reflect.Type]int
}

// A kind is a type of messages.
type kind struct {
	plan
	spare sync.Pool // of *reflect.Value, in which a message is decoded
}

// NewKinds returns the kinds of the given messages, one of each. It returns an error if two
// have the same type, or if this package does not support a type.
func NewKinds(messages []messaging.Message) (*Kinds, error) {
	k := &Kinds{} // of the messages in the innermost ones: there must be none
	for range nesting {
		outer := &Kinds{number: map[reflect.Type]int{}}
		for _, m := range messages {
			if err := outer.add(reflect.TypeOf(m), k); err != nil {
				return nil, fmt.Errorf("state: %w", err)
			}
		}
		k = outer
	}
	return k, nil
}

// add adds a type, whose messages enclose those of inner.
func (k *Kinds) add(t reflect.Type, inner *Kinds) error {
	switch {
	case t == nil:
		return errors.New("nil is no kind of messages")
	case t.Kind() == reflect.Pointer:
		return fmt.Errorf("a message is a %v: a pointer would share it with its sender", t)
	case k.number[t] != 0:
		return fmt.Errorf("two kinds of messages are a %v", t)
	}
	by := compiler{enclosed: inner}
	p, err := by.compile(t, t.String())
	if err == nil && by.node != "" {
		err = fmt.Errorf("%s is a messaging.Node: a message must not contain a node", by.node)
	}
	if err != nil {
		return err
	}
	k.all = append(k.all, &kind{plan: p, spare: sync.Pool{New: func() any { v := reflect.New(t).Elem(); return &v }}})
	k.number[t] = len(k.all)
	return nil
}

// Append appends the encoding of m to dst. It panics if m, or a message within it, is of no
// kind, or if more than 8 messages are within each other.
func (k *Kinds) Append(dst []byte, m messaging.Message) []byte {
	return k.message(dst, reflect.ValueOf(m))
}

func (k *Kinds) message(dst []byte, m reflect.Value) []byte {
	if !m.IsValid() {
		panic("state: nil is no message")
	}
	number := k.number[m.Type()]
	switch {
	case len(k.all) == 0:
		panic(fmt.Sprintf("state: more than %d messages are within each other", nesting))
	case number == 0:
		panic(fmt.Sprintf("state: a %v is none of the kinds of messages", m.Type()))
	}
	return k.all[number-1].encode(binary.AppendUvarint(dst, uint64(number)), m, nil)
}

// Decode returns the message that is encoded in data. It accepts only what Append writes, and
// for any data, it allocates at most a small multiple of len(data).
func (k *Kinds) Decode(data []byte) (messaging.Message, error) {
	m, rest, err := k.next(data)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, errors.New("no message")
	case len(rest) > 0:
		return nil, fmt.Errorf("%d of %d bytes left over", len(rest), len(data))
	}
	return m, nil
}

// next returns the message at the start of data, and the rest.
func (k *Kinds) next(data []byte) (messaging.Message, []byte, error) {
	n, rest, err := number(data)
	switch {
	case err != nil || n == 0:
		return nil, rest, err
	case len(k.all) == 0:
		return nil, nil, fmt.Errorf("more than %d messages within each other", nesting)
	case n > uint64(len(k.all)):
		return nil, nil, fmt.Errorf("a message of kind %d of %d", n, len(k.all))
	}
	of := k.all[n-1]
	v := of.spare.Get().(*reflect.Value)
	defer of.spare.Put(v)
	defer v.SetZero()
	rest, err = of.decode(rest, *v)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", v.Type(), err)
	}
	return v.Interface(), rest, nil
}

// Kinds are the plan of messages that are enclosed in others.
func (*Kinds) least() int { return 1 }

func (k *Kinds) encode(dst []byte, v reflect.Value, _ mapping) []byte {
	if v.IsNil() {
		return append(dst, 0)
	}
	return k.message(dst, v.Elem())
}

func (k *Kinds) decode(data []byte, v reflect.Value) ([]byte, error) {
	v.SetZero()
	m, rest, err := k.next(data)
	if m != nil {
		v.Set(reflect.ValueOf(m))
	}
	return rest, err
}
