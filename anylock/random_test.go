package anylock

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/anylock/internal/search"
	"example.org/doorway/anylock/internal/source"
	"example.org/doorway/internal/tier"
)

// program returns a type with random methods Lock and Unlock.
func program(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct { a, b atomic.Int32; p, q int; n atomic.Pointer[node]; m sync.Mutex; c chan int }\n", name)
	fmt.Fprintf(&b, "func New%[1]s() sync.Locker { l := &%[1]s{c: make(chan int, %d)}; return l }\n", name, r.IntN(2))
	atomics, plain := []string{"l.a", "l.b"}, []string{"l.p", "l.q"}
	pick := func(all []string) string { return all[r.IntN(len(all))] }
	held := false // the mutex
	var statement func(depth int) string
	block := func(depth, most int) string {
		var all []string
		for range 1 + r.IntN(most) {
			all = append(all, statement(depth))
		}
		return strings.Join(all, "; ")
	}
	statement = func(depth int) string {
		switch k := r.IntN(19); {
		case k < 2:
			return fmt.Sprintf("%s.Store(x + %d)", pick(atomics), r.IntN(2))
		case k < 4:
			return fmt.Sprintf("x = %s.Load() & 3", pick(atomics))
		case k == 4:
			return fmt.Sprintf("x = %s.Swap(%d)", pick(atomics), r.IntN(3))
		case k == 5:
			return fmt.Sprintf("if !%s.CompareAndSwap(%d, %d) { x = 2 }", pick(atomics), r.IntN(2), r.IntN(3))
		case k == 6 && (held || r.IntN(20) == 0):
			return fmt.Sprintf("%s = int(x)", pick(plain))
		case k == 7 && (held || r.IntN(20) == 0):
			return fmt.Sprintf("x = int32(%s) & 3", pick(plain))
		case k >= 6 && k <= 8 && depth > 0 && !held:
			held = true
			inner := block(depth-1, 3)
			held = false
			return fmt.Sprintf("l.m.Lock(); %s; l.m.Unlock()", inner)
		case k == 9 && depth > 0:
			return fmt.Sprintf("if x == %d { %s }", r.IntN(3), block(depth-1, 2))
		case k == 10:
			return "select { case l.c <- int(x): default: x = 1 }"
		case k == 11:
			return "select { case v := <-l.c: x = int32(v); default: }"
		case k == 12 || k > 13 && k < 17:
			return "{ n := &node{v: x}; n.w.Store(x); n.v++; if o := l.n.Swap(n); o != nil { x = o.w.Load(); o.w.Store(1); if o.v == 7 { panic(2) } }; if n.w.Load() == 1 { x = 2 }; if n.w.CompareAndSwap(1, 2) { l.b.Store(2) } }"
		case k == 17:
			return fmt.Sprintf("go func() { if %s.Load() == 0 && %s.Load() == 1 { l.b.Store(2) } }()", pick(atomics), pick(atomics))
		case k == 18:
			return fmt.Sprintf("{ d := make(chan int32, 1); go func() { %s.Store(1) }(); go func() { d <- %s.Load() }(); x = <-d & 3 }", pick(atomics), pick(atomics))
		case k == 13 && depth > 0:
			return fmt.Sprintf("for %s.Load() == %d { %s }", pick(atomics), 1+r.IntN(2), pick([]string{"", "x = 1", pick(atomics) + ".Store(0)"}))
		}
		return fmt.Sprintf("if %s.Load() == %d && x == %d { panic(1) }", pick(atomics), r.IntN(3), r.IntN(3))
	}
	guard := ""
	if r.IntN(3) == 0 {
		guard = "for !l.a.CompareAndSwap(0, 1) {}; "
	}
	fmt.Fprintf(&b, "func (l *%s) Lock() { x := int32(0); %s%s; _ = x }\n", name, guard, block(2, 4))
	fmt.Fprintf(&b, "func (l *%s) Unlock() { x := int32(0); %s; l.a.Store(0); _ = x }\n", name, block(2, 2))
	return b.String()
}

// What the reductions leave out changes nothing: random programs are judged alike, and end with the same memory, with each access of memory a step of
// its own, and no register forgotten.
func TestReductionsAgainstPlainSearch(t *testing.T) {
	if tier.Race {
		t.Skip("TestLocks runs the same code, with all that is concurrent in it")
	}
	programs := tier.Pick(25, 400)
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	text.WriteString("package random\nimport (\"sync\"; \"sync/atomic\")\ntype node struct { v int32; w atomic.Int32 }\n")
	for k := range programs {
		text.WriteString(program(r, fmt.Sprintf("L%d", k)))
	}
	list, err := source.Load(t.Context(), "", false, "sync")
	require.NoError(t, err)
	s, err := list.Source("sync", nil)
	require.NoError(t, err)
	p, err := s.Add("random", text.String())
	require.NoError(t, err)
	h, err := s.Add("harness", harness)
	require.NoError(t, err)

	most := tier.Pick(map[bool]int{true: 22_000, false: 3_000}, map[bool]int{true: 40_000, false: 40_000}) // states, if fine or not
	verdicts := func(k int, fine bool) (all [search.Starvation + 1]bool, ends map[string]bool, states int) {
		defer func() {
			r := recover()
			if refusal, ok := r.(*machine.Refusal); ok && strings.Contains(refusal.What, "goroutines at a time") {
				states = -1
			} else if r != nil {
				panic(r)
			}
		}()
		c := &code{Source: s, harness: h, make: p.Func(fmt.Sprintf("NewL%d", k))}
		c.lock = c.make.Signature.Results().At(0).Type()
		m, guarded, err := c.start(Config{Goroutines: 2, Rounds: 1, fine: fine})
		require.NoError(t, err)
		x := search.New(m, guarded, most[fine], 4<<30, nil)
		x.All, x.Doubt = true, !fine && k%2 == 0
		whole, err := x.Run()
		require.NoError(t, err)
		if !whole {
			return all, nil, -1
		}
		for kind := range all {
			all[kind] = x.Has(search.Kind(kind))
		}
		if all[search.Race] {
			return [search.Starvation + 1]bool{search.Race: true}, nil, x.Space.States() // the rest is not said of those
		}
		livelock, starvation := x.Live()
		all[search.Livelock], all[search.Starvation] = livelock != nil, starvation != nil
		return all, x.Ends(), x.Space.States()
	}
	var seen [search.Starvation + 1]int
	fewer, whole := 0, 0
	for k := range programs {
		reduced, ends, states := verdicts(k, false)
		if states < 0 {
			continue
		}
		plain, plainEnds, more := verdicts(k, true)
		if more < 0 {
			continue
		}
		require.Equal(t, plain, reduced, "program %d\n%s", k, strings.Split(text.String(), "type L")[k+1])
		require.Equal(t, plainEnds, ends, "program %d\n%s", k, strings.Split(text.String(), "type L")[k+1])
		for kind, is := range plain {
			if is {
				seen[kind]++
			}
		}
		whole++
		fewer += more - states
	}
	t.Logf("%d programs; by kind %v; %d states fewer", whole, seen, fewer)
}
