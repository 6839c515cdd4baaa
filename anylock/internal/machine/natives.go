package machine

import (
	"go/types"
	"maps"
)

// natives are the functions that are not run but made: those without code in Go, and those of
// which the code depends on what is not followed, by name.
var natives = map[string]native{}

// put sets a result of one word.
func put(f *frame, dst int, w uint64) {
	if dst >= 0 {
		f.r[dst] = w
	}
}

// yield ends a step that does nothing else for ever.
func yield(m *Machine, _ *frame, _ []uint64, _ int) signal {
	if m.made < manyInstructions {
		return next
	}
	if m.after {
		return stopped
	}
	m.simple = true
	return m.does("yield", 0)
}

// processors is how many there are.
func processors(_ *Machine, f *frame, _ []uint64, dst int) signal {
	put(f, dst, 4)
	return next
}

func ignore(*Machine, *frame, []uint64, int) signal { return next }

// visible returns a native that others can observe, so it begins the next step.
func visible(f native) native {
	return func(m *Machine, fr *frame, a []uint64, dst int) signal {
		if m.after {
			return stopped
		}
		return f(m, fr, a, dst)
	}
}

func init() {
	for _, t := range []types.BasicKind{types.Int32, types.Int64, types.Uint32, types.Uint64, types.Uintptr} {
		basic := types.Typ[t]
		name := basic.Name()
		onNumbers(string(name[0]-'a'+'A')+name[1:], normal(basic))
	}
	onNumbers("Pointer", nil)
	maps.Copy(natives, map[string]native{
		"(*sync.copyChecker).check":        ignore,
		"internal/sync.runtime_doSpin":     ignore,
		"sync.runtime_notifyListCheck":     ignore,
		"runtime.Gosched":                  yield,
		"runtime.GOMAXPROCS":               processors,
		"runtime.NumCPU":                   processors,
		"runtime.KeepAlive":                ignore,
		"time.Sleep":                       yield,  // of any length
		"runtime.AddCleanup":               ignore, // it may never run
		"runtime.SetFinalizer":             ignore,
		"time.Now":                         visible(now),
		"time.Since":                       visible(since),
		"(time.Time).Sub":                  sub,
		"internal/sync.runtime_canSpin":    canSpin,
		"internal/sync.runtime_nanotime":   visible(nanotime),
		"internal/synctest.IsInBubble":     func(_ *Machine, f *frame, _ []uint64, dst int) signal { put(f, dst, 0); return next },
		"internal/sync.throw":              throw,
		"internal/sync.fatal":              throw,
		"sync.throw":                       throw,
		"sync.fatal":                       throw,
		"sync.runtime_Semacquire":          visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return acquire(m, a[0], false) }),
		"sync.runtime_SemacquireWaitGroup": visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return acquire(m, a[0], false) }),
		"sync.runtime_notifyListNotifyAll": visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return notify(m, a[0], true) }),
		"sync.runtime_notifyListNotifyOne": visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return notify(m, a[0], false) }),
		"sync.runtime_notifyListAdd":       visible(enlist),
		"sync.runtime_notifyListWait":      visible(await),
		"(*sync.Pool).Get":                 visible(get),
		"(*sync.Pool).Put":                 visible(pool),
		"harness.rest":                     rest,
		"harness.choose":                   visible(choose),
	})
	for _, pkg := range []string{"sync.", "internal/sync."} {
		for _, name := range []string{"runtime_SemacquireMutex", "runtime_SemacquireRWMutex", "runtime_SemacquireRWMutexR"} {
			natives[pkg+name] = visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return acquire(m, a[0], a[1] != 0) })
		}
		natives[pkg+"runtime_Semrelease"] = visible(func(m *Machine, _ *frame, a []uint64, _ int) signal { return release(m, a[0], a[1] != 0) })
	}
}

// onNumbers adds the functions of sync/atomic on a type.
func onNumbers(name string, norm func(uint64) uint64) {
	name = "sync/atomic.%" + name
	add := func(what string, f native) { natives[replace(name, what)] = f }
	add("Load", func(m *Machine, f *frame, a []uint64, dst int) signal {
		return m.atomic(a[0], "load", false, func(w uint64) uint64 { put(f, dst, w); return w })
	})
	add("Store", func(m *Machine, _ *frame, a []uint64, _ int) signal {
		return m.atomic(a[0], "store", true, func(uint64) uint64 { return a[1] })
	})
	add("Swap", func(m *Machine, f *frame, a []uint64, dst int) signal {
		return m.atomic(a[0], "swap", true, func(w uint64) uint64 { put(f, dst, w); return a[1] })
	})
	add("CompareAndSwap", func(m *Machine, f *frame, a []uint64, dst int) signal {
		same := false
		sig := m.atomic(a[0], "compare and swap", true, func(w uint64) uint64 {
			same = w == a[1]
			put(f, dst, bit(same))
			if same {
				return a[2]
			}
			return w
		})
		if sig == done && !same {
			m.Did.What = "fail to compare and swap"
		}
		return sig
	})
	if norm == nil {
		return
	}
	add("Add", func(m *Machine, f *frame, a []uint64, dst int) signal {
		return m.atomic(a[0], "add", true, func(w uint64) uint64 { w = norm(w + a[1]); put(f, dst, w); return w })
	})
	add("And", func(m *Machine, f *frame, a []uint64, dst int) signal {
		return m.atomic(a[0], "and", true, func(w uint64) uint64 { put(f, dst, w); return w & a[1] })
	})
	add("Or", func(m *Machine, f *frame, a []uint64, dst int) signal {
		return m.atomic(a[0], "or", true, func(w uint64) uint64 { put(f, dst, w); return w | a[1] })
	})
}

