package machine

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// call calls a function with words for its parameters and free variables. Its results go to the registers of f from dst
// on; if dst is negative, the instruction is repeated afterwards.
func (m *Machine) call(fn *function, f *frame, dst int, args, free []uint64) signal {
	m.p.ready(fn)
	th := &m.threads[m.cur]
	if n := len(th.frames); fn.native != nil {
		sig := fn.native(m, args, f.r[dst:dst+fn.results])
		if len(th.frames) > n {
			th.frames[n].dst = dst
		}
		return sig
	}
	if len(th.frames) > 200 {
		refuse("more than 200 calls within each other")
	}
	r := m.arena.words(fn.size)
	n := copy(r, args)
	copy(r[n:], free)
	th.frames = append(th.frames, frame{fn: fn, r: r, dst: dst})
	return jumped
}

// callValue has a native call a value of a function type, whose results are its own.
func (m *Machine) callValue(w uint64) signal {
	fn, free, sig := m.functionOf(w)
	if sig != next {
		return sig
	}
	return m.call(m.p.framed(fn), nil, 0, nil, free)
}

// functionOf returns the function that a value of a function type is, and its free variables.
func (m *Machine) functionOf(w uint64) (fn *function, free []uint64, sig signal) {
	switch {
	case w == 0:
		return nil, nil, m.fail("panics: call of a nil function")
	case w&isFunction != 0:
		return m.p.functions[w&^isFunction], nil, next
	}
	o := m.objects[w>>32].w
	return m.p.functions[o[0]], o[1:], next
}

// initializer is what package ssa says of the function that initializes a package.
const initializer = "package initializer"

// A callee finds the function of a call, its arguments and its free variables.
type callee func(m *Machine, f *frame) (fn *function, args, free []uint64, sig signal)

func (c *compiler) callee(common *ssa.CallCommon) callee {
	args := c.useAll(common.Args)
	collect := func(m *Machine, f *frame, first []uint64) []uint64 {
		n := len(first)
		for _, o := range args {
			n += len(f.val(o))
		}
		return f.collect(append(m.arena.words(n)[:0], first...), args)
	}
	if common.IsInvoke() {
		x, known := c.use(common.Value), map[uint64]*function{}
		return func(m *Machine, f *frame) (*function, []uint64, []uint64, signal) {
			words := f.val(x)
			if words[0] == 0 {
				return nil, nil, nil, m.nilPointer()
			}
			fn := known[words[0]]
			if fn == nil {
				fn = m.p.method(words[0], common.Method)
				known[words[0]] = fn
			}
			return fn, collect(m, f, m.unboxed(words)), nil, next
		}
	}
	if static, ok := common.Value.(*ssa.Function); ok {
		fn := c.function(static)
		return func(m *Machine, f *frame) (*function, []uint64, []uint64, signal) {
			return fn, collect(m, f, nil), nil, next
		}
	}
	x := c.use(common.Value)
	return func(m *Machine, f *frame) (fn *function, all, free []uint64, sig signal) {
		if fn, free, sig = m.functionOf(f.one(x)); sig == next {
			all = collect(m, f, nil)
		}
		return fn, all, free, sig
	}
}

// collect appends values to words.
func (f *frame) collect(words []uint64, values []*operand) []uint64 {
	for _, o := range values {
		words = append(words, f.val(o)...)
	}
	return words
}

func (c *compiler) call(i ssa.CallInstruction, at int) instruction {
	common := i.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "ssa:deferstack" {
			refuse("a defer in a loop over a function")
		}
		call, ok := i.(*ssa.Call)
		if !ok {
			refuse("the builtin %s after defer or go", b.Name())
		}
		return c.builtin(call, b, c.slots[call])
	}
	if f, ok := common.Value.(*ssa.Function); ok && f.Synthetic == initializer && c.fn.ssa.Synthetic == initializer {
		return func(*Machine, *frame) signal { return next } // see Start
	}
	who := c.callee(common)
	switch i := i.(type) {
	case *ssa.Call:
		to := c.slots[i]
		if static, ok := common.Value.(*ssa.Function); ok && static.String() == "harness.rest" {
			c.fn.rest = at
		}
		return func(m *Machine, f *frame) signal {
			fn, args, free, sig := who(m, f)
			if sig != next {
				return sig
			}
			return m.call(fn, f, to, args, free)
		}
	case *ssa.Defer:
		return c.deferring(i, who)
	}
	return starting(i, who)
}

