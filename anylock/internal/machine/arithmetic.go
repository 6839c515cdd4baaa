package machine

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

func (c *compiler) unary(i *ssa.UnOp, to, at int) instruction {
	x, s := c.use(i.X), c.layout.of(i.Type())
	n := s.size()
	switch i.Op {
	case token.MUL:
		if ofRange(i) {
			return func(*Machine, *frame) signal { return next }
		}
		return func(m *Machine, f *frame) signal {
			words, sig := m.see(f.one(x), n, false)
			if sig.ran() {
				copy(f.r[to:to+n], words)
			}
			return sig
		}
	case token.NOT:
		return func(_ *Machine, f *frame) signal {
			f.r[to] = f.one(x) ^ 1
			return next
		}
	case token.SUB, token.XOR:
		b, ok := i.Type().Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 {
			refuse("%v of %v", i.Op, i.Type())
		}
		norm, negate := normal(b), i.Op == token.SUB
		return func(_ *Machine, f *frame) signal {
			w := f.one(x)
			if negate {
				f.r[to] = norm(-w)
			} else {
				f.r[to] = norm(^w)
			}
			return next
		}
	case token.ARROW:
		size := c.layout.of(i.X.Type().Underlying().(*types.Chan).Elem()).size()
		c.fn.deliver[at] = func(f *frame, _ int, value []uint64, ok bool) {
			clear(f.r[to : to+size])
			copy(f.r[to:to+size], value)
			if i.CommaOk {
				f.r[to+size] = bit(ok)
			}
		}
		return func(m *Machine, f *frame) signal {
			return m.communicate(f, true, place{at: f.one(x), does: forReceive})
		}
	}
	refuse("the operator %v", i.Op)
	return nil
}

func (c *compiler) binary(i *ssa.BinOp, to int) instruction {
	if i.Op == token.EQL || i.Op == token.NEQ {
		return c.equality(i, to)
	}
	x, y := c.use(i.X), c.use(i.Y)
	b, ok := i.X.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsString) == 0 {
		refuse("%v of %v", i.Op, i.X.Type())
	}
	if b.Info()&types.IsString != 0 {
		return c.ofStrings(i, x, y, to)
	}
	norm, signed := normal(b), b.Info()&types.IsUnsigned == 0
	do := integers(i.Op, signed)
	if do == nil {
		if i.Op != token.QUO && i.Op != token.REM {
			refuse("the operator %v", i.Op)
		}
		return func(m *Machine, f *frame) signal {
			v, w := f.one(x), f.one(y)
			if w == 0 {
				return m.fail("panics: integer divide by zero")
			}
			f.r[to] = norm(divide(i.Op == token.QUO, signed, v, w))
			return next
		}
	}
	if compares(i.Op) {
		return func(_ *Machine, f *frame) signal {
			f.r[to] = do(f.one(x), f.one(y))
			return next
		}
	}
	if count, ok := i.Y.Type().Underlying().(*types.Basic); ok && (i.Op == token.SHL || i.Op == token.SHR) && count.Info()&types.IsUnsigned == 0 {
		return func(m *Machine, f *frame) signal {
			if int64(f.one(y)) < 0 {
				return m.fail("panics: negative shift amount")
			}
			f.r[to] = norm(do(f.one(x), f.one(y)))
			return next
		}
	}
	return func(_ *Machine, f *frame) signal {
		f.r[to] = norm(do(f.one(x), f.one(y)))
		return next
	}
}

// equality compiles == or !=.
func (c *compiler) equality(i *ssa.BinOp, to int) instruction {
	x, y, t := c.use(i.X), c.use(i.Y), i.X.Type()
	differ := bit(i.Op == token.NEQ)
	s := c.layout.of(t)
	if p, ok := t.Underlying().(*types.Pointer); ok && c.layout.of(p.Elem()).size() == 0 && !isNil(i.X) && !isNil(i.Y) {
		refuse("a comparison of pointers to what has no size, which may be equal or not")
	}
	b, basic := t.Underlying().(*types.Basic)
	_, slice := t.Underlying().(*types.Slice)
	switch {
	case slices.Contains(s.kinds, typeOf):
		return func(m *Machine, f *frame) signal {
			if f.r[to] = bit(m.equal(s.kinds, f.val(x), f.val(y))) ^ differ; m.Failure != nil {
				return failed
			}
			return next
		}
	case basic && b.Info()&types.IsString != 0:
		return func(m *Machine, f *frame) signal {
			f.r[to] = bit(m.string(f.one(x)) == m.string(f.one(y))) ^ differ
			return next
		}
	case s.size() == 1:
		return func(_ *Machine, f *frame) signal {
			f.r[to] = bit(f.one(x) == f.one(y)) ^ differ
			return next
		}
	case slice: // with nil
		return func(_ *Machine, f *frame) signal {
			f.r[to] = bit(f.val(x)[0] == f.val(y)[0]) ^ differ
			return next
		}
	}
	return func(_ *Machine, f *frame) signal {
		f.r[to] = bit(slices.Equal(f.val(x), f.val(y))) ^ differ
		return next
	}
}

