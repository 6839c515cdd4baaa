package machine

import (
	"go/types"
	"maps"
	"slices"
	"strings"
)

// natives are the functions that are not run but made: those without code in Go, and those of
// which the code depends on what is not followed, by name.
var natives = map[string]native{}

// yield ends a step that does nothing else for ever.
func yield(m *Machine, _, _ []uint64) signal {
	if m.made < manyInstructions {
		return next
	}
	if m.after {
		return stopped
	}
	m.simple = true
	return m.does("yield", 0)
}

// always returns a native whose result is always the same, if it has one.
func always(w uint64) native {
	return func(_ *Machine, _, r []uint64) signal {
		for k := range r {
			r[k] = w
		}
		return next
	}
}

// visible returns a native that others can observe, so it begins the next step.
func visible(f native) native {
	return func(m *Machine, a, r []uint64) signal {
		if m.after {
			return stopped
		}
		return f(m, a, r)
	}
}

// An operation is one of sync/atomic: of what the word holds, and its arguments, it has what the word gets, and its result.
type operation struct {
	name, what string
	do         func(w, a, b uint64) (to, result uint64)
}

var operations = []operation{
	{"Load", "load", func(w, _, _ uint64) (to, result uint64) { return w, w }},
	{"Store", "store", func(_, a, _ uint64) (to, result uint64) { return a, 0 }},
	{"Swap", "swap", func(w, a, _ uint64) (to, result uint64) { return a, w }},
	{"CompareAndSwap", "compare and swap", func(w, a, b uint64) (to, result uint64) {
		if w != a {
			return w, 0
		}
		return b, 1
	}},
	{"Add", "add", func(w, a, _ uint64) (to, result uint64) { return w + a, w + a }},
	{"And", "and", func(w, a, _ uint64) (to, result uint64) { return w & a, w }},
	{"Or", "or", func(w, a, _ uint64) (to, result uint64) { return w | a, w }},
}

func init() {
	for _, o := range operations {
		for _, t := range []types.BasicKind{types.Int32, types.Int64, types.Uint32, types.Uint64, types.Uintptr} {
			name := types.Typ[t].Name()
			natives["sync/atomic."+o.name+strings.ToUpper(name[:1])+name[1:]] = o.on(normal(types.Typ[t]))
		}
		natives["sync/atomic."+o.name+"Pointer"] = o.on(normal(types.Typ[types.Uintptr]))
	}
	maps.Copy(natives, map[string]native{
		"(*sync.copyChecker).check":        always(0),
		"internal/sync.runtime_doSpin":     always(0),
		"sync.runtime_notifyListCheck":     always(0),
		"runtime.Gosched":                  yield,
		"runtime.GOMAXPROCS":               always(processors),
		"runtime.NumCPU":                   always(processors),
		"runtime.KeepAlive":                always(0),
		"time.Sleep":                       yield,     // of any length
		"runtime.AddCleanup":               always(0), // it may never run
		"runtime.SetFinalizer":             always(0),
		"time.Now":                         visible(now),
		"time.Since":                       visible(since),
		"(time.Time).Sub":                  sub,
		"internal/sync.runtime_canSpin":    always(0), // which only costs time
		"internal/sync.runtime_nanotime":   visible(nanotime),
		"internal/synctest.IsInBubble":     always(0),
		"internal/sync.throw":              throw,
		"internal/sync.fatal":              throw,
		"sync.throw":                       throw,
		"sync.fatal":                       throw,
		"sync.runtime_Semacquire":          visible(acquire),
		"sync.runtime_SemacquireWaitGroup": visible(func(m *Machine, a, _ []uint64) signal { return acquire(m, a[:1], nil) }),
		"sync.runtime_notifyListNotifyAll": visible(func(m *Machine, a, _ []uint64) signal { return notify(m, a[0], true) }),
		"sync.runtime_notifyListNotifyOne": visible(func(m *Machine, a, _ []uint64) signal { return notify(m, a[0], false) }),
		"sync.runtime_notifyListAdd":       visible(enlist),
		"sync.runtime_notifyListWait":      visible(await),
		"(*sync.Pool).Get":                 visible(get),
		"(*sync.Pool).Put":                 visible(pool),
		"harness.rest":                     rest,
		"harness.choose":                   visible(choose),
	})
	for _, pkg := range []string{"sync.", "internal/sync."} {
		for _, name := range []string{"runtime_SemacquireMutex", "runtime_SemacquireRWMutex", "runtime_SemacquireRWMutexR"} {
			natives[pkg+name] = visible(acquire)
		}
		natives[pkg+"runtime_Semrelease"] = visible(release)
	}
}