func (c *compiler) deferring(i *ssa.Defer, who callee) instruction {
	if i.DeferStack != nil {
		refuse("a defer in a loop over a function")
	}
	return func(m *Machine, f *frame) signal {
		fn, args, free, sig := who(m, f)
		if len(f.defers) > 200 {
			refuse("more than 200 deferred calls of a function")
		}
		if sig == next {
			fn = m.p.framed(fn) // compiled, see fail
			f.defers = append(slices.Clip(f.defers), deferred{fn, slices.Concat(args, free)})
		}
		return sig
	}
}

// starting compiles a go statement.
func starting(i ssa.CallInstruction, who callee) instruction {
	return func(m *Machine, f *frame) signal {
		if m.after {
			return stopped
		}
		fn, args, free, sig := who(m, f)
		if sig != next {
			return sig
		}
		if len(m.threads) == MostThreads {
			refuse("more than %d goroutines at a time", MostThreads)
		}
		fn = m.p.framed(fn)
		m.publish(fn.params, slices.Concat(args, free))
		if m.Users == 0 { // so can it what variables lead to that its code may name
			imports := packages(fn.ssa.Pkg)
			for k, g := range m.p.order {
				if k+1 < len(m.objects) && (imports == nil || imports[g.Pkg.Pkg]) {
					m.publish([]kind{pointer}, []uint64{pointTo(k + 1)})
				}
			}
		}
		m.Did.What, m.Did.Pos = "go "+fn.ssa.Name(), i.Pos()
		m.threads = append(m.threads, thread{frames: []frame{m.base(fn, slices.Concat(args, free))}})
		return done
	}
}

// packages returns a package and those that it imports; of nil, nil.
func packages(p *ssa.Package) map[*types.Package]bool {
	if p == nil {
		return nil
	}
	all := map[*types.Package]bool{}
	reach(all, p.Pkg)
	return all
}

// MostThreads is how many goroutines there may be.
const MostThreads = 7

func (m *Machine) base(fn *function, args []uint64) frame {
	m.p.ready(fn)
	r := m.arena.words(fn.size)
	copy(r, args)
	return frame{fn: fn, r: r, dst: -1}
}

// framed returns a function that a frame can be of: for a native, one that calls it.
func (p *Program) framed(fn *function) *function {
	p.ready(fn)
	if fn.native == nil {
		return fn
	}
	if fn.frame == nil {
		size := len(fn.params) + fn.results
		live := make([]slot, len(fn.params))
		for k := range live {
			live[k] = slot{int32(k), fn.params[k]}
		}
		fn.frame = &function{
			number: len(p.functions), ssa: fn.ssa, size: size, params: fn.params, args: fn.args, live: [][]slot{live, nil},
			code: []instruction{
				func(m *Machine, f *frame) signal { return m.call(fn, f, len(fn.params), f.r[:len(fn.params)], nil) },
				func(m *Machine, _ *frame) signal {
					th := &m.threads[m.cur]
					th.frames = th.frames[:len(th.frames)-1]
					return jumped
				},
			},
		}
		p.functions = append(p.functions, fn.frame)
	}
	return fn.frame
}

// show describes the value of a panic.
func (m *Machine) show(words []uint64) string {
	if words[0] == 0 {
		return "nil"
	}
	s := m.p.types[words[0]]
	if b, ok := s.t.Underlying().(*types.Basic); ok && s.direct {
		switch {
		case b.Info()&types.IsString != 0:
			return m.shown(words[1])
		case b.Info()&types.IsInteger != 0:
			return fmt.Sprint(int64(words[1]))
		}
	}
	return fmt.Sprintf("a %v", s.t)
}