func (c *compiler) ofStrings(i *ssa.BinOp, x, y *operand, to int) instruction {
	return func(m *Machine, f *frame) signal {
		v, w := m.string(f.one(x)), m.string(f.one(y))
		switch i.Op {
		case token.ADD:
			f.r[to] = m.p.text(v + w)
		case token.LSS:
			f.r[to] = bit(v < w)
		case token.LEQ:
			f.r[to] = bit(v <= w)
		case token.GTR:
			f.r[to] = bit(v > w)
		case token.GEQ:
			f.r[to] = bit(v >= w)
		}
		return next
	}
}

func divide(quotient, signed bool, v, w uint64) uint64 {
	switch {
	case signed && quotient:
		if int64(w) == -1 {
			return -v
		}
		return uint64(int64(v) / int64(w))
	case signed:
		if int64(w) == -1 {
			return 0
		}
		return uint64(int64(v) % int64(w))
	case quotient:
		return v / w
	}
	return v % w
}

func compares(op token.Token) bool {
	return op == token.LSS || op == token.LEQ || op == token.GTR || op == token.GEQ
}

func integers(op token.Token, signed bool) func(v, w uint64) uint64 {
	switch op {
	case token.ADD:
		return func(v, w uint64) uint64 { return v + w }
	case token.SUB:
		return func(v, w uint64) uint64 { return v - w }
	case token.MUL:
		return func(v, w uint64) uint64 { return v * w }
	case token.AND:
		return func(v, w uint64) uint64 { return v & w }
	case token.OR:
		return func(v, w uint64) uint64 { return v | w }
	case token.XOR:
		return func(v, w uint64) uint64 { return v ^ w }
	case token.AND_NOT:
		return func(v, w uint64) uint64 { return v &^ w }
	case token.SHL:
		return func(v, w uint64) uint64 { return v << min(w, 64) }
	case token.SHR:
		if signed {
			return func(v, w uint64) uint64 { return uint64(int64(v) >> min(w, 63)) }
		}
		return func(v, w uint64) uint64 { return v >> min(w, 64) }
	}
	if !compares(op) {
		return nil
	}
	flip := bit(signed) << 63 // signed numbers are in the order of unsigned ones with the other first bit
	return map[token.Token]func(v, w uint64) uint64{
		token.LSS: func(v, w uint64) uint64 { return bit(v^flip < w^flip) },
		token.LEQ: func(v, w uint64) uint64 { return bit(v^flip <= w^flip) },
		token.GTR: func(v, w uint64) uint64 { return bit(v^flip > w^flip) },
		token.GEQ: func(v, w uint64) uint64 { return bit(v^flip >= w^flip) },
	}[op]
}

// equal compares values that may have interfaces in them.
func (m *Machine) equal(kinds []kind, v, w []uint64) bool {
	for k := range v {
		if kinds[k] != dynamic {
			if v[k] != w[k] {
				return false
			}
			continue
		}
		s := m.p.types[v[k-1]]
		if v[k-1] == 0 || s.direct && types.Comparable(s.t) || s.size() == 0 {
			if v[k] != w[k] {
				return false
			}
			continue
		}
		if !types.Comparable(s.t) {
			m.fail("panics: comparing uncomparable type %v", s.t)
			return false
		}
		if !m.equal(s.kinds, m.unboxed(v[k-1:k+1]), m.unboxed(w[k-1:k+1])) {
			return false
		}
	}
	return true
}

// ofRange reports whether i loads an array of which a range needs only the length, which Go does not do.
func ofRange(i *ssa.UnOp) bool {
	_, array := i.Type().Underlying().(*types.Array)
	b := i.Block()
	return array && len(*i.Referrers()) == 0 && len(b.Succs) == 1 && b.Instrs[len(b.Instrs)-2] == i && b.Succs[0].Comment == "rangeindex.loop"
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
