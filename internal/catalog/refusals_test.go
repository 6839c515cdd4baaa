package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/refusal"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// In random schedules, nodes get messages that cannot occur: others than those of the algorithm,
// those of another sender, those with another value in a field, or any in all, those that have arrived already. A
// node takes such a message, if it cannot know better, or refuses it, and is then as before. The
// file of the algorithm in testdata/refusals has the reasons, how often each was given, and the
// first message for which it was. So a condition that is weaker, or stronger, changes the file:
//
//	go test ./internal/catalog -run Protocols/.*/refusals -update
func refusals(t *testing.T, p catalog.Protocol) {
	all := refused{kinds: p.Kinds, why: map[string]*reason{}}
	for seed := range uint64(16) {
		n := 3 + int(seed%2)
		all.random = rand.New(rand.NewPCG(seed, 29))
		c := nodetest.Config{
			Nodes: n, Holder: messaging.ID(int(seed/2) % n), Entries: 2 * n, Seed: seed, Withdraw: float64(seed%3) / 4,
			Unordered: !p.FIFO && seed%4 < 2, AnyTime: seed%4 == 1, Perpetual: p.Perpetual,
		}
		require.NoError(t, nodetest.Run(all.nodes(p.New(n)), c))
		require.NoError(t, all.err, "seed %d", seed)
	}
	file := filepath.Join("testdata", "refusals", p.Name+".txt")
	page.Golden(t, file, "go test ./internal/catalog -run Protocols/.*/refusals -update", all.String())
}

// A system meets them, too, and so do parts that are one on the other.
func refusesOfSystem(t *testing.T, s catalog.System) {
	t.Helper()
	for _, c := range ofContract(s, tier.Pick(3, 30)) {
		c.Results = nil
		refusesOrTakes(t, s.Kinds, s.Within(c.Nodes, sim.T), c)
	}
}

func TestRefusalsOfCompositions(t *testing.T) {
	hasty, repeats := recovery.Config{Patience: time.Second, Silence: time.Second}, link.Config{Timeout: time.Second}
	for _, p := range []messaging.Protocol{
		recovery.Of(maekawa.Protocol, recovery.Config{}), recovery.Of(suzukikasami.Protocol, hasty),
		link.Of(suzukikasami.Protocol, repeats), link.Of(recovery.Of(central.Protocol, hasty), repeats),
	} {
		a, err := p.New(3)
		require.NoError(t, err)
		for seed := range uint64(tier.Pick(3, 30)) {
			c := nodetest.Config{Nodes: 3, Entries: 6, Seed: seed, Detected: true, Perpetual: true, Steps: 400}
			if strings.Contains(p.Name, "recovery") {
				c.Crashes, c.Restarts = 1, int(seed%2)
			}
			refusesOrTakes(t, p.Kinds, a, c)
		}
	}
}

func refusesOrTakes(t *testing.T, kinds []messaging.Message, a messaging.Algorithm, c nodetest.Config) {
	t.Helper()
	all := refused{kinds: kinds, random: rand.New(rand.NewPCG(c.Seed, 29)), why: map[string]*reason{}}
	require.NoError(t, nodetest.Run(all.nodes(a), c))
	require.NoError(t, all.err, "seed %d", c.Seed)
	require.NotEmpty(t, all.why)
}

// refused has the reasons for which nodes of an algorithm have refused messages.
type refused struct {
	kinds  []messaging.Message
	random *rand.Rand
	why    map[string]*reason
	err    error
}

// A reason was given some number of times, the first of which is described.
type reason struct {
	first string
	times int
}

func (r *refused) String() string {
	var b strings.Builder
	for _, why := range slices.Sorted(maps.Keys(r.why)) {
		fmt.Fprintf(&b, "%s\n\t%d times, the first: %s\n", why, r.why[why].times, r.why[why].first)
	}
	return b.String()
}

// nodes returns the algorithm with nodes that try impossible messages.
func (r *refused) nodes(a messaging.Algorithm) messaging.Algorithm {
	return func(s messaging.Start) messaging.Node {
		return &tried{Whole: layer.Around(a(s)), refused: r, start: s, twin: a(s)}
	}
}

// A tried node tries messages on its twin, which has the same state each time.
type tried struct {
	layer.Whole
	refused *refused
	start   messaging.Start
	twin    messaging.Node
	before  []byte
	past    []delivery
}

type delivery struct {
	from    messaging.ID
	message messaging.Message
}

