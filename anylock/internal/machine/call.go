package machine

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// call calls a function with words for its parameters and free variables. Its results go to the registers of f from dst
// on; if dst is negative, the instruction is repeated afterwards.
func (m *Machine) call(fn *function, f *frame, dst int, args, free []uint64) signal {
	if fn.code == nil && fn.native == nil {
		m.ready(fn)
	}
	if fn.native != nil {
		return fn.native(m, f, args, dst)
	}
	th := &m.threads[m.cur]
	if len(th.frames) > 200 {
		m.refuse("more than 200 calls within each other")
	}
	r := m.arena.words(fn.size)
	n := copy(r, args)
	copy(r[n:], free)
	th.frames = append(th.frames, frame{fn: fn, r: r, dst: dst})
	return jumped
}

// ready compiles a function. If that is refused, it is where it is called.
func (m *Machine) ready(fn *function) {
	defer func() {
		r := recover()
		if refusal, ok := r.(*Refusal); ok {
			m.place(refusal)
		}
		if r != nil {
			panic(r)
		}
	}()
	m.p.ready(fn)
}

// callValue calls a value of a function type.
func (m *Machine) callValue(w uint64, f *frame, dst int, args []uint64) signal {
	switch {
	case w == 0:
		return m.fail("panics: call of a nil function")
	case w&isFunction != 0:
		return m.call(m.p.functions[w&^isFunction], f, dst, args, nil)
	}
	o := m.objects[w>>32].w
	return m.call(m.p.functions[o[0]], f, dst, args, o[1:])
}

// initializer is what package ssa says of the function that initializes a package.
const initializer = "package initializer"

// A callee finds the function of a call, its arguments and its free variables.
type callee func(m *Machine, f *frame) (fn *function, args, free []uint64, sig signal)

