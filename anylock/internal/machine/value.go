package machine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// value compiles an instruction that has a value.
func (c *compiler) value(v ssa.Value, at int) instruction {
	to := c.slots[v]
	switch i := v.(type) {
	case *ssa.Alloc:
		return makes(c.layout.of(pointee(i)), to)
	case *ssa.BinOp:
		return c.binary(i, to)
	case *ssa.UnOp:
		return c.unary(i, to, at)
	case *ssa.ChangeType, *ssa.ChangeInterface:
		return c.part(*v.(ssa.Instruction).Operands(nil)[0], 0, c.layout.of(v.Type()), to)
	case *ssa.Convert:
		return c.convert(i, to)
	case *ssa.Extract:
		offset, s := c.layout.field(i.Tuple.Type(), i.Index)
		return c.part(i.Tuple, offset, s, to)
	case *ssa.Field:
		offset, s := c.layout.field(i.X.Type(), i.Field)
		return c.part(i.X, offset, s, to)
	case *ssa.FieldAddr:
		x := c.use(i.X)
		offset, _ := c.layout.field(pointee(i.X), i.Field)
		return func(m *Machine, f *frame) signal {
			f.r[to] = f.one(x) + uint64(offset)
			return m.notNil(f.one(x))
		}
	case *ssa.Index:
		return c.index(i, to)
	case *ssa.IndexAddr:
		return c.indexAddr(i, to)
	case *ssa.MakeChan:
		return c.makeChan(i, to)
	case *ssa.MakeClosure:
		return c.closure(i, to)
	case *ssa.MakeInterface:
		return c.makeInterface(i, to)
	case *ssa.Lookup:
		return c.lookup(i, to)
	case *ssa.MakeMap:
		return makes(c.layout.head, to)
	case *ssa.Next:
		return c.nexts(i, to)
	case *ssa.Range:
		return c.ranges(i, to)
	case *ssa.MakeSlice:
		return c.makeSlice(i, to)
	case *ssa.Select:
		return c.selects(i, to, at)
	case *ssa.Slice:
		return c.slice(i, to)
	case *ssa.SliceToArrayPointer:
		return c.arrayPointer(i, to)
	case *ssa.TypeAssert:
		return c.assert(i, to)
	case *ssa.MultiConvert:
		refuse("the conversion to %v", i.Type())
	}
	refuse("%v", v)
	return nil
}

// pointee returns the type to which a pointer points.
func pointee(v ssa.Value) types.Type { return v.Type().Underlying().(*types.Pointer).Elem() }

// notNil fails if a pointer is nil.
func (m *Machine) notNil(p ptr) signal {
	if p == 0 {
		return m.nilPointer()
	}
	return next
}

// within fails unless an index is one of so many.
func (m *Machine) within(at uint64, n int64) signal {
	if int64(at) < 0 || int64(at) >= n {
		return m.fail("panics: index out of range [%d] with length %d", int64(at), n)
	}
	return next
}

// makes compiles what makes a new variable.
func makes(s *shape, to int) instruction {
	return func(m *Machine, f *frame) signal {
		f.r[to] = m.alloc(s, 1)
		return next
	}
}

func (c *compiler) makeChan(i *ssa.MakeChan, to int) instruction {
	n, elem := c.use(i.Size), c.layout.of(i.Type().Underlying().(*types.Chan).Elem())
	return func(m *Machine, f *frame) signal {
		k := int64(f.one(n))
		if k < 0 || k > 1<<16 {
			return m.fail("panics: makechan: size out of range")
		}
		f.r[to] = m.alloc(m.p.layout.channel(elem, int(k)), 1)
		m.objects[f.r[to]>>32].w[chanRoom] = uint64(k)
		return next
	}
}

func (c *compiler) makeSlice(i *ssa.MakeSlice, to int) instruction {
	n, most, elem := c.use(i.Len), c.use(i.Cap), c.layout.of(i.Type().Underlying().(*types.Slice).Elem())
	return func(m *Machine, f *frame) signal {
		k, l := int64(f.one(n)), int64(f.one(most))
		if k < 0 || l < k || l > 1<<20 {
			return m.fail("panics: makeslice: len out of range")
		}
		f.r[to], f.r[to+1], f.r[to+2] = m.alloc(elem, int(l)), uint64(k), uint64(l)
		return next
	}
}

