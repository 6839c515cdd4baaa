package state_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// everything has a field of every supported kind.
type everything struct {
	start messaging.Start
	table map[string]int // constant, so it may be a map

	Yes    bool
	Small  int8
	Int    int
	Byte   uint8
	Word   uint64
	Name   string
	Who    messaging.ID
	When   messaging.Time
	Clock  messaging.Clock
	Mine   messaging.Stamp
	Set    messaging.Set
	Queue  requests.Queue
	Pair   [2]bool
	Bytes  []byte
	Deep   [][]string
	Next   *inner
	Inners []inner
	core
}

type inner struct {
	Of   messaging.Stamp
	More []messaging.Time
}

// core is embedded: its exported fields are state, the others are not.
type core struct {
	parent messaging.ID
	Tree   messaging.Set
}

func full() *everything {
	return &everything{
		start: messaging.Start{Self: 1, Nodes: 3}, table: map[string]int{"a": 1},
		Yes: true, Small: math.MinInt8, Int: math.MinInt, Byte: 255, Word: math.MaxUint64, Name: "näme\x00",
		Who: -1, When: 7, Clock: 8, Mine: messaging.Stamp{Time: 5, ID: 2}, Set: messaging.SetOf(0, 63, 64),
		Queue: requests.Queue{{Time: 1, ID: 1}, {Time: 2}}, Pair: [2]bool{false, true}, Bytes: []byte{1, 2},
		Deep: [][]string{{"a"}, nil, {"", "b"}}, Next: &inner{More: []messaging.Time{9}},
		Inners: []inner{{}, {Of: messaging.Stamp{Time: 3, ID: 1}}},
		core:   core{parent: 2, Tree: messaging.SetOf(1)},
	}
}

func TestRestore(t *testing.T) {
	from, to := full(), &everything{start: messaging.Start{Self: 2, Nodes: 9}, core: core{parent: 8}}
	to.Deep, to.Bytes = [][]string{{"old"}}, []byte{9, 9, 9}
	old := to.Bytes
	require.NoError(t, state.Restore(to, state.Append(nil, from)))
	want := full()
	want.start, want.table, want.parent = messaging.Start{Self: 2, Nodes: 9}, nil, 8
	assert.Equal(t, want, to)
	assert.Equal(t, []byte{9, 9, 9}, old, "the memory of the former state")
}

// Truncated, changed or overlong data are rejected, and leave the node unchanged.
func TestRestoreBadData(t *testing.T) {
	good := state.Append(nil, full())
	node := full()
	refused := 0
	try := func(data []byte, what string, must bool) {
		t.Helper()
		if err := state.Restore(node, data); err == nil {
			if must {
				t.Fatalf("%s: accepted", what)
			}
			if again := state.Append(nil, node); !bytes.Equal(again, data) {
				t.Fatalf("%s: % x was accepted, and is % x", what, data, again)
			}
			node = full()
			return
		}
		refused++
		if !reflect.DeepEqual(node, full()) {
			t.Fatalf("%s: refused, but the node is now %+v", what, node)
		}
	}
	for n := range good {
		try(good[:n], fmt.Sprint("cut to ", n), true)
	}
	try(append(bytes.Clone(good), 0), "a byte too many", true)
	for k := range good {
		for _, b := range []byte{0, 1, 2, 0x7f, 0x80, 0xff} {
			bad := bytes.Clone(good)
			bad[k] = b
			try(bad, fmt.Sprintf("byte %d is %d", k, b), false)
		}
	}
	if refused < len(good)*2 {
		t.Errorf("only %d were refused", refused)
	}
}

func TestErrorsOfRestore(t *testing.T) {
	type node struct {
		Yes  bool
		B    int8
		U    uint8
		Tree messaging.Set
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "state: not the encoding of a state_test.node: Yes: the data end too early"},
		{[]byte{2, 0, 0, 0}, "Yes: 2 is neither true nor false"},
		{[]byte{1, 0x80, 0x02, 0, 0}, "B: 128 is too large for a int8"},
		{[]byte{1, 0, 0x80, 0x02, 0}, "U: 256 is too large for a uint8"},
		{[]byte{1, 0, 0x81, 0x00, 0}, "U: 1 is encoded in 2 bytes: it takes fewer"},
		{[]byte{1, 0, 0, 2, 1, 0}, "Tree: a set that ends in 64 of which it has none"},
		{[]byte{1, 0, 0, 9, 1}, "Tree: the data end too early: 9 elements in 1 bytes"},
		{[]byte{1, 0, 0, 1}, "Tree: the data end too early: 1 elements in 0 bytes"},
		{[]byte{1, 0, 0, 1, 0x80}, "Tree: element 0: the data end too early"},
		{bytes.Repeat([]byte{0xff}, 20), "Yes: 255 is neither true nor false"},
		{append([]byte{1}, bytes.Repeat([]byte{0xff}, 20)...), "B: a number of more than 64 bits"},
		{[]byte{1, 0, 0, 0, 7, 7}, "2 of 6 bytes left over"},
	} {
		err := state.Restore(&node{}, c.data)
		assert.ErrorContains(t, err, c.want, "% x", c.data)
	}
}

