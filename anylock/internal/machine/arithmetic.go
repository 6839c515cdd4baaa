package machine

import (
	"go/token"
	"go/types"
	"strings"

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
		return arithmetic(token.XOR, i.Type(), x, &operand{words: []uint64{1}}, to)
	case token.SUB:
		return arithmetic(token.SUB, i.Type(), &operand{words: []uint64{0}}, x, to)
	case token.XOR:
		return arithmetic(token.XOR, i.Type(), &operand{words: []uint64{^uint64(0)}}, x, to)
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
	if isString(i.X.Type()) {
		return ofStrings(i.Op, x, y, to)
	}
	if i.Op == token.SHL || i.Op == token.SHR {
		return shift(i, x, y, to)
	}
	return arithmetic(i.Op, i.X.Type(), x, y, to)
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// arithmetic compiles an operator on numbers of a type, or on booleans.
func arithmetic(op token.Token, t types.Type, x, y *operand, to int) instruction {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsBoolean) == 0 {
		refuse("%v of %v", op, t)
	}
	do, norm, divides := operator(op, b), normal(b), op == token.QUO || op == token.REM
	return func(m *Machine, f *frame) signal {
		v, w := f.one(x), f.one(y)
		if divides && w == 0 {
			return m.fail("panics: integer divide by zero")
		}
		f.r[to] = norm(do(v, w))
		return next
	}
}

func shift(i *ssa.BinOp, x, y *operand, to int) instruction {
	do := arithmetic(i.Op, i.X.Type(), x, y, to)
	if i.Y.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned != 0 {
		return do
	}
	return func(m *Machine, f *frame) signal {
		if int64(f.one(y)) < 0 {
			return m.fail("panics: negative shift amount")
		}
		return do(m, f)
	}
}

func ofStrings(op token.Token, x, y *operand, to int) instruction {
	compare := operator(op, types.Typ[types.Int])
	return func(m *Machine, f *frame) signal {
		if v, w := m.string(f.one(x)), m.string(f.one(y)); op == token.ADD {
			f.r[to] = m.p.text(v + w)
		} else {
			f.r[to] = compare(uint64(strings.Compare(v, w)), 0)
		}
		return next
	}
}

// operator returns an operator on numbers of a type. Comparisons return 1 or 0.
func operator(op token.Token, t *types.Basic) func(v, w uint64) uint64 {
	do := ofUnsigned[op]
	if signed := ofSigned[op]; signed != nil && t.Info()&types.IsUnsigned == 0 {
		do = signed
	}
	if do == nil {
		refuse("the operator %v", op)
	}
	return do
}

var ofUnsigned = map[token.Token]func(v, w uint64) uint64{
	token.ADD:     func(v, w uint64) uint64 { return v + w },
	token.SUB:     func(v, w uint64) uint64 { return v - w },
	token.MUL:     func(v, w uint64) uint64 { return v * w },
	token.QUO:     func(v, w uint64) uint64 { return v / w },
	token.REM:     func(v, w uint64) uint64 { return v % w },
	token.AND:     func(v, w uint64) uint64 { return v & w },
	token.OR:      func(v, w uint64) uint64 { return v | w },
	token.XOR:     func(v, w uint64) uint64 { return v ^ w },
	token.AND_NOT: func(v, w uint64) uint64 { return v &^ w },
	token.SHL:     func(v, w uint64) uint64 { return v << w },
	token.SHR:     func(v, w uint64) uint64 { return v >> w },
	token.LSS:     func(v, w uint64) uint64 { return bit(v < w) },
	token.LEQ:     func(v, w uint64) uint64 { return bit(v <= w) },
	token.GTR:     func(v, w uint64) uint64 { return bit(v > w) },
	token.GEQ:     func(v, w uint64) uint64 { return bit(v >= w) },
}

// ofSigned has the operators that are others on signed numbers.
var ofSigned = map[token.Token]func(v, w uint64) uint64{
	token.QUO: func(v, w uint64) uint64 { return uint64(int64(v) / int64(w)) },
	token.REM: func(v, w uint64) uint64 { return uint64(int64(v) % int64(w)) },
	token.SHR: func(v, w uint64) uint64 { return uint64(int64(v) >> w) },
	token.LSS: func(v, w uint64) uint64 { return bit(int64(v) < int64(w)) },
	token.LEQ: func(v, w uint64) uint64 { return bit(int64(v) <= int64(w)) },
	token.GTR: func(v, w uint64) uint64 { return bit(int64(v) > int64(w)) },
	token.GEQ: func(v, w uint64) uint64 { return bit(int64(v) >= int64(w)) },
}

// equality compiles == or !=.
func (c *compiler) equality(i *ssa.BinOp, to int) instruction {
	x, y, t := c.use(i.X), c.use(i.Y), i.X.Type()
	differ, kinds := bit(i.Op == token.NEQ), c.layout.of(t).kinds
	if p, ok := t.Underlying().(*types.Pointer); ok && c.layout.of(p.Elem()).size() == 0 && !isNil(i.X) && !isNil(i.Y) {
		refuse("a comparison of pointers to what has no size, which may be equal or not")
	}
	if isString(t) {
		return func(m *Machine, f *frame) signal {
			f.r[to] = bit(m.string(f.one(x)) == m.string(f.one(y))) ^ differ
			return next
		}
	}
	if len(kinds) == 1 {
		return func(_ *Machine, f *frame) signal {
			f.r[to] = bit(f.one(x) == f.one(y)) ^ differ
			return next
		}
	}
	return func(m *Machine, f *frame) signal { // of a slice, with nil
		if f.r[to] = bit(m.equal(kinds, f.val(x), f.val(y))) ^ differ; m.Failure != nil {
			return failed
		}
		return next
	}
}

// equal compares values that may have interfaces in them.
func (m *Machine) equal(kinds []kind, v, w []uint64) bool {
	for k := range v {
		same := v[k] == w[k]
		if kinds[k] == dynamic && v[k-1] != 0 {
			s := m.p.types[v[k-1]]
			if !types.Comparable(s.t) {
				m.fail("panics: comparing uncomparable type %v", s.t)
				return false
			}
			same = m.equal(s.kinds, m.unboxed(v[k-1:k+1]), m.unboxed(w[k-1:k+1]))
		}
		if !same {
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
