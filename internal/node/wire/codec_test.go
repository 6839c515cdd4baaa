package wire_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// The messages of the tests.
type (
	everything struct {
		Yes    bool
		Small  int8
		Byte   uint8
		Of     messaging.Stamp
		Name   string
		Tree   messaging.Set
		Pair   [2]uint16
		Next   *part
		Parts  []part
		Inside messaging.Message
	}
	part struct{ Time messaging.Time }
	box  struct{ Message messaging.Message }
	long struct{ Words []uint64 }
)

func everyKind(tb testing.TB) *wire.Codec {
	tb.Helper()
	return codecOf(tb, messaging.Protocol{Name: "every", Kinds: []messaging.Message{everything{}, part{}, box{}, long{}}})
}

func TestEveryType(t *testing.T) {
	codec := everyKind(t)
	for _, m := range []messaging.Message{
		part{Time: 1 << 63},
		box{},
		box{box{box{part{1}}}},
		everything{
			Yes: true, Small: -128, Byte: 255, Of: messaging.Stamp{Time: 300, ID: -1}, Name: "näme\x00", Tree: messaging.SetOf(0, 64), Pair: [2]uint16{1, 65535},
			Next: &part{2}, Parts: []part{{3}, {4}}, Inside: everything{Inside: long{Words: []uint64{5}}},
		},
	} {
		data := codec.Append([]byte("before"), m)
		got, err := codec.Decode(bytes.TrimPrefix(data, []byte("before")))
		require.NoError(t, err)
		assert.Equal(t, m, got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	codec := everyKind(t)
	for _, c := range []struct{ data, want string }{
		{"", "wire: no data"},
		{"\x00", "wire: version 0 of the encoding: this is version 1"},
		{"\x01", "wire: the data end too early"},
		{"\x01\x00", "wire: no message"},
		{"\x01\x05\x00", "wire: a message of kind 5 of 4"},
		{"\x01\x82\x00\x00", "wire: 2 is encoded in 2 bytes: it takes fewer"},
		{"\x01\x02\x01\x01", "wire: 1 of 3 bytes left over"},
		{"\x01\x02\x80\x00", "wire: wire_test.part: Time: 0 is encoded in 2 bytes: it takes fewer"},
		{"\x01\x03\x09", "wire: wire_test.box: Message: a message of kind 9 of 4"},
		{"\x01\x03\x02", "wire: wire_test.box: Message: wire_test.part: Time: the data end too early"},
		{"\x01\x04\xff\xff\xff\xff\x0f\x00", "wire: wire_test.long: Words: the data end too early: 4294967295 elements in 1 bytes"},
		{"\x01\x01\x02", "wire: wire_test.everything: Yes: 2 is neither true nor false"},
	} {
		_, err := codec.Decode([]byte(c.data))
		assert.EqualError(t, err, c.want, "% x", c.data)
	}
	_, err := codec.Decode([]byte("\x01" + strings.Repeat("\x03", 8) + "\x00"))
	require.NoError(t, err, "eight boxes")
	_, err = codec.Decode([]byte("\x01" + strings.Repeat("\x03", 9) + "\x00"))
	assert.ErrorContains(t, err, "more than 8 messages within each other")
}

func TestAppendPanics(t *testing.T) {
	codec := everyKind(t)
	var deep messaging.Message
	for range 9 {
		deep = box{deep}
	}
	for want, m := range map[string]messaging.Message{
		"state: nil is no message":                                       nil,
		"state: a ricartagrawala.Reply is none of the kinds of messages": ricartagrawala.Reply{},
		"state: a struct {} is none of the kinds of messages":            box{struct{}{}},
		"state: more than 8 messages are within each other":              deep,
	} {
		assert.PanicsWithValue(t, want, func() { codec.Append(nil, m) })
	}
}

func TestNewRefuses(t *testing.T) {
	type random struct{ Of map[int]int }
	type hidden struct{ of int }
	type within struct{ Node messaging.Node }
	for want, kinds := range map[string][]messaging.Message{
		`wire: the protocol "p" has no Kinds`:                                                    nil,
		`wire: the protocol "p": state: nil is no kind of messages`:                              {part{}, nil},
		`wire: the protocol "p": state: two kinds of messages are a wire_test.part`:              {part{}, part{}},
		`wire: the protocol "p": state: a message is a *wire_test.part: a pointer would share`:   {&part{}},
		`wire: the protocol "p": state: wire_test.random.Of is a map[int]int: the order of a`:    {random{}},
		`wire: the protocol "p": state: wire_test.hidden.of is unexported: only nodes`:           {hidden{of: 1}},
		`wire: the protocol "p": state: wire_test.within.Node is a messaging.Node: a message mu`: {within{}},
	} {
		_, err := wire.New(messaging.Protocol{Name: "p", Kinds: kinds})
		assert.ErrorContains(t, err, want)
	}
}

// What the encodings of protocols depend on is the same as before, or a version of the library
// cannot be replaced by the next while others run.
func TestFingerprints(t *testing.T) {
	var all strings.Builder
	for _, p := range catalog.Protocols {
		fmt.Fprintln(&all, codecOf(t, p.Declared).Fingerprint())
	}
	for _, s := range catalog.Systems {
		fmt.Fprintln(&all, codecOf(t, s.Declared).Fingerprint())
	}
	fmt.Fprintln(&all, codecOf(t, catalog.Suspecting(catalog.Protocols[0]).Declared).Fingerprint())
	page.Golden(t, "testdata/fingerprints.txt", "go test ./internal/node/wire -update", all.String())
}

// A fingerprint changes with all that an encoding depends on.
func TestFingerprintsDiffer(t *testing.T) {
	type Of struct{ Time messaging.Time }
	seen := map[string]messaging.Protocol{}
	for _, p := range []messaging.Protocol{
		{Name: "p", Kinds: []messaging.Message{part{}, box{}}},
		{Name: "q", Kinds: []messaging.Message{part{}, box{}}},
		{Name: "p", Kinds: []messaging.Message{box{}, part{}}},
		{Name: "p", Kinds: []messaging.Message{part{}}},
		{Name: "p", Kinds: []messaging.Message{Of{}, box{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A, B int }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A, B int8 }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ B, A int }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A [2]int }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A [3]int }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A []int }{}}},
		{Name: "p", Kinds: []messaging.Message{struct{ A *part }{}}},
	} {
		f := codecOf(t, p).Fingerprint()
		assert.NotContains(t, seen, f, "%v", p.Kinds)
		seen[f] = p
	}
}