func (n *tried) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.before = state.Append(n.before[:0], n.Node)
	for _, m := range append([]messaging.Message{nil, "no message"}, n.refused.kinds...) {
		if m != nil {
			m = reflect.Zero(reflect.TypeOf(m)).Interface()
		}
		n.try(from, m)
		n.try(n.start.Self, m)
	}
	for _, kind := range n.refused.kinds {
		m := reflect.New(reflect.TypeOf(kind)).Elem()
		n.refused.fill(m)
		n.try(messaging.ID(n.refused.random.IntN(n.start.Nodes)), m.Interface())
	}
	for i := range messaging.ID(n.start.Nodes) {
		if i != from {
			n.try(i, m)
		}
	}
	for _, other := range altered(m, n.start.Nodes) {
		n.try(from, other)
	}
	for range min(3, len(n.past)) {
		old := n.past[n.refused.random.IntN(len(n.past))]
		n.try(old.from, old.message)
		others := altered(old.message, n.start.Nodes)
		if len(others) > 0 {
			n.try(old.from, others[n.refused.random.IntN(len(others))])
		}
	}
	n.Whole.Receive(from, m, out)
	n.past = append(n.past, delivery{from, m})
	n.before = state.Append(n.before[:0], n.Node)
	n.try(from, m)
}

// try has the twin receive m from that node in the state of the node, and notes why it refuses m.
func (n *tried) try(from messaging.ID, m messaging.Message) {
	if err := state.Restore(n.twin, n.before); err != nil {
		panic(err)
	}
	var did effects
	defer func() {
		switch why := recover().(type) {
		case nil:
		case *refusal.Error:
			n.refused.note(why)
			whole := reflect.DeepEqual(why.Message, m) // else a node within has refused what m has, or had it do
			if whole && (did > 0 || !bytes.Equal(n.before, state.Append(nil, n.twin))) {
				n.refused.err = errors.Join(n.refused.err, fmt.Errorf("%w: but it did something, or has changed", why))
			}
		default:
			n.refused.err = errors.Join(n.refused.err, fmt.Errorf("node %d got %T %+v from node %d, and panics: %v", n.start.Self, m, m, from, why))
		}
	}()
	n.twin.Receive(from, m, &did)
}

func (r *refused) note(why *refusal.Error) {
	of := r.why[why.Why]
	if of == nil {
		of = &reason{first: strings.TrimSuffix(why.Error(), ": "+why.Why)}
		r.why[why.Why] = of
	}
	of.times++
}

// effects is how many effects a handler had.
type effects int

func (e *effects) Send(messaging.ID, messaging.Message)   { *e++ }
func (e *effects) Enter()                                 { *e++ }
func (e *effects) After(time.Duration, messaging.Message) { *e++ }
func (e *effects) Choose(int) int                         { return 0 }
func (e *effects) Emit(any)                               { *e++ }

// altered returns messages that differ from m in one value each, for n nodes.
func altered(m messaging.Message, n int) (all []messaging.Message) {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(state.CloneMessage(m)))
	alter(v, int64(n), func() { all = append(all, state.CloneMessage(v.Interface())) })
	return all
}

// fill gives v any value, of numbers those at the edges of what is plausible and of what there is.
func (r *refused) fill(v reflect.Value) {
	edges := [...]int64{0, 1, 2, -1, 3, 5, 1 << 30, math.MinInt32, math.MaxInt32}
	edge := edges[min(r.random.IntN(len(edges)), r.random.IntN(len(edges)))]
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(edge > 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.Set(reflect.ValueOf(edge).Convert(v.Type()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.Set(reflect.ValueOf(uint64(uint32(edge))).Convert(v.Type()))
	case reflect.Slice:
		many := r.random.IntN(5)
		v.Set(reflect.MakeSlice(v.Type(), many, many))
		for k := range many {
			r.fill(v.Index(k))
		}
	case reflect.Struct:
		for k := range v.NumField() {
			r.fill(v.Field(k))
		}
	case reflect.Interface: // a message in another
		if inner := reflect.Zero(reflect.TypeOf(r.kinds[r.random.IntN(len(r.kinds))])); edge > 1 {
			v.Set(inner)
		}
	}
}

// alter gives v other values, one after the other, and calls try with each.
func alter(v reflect.Value, n int64, try func()) {
	old := reflect.ValueOf(v.Interface())
	with := func(x reflect.Value) {
		v.Set(x)
		try()
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			alter(v.Field(i), n, try)
		}
	case reflect.Bool:
		with(reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		for _, x := range []int64{v.Int() - 1, v.Int() + 1, -1, n} {
			with(reflect.ValueOf(x).Convert(v.Type()))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		for _, x := range []uint64{max(v.Uint(), 1) - 1, v.Uint() + 1, 0} {
			with(reflect.ValueOf(x).Convert(v.Type()))
		}
	case reflect.Slice:
		with(reflect.Zero(v.Type()))
		if last := v.Len() - 1; last >= 0 {
			with(v.Slice(0, last))
			with(reflect.Append(v.Slice3(0, last+1, last+1), v.Index(0)))
		}
		for i := range v.Len() {
			alter(v.Index(i), n, try)
		}
	}
}
