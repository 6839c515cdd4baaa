package machine

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An operand is a value: registers, or a constant.
type operand struct {
	at, n int
	words []uint64 // of a constant
}

func (f *frame) val(o *operand) []uint64 {
	if o.words != nil {
		return o.words
	}
	return f.r[o.at : o.at+o.n]
}

func (f *frame) one(o *operand) uint64 {
	if o.words != nil {
		return o.words[0]
	}
	return f.r[o.at]
}

// A compiler turns one function into code.
type compiler struct {
	*Program
	fn     *function
	slots  map[ssa.Value]int
	starts map[*ssa.BasicBlock]int
	lists  []ssa.Instruction // by counter
}

func compile(p *Program, fn *function) {
	c := &compiler{Program: p, fn: fn, slots: map[ssa.Value]int{}, starts: map[*ssa.BasicBlock]int{}}
	f := fn.ssa
	defer func() {
		r := recover()
		if refusal, ok := r.(*Refusal); ok && refusal.In == "" {
			refusal.In = f.String()
		}
		if r != nil {
			panic(r)
		}
	}()
	n := c.lay(f)
	fn.deliver = make([]func(f *frame, number int, value []uint64, ok bool), n)
	code, last := make([]instruction, 0, n), f.Pos() // of deferred calls
	for _, i := range c.lists {
		at := i.Pos()
		switch i := i.(type) {
		case *ssa.If:
			if !at.IsValid() {
				at = i.Cond.Pos()
			}
		case *ssa.Defer:
			last = at
		case *ssa.RunDefers:
			at = last
		}
		fn.at = append(fn.at, at)
		code = append(code, c.guarded(i, len(code)))
	}
	c.liveness()
	if fn.code = code; f.Synthetic == initializer {
		fn.list, fn.slots, fn.starts, fn.unknown = c.lists, c.slots, c.starts, map[ssa.Value]string{}
		for k, i := range c.lists {
			code[k] = fn.knowing(i, code[k])
		}
	}
}

// lay gives each value of a function its place in a frame, and returns how many instructions there are.
func (c *compiler) lay(f *ssa.Function) (n int) {
	place := func(v ssa.Value) {
		c.slots[v] = c.fn.size
		c.fn.size += c.layout.of(v.Type()).size()
	}
	for _, v := range f.Params {
		place(v)
	}
	for _, v := range f.FreeVars {
		place(v)
	}
	for _, b := range f.Blocks {
		c.starts[b] = n
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok {
				place(v)
			}
			if coded(i) {
				n++
				c.lists = append(c.lists, i)
			}
		}
	}
	return n
}

// coded reports whether there is code for an instruction: of a phi, the jumps to it have that.
func coded(i ssa.Instruction) bool {
	switch i.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return false
	}
	return true
}

// guarded compiles an instruction. What is refused is refused only where it would run.
func (c *compiler) guarded(i ssa.Instruction, at int) (run instruction) {
	defer func() {
		c.unknownIf(recover(), func(why string) {
			run = func(*Machine, *frame) signal { panic(&Refusal{What: why}) }
		})
	}()
	return c.instruction(i, at)
}

// use returns a value as an operand.
func (c *compiler) use(v ssa.Value) *operand {
	switch v := v.(type) {
	case *ssa.Const:
		return &operand{words: c.constant(v)}
	case *ssa.Global:
		return &operand{words: []uint64{c.globalOf(v)}}
	case *ssa.Function:
		return &operand{words: []uint64{isFunction | uint64(c.function(v).number)}}
	case *ssa.Builtin:
		refuse("the builtin %s as a value", v.Name())
	}
	at, ok := c.slots[v]
	if !ok {
		panic(fmt.Sprintf("machine: %v of %v has no register", v, c.fn.ssa))
	}
	return &operand{at: at, n: c.layout.of(v.Type()).size()}
}

func (c *compiler) useAll(values []ssa.Value) (all []*operand) {
	for _, v := range values {
		all = append(all, c.use(v))
	}
	return all
}

func (c *compiler) globalOf(g *ssa.Global) ptr {
	if why, ok := c.unknown[g]; ok {
		refuse("%s, which is set by %s", g, why)
	}
	if _, ok := c.globals[g]; !ok {
		panic(fmt.Sprintf("machine: %v uses %v, which was not expected", c.fn.ssa, g))
	}
	return c.global(g)
}