// Short data that announce long slices take little memory.
func TestRestoreTakesLittleMemory(t *testing.T) {
	var node struct {
		Words []uint64
		Names []string
		Sets  []messaging.Set
	}
	data := append([]byte{0, 0xff, 0xff, 0xff, 0xff, 0x0f}, make([]byte, 100)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if state.Restore(&node, data) == nil {
			t.Fatal("accepted")
		}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 100; n > 8192 {
		t.Errorf("%d bytes of data took %d bytes of memory", len(data), n)
	}
}

// Nil equals empty, and a set equals one that has had larger members.
func TestCanonical(t *testing.T) {
	big := messaging.SetOf(3, 200)
	big.Remove(200)
	cleared := messaging.SetOf(500)
	clear(cleared)
	type node struct {
		fixed int
		Set   messaging.Set
		Queue requests.Queue
		Next  *inner
	}
	for _, c := range []struct {
		name  string
		a, b  any
		equal bool
	}{
		{"sets", &node{Set: big}, &node{Set: messaging.SetOf(3)}, true},
		{"cleared", &node{Set: cleared}, &node{}, true},
		{"other sets", &node{Set: messaging.SetOf(200)}, &node{}, false},
		{"nil", &node{Queue: nil}, &node{Queue: requests.Queue{}}, true},
		{"what is unexported", &node{fixed: 1}, &node{fixed: 2}, true},
		{"pointers", &node{Next: &inner{}}, &node{Next: &inner{More: []messaging.Time{}}}, true},
		{"nil pointers", &node{Next: &inner{}}, &node{}, false},
		{"messages", inner{More: nil}, inner{More: []messaging.Time{}}, true},
		{"other messages", inner{More: nil}, inner{More: []messaging.Time{0}}, false},
		{"types", ricartagrawala.Request{}, ricartagrawala.Reply{}, false},
		{"node and message", &inner{}, inner{}, false},
	} {
		assert.Equal(t, c.equal, state.Equal(c.a, c.b), c.name)
	}
}

func TestTimes(t *testing.T) {
	node := full()
	var seen, clocks []messaging.Time
	state.Times(node, func(t messaging.Time, clock bool) {
		seen = append(seen, t)
		if clock {
			clocks = append(clocks, t)
		}
	})
	assert.Equal(t, []messaging.Time{7, 8, 5, 1, 2, 0, 9, 0, 3}, seen)
	assert.Equal(t, []messaging.Time{8}, clocks)
	ten := func(t messaging.Time, _ bool) messaging.Time { return t + 10 }
	later := full()
	require.NoError(t, state.Restore(later, state.AppendMapped(nil, node, ten)))
	if later.When != 17 || later.Clock != 18 || later.Queue[0].Time != 11 || later.Next.More[0] != 19 || later.Word != node.Word || later.Who != node.Who {
		t.Errorf("ten later it is %+v", later)
	}
	request := ricartagrawala.Request{Of: messaging.Stamp{Time: 3, ID: 1}}
	assert.Equal(t, ricartagrawala.Request{Of: messaging.Stamp{Time: 13, ID: 1}}, state.MapMessage(request, ten))
}

func TestUnsupported(t *testing.T) {
	type list struct{ Next *list }
	type tree struct{ Below []tree }
	type hidden struct{ _ int }
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil is neither a node nor a message"},
		{&struct{ M map[int]int }{}, ".M is a map[int]int: the order of a map is random"},
		{&struct{ In []struct{ F func() } }{}, ".In[].F is a func(): its contents cannot be copied"},
		{&struct{ C [2]chan int }{}, ".C[] is a chan int: its contents cannot be copied"},
		{&struct{ M any }{}, ".M is an interface {}: an interface may hold anything"},
		{&pair{Left: &bad{}}, "state_test.bad.M is a map[int]int: the order of a map is random"},
		{wrapping{3.0}, "float64 is a float64: machines round differently"},
		{&struct{ X float64 }{}, ".X is a float64: machines round differently"},
		{&struct{ P *int }{}, ".P is a *int: pointers must be to structs"},
		{&struct{ Q [1 << 30]struct{} }{}, ".Q is a [1073741824]struct {}: its elements are empty, use a number"},
		{&struct{ Q []struct{} }{}, ".Q is a []struct {}: its elements are empty, use a number"},
		{&struct{ H []hidden }{}, ".H[]._ is unexported: only nodes and structs embedded in them may have unexported fields"},
		{hidden{}, "state_test.hidden._ is unexported: only nodes and structs embedded in them may have unexported fields"},
		{&list{}, "state_test.list.Next.Next: a *state_test.list contains a *state_test.list: the type is recursive"},
		{&tree{}, "state_test.tree.Below[].Below: a []state_test.tree contains a []state_test.tree: the type is recursive"},
		{&struct{ *hidden }{}, ".hidden is an embedded unexported *state_test.hidden: it must be a struct"},
		{&struct{ messaging.Exclusion }{}, ".Exclusion is a messaging.Exclusion: a node within a node must be a field of type messaging.Node"},
		{&struct{ P *bad }{}, ".P is a *state_test.bad: a node within a node must be a field of type messaging.Node"},
		{new(int), "*int is not a node: a node is a pointer to a struct"},
		{3.0, "float64 is a float64: machines round differently"},
	} {
		err := state.Check(c.v)
		assert.ErrorContains(t, err, c.want, "%T", c.v)
		if err != nil {
			assert.PanicsWithValue(t, err.Error(), func() { state.Append(nil, c.v) }, "Append of a %T", c.v)
		}
	}
	assert.NoError(t, state.Check(full()))
}