func replace(name, what string) string {
	return name[:len("sync/atomic.")] + what + name[len("sync/atomic.%"):]
}

func throw(m *Machine, _ *frame, a []uint64, _ int) signal {
	return m.fail("fatal error: %s", m.shown(a[0]))
}

// canSpin has both answers, as long as the real one may say yes.
func canSpin(m *Machine, f *frame, a []uint64, dst int) signal {
	if int64(a[0]) >= 4 || !m.p.Spins {
		put(f, dst, 0)
		return next
	}
	if m.after {
		return stopped
	}
	m.simple = true
	put(f, dst, uint64(m.choose(2)))
	return m.does("may spin", 0)
}

// nanotime goes on by nothing, or by a long time. After four of these it is the same again: differences are modulo 2^64, so a
// later time is later than the one before, and code that asks whether a wait was long sees that. It starts again when the
// goroutine rests.
func nanotime(m *Machine, f *frame, _ []uint64, dst int) signal {
	m.simple = true
	m.does("look at the clock", 0)
	m.Did.Both = true
	th := &m.threads[m.cur]
	th.clock = (th.clock + uint8(m.choose(2))) % 4
	put(f, dst, uint64(th.clock)<<62+1)
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

func now(m *Machine, f *frame, _ []uint64, dst int) signal {
	clear(f.r[dst : dst+3])
	put(f, dst+ext, m.look())
	return done
}

func since(m *Machine, f *frame, a []uint64, dst int) signal {
	d := m.look() - a[ext]
	if int64(d) < 0 { // it has gone on by so much that it is a long time, too
		d = 3 << 61
	}
	put(f, dst, d)
	return done
}

func sub(_ *Machine, f *frame, a []uint64, dst int) signal {
	put(f, dst, a[ext]-a[3+ext])
	return next
}

func enlist(m *Machine, f *frame, a []uint64, dst int) signal {
	m.park(place{at: a[0]}, false)
	put(f, dst, 0)
	return m.does("take a ticket of", a[0])
}

func await(m *Machine, _ *frame, a []uint64, _ int) signal {
	m.does("wait for", a[0])
	if th := &m.threads[m.cur]; th.notified {
		th.notified = false
		return done
	}
	m.threads[m.cur].awaits = true
	return parked
}

// A pool keeps its values in a list, in the word of its first field of more than no words.
func get(m *Machine, f *frame, a []uint64, dst int) signal {
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
		f.r[dst], f.r[dst+1] = item[0], item[1]
		for at := head; ; at = &m.objects[*at>>32].w[2] {
			if *at == all[k] {
				*at = item[2]
				return done
			}
		}
	}
	create := o.w[int(uint32(a[0]))+m.p.poolNew()]
	clear(f.r[dst : dst+2])
	if create == 0 {
		return done
	}
	m.after, m.complex = true, true // nothing else is done that others observe
	return m.callValue(create, f, dst, nil)
}

func pool(m *Machine, _ *frame, a []uint64, _ int) signal {
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
func rest(m *Machine, _ *frame, _ []uint64, _ int) signal {
	m.threads[m.cur].clock = 0
	if m.made == 1 {
		m.does("", 0)
		return next
	}
	return stopped
}

// choose is one of so many.
func choose(m *Machine, f *frame, a []uint64, dst int) signal {
	m.simple = true
	put(f, dst, uint64(m.choose(int(a[0]))))
	return m.does("enter", 0)
}

// onValue makes an operation on the interface in an atomic.Value. Other than nil and values of its type panic.
func onValue(what string, do func(m *Machine, f *frame, a, v []uint64, dst int) (to []uint64)) native {
	return visible(func(m *Machine, f *frame, a []uint64, dst int) signal {
		if a[0]>>32 == 0 {
			return m.nilPointer()
		}
		m.alone(a[0])
		m.reading(a[0], 2)
		m.writing(a[0], 2)
		o := &m.objects[a[0]>>32]
		v := o.w[uint32(a[0]) : uint32(a[0])+2]
		pos := m.pos()
		m.Accesses = append(m.Accesses, Access{At: a[0], n: 2, write: true, atomic: true, Pos: pos})
		m.Did = Event{Thread: m.cur, What: what, Pos: pos, At: a[0]}
		for k := 1; k < len(a); k += 2 {
			last := k == len(a)-2
			if a[k] == 0 && last || last && v[0] != 0 && a[k] != v[0] || !last && a[k] != 0 && a[k] != a[k+2] {
				return m.fail("panics: sync/atomic: %s of nil, or of inconsistently typed value, into Value", what)
			}
		}
		if to := do(m, f, a, v, dst); to != nil {
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
	natives["(*sync/atomic.Value).Load"] = onValue("load", func(_ *Machine, f *frame, _, v []uint64, dst int) []uint64 {
		copy(f.r[dst:], v)
		return nil
	})
	natives["(*sync/atomic.Value).Store"] = onValue("store", func(_ *Machine, _ *frame, a, _ []uint64, _ int) []uint64 { return a[1:3] })
	natives["(*sync/atomic.Value).Swap"] = onValue("swap", func(_ *Machine, f *frame, a, v []uint64, dst int) []uint64 {
		copy(f.r[dst:], v)
		return a[1:3]
	})
	natives["(*sync/atomic.Value).CompareAndSwap"] = onValue("compare and swap", func(m *Machine, f *frame, a, v []uint64, dst int) []uint64 {
		same := m.equal([]kind{typeOf, dynamic}, v, a[1:3])
		if f.r[dst] = bit(same); same {
			return a[3:5]
		}
		m.Did.What = "fail to " + m.Did.What
		return nil
	})
}
