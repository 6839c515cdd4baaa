package wire_test

import (
	"bytes"
	"testing"

	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// FuzzDecode decodes any bytes as a message of a protocol of the catalog: an error, or a message
// with exactly that encoding.
func FuzzDecode(f *testing.F) {
	var codecs []*wire.Codec
	for k, s := range subjects() {
		codec := codecOf(f, s.Protocol)
		codecs = append(codecs, codec)
		seen := map[string]bool{}
		c := s.run(3, 1)
		c.Observe = func(e messaging.Event) {
			if kind := messaging.Kind(e.Message); e.Action == "sent" && !seen[kind] {
				seen[kind] = true
				f.Add(uint8(k), codec.Append(nil, e.Message))
			}
		}
		_, _ = sim.Run(c) // of which some fail, as nodes crash
	}
	f.Fuzz(func(t *testing.T, of uint8, data []byte) {
		codec := codecs[int(of)%len(codecs)]
		m, err := codec.Decode(data)
		if err != nil {
			return
		}
		if again := codec.Append(nil, m); !bytes.Equal(again, data) {
			t.Fatalf("% x is decoded as %T %+v, whose encoding is % x", data, m, m, again)
		}
	})
}