// A vast node has a constant of as many empty elements as there may be.
type vast struct{ _ [1 << 30]struct{} }

func (*vast) Receive(messaging.ID, messaging.Message, messaging.Out) {}

func TestVast(t *testing.T) {
	require.NoError(t, state.Check(&vast{}))
	assert.Equal(t, "[1073741824]", state.Constants(&vast{})[0].Value)
}

func TestMisuse(t *testing.T) {
	request := ricartagrawala.Request{}
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"state: a ricartagrawala.Request is not a node: it is not a pointer", func() { _ = state.Restore(request, nil) }},
		{"state: a nil *state_test.inner has no state", func() { state.Append(nil, (*inner)(nil)) }},
		{"state: nil is neither a node nor a message", func() { state.CloneMessage(nil) }},
		{"state: cannot decode a *state_test.inner: it is a pointer", func() { _, _ = state.Decode[*inner](nil) }},
		{"state: map[int]bool is a map[int]bool: the order of a map is random", func() { _, _ = state.Decode[map[int]bool](nil) }},
	} {
		assert.PanicsWithValue(t, c.want, c.do)
	}
}

type mood uint8

func (mood) String() string { return "calm" }

func TestFormat(t *testing.T) {
	type Token struct {
		Next messaging.ID
		Mood mood
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{
			full(), `Yes: true, Small: -128, Int: ` + strconv.Itoa(math.MinInt) + `, Byte: 255, Word: 18446744073709551615, Name: "näme\x00", ` +
				`Who: none, When: 7, Clock: 8, Mine: (5, S3), Set: {S1 S64 S65}, Queue: [(1, S2) (2, S1)], Pair: [false true], Bytes: [1 2], ` +
				`Deep: [["a"] [] ["" "b"]], Next: {Of: none, More: [9]}, Inners: [{Of: none, More: []} {Of: (3, S2), More: []}], Tree: {S2}`,
		},
		{Token{Next: 2}, "Token{Next: S3, Mood: calm}"},
		{&Token{Next: -1}, "Next: none, Mood: calm"},
		{&everything{}, `Yes: false, Small: 0, Int: 0, Byte: 0, Word: 0, Name: "", Who: S1, When: 0, Clock: 0, Mine: none, Set: {}, Queue: [], ` +
			`Pair: [false false], Bytes: [], Deep: [], Next: none, Inners: [], Tree: {}`},
		{&struct {
			core
			Of messaging.Stamp
		}{}, "Tree: {}, Of: none"},
		{struct{}{}, "{}"},
		{messaging.Stamp{Time: 1}, "(1, S1)"},
		{3.5, "3.5"},
		{nil, "nil"},
	} {
		assert.Equal(t, c.want, state.Format(c.v, slides), "%T", c.v)
	}
}

// A copy has what lies behind the length of a slice, in memory of its own.
func TestFormBehind(t *testing.T) {
	type stack struct {
		Lists [][]int
		Trees []*inner
	}
	node, copied := &stack{[][]int{{1}, {2, 3}}[:1], []*inner{{Of: messaging.Stamp{Time: 4}}}[:0]}, &stack{}
	form, err := state.FormOf(node)
	require.NoError(t, err)
	form.Copy(copied, nil)
	same, err := state.FormOf(copied)
	require.NoError(t, err)
	assert.Equal(t, "Lists has room for 1 more, where there was [[2 3]] before, Trees is empty but not nil, "+
		"Trees has room for 1 more, where there was [{Of: (4, 0), More: []}] before", form.String())
	assert.Equal(t, form.String(), same.String())
	assert.Equal(t, node.Trees[:1], copied.Trees[:1])
	copied.Lists[:2][1][0] = 5
	assert.Equal(t, []int{2, 3}, node.Lists[:2][1])
	assert.False(t, form.Overlaps(same))
}

