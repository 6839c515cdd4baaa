package machine

import (
	"go/types"
	"slices"

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

// open begins an operation on a map; on nil, there is nothing to begin.
func (m *Machine) open(at ptr, write bool) signal {
	if at == 0 {
		return next
	}
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

// entries returns those of a map, in order; of nil, none.
func (m *Machine) entries(at ptr) (all []ptr) {
	for at != 0 {
		e := m.entry(at)
		if at = e[len(e)-1]; at != 0 {
			all = append(all, at)
		}
	}
	return all
}

func (c *compiler) lookup(i *ssa.Lookup, to int) instruction {
	t, ok := i.X.Type().Underlying().(*types.Map)
	if !ok {
		refuse("the index of a string")
	}
	s, x, k := c.layout.mapOf(t), c.use(i.X), c.use(i.Index)
	return func(m *Machine, f *frame) signal {
		if !m.hashable(s, f.val(k)) {
			return failed
		}
		at := f.one(x)
		sig := m.open(at, false)
		if !sig.ran() {
			return sig
		}
		found, value := false, f.r[to:to+s.value]
		clear(value)
		if at != 0 {
			if link := m.search(s, at, f.val(k)); *link != 0 {
				found = true
				copy(value, m.entry(*link)[s.key:])
			}
		}
		if i.CommaOk {
			f.r[to+s.value] = bit(found)
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
		if name == "delete" && !m.hashable(s, f.val(args[1])) {
			return failed
		}
		at := f.one(args[0])
		sig := m.open(at, name != "len")
		switch {
		case !sig.ran():
		case name == "len":
			f.r[to] = uint64(len(m.entries(at)))
		case at == 0:
		case name == "clear":
			m.entry(at)[0] = 0
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
	if _, ok := i.X.Type().Underlying().(*types.Map); !ok {
		refuse("a loop over a string")
	}
	x := c.use(i.X)
	return func(m *Machine, f *frame) signal {
		sig := m.open(f.one(x), false)
		if sig.ran() {
			all := append([]ptr{f.one(x)}, m.entries(f.one(x))...)
			f.r[to] = m.alloc(c.layout.head, len(all))
			copy(m.entry(f.r[to]), all)
		}
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
	atValue, _ := c.layout.field(results, 2)
	size := c.layout.of(results).size()
	hasKey, hasValue := types.Identical(results.At(1).Type(), t.Key()), types.Identical(results.At(2).Type(), t.Elem())
	return func(m *Machine, f *frame) signal {
		w := m.entry(f.one(x))
		sig := m.open(w[0], false)
		if !sig.ran() {
			return sig
		}
		var left []int
		there := m.entries(w[0])
		for k := 1; k < len(w); k++ {
			if slices.Contains(there, w[k]) {
				left = append(left, k)
			}
		}
		r := f.r[to : to+size]
		clear(r)
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
		r[0], w[k] = 1, 0
		if hasKey {
			copy(r[1:], e[:s.key])
		}
		if hasValue {
			copy(r[atValue:], e[s.key:s.key+s.value])
		}
		return sig
	}
}
