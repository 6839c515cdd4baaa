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
		s := c.layout.of(i.Type().Underlying().(*types.Pointer).Elem())
		return makes(s, to)
	case *ssa.BinOp:
		return c.binary(i, to)
	case *ssa.UnOp:
		return c.unary(i, to, at)
	case *ssa.ChangeType, *ssa.ChangeInterface:
		return c.part(*v.(ssa.Instruction).Operands(nil)[0], 0, c.layout.of(v.Type()).size(), to)
	case *ssa.Convert:
		return c.convert(i, to)
	case *ssa.Extract:
		offset, s := c.layout.field(i.Tuple.Type(), i.Index)
		return c.part(i.Tuple, offset, s.size(), to)
	case *ssa.Field:
		offset, s := c.layout.field(i.X.Type(), i.Field)
		return c.part(i.X, offset, s.size(), to)
	case *ssa.FieldAddr:
		return c.fieldAddr(i, to)
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
	}
	if i, ok := v.(*ssa.MultiConvert); ok {
		refuse("the conversion to %v", i.Type())
	}
	refuse("%v", v)
	return nil
}

// makes compiles what makes a new variable.
func makes(s *shape, to int) instruction {
	return func(m *Machine, f *frame) signal {
		f.r[to] = m.alloc(s, 1)
		return next
	}
}

func (c *compiler) fieldAddr(i *ssa.FieldAddr, to int) instruction {
	x := c.use(i.X)
	offset, _ := c.layout.field(i.X.Type().Underlying().(*types.Pointer).Elem(), i.Field)
	return func(m *Machine, f *frame) signal {
		p := f.one(x)
		if p == 0 {
			return m.nilPointer()
		}
		f.r[to] = p + uint64(offset)
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
	x, n := c.use(i.X), uint64(i.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	return func(m *Machine, f *frame) signal {
		words := f.val(x)
		if words[1] < n {
			return m.fail("panics: cannot convert a slice of length %d to an array of length %d", words[1], n)
		}
		f.r[to] = words[0]
		return next
	}
}

func (c *compiler) part(x ssa.Value, offset, n, to int) instruction {
	o := c.use(x)
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
			s, at := m.string(f.one(x)), int64(f.one(k))
			if at < 0 || at >= int64(len(s)) {
				return m.fail("panics: index out of range [%d] with length %d", at, len(s))
			}
			f.r[to] = uint64(s[at])
			return next
		}
	}
	n := c.layout.of(array.Elem()).size()
	return func(m *Machine, f *frame) signal {
		at := int64(f.one(k))
		if at < 0 || at >= array.Len() {
			return m.fail("panics: index out of range [%d] with length %d", at, array.Len())
		}
		copy(f.r[to:to+n], f.val(x)[int(at)*n:])
		return next
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
		at := int64(f.one(k))
		if at < 0 || at >= n {
			return m.fail("panics: index out of range [%d] with length %d", at, n)
		}
		f.r[to] = words[0] + uint64(at)*size
		return next
	}
}

func (c *compiler) closure(i *ssa.MakeClosure, to int) instruction {
	fn := c.function(i.Fn.(*ssa.Function))
	free := c.useAll(i.Bindings)
	s := c.layout.closure(fn.params[fn.args:])
	return func(m *Machine, f *frame) signal {
		at := m.alloc(s, 1)
		w := m.objects[at>>32].w
		w[0] = uint64(fn.number)
		w = w[1:]
		for _, o := range free {
			n := copy(w, f.val(o))
			w = w[n:]
		}
		f.r[to] = at
		return next
	}
}

func (c *compiler) makeInterface(i *ssa.MakeInterface, to int) instruction {
	x, t := c.use(i.X), i.X.Type()
	number := c.typeNumber(t)
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
	x, iface := c.use(i.X), types.IsInterface(i.AssertedType)
	number, n := uint64(0), c.layout.of(i.AssertedType).size()
	if !iface {
		number = c.typeNumber(i.AssertedType)
	}
	return func(m *Machine, f *frame) signal {
		words := f.val(x)
		ok := words[0] != 0 && (words[0] == number || iface && types.AssertableTo(i.AssertedType.Underlying().(*types.Interface), m.p.types[words[0]].t))
		switch {
		case !ok && !i.CommaOk:
			return m.fail("panics: interface conversion to %v", i.AssertedType)
		case !ok:
			clear(f.r[to : to+n])
		case iface:
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
		from, end, top := int64(0), n, room
		for _, b := range []struct {
			o *operand
			v *int64
		}{{low, &from}, {high, &end}, {most, &top}} {
			if b.o != nil {
				*b.v = int64(f.one(b.o))
			}
		}
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

// convert compiles a conversion of numbers or of unsafe pointers.
func (c *compiler) convert(i *ssa.Convert, to int) instruction {
	x, from, t := c.use(i.X), i.X.Type().Underlying(), i.Type().Underlying()
	a, isBasic := from.(*types.Basic)
	b, toBasic := t.(*types.Basic)
	if isBasic && toBasic && a.Info()&types.IsInteger != 0 && b.Info()&types.IsInteger != 0 {
		norm := normal(b)
		return func(_ *Machine, f *frame) signal {
			f.r[to] = norm(f.one(x))
			return next
		}
	}
	if _, ok := from.(*types.Pointer); ok && toBasic && b.Kind() == types.UnsafePointer {
		return func(_ *Machine, f *frame) signal {
			f.r[to] = f.one(x)
			return next
		}
	}
	if p, ok := t.(*types.Pointer); ok && isBasic && a.Kind() == types.UnsafePointer {
		kinds := c.layout.of(p.Elem()).kinds
		return func(m *Machine, f *frame) signal {
			at := f.one(x)
			if at != 0 && !m.like(at, p.Elem(), kinds) {
				refuse("an unsafe pointer to memory of another type, as %v", p.Elem())
			}
			f.r[to] = at
			return next
		}
	}
	refuse("the conversion of %v to %v", i.X.Type(), i.Type())
	return nil
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