func (c *compiler) arrayPointer(i *ssa.SliceToArrayPointer, to int) instruction {
	x, n := c.use(i.X), uint64(pointee(i).Underlying().(*types.Array).Len())
	return func(m *Machine, f *frame) signal {
		words := f.val(x)
		if words[1] < n {
			return m.fail("panics: cannot convert a slice of length %d to an array of length %d", words[1], n)
		}
		f.r[to] = words[0]
		return next
	}
}

// part compiles what takes a part of a value, or all of it.
func (c *compiler) part(x ssa.Value, offset int, of *shape, to int) instruction {
	o, n := c.use(x), of.size()
	return func(_ *Machine, f *frame) signal {
		copy(f.r[to:to+n], f.val(o)[offset:])
		return next
	}
}

func (c *compiler) index(i *ssa.Index, to int) instruction {
	x, k := c.use(i.X), c.use(i.Index)
	array, ok := i.X.Type().Underlying().(*types.Array)
	if !ok { // of a string
		return func(m *Machine, f *frame) signal {
			s, at := m.string(f.one(x)), f.one(k)
			sig := m.within(at, int64(len(s)))
			if sig == next {
				f.r[to] = uint64(s[at])
			}
			return sig
		}
	}
	n := c.layout.of(array.Elem()).size()
	return func(m *Machine, f *frame) signal {
		at := f.one(k)
		sig := m.within(at, array.Len())
		if sig == next {
			copy(f.r[to:to+n], f.val(x)[int(at)*n:])
		}
		return sig
	}
}

// elements returns the type of the elements of a slice, or of an array that is pointed to, and the length of that; -1: of a
// slice.
func elements(t types.Type) (elem types.Type, length int64) {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem(), -1
	case *types.Pointer:
		array := t.Elem().Underlying().(*types.Array)
		return array.Elem(), array.Len()
	}
	refuse("an element or a part of a %v", t)
	return nil, 0
}

func (c *compiler) indexAddr(i *ssa.IndexAddr, to int) instruction {
	x, k := c.use(i.X), c.use(i.Index)
	elem, length := elements(i.X.Type())
	size := uint64(c.layout.of(elem).size())
	return func(m *Machine, f *frame) signal {
		words, n := f.val(x), length
		if n < 0 {
			n = int64(words[1])
		} else if words[0] == 0 {
			return m.nilPointer()
		}
		f.r[to] = words[0] + f.one(k)*size
		return m.within(f.one(k), n)
	}
}

func (c *compiler) slice(i *ssa.Slice, to int) instruction {
	x := c.use(i.X)
	low, high, most := c.optional(i.Low), c.optional(i.High), c.optional(i.Max)
	elem, length := elements(i.X.Type())
	size := c.layout.of(elem).size()
	return func(m *Machine, f *frame) signal {
		words := f.val(x)
		n, room := length, length
		if n < 0 {
			n, room = int64(words[1]), int64(words[2])
		} else if words[0] == 0 {
			return m.nilPointer()
		}
		from, end, top := f.or(low, 0), f.or(high, n), f.or(most, room)
		if from < 0 || end < from || top < end || room < top {
			return m.fail("panics: slice bounds out of range [%d:%d:%d] with capacity %d", from, end, top, room)
		}
		at := words[0]
		if top > from { // else it would point behind
			at += uint64(int(from) * size)
		}
		f.r[to], f.r[to+1], f.r[to+2] = at, uint64(end-from), uint64(top-from)
		return next
	}
}

func (c *compiler) optional(v ssa.Value) *operand {
	if v == nil {
		return nil
	}
	return c.use(v)
}

// or returns an optional number, or else another.
func (f *frame) or(o *operand, n int64) int64 {
	if o == nil {
		return n
	}
	return int64(f.one(o))
}

func (c *compiler) closure(i *ssa.MakeClosure, to int) instruction {
	fn, free := c.function(i.Fn.(*ssa.Function)), c.useAll(i.Bindings)
	s := c.layout.closure(fn.params[fn.args:])
	return func(m *Machine, f *frame) signal {
		at := m.alloc(s, 1)
		w := m.objects[at>>32].w
		w[0] = uint64(fn.number)
		f.collect(w[1:1], free)
		f.r[to] = at
		return next
	}
}

func (c *compiler) makeInterface(i *ssa.MakeInterface, to int) instruction {
	x, number := c.use(i.X), c.typeNumber(i.X.Type())
	return func(m *Machine, f *frame) signal {
		f.r[to], f.r[to+1] = m.boxed(number, f.val(x))
		return next
	}
}