func (c *compiler) callee(common *ssa.CallCommon) callee {
	var args []*operand
	for _, v := range common.Args {
		args = append(args, c.use(v))
	}
	collect := func(m *Machine, f *frame, first []uint64) []uint64 {
		n := len(first)
		for _, o := range args {
			n += len(f.val(o))
		}
		all := append(m.arena.words(n)[:0], first...)
		for _, o := range args {
			all = append(all, f.val(o)...)
		}
		return all
	}
	if common.IsInvoke() {
		x, known := c.use(common.Value), map[uint64]*function{}
		return func(m *Machine, f *frame) (*function, []uint64, []uint64, signal) {
			words := f.val(x)
			if words[0] == 0 {
				return nil, nil, nil, m.fail("panics: nil pointer dereference")
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
	return func(m *Machine, f *frame) (*function, []uint64, []uint64, signal) {
		switch w := f.one(x); {
		case w == 0:
			return nil, nil, nil, m.fail("panics: call of a nil function")
		case w&isFunction != 0:
			return m.p.functions[w&^isFunction], collect(m, f, nil), nil, next
		default:
			o := m.objects[w>>32].w
			return m.p.functions[o[0]], collect(m, f, nil), o[1:], next
		}
	}
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
		if i.DeferStack != nil {
			refuse("a defer in a loop over a function")
		}
		return func(m *Machine, f *frame) signal {
			fn, args, free, sig := who(m, f)
			if len(f.defers) > 200 {
				m.refuse("more than 200 deferred calls of a function")
			}
			if sig == next {
				fn = m.p.framed(fn) // compiled, see fail
				f.defers = append(slices.Clip(f.defers), deferred{fn, slices.Concat(args, free)})
			}
			return sig
		}
	}
	return func(m *Machine, f *frame) signal {
		if m.after {
			return stopped
		}
		fn, args, free, sig := who(m, f)
		if sig != next {
			return sig
		}
		if len(m.threads) == MostThreads {
			m.refuse(fmt.Sprintf("more than %d goroutines at a time", MostThreads))
		}
		fn = m.p.framed(fn)
		m.publish(fn.params, slices.Concat(args, free))
		if m.users == 0 { // so can it what variables lead to that its code may name
			imports := packages(fn.ssa.Pkg)
			for k, g := range m.p.order {
				if k+1 < len(m.objects) && (imports == nil || imports[g.Pkg.Pkg]) {
					m.publish([]kind{pointer}, []uint64{pointTo(k + 1)})
				}
			}
		}
		m.did.What, m.did.Pos = "go "+fn.ssa.Name(), i.Pos()
		m.threads = append(m.threads, thread{frames: []frame{m.first(fn, slices.Concat(args, free))}})
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

// MostThreads is how many goroutines there may be.
const MostThreads = 7

func (m *Machine) first(fn *function, args []uint64) frame {
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
		size := len(fn.params) + p.layout.of(fn.ssa.Signature.Results()).size()
		live := make([]slot, len(fn.params))
		for k := range live {
			live[k] = slot{int32(k), fn.params[k]}
		}
		fn.frame = &function{
			number: len(p.functions), ssa: fn.ssa, size: size, params: fn.params, args: fn.args, live: [][]slot{live, nil},
			code: []instruction{
				func(m *Machine, f *frame) signal { return fn.native(m, f, f.r[:len(fn.params)], len(fn.params)) },
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

func (c *compiler) builtin(i *ssa.Call, b *ssa.Builtin, to int) instruction {
	var args []*operand
	for _, v := range i.Call.Args {
		args = append(args, c.use(v))
	}
	t := func(k int) types.Type { return i.Call.Args[k].Type().Underlying() }
	if len(args) > 0 {
		if u, ok := t(0).(*types.Map); ok {
			return c.onMap(b.Name(), u, args, to)
		}
	}
	switch b.Name() {
	case "len", "cap":
		word := 1
		if b.Name() == "cap" {
			word = 2
		}
		switch u := t(0).(type) {
		case *types.Slice:
			return func(_ *Machine, f *frame) signal {
				f.r[to] = f.val(args[0])[word]
				return next
			}
		case *types.Chan:
			return func(m *Machine, f *frame) signal {
				if m.after {
					return stopped
				}
				m.simple = true
				if f.r[to] = 0; f.one(args[0]) != 0 {
					m.channel(f.one(args[0]), false)
					f.r[to] = m.objects[f.one(args[0])>>32].w[chanCount+word-1]
				}
				m.did.What, m.did.At, m.did.Pos = b.Name()+" of", f.one(args[0]), m.pos()
				return done
			}
		case *types.Basic:
			return func(m *Machine, f *frame) signal {
				f.r[to] = uint64(len(m.string(f.one(args[0]))))
				return next
			}
		default:
			refuse("%s of %v", b.Name(), u)
		}
	case "append":
		return c.appends(i, args, to)
	case "copy":
		if _, ok := t(1).(*types.Slice); !ok {
			refuse("copy from %v", t(1))
		}
		elem := c.layout.of(t(0).(*types.Slice).Elem())
		return func(m *Machine, f *frame) signal {
			dst, src := f.val(args[0]), f.val(args[1])
			n := min(dst[1], src[1])
			if n == 0 {
				f.r[to] = 0
				return next
			}
			words, sig := m.see(src[0], int(n)*elem.size(), false)
			if sig == next {
				sig = m.store(dst[0], elem.kinds, slices.Clone(words))
			}
			if sig == next {
				f.r[to] = n
			}
			return sig
		}
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
		basic, ok := t(0).(*types.Basic)
		if !ok || basic.Info()&types.IsInteger == 0 {
			refuse("%s of %v", b.Name(), t(0))
		}
		signed, most := basic.Info()&types.IsUnsigned == 0, b.Name() == "max"
		return func(_ *Machine, f *frame) signal {
			best := f.one(args[0])
			for _, o := range args[1:] {
				w := f.one(o)
				if less := signed && int64(w) < int64(best) || !signed && w < best; less != most && w != best {
					best = w
				}
			}
			f.r[to] = best
			return next
		}
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
			if f.one(args[0]) == 0 {
				return m.fail("panics: nil pointer dereference")
			}
			f.r[to] = f.one(args[0])
			return next
		}
	}
	refuse("the builtin %s", b.Name())
	return nil
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
