package machine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A map is a list of entries, in the order in which they came: its object points to the first, and each to the next. What
// orders accesses to it is the access to that object.

// A mapShape is that of the entries of a map: key, value, the next.
type mapShape struct {
	key, value int // words
	entry      *shape
}

func (l *layout) mapOf(t *types.Map) *mapShape {
	s, _ := l.maps.At(t).(*mapShape)
	if s == nil {
		key, value := l.of(t.Key()), l.of(t.Elem())
		s = &mapShape{key.size(), value.size(), l.add(&shape{kinds: append(append(append([]kind(nil), key.kinds...), value.kinds...), pointer)})}
		l.maps.Set(t, s)
	}
	return s
}

// entry returns the words of an entry.
func (m *Machine) entry(at ptr) []uint64 { return m.objects[at>>32].w }

// open begins an operation on a map that is not nil.
func (m *Machine) open(at ptr, write bool) signal {
	_, sig := m.see(at, 1, write)
	if sig.ran() && m.objects[at>>32].shared {
		m.complex = true
	}
	return sig
}

// hashable reports whether a value may be a key, and fails if it is not.
func (m *Machine) hashable(s *mapShape, key []uint64) bool {
	if !m.equal(s.entry.kinds[:s.key], key, key) {
		m.fail("panics: hash of unhashable type")
	}
	return m.Failure == nil
}

// search returns the place of the pointer to the entry with a key, or of the nil behind the last entry.
func (m *Machine) search(s *mapShape, at ptr, key []uint64) *uint64 {
	link := &m.entry(at)[0]
	for *link != 0 {
		e := m.entry(*link)
		if m.equal(s.entry.kinds[:s.key], e[:s.key], key) {
			return link
		}
		link = &e[len(e)-1]
	}
	return link
}

func (c *compiler) lookup(i *ssa.Lookup, to int) instruction {
	t, ok := i.X.Type().Underlying().(*types.Map)
	if !ok {
		refuse("the index of a string")
	}
	s, x, k := c.layout.mapOf(t), c.use(i.X), c.use(i.Index)
	return func(m *Machine, f *frame) signal {
		var found []uint64
		sig := next
		if !m.hashable(s, f.val(k)) {
			return failed
		}
		if at := f.one(x); at != 0 {
			if sig = m.open(at, false); !sig.ran() {
				return sig
			}
			if link := m.search(s, at, f.val(k)); *link != 0 {
				found = m.entry(*link)[s.key : s.key+s.value]
			}
		}
		clear(f.r[to : to+s.value])
		copy(f.r[to:], found)
		if i.CommaOk {
			f.r[to+s.value] = bit(found != nil)
		}
		return sig
	}
}

func (c *compiler) mapUpdate(i *ssa.MapUpdate) instruction {
	s, x, k, v := c.layout.mapOf(i.Map.Type().Underlying().(*types.Map)), c.use(i.Map), c.use(i.Key), c.use(i.Value)
	return func(m *Machine, f *frame) signal {
		at := f.one(x)
		if at == 0 {
			return m.fail("panics: assignment to entry in nil map")
		}
		if !m.hashable(s, f.val(k)) {
			return failed
		}
		sig := m.open(at, true)
		if !sig.ran() {
			return sig
		}
		link := m.search(s, at, f.val(k))
		if *link == 0 {
			*link = m.alloc(s.entry, 1)
			copy(m.entry(*link), f.val(k))
		}
		e := m.entry(*link)
		copy(e[s.key:], f.val(v))
		if m.objects[at>>32].shared {
			m.publish([]kind{pointer}, []uint64{*link})
			m.publish(s.entry.kinds, e)
		}
		return sig
	}
}

// onMap compiles a builtin on a map.
func (c *compiler) onMap(name string, t *types.Map, args []*operand, to int) instruction {
	s := c.layout.mapOf(t)
	return func(m *Machine, f *frame) signal {
		at, sig := f.one(args[0]), next
		if name == "delete" && !m.hashable(s, f.val(args[1])) {
			return failed
		}
		if at != 0 {
			if sig = m.open(at, name != "len"); !sig.ran() {
				return sig
			}
		}
		switch {
		case at == 0 && name == "len":
			f.r[to] = 0
		case at == 0:
		case name == "clear":
			m.entry(at)[0] = 0
		case name == "len":
			f.r[to] = 0
			for e := m.entry(at)[0]; e != 0; e = m.entry(e)[s.key+s.value] {
				f.r[to]++
			}
		default:
			if link := m.search(s, at, f.val(args[1])); *link != 0 {
				*link = m.entry(*link)[s.key+s.value]
			}
		}
		return sig
	}
}

// ranges compiles the beginning of a loop over a map: a list of its entries, behind the map.
func (c *compiler) ranges(i *ssa.Range, to int) instruction {
	t, ok := i.X.Type().Underlying().(*types.Map)
	if !ok {
		refuse("a loop over a string")
	}
	s, x := c.layout.mapOf(t), c.use(i.X)
	return func(m *Machine, f *frame) signal {
		at, sig := f.one(x), next
		var all []ptr
		if at != 0 {
			if sig = m.open(at, false); !sig.ran() {
				return sig
			}
			for e := m.entry(at)[0]; e != 0; e = m.entry(e)[s.key+s.value] {
				all = append(all, e)
			}
		}
		f.r[to] = m.alloc(c.layout.head, 1+len(all))
		w := m.entry(f.r[to])
		w[0] = at
		copy(w[1:], all)
		return sig
	}
}

// nexts compiles the next round of a loop over a map: with any of the entries that are still to come, and still there.
func (c *compiler) nexts(i *ssa.Next, to int) instruction {
	t, ok := i.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	if !ok || i.IsString {
		refuse("a loop over a string")
	}
	s, x := c.layout.mapOf(t), c.use(i.Iter)
	results := i.Type().(*types.Tuple)
	_, key := c.layout.field(results, 1)
	_, value := c.layout.field(results, 2)
	hasKey, hasValue := types.Identical(results.At(1).Type(), t.Key()), types.Identical(results.At(2).Type(), t.Elem())
	return func(m *Machine, f *frame) signal {
		w, sig := m.entry(f.one(x)), next
		if w[0] != 0 {
			if sig = m.open(w[0], false); !sig.ran() {
				return sig
			}
		}
		var left []int
		for k := 1; k < len(w); k++ {
			for e := m.entry(w[0])[0]; w[k] != 0 && e != 0; e = m.entry(e)[s.key+s.value] {
				if e == w[k] {
					left = append(left, k)
				}
			}
		}
		clear(f.r[to : to+1+key.size()+value.size()])
		if len(left) == 0 {
			return sig
		}
		k := left[0]
		if len(left) > 1 {
			if m.after {
				return stopped
			}
			k, sig = left[m.choose(len(left))], done
			m.simple = true
			m.does("go on with one of the entries of a map", 0)
		}
		e := m.entry(w[k])
		w[k] = 0
		f.r[to] = 1
		if hasKey {
			copy(f.r[to+1:], e[:s.key])
		}
		if hasValue {
			copy(f.r[to+1+key.size():], e[s.key:s.key+s.value])
		}
		return sig
	}
}