// processors is how many there are.
const processors = 4

// on returns an operation on words of a type of numbers, or on pointers.
func (o *operation) on(norm func(uint64) uint64) native {
	compares := o.name == "CompareAndSwap"
	return func(m *Machine, a, r []uint64) signal {
		var args [3]uint64
		copy(args[:], a)
		result := uint64(0)
		sig := m.atomic(a[0], o.what, o.name != "Load", func(w uint64) (to uint64) {
			to, result = o.do(w, args[1], args[2])
			return norm(to)
		})
		if sig.ran() && len(r) > 0 {
			r[0] = norm(result)
		}
		if sig == done && compares && result == 0 {
			m.Did.What = "fail to compare and swap"
		}
		return sig
	}
}

func throw(m *Machine, a, _ []uint64) signal { return m.fail("fatal error: %s", m.shown(a[0])) }

// nanotime goes on by nothing, or by a long time. After four of these it is the same again: differences are modulo 2^64, so a
// later time is later than the one before, and code that asks whether a wait was long sees that. It starts again when the
// goroutine rests.
func nanotime(m *Machine, _, r []uint64) signal {
	m.simple = true
	m.does("look at the clock", 0)
	m.Did.Both = true
	th := &m.threads[m.cur]
	th.clock = (th.clock + uint8(m.choose(2))) % 4
	r[0] = uint64(th.clock)<<62 + 1
	return done
}

// look has the clock of all go on as nanotime does, but eight times before it is the same, and returns the time: what one goroutine has read is never after what
// another reads then.
func (m *Machine) look() uint64 {
	m.does("look at the clock", 0)
	m.Did.Both = true
	if m.clock == 0 { // nothing runs yet
		return 1
	}
	m.reading(m.clock, 1)
	m.writing(m.clock, 1)
	w := m.objects[m.clock>>32].w
	w[0] += uint64(m.choose(2)) << 61
	return w[0] + 1
}

// The words of a time.Time: that of its field ext is the time, the others are zero.
const ext = 1

func now(m *Machine, _, r []uint64) signal {
	clear(r)
	r[ext] = m.look()
	return done
}

func since(m *Machine, a, r []uint64) signal {
	d := m.look() - a[ext]
	if int64(d) < 0 { // it has gone on by so much that it is a long time, too
		d = 3 << 61
	}
	r[0] = d
	return done
}

func sub(_ *Machine, a, r []uint64) signal {
	r[0] = a[ext] - a[3+ext]
	return next
}

func enlist(m *Machine, a, r []uint64) signal {
	m.park(place{at: a[0]}, false)
	r[0] = 0
	return m.does("take a ticket of", a[0])
}

func await(m *Machine, a, _ []uint64) signal {
	m.does("wait for", a[0])
	th := &m.threads[m.cur]
	if !slices.ContainsFunc(th.places, func(p place) bool { return p.at == a[0] }) { // it is woken already
		return done
	}
	th.awaits = true
	return parked
}

// A pool keeps its values in a list, in the word of its first field of more than no words.
func get(m *Machine, a, r []uint64) signal {
	if a[0] == 0 {
		return m.nilPointer()
	}
	m.known(a[0])
	m.alone(a[0])
	o := &m.objects[a[0]>>32]
	head := &o.w[uint32(a[0])]
	var all []ptr
	for at := *head; at != 0; at = m.objects[at>>32].w[2] {
		all = append(all, at)
	}
	m.does("get from", a[0])
	k := m.choose(len(all) + 1)
	if k < len(all) { // any of them
		item := m.objects[all[k]>>32].w
		copy(r, item)
		for at := head; ; at = &m.objects[*at>>32].w[2] {
			if *at == all[k] {
				*at = item[2]
				return done
			}
		}
	}
	create := o.w[int(uint32(a[0]))+m.p.poolNew()]
	clear(r)
	if create == 0 {
		return done
	}
	m.after, m.complex = true, true // nothing else is done that others observe
	return m.callValue(create)
}