// boxed returns the words of an interface that holds a value.
func (m *Machine) boxed(number uint64, value []uint64) (uint64, uint64) {
	s := m.p.types[number]
	switch {
	case s.direct:
		return number, value[0]
	case s.size() == 0:
		return number, 0
	}
	at := m.alloc(m.p.layout.box(s), 1)
	copy(m.objects[at>>32].w, value)
	return number, at
}

// unboxed returns the value in an interface.
func (m *Machine) unboxed(words []uint64) []uint64 {
	s := m.p.types[words[0]]
	switch {
	case s.direct:
		return words[1:2]
	case s.size() == 0:
		return nil
	}
	return m.objects[words[1]>>32].w
}

func (c *compiler) assert(i *ssa.TypeAssert, to int) instruction {
	x, n := c.use(i.X), c.layout.of(i.AssertedType).size()
	iface, isInterface := i.AssertedType.Underlying().(*types.Interface)
	number := uint64(0)
	if !isInterface {
		number = c.typeNumber(i.AssertedType)
	}
	return func(m *Machine, f *frame) signal {
		words := f.val(x)
		ok := words[0] != 0 && (words[0] == number || isInterface && types.AssertableTo(iface, m.p.types[words[0]].t))
		switch {
		case !ok && !i.CommaOk:
			return m.fail("panics: interface conversion to %v", i.AssertedType)
		case !ok:
			clear(f.r[to : to+n])
		case isInterface:
			copy(f.r[to:to+2], words)
		default:
			copy(f.r[to:to+n], m.unboxed(words))
		}
		if i.CommaOk {
			f.r[to+n] = bit(ok)
		}
		return next
	}
}

// convert compiles a conversion of numbers or of unsafe pointers.
func (c *compiler) convert(i *ssa.Convert, to int) instruction {
	x, from, t := c.use(i.X), i.X.Type().Underlying(), i.Type().Underlying()
	if basic, ok := t.(*types.Basic); ok && isInteger(from) && isInteger(t) {
		norm := normal(basic)
		return func(_ *Machine, f *frame) signal {
			f.r[to] = norm(f.one(x))
			return next
		}
	}
	isUnsafe := func(t types.Type) bool { return types.Identical(t, types.Typ[types.UnsafePointer]) }
	if _, ok := from.(*types.Pointer); ok && isUnsafe(t) {
		return c.part(i.X, 0, c.layout.of(t), to)
	}
	p, ok := t.(*types.Pointer)
	if !ok || !isUnsafe(from) {
		refuse("the conversion of %v to %v", i.X.Type(), i.Type())
	}
	kinds := c.layout.of(p.Elem()).kinds
	return func(m *Machine, f *frame) signal {
		if f.r[to] = f.one(x); f.r[to] != 0 && !m.like(f.r[to], p.Elem(), kinds) {
			refuse("an unsafe pointer to memory of another type, as %v", p.Elem())
		}
		return next
	}
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// like reports whether there is memory at a place that can be a value of a type: of pointers, or of that type.
func (m *Machine) like(at ptr, t types.Type, kinds []kind) bool {
	o := &m.objects[at>>32]
	off := int(uint32(at))
	if off+len(kinds) > len(o.w) {
		return false
	}
	for k, kd := range kinds {
		if n := len(o.shape.kinds); n == 0 || o.shape.kinds[(off+k)%n] != kd {
			return false
		}
	}
	if !slices.Contains(kinds, scalar) {
		return true
	}
	off %= max(1, o.shape.size())
	for of := o.shape.t; of != nil && (m.p.Whole || !isMutex(of)); of, _, off = m.p.layout.part(of, off) {
		if types.Identical(of.Underlying(), t.Underlying()) {
			return true
		}
	}
	return false
}

// normal returns what makes a word one of a type of integers.
func normal(t *types.Basic) func(uint64) uint64 {
	switch t.Kind() {
	case types.Int8:
		return func(w uint64) uint64 { return uint64(int8(w)) }
	case types.Int16:
		return func(w uint64) uint64 { return uint64(int16(w)) }
	case types.Int32, types.UntypedRune:
		return func(w uint64) uint64 { return uint64(int32(w)) }
	case types.Uint8:
		return func(w uint64) uint64 { return uint64(uint8(w)) }
	case types.Uint16:
		return func(w uint64) uint64 { return uint64(uint16(w)) }
	case types.Uint32:
		return func(w uint64) uint64 { return uint64(uint32(w)) }
	}
	return func(w uint64) uint64 { return w }
}
