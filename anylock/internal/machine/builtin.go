package machine

import (
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"slices"

	"golang.org/x/tools/go/ssa"
)

func (c *compiler) builtin(i *ssa.Call, b *ssa.Builtin, to int) instruction {
	args := c.useAll(i.Call.Args)
	t := func(k int) types.Type { return i.Call.Args[k].Type().Underlying() }
	if len(args) > 0 {
		if u, ok := t(0).(*types.Map); ok {
			return c.onMap(b.Name(), u, args, to)
		}
	}
	switch b.Name() {
	case "len":
		return length(t(0), 1, args[0], to)
	case "cap":
		return length(t(0), 2, args[0], to)
	case "append":
		return c.appends(i, args, to)
	case "copy":
		if _, ok := t(1).(*types.Slice); !ok {
			refuse("copy from %v", t(1))
		}
		return copies(c.layout.of(t(0).(*types.Slice).Elem()), args[0], args[1], to)
	case "clear":
		slice, ok := t(0).(*types.Slice)
		if !ok {
			refuse("clear of %v", t(0))
		}
		elem := c.layout.of(slice.Elem())
		return func(m *Machine, f *frame) signal {
			s := f.val(args[0])
			if s[1] == 0 {
				return next
			}
			return m.store(s[0], elem.kinds, make([]uint64, int(s[1])*elem.size()))
		}
	case "close":
		return func(m *Machine, f *frame) signal { return m.closes(f.one(args[0])) }
	case "min", "max":
		return extreme(b.Name(), t(0), args, to)
	case "recover": // from nothing: see fail
		c.fn.recovers = true
		return func(_ *Machine, f *frame) signal {
			clear(f.r[to : to+2])
			return next
		}
	case "print", "println":
		return func(*Machine, *frame) signal { return next }
	case "ssa:wrapnilchk":
		return func(m *Machine, f *frame) signal {
			f.r[to] = f.one(args[0])
			return m.notNil(f.r[to])
		}
	}
	refuse("the builtin %s", b.Name())
	return nil
}

// length compiles len or cap, which is word 1 or 2 of a slice.
func length(t types.Type, word int, of *operand, to int) instruction {
	return func(m *Machine, f *frame) signal {
		switch x := f.val(of); t.(type) {
		case *types.Slice:
			f.r[to] = x[word]
		case *types.Basic:
			f.r[to] = uint64(len(m.string(x[0])))
		case *types.Chan:
			if m.after {
				return stopped
			}
			m.simple = true
			if f.r[to] = 0; x[0] != 0 {
				m.channel(x[0], false)
				f.r[to] = m.objects[x[0]>>32].w[chanCount+word-1]
			}
			return m.does([]string{"len of", "cap of"}[word-1], x[0])
		default:
			refuse("len or cap of %v", t)
		}
		return next
	}
}

func copies(elem *shape, to, from *operand, count int) instruction {
	return func(m *Machine, f *frame) signal {
		dst, src := f.val(to), f.val(from)
		n := min(dst[1], src[1])
		if n == 0 {
			f.r[count] = 0
			return next
		}
		words, sig := m.see(src[0], int(n)*elem.size(), false)
		if sig == next {
			sig = m.store(dst[0], elem.kinds, slices.Clone(words))
		}
		if sig == next {
			f.r[count] = n
		}
		return sig
	}
}

// extreme compiles min or max.
func extreme(name string, t types.Type, args []*operand, to int) instruction {
	basic, ok := t.(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 {
		refuse("%s of %v", name, t)
	}
	op := token.LSS
	if name == "max" {
		op = token.GTR
	}
	better := operator(op, basic)
	return func(_ *Machine, f *frame) signal {
		best := f.one(args[0])
		for _, o := range args[1:] {
			if w := f.one(o); better(w, best) == 1 {
				best = w
			}
		}
		f.r[to] = best
		return next
	}
}

func (c *compiler) appends(i *ssa.Call, args []*operand, to int) instruction {
	of := i.Type().Underlying().(*types.Slice).Elem()
	elem := c.layout.of(of)
	if _, ok := i.Call.Args[1].Type().Underlying().(*types.Slice); !ok {
		refuse("append of %v", i.Call.Args[1].Type())
	}
	size := elem.size()
	return func(m *Machine, f *frame) signal {
		s, more := slices.Clone(f.val(args[0])), f.val(args[1])
		n, k := int(s[1]), int(more[1])
		if k == 0 {
			copy(f.r[to:], s)
			return next
		}
		added, sig := m.see(more[0], k*size, false)
		if sig != next {
			return sig
		}
		added = slices.Clone(added)
		if n+k > int(s[2]) {
			room := grown(of, n, int(s[2]), k)
			at := m.alloc(elem, room)
			if n > 0 {
				old, sig := m.see(s[0], n*size, false)
				if sig != next {
					return sig
				}
				copy(m.objects[at>>32].w, old)
			}
			s[0], s[2] = at, uint64(room)
		}
		if sig := m.store(s[0]+uint64(n*size), elem.kinds, added); sig != next {
			return sig
		}
		s[1] = uint64(n + k)
		copy(f.r[to:], s)
		return next
	}
}

// grown returns the capacity of a slice to which elements are appended for which it has no room: what Go gives it.
func grown(elem types.Type, n, room, more int) int {
	size := int(types.SizesFor("gc", runtime.GOARCH).Sizeof(elem))
	if size == 0 {
		return n + more
	}
	of := reflect.ArrayOf(size, reflect.TypeFor[byte]())
	if word := reflect.TypeFor[*byte](); pointing(elem) {
		of = reflect.ArrayOf(size/int(word.Size()), word)
	}
	t := reflect.SliceOf(of)
	return reflect.AppendSlice(reflect.MakeSlice(t, n, room), reflect.MakeSlice(t, more, more)).Cap()
}

// pointing reports whether a value of a type has pointers.
func pointing(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return pointing(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if pointing(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