func (c *compiler) constant(v *ssa.Const) []uint64 {
	s := c.layout.of(v.Type())
	words := make([]uint64, s.size())
	if v.Value == nil || len(words) == 0 {
		return words
	}
	t, ok := v.Type().Underlying().(*types.Basic)
	if !ok {
		refuse("the constant %v", v)
	}
	switch {
	case t.Info()&types.IsString != 0:
		words[0] = c.text(constant.StringVal(v.Value))
	case t.Info()&types.IsBoolean != 0:
		words[0] = bit(constant.BoolVal(v.Value))
	case t.Info()&types.IsInteger != 0:
		words[0] = uint64(v.Int64())
		if t.Info()&types.IsUnsigned != 0 {
			words[0] = v.Uint64()
		}
	default:
		refuse("the constant %v", v)
	}
	return words
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// edge returns what a jump from a block to another does: the moves of its phis, and the counter.
func (c *compiler) edge(from, to *ssa.BasicBlock) func(f *frame) {
	type move struct {
		to   int
		from *operand
	}
	var moves []move
	pred := slices.Index(to.Preds, from)
	if slices.Contains(to.Preds[pred+1:], from) {
		if _, phi := to.Instrs[0].(*ssa.Phi); phi {
			refuse("two branches that are one")
		}
	}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		o := c.use(phi.Edges[pred])
		if c.layout.of(phi.Type()).size() > 0 {
			moves = append(moves, move{c.slots[phi], o})
		}
	}
	start := c.starts[to]
	switch len(moves) {
	case 0:
		return func(f *frame) { f.pc = start }
	case 1:
		m := moves[0]
		return func(f *frame) {
			copy(f.r[m.to:], f.val(m.from))
			f.pc = start
		}
	}
	return func(f *frame) {
		var few [16]uint64
		buf := few[:0]
		for _, m := range moves {
			buf = append(buf, f.val(m.from)...)
		}
		for _, m := range moves {
			n := len(f.val(m.from))
			copy(f.r[m.to:m.to+n], buf[:n])
			buf = buf[n:]
		}
		f.pc = start
	}
}

func (c *compiler) instruction(i ssa.Instruction, at int) instruction {
	switch i := i.(type) {
	case *ssa.Jump:
		go1 := c.edge(i.Block(), i.Block().Succs[0])
		return func(_ *Machine, f *frame) signal { go1(f); return jumped }
	case *ssa.If:
		cond, yes, no := c.use(i.Cond), c.edge(i.Block(), i.Block().Succs[0]), c.edge(i.Block(), i.Block().Succs[1])
		return func(_ *Machine, f *frame) signal {
			if f.one(cond) != 0 {
				yes(f)
			} else {
				no(f)
			}
			return jumped
		}
	case *ssa.Return:
		return c.returns(i)
	case *ssa.Store:
		to, v, kinds := c.use(i.Addr), c.use(i.Val), c.layout.of(i.Val.Type()).kinds
		if c.fn.ssa.Synthetic == initializer {
			return func(m *Machine, f *frame) signal {
				if o := &m.objects[f.one(to)>>32]; uint32(f.one(to)) == 0 && len(o.w) == len(kinds) {
					o.unknown = "" // from now on it is known
				}
				return m.store(f.one(to), kinds, f.val(v))
			}
		}
		return func(m *Machine, f *frame) signal { return m.store(f.one(to), kinds, f.val(v)) }
	case *ssa.MapUpdate:
		return c.mapUpdate(i)
	case *ssa.Panic:
		x := c.use(i.X)
		return func(m *Machine, f *frame) signal { return m.fail("panics: %s", m.show(f.val(x))) }
	case *ssa.RunDefers:
		return func(m *Machine, f *frame) signal {
			n := len(f.defers)
			if n == 0 {
				return next
			}
			d := f.defers[n-1]
			f.defers = f.defers[:n-1]
			return m.call(d.fn, f, -1, nil, d.args)
		}
	case *ssa.Defer, *ssa.Go, *ssa.Call:
		return c.call(i.(ssa.CallInstruction), at)
	case *ssa.Send:
		ch, x := c.use(i.Chan), c.use(i.X)
		return func(m *Machine, f *frame) signal {
			return m.communicate(f, true, place{at: f.one(ch), does: forSend, value: f.val(x)})
		}
	case ssa.Value:
		return c.value(i, at)
	}
	refuse("%T", i)
	return nil
}

// returns compiles a return.
func (c *compiler) returns(i *ssa.Return) instruction {
	results := c.useAll(i.Results)
	return func(m *Machine, f *frame) signal {
		th := &m.threads[m.cur]
		th.frames = th.frames[:len(th.frames)-1]
		if len(th.frames) == 0 {
			return jumped
		}
		below := &th.frames[len(th.frames)-1]
		if f.dst < 0 {
			return jumped
		}
		f.collect(below.r[f.dst:f.dst], results)
		below.pc++
		return jumped
	}
}