// Short data that announce long slices take little memory.
func TestDecodeTakesLittleMemory(t *testing.T) {
	codec := everyKind(t)
	data := append([]byte{1, 4, 0xff, 0xff, 0xff, 0xff, 0x0f}, make([]byte, 100)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, err := codec.Decode(data)
		require.Error(t, err)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/100, uint64(8192))
}

// A message is one allocation, and so is one within it.
func TestAllocations(t *testing.T) {
	if tier.Race {
		t.Skip("a sync.Pool drops what it has, with the race detector")
	}
	codec := everyKind(t)
	dst := make([]byte, 0, 64)
	var m messaging.Message = box{part{1000}}
	assert.Zero(t, testing.AllocsPerRun(100, func() { codec.Append(dst, m) }))
	data := codec.Append(nil, m)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = codec.Decode(data) }), 2.)
}

// Goroutines share a codec.
func TestConcurrent(t *testing.T) {
	codec := everyKind(t)
	var all sync.WaitGroup
	for i := range messaging.Time(8) {
		all.Go(func() {
			var wrong error
			for k := range messaging.Time(200) {
				m := box{part{i<<10 + k}}
				if got, err := codec.Decode(codec.Append(nil, m)); err != nil || got != messaging.Message(m) {
					wrong = fmt.Errorf("%v was received as %v: %w", m, got, err)
				}
			}
			assert.NoError(t, wrong)
		})
	}
	all.Wait()
}

func BenchmarkWire(b *testing.B) {
	codec, err := wire.New(link.Of(ricartagrawala.Protocol, link.Config{Timeout: time.Second}))
	require.NoError(b, err)
	request := messaging.Message(ricartagrawala.Request{Of: messaging.Stamp{Time: 1000, ID: 2}})
	for name, m := range map[string]messaging.Message{"request": request, "frame": frameOf(b, codec, request)} {
		data := codec.Append(nil, m)
		b.Run("append/message="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				data = codec.Append(data[:0], m)
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
		b.Run("decode/message="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := codec.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// frameOf returns the frame in which a link sends m: number 300 of its incarnation.
func frameOf(b *testing.B, codec *wire.Codec, m messaging.Message) messaging.Message {
	b.Helper()
	inner := codec.Append(nil, m)[1:]
	frame, err := codec.Decode(append([]byte{1, 3, 1, 1, 0xac, 2, 0xab, 2}, inner...))
	require.NoError(b, err)
	return frame
}