func pool(m *Machine, a, _ []uint64) signal {
	if a[0] == 0 {
		return m.nilPointer()
	}
	m.known(a[0])
	m.alone(a[0])
	m.does("put into", a[0])
	if a[1] == 0 {
		return done
	}
	if m.p.poolItem == nil {
		m.p.poolItem = m.p.layout.add(&shape{kinds: []kind{typeOf, dynamic, pointer}})
	}
	at := m.alloc(m.p.poolItem, 1)
	item := m.objects[at>>32].w
	head := &m.objects[a[0]>>32].w[uint32(a[0])]
	item[0], item[1], item[2] = a[1], a[2], *head
	*head = at
	m.publish([]kind{pointer}, []uint64{at})
	return done
}

// poolNew is where the field New of a sync.Pool lies.
func (p *Program) poolNew() int {
	t := p.ssa.ImportedPackage("sync").Pkg.Scope().Lookup("Pool").Type()
	s := t.Underlying().(*types.Struct)
	at, _ := p.layout.field(t, s.NumFields()-1)
	return at
}

// rest is where a goroutine may stop: it ends a step, and nothing need follow.
func rest(m *Machine, _, _ []uint64) signal {
	m.threads[m.cur].clock = 0
	if m.made == 1 {
		m.does("", 0)
		return next
	}
	return stopped
}

// choose is one of so many.
func choose(m *Machine, a, r []uint64) signal {
	m.simple = true
	r[0] = uint64(m.choose(int(a[0])))
	return m.does("enter", 0)
}

// onValue makes an operation on the interface in an atomic.Value: do returns what that gets; nil: it stays. Nil, and values of
// another type, panic.
func onValue(what string, do func(m *Machine, v, a, r []uint64) (to []uint64)) native {
	return visible(func(m *Machine, a, r []uint64) signal {
		if a[0]>>32 == 0 {
			return m.nilPointer()
		}
		m.alone(a[0])
		m.reading(a[0], 2)
		m.writing(a[0], 2)
		o := &m.objects[a[0]>>32]
		v := o.w[uint32(a[0]) : uint32(a[0])+2]
		m.does(what, a[0])
		m.Accesses = append(m.Accesses, Access{At: a[0], n: 2, write: true, atomic: true, Pos: m.Did.Pos})
		for k := 1; k < len(a); k += 2 {
			last := k == len(a)-2
			if a[k] == 0 && last || last && v[0] != 0 && a[k] != v[0] || !last && a[k] != 0 && a[k] != a[k+2] {
				return m.fail("panics: sync/atomic: %s of nil, or of inconsistently typed value, into Value", what)
			}
		}
		if to := do(m, v, a[1:], r); to != nil {
			copy(v, to)
			m.publish([]kind{typeOf, dynamic}, v)
		}
		if m.Failure != nil {
			return failed
		}
		return done
	})
}

func init() {
	natives["(*sync/atomic.Value).Load"] = onValue("load", func(_ *Machine, v, _, r []uint64) []uint64 {
		copy(r, v)
		return nil
	})
	natives["(*sync/atomic.Value).Store"] = onValue("store", func(_ *Machine, _, a, _ []uint64) []uint64 { return a })
	natives["(*sync/atomic.Value).Swap"] = onValue("swap", func(_ *Machine, v, a, r []uint64) []uint64 {
		copy(r, v)
		return a
	})
	natives["(*sync/atomic.Value).CompareAndSwap"] = onValue("compare and swap", func(m *Machine, v, a, r []uint64) []uint64 {
		same := m.equal([]kind{typeOf, dynamic}, v, a[:2])
		if r[0] = bit(same); same {
			return a[2:]
		}
		m.Did.What = "fail to " + m.Did.What
		return nil
	})
}