// Values of random types survive a round trip.
func TestRandomTypes(t *testing.T) {
	for seed := range tier.Pick[uint64](500, 2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		kind := randomStruct(r, 3)
		node := reflect.New(kind)
		fill(r, node.Elem())
		data := state.Append(nil, node.Interface())
		restored := reflect.New(kind)
		fill(r, restored.Elem()) // the old value does not matter
		if err := state.Restore(restored.Interface(), data); err != nil {
			t.Fatalf("seed %d, %v: %v", seed, kind, err)
		}
		if !reflect.DeepEqual(restored.Interface(), node.Interface()) {
			t.Fatalf("seed %d, %v: restored %+v, want %+v", seed, kind, restored.Elem(), node.Elem())
		}
		if m := state.CloneMessage(node.Elem().Interface()); !reflect.DeepEqual(m, node.Elem().Interface()) {
			t.Fatalf("seed %d, %v: cloned %+v, want %+v", seed, kind, m, node.Elem())
		}
		noise(t, r, restored.Interface())
	}
}

// noise restores v from random bytes: accepted data equal the encoding.
func noise(t *testing.T, r *rand.Rand, v any) {
	t.Helper()
	for range 20 {
		data := make([]byte, r.IntN(40))
		for k := range data {
			data[k] = byte(r.UintN(256) >> r.IntN(9)) // small bytes are more likely to be accepted
		}
		if state.Restore(v, data) == nil && !bytes.Equal(state.Append(nil, v), data) {
			t.Fatalf("% x is accepted as a %T, and is % x", data, v, state.Append(nil, v))
		}
	}
}

var plain = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](),
	reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uint64](), reflect.TypeFor[string](), reflect.TypeFor[messaging.ID](), reflect.TypeFor[messaging.Time](),
	reflect.TypeFor[messaging.Stamp](), reflect.TypeFor[messaging.Set](), reflect.TypeFor[requests.Queue](), reflect.TypeFor[inner](),
}

func randomType(r *rand.Rand, depth int) reflect.Type {
	if depth > 0 {
		switch r.IntN(8) {
		case 0:
			return reflect.ArrayOf(1+r.IntN(3), randomType(r, depth-1))
		case 1, 2:
			return reflect.SliceOf(randomType(r, depth-1))
		case 3:
			return randomStruct(r, depth-1)
		case 4:
			return reflect.PointerTo(randomStruct(r, depth-1))
		}
	}
	return plain[r.IntN(len(plain))]
}

func randomStruct(r *rand.Rand, depth int) reflect.Type {
	fields := make([]reflect.StructField, 1+r.IntN(4))
	for k := range fields {
		fields[k] = reflect.StructField{Name: fmt.Sprintf("F%d", k), Type: randomType(r, depth)}
	}
	return reflect.StructOf(fields)
}

// fill sets v to a random value, in which empty slices are nil.
func fill(r *rand.Rand, v reflect.Value) {
	bits := r.Uint64() >> r.IntN(65)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.Set(reflect.ValueOf(int64(bits)).Convert(v.Type()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.Set(reflect.ValueOf(bits).Convert(v.Type()))
	case reflect.String:
		v.SetString(strings.Repeat("x\xff", int(bits%3)))
	case reflect.Struct:
		for k := range v.NumField() {
			fill(r, v.Field(k))
		}
	case reflect.Pointer:
		if v.SetZero(); bits&1 == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Array:
		for k := range v.Len() {
			fill(r, v.Index(k))
		}
	case reflect.Slice:
		if v.SetZero(); v.Type() == reflect.TypeFor[messaging.Set]() {
			if id := messaging.ID(r.IntN(200)); id > 20 {
				v.Set(reflect.ValueOf(messaging.SetOf(id, id/2)))
			}
		} else if n := int(bits % 4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for k := range n {
				fill(r, v.Index(k))
			}
		}
	}
}

func TestAppendTakesNoMemory(t *testing.T) {
	node, dst := asked(2), make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { state.Append(dst, node) }); n != 0 {
		t.Errorf("Append makes %v allocations", n)
	}
}

// What is long is cut, with what it is in.
func TestFormatLong(t *testing.T) {
	const longest = 1 << 16
	var of messaging.Set
	of.Add(longest)
	for i := range messaging.ID(longest) {
		of.Add(i)
	}
	for name, v := range map[string]any{
		"slice":  [][]int{make([]int, 1<<20), make([]int, 1<<20)},
		"set":    of,
		"string": struct{ Text string }{strings.Repeat("x", 1<<20)},
	} {
		text := state.Format(v, nil)
		assert.Less(t, len(text), longest+100, name)
		assert.Contains(t, text[longest:], "…", name)
	}
}
