// Package wire encodes the messages of a protocol for another process.
//
//	codec, err := wire.New(ricartagrawala.Protocol)
//	data := codec.Append(nil, m)
//	m, err = codec.Decode(data) // elsewhere
//
// # Encoding
//
// An encoding begins with a byte, the version of this format. The message follows: the number of
// its kind, from 1, in the order of Protocol.Kinds, and its fields one after the other, without
// names or separators. A message that it encloses, such as that of a link's frame, is
// encoded in the same way; its number is 0 if there is none. At most 8 messages are within each other.
//
//	integer              varint, signed ones in zigzag (encoding/binary)
//	bool                 0 or 1
//	string, slice        varint of the length, then the bytes or the elements
//	array, struct        the elements, the exported fields
//	pointer              0 if nil, otherwise 1 and the struct
//	[messaging.Set]      as a slice of 64-bit words, the last of which is not 0
//
// There is one encoding of a message. Equal messages have equal encodings, where an empty slice
// equals a nil one.
//
// # Versions
//
// An encoding names no types, so both sides must have the same kinds: the same
// [Codec.Fingerprint]. It changes with the name of the protocol, the number or the order of its
// kinds, the name and type of a field, and the version of this format. It does not change with
// what a handler does, nor with what New of the protocol chooses, such as quorums: give a protocol whose
// rules have changed another name.
package wire

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// version is the first byte of every encoding.
const version = 1

// A Codec encodes and decodes the messages of a protocol. It is safe for concurrent use.
type Codec struct {
	kinds       *state.Kinds
	fingerprint string
}

// New returns the codec of a protocol. It returns an error unless the protocol has Kinds, each of
// another type, whose values are plain data (see [messaging.Message]).
func New(p messaging.Protocol) (*Codec, error) {
	if len(p.Kinds) == 0 {
		return nil, fmt.Errorf("wire: the protocol %q has no Kinds", p.Name)
	}
	kinds, err := state.NewKinds(p.Kinds)
	if err != nil {
		return nil, fmt.Errorf("wire: the protocol %q: %w", p.Name, err)
	}
	return &Codec{kinds, fingerprint(p)}, nil
}

// Append appends the encoding of m to dst. It panics if m, or a message within it, is none of
// the protocol's Kinds, or if more than 8 messages are within each other.
func (c *Codec) Append(dst []byte, m messaging.Message) []byte {
	return c.kinds.Append(append(dst, version), m)
}

// Decode returns the message that is encoded in data. It accepts what Append writes, and nothing
// else: for any other data it returns an error. It takes at most a small multiple of len(data) bytes
// of memory.
func (c *Codec) Decode(data []byte) (messaging.Message, error) {
	switch {
	case len(data) == 0:
		return nil, errors.New("wire: no data")
	case data[0] != version:
		return nil, fmt.Errorf("wire: version %d of the encoding: this is version %d", data[0], version)
	}
	m, err := c.kinds.Decode(data[1:])
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	return m, nil
}

// Fingerprint returns a text that two codecs share only if each decodes what the other encodes:
// the name of the protocol, and a hash of its kinds and of the version.
func (c *Codec) Fingerprint() string { return c.fingerprint }

func fingerprint(p messaging.Protocol) string {
	var b strings.Builder
	fmt.Fprintln(&b, version, p.Name)
	for _, m := range p.Kinds {
		describe(&b, reflect.TypeOf(m))
		b.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(b.String()))
	return fmt.Sprintf("%s-%x", p.Name, sum[:8])
}

// describe writes what the encoding of a type depends on, and the names of types and fields. The
// integers of one sign have one encoding, but not one range.
func describe(b *strings.Builder, t reflect.Type) {
	switch t.Kind() {
	case reflect.Struct:
		b.WriteString(t.String() + "{")
		for i := range t.NumField() {
			b.WriteString(t.Field(i).Name + " ")
			describe(b, t.Field(i).Type)
			b.WriteByte(';')
		}
		b.WriteByte('}')
	case reflect.Array, reflect.Slice, reflect.Pointer:
		b.WriteString(t.Kind().String())
		if t.Kind() == reflect.Array {
			fmt.Fprint(b, t.Len())
		}
		b.WriteByte(' ')
		describe(b, t.Elem())
	default:
		b.WriteString(t.String() + " " + t.Kind().String())
	}
}
