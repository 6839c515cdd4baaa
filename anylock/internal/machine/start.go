package machine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A usage is what some functions may use.
type usage struct {
	p        *Program
	inits    bool                  // find the packages of which something is used, whose initialization may be called, too
	packages map[*ssa.Package]bool // these
	globals  map[*ssa.Global]bool  // the variables that functions use, and whether others than the initializers do

	seen  map[*ssa.Function]bool
	ahead []*ssa.Function // of which the code has not been looked at
}

// uses finds what may be used if some functions are called.
func (p *Program) uses(roots []*ssa.Function, inits bool) *usage {
	u := &usage{
		p: p, inits: inits, packages: map[*ssa.Package]bool{}, globals: map[*ssa.Global]bool{}, seen: map[*ssa.Function]bool{},
	}
	for _, f := range roots {
		u.add(f)
	}
	for len(u.ahead) > 0 {
		f := u.ahead[len(u.ahead)-1]
		u.ahead = u.ahead[:len(u.ahead)-1]
		if p.native(nameOf(f)) == nil {
			u.function(f)
		}
	}
	return u
}

func (u *usage) add(f *ssa.Function) {
	if f == nil || u.seen[f] {
		return
	}
	u.seen[f] = true
	if f.Pkg != nil {
		f.Pkg.Build()
	}
	u.ahead = append(u.ahead, f)
}

// from adds the initialization of a package, if that has code.
func (u *usage) from(pkg *ssa.Package) {
	if !u.inits || pkg == nil || u.packages[pkg] {
		return
	}
	pkg.Build()
	if init := pkg.Func("init"); init != nil && init.Blocks != nil {
		u.packages[pkg] = true
		u.add(init)
	}
}

func (u *usage) function(f *ssa.Function) {
	if f.Blocks != nil {
		u.from(f.Pkg)
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			for _, o := range i.Operands(nil) {
				switch v := (*o).(type) {
				case *ssa.Function:
					if v.Name() != "init" || v.Signature.Recv() != nil {
						u.add(v)
					}
				case *ssa.Global:
					u.globals[v] = u.globals[v] || f.Synthetic != initializer
					u.from(v.Pkg)
				}
			}
			if i, ok := i.(*ssa.MakeInterface); ok {
				for m := range u.p.ssa.MethodSets.MethodSet(i.X.Type()).Methods() {
					u.add(u.p.ssa.MethodValue(m))
				}
			}
		}
	}
}

// Start returns a machine that has initialized the packages that some functions use.
func (p *Program) Start(roots ...*ssa.Function) *Machine {
	m := &Machine{p: p, objects: make([]object, 1), threads: make([]thread, 1)}
	used := p.uses(roots, true)
	for _, first := range []bool{true, false} {
		var globals []*ssa.Global
		for g, others := range used.globals {
			if others == first {
				globals = append(globals, g)
			}
		}
		slices.SortFunc(globals, func(a, b *ssa.Global) int { return strings.Compare(a.String(), b.String()) })
		for _, g := range globals {
			m.declare(g)
		}
		if first {
			p.roots = len(globals)
		}
	}
	done := map[*ssa.Package]bool{}
	var initialize func(pkg *types.Package)
	initialize = func(pkg *types.Package) {
		s := p.ssa.Package(pkg)
		if s == nil || done[s] {
			return
		}
		done[s] = true
		for _, imported := range pkg.Imports() {
			initialize(imported)
		}
		if used.packages[s] {
			m.initialize(s)
		}
	}
	for _, pkg := range p.ssa.AllPackages() {
		if used.packages[pkg] {
			initialize(pkg.Pkg)
		}
	}
	return m
}

// declare makes the object of a global variable.
func (m *Machine) declare(g *ssa.Global) {
	defer func() {
		m.p.unknownIf(recover(), func(why string) { m.p.unknown[g] = why })
	}()
	s := m.p.layout.of(g.Type().(*types.Pointer).Elem())
	if at := m.p.global(g); int(at>>32) != len(m.objects) {
		panic("machine: global variables in another order")
	}
	m.objects = append(m.objects, object{shape: s, n: 1, w: make([]uint64, s.size())})
}

// unknownIf calls f with what a panic has refused, and goes on with any other.
func (p *Program) unknownIf(r any, f func(why string)) {
	switch r := r.(type) {
	case nil:
	case *Refusal:
		f(r.What)
	default:
		panic(r)
	}
}

// initialize runs the initialization of a package. What is refused there, or depends on that, is unknown, which is refused where
// it is used.
func (m *Machine) initialize(pkg *ssa.Package) {
	fn := m.p.function(pkg.Func("init"))
	m.threads[0] = thread{frames: []frame{m.base(fn, nil)}}
	for len(m.threads[0].frames) > 0 {
		why := m.tryAdvance()
		if why == "" {
			continue
		}
		th := &m.threads[0]
		f := forgetting{m, fn, &th.frames[0], why, packages(pkg), map[*ssa.Function]bool{}}
		for k := 1; k < len(th.frames); k++ { // calls that do not end
			g := &th.frames[k]
			kinds := make([]kind, len(g.r))
			for _, s := range th.needed(k) {
				kinds[s.at] = s.kind
			}
			f.all(kinds, g.r)
			for _, d := range g.defers {
				f.all(d.fn.params, d.args)
				f.called(d.fn.ssa)
			}
			f.called(g.fn.ssa)
		}
		i := fn.list[f.frame.pc]
		if branch, ok := i.(*ssa.If); ok {
			f.frame.pc = f.either(branch)
		} else {
			f.instruction(i, len(th.frames) > 1)
			f.frame.pc++
		}
		th.frames = th.frames[:1]
	}
}

func (m *Machine) tryAdvance() (why string) {
	defer func() {
		m.p.unknownIf(recover(), func(refused string) { why = refused })
	}()
	m.after = false
	m.advance(0)
	if m.Failure != nil {
		return m.Failure.What
	}
	if m.threads[0].parked {
		return "a wait for another goroutine"
	}
	return ""
}

// Call runs a function that needs no other goroutine, and returns its results.
func (m *Machine) Call(f *ssa.Function, args ...uint64) ([]uint64, error) {
	fn := m.p.function(f)
	n := m.p.layout.of(f.Signature.Results()).size()
	bottom := &function{ssa: f, code: []instruction{func(m *Machine, f *frame) signal { return m.call(fn, f, 0, args, nil) }, func(*Machine, *frame) signal { return stopped }}}
	m.threads[0] = thread{frames: []frame{{fn: bottom, r: make([]uint64, n)}}}
	for m.threads[0].frames[0].pc == 0 {
		m.after = false
		m.advance(0)
		if m.Failure != nil {
			return nil, m.Failure
		}
		if m.threads[0].parked {
			return nil, &Failure{What: "it waits for another goroutine"}
		}
	}
	return m.threads[0].frames[0].r, nil
}

func (f *Failure) Error() string { return f.What }

// Interface returns the words of an interface that holds a value of a type.
func (m *Machine) Interface(t types.Type, value []uint64) []uint64 {
	if types.IsInterface(t) {
		return value
	}
	a, b := m.boxed(m.p.typeNumber(t), value)
	return []uint64{a, b}
}

// Run makes the goroutines of a machine: calls of a function with these arguments, and those that were started before. The
// memory that they can reach is that of the first objects from now on.
func (m *Machine) Run(calls []Goroutine) {
	started := m.threads[1:]
	m.threads, m.Users = nil, len(calls)
	for _, c := range calls {
		m.threads = append(m.threads, thread{frames: []frame{m.base(m.p.function(c.Func), c.Args)}})
	}
	m.threads = append(m.threads, started...)
	m.settle()
}

// settle numbers the objects that can be reached anew, and makes them the first ones.
func (m *Machine) settle() {
	old := m.objects
	numbers, kept := make([]int, len(old)), make([]int, 1, len(old))
	c := coder{m: m, visit: func(w *uint64) {
		id := int(*w >> 32)
		if numbers[id] == 0 {
			numbers[id] = len(kept)
			kept = append(kept, id)
		}
		*w = uint64(numbers[id])<<32 | *w&(1<<32-1)
	}}
	for id := 1; id <= m.p.roots; id++ {
		numbers[id] = id
		kept = append(kept, id)
	}
	for t := range m.threads {
		c.thread(&m.threads[t])
	}
	m.objects = make([]object, 1, len(old))
	for k := 1; k < len(kept); k++ {
		o := &old[kept[k]]
		c.object(o)
		m.objects = append(m.objects, *o)
		m.kinds = append(m.kinds, slices.Repeat(o.shape.kinds, o.n)...)
	}
	number := m.p.layout.of(types.Typ[types.Uint64])
	m.clock, m.queues = pointTo(len(m.objects)), pointTo(len(m.objects)+1)
	for _, n := range []int{1, len(m.objects)} {
		m.objects = append(m.objects, object{shape: number, n: n, w: make([]uint64, n)})
		m.kinds = append(m.kinds, make([]kind, n)...)
	}
	m.last = len(m.objects) - 1
	m.fixed = make([]uint64, (len(m.kinds)+Block-1)/Block*Block)
	at := 0
	for k := 1; k <= m.last; k++ {
		o := &m.objects[k]
		o.at, o.shared = at, true
		at += copy(m.fixed[at:], o.w)
		o.w = m.fixed[o.at:at:at]
	}
	for at, kd := range m.kinds {
		if kd == pointer || kd == dynamic {
			m.pointers = append(m.pointers, at)
		}
	}
}

// A Goroutine is a call.
type Goroutine struct {
	Func *ssa.Function
	Args []uint64 // of its parameters, and then of its free variables
}

// Functions returns the functions without parameters that a slice has; of nil, none.
func (m *Machine) Functions(slice []uint64) (all []Goroutine) {
	for k := range slice[1] {
		at := slice[0] + k
		m.known(at)
		w := m.objects[at>>32].w[uint32(at)]
		if w&isFunction != 0 {
			all = append(all, Goroutine{Func: m.p.functions[w&^isFunction].ssa})
		} else if w != 0 {
			o := m.objects[w>>32].w
			all = append(all, Goroutine{m.p.functions[o[0]].ssa, o[1:]})
		} else {
			all = append(all, Goroutine{})
		}
	}
	return all
}

// Texts returns the strings that a slice has.
func (m *Machine) Texts(slice []uint64) (all []string) {
	for k := range slice[1] {
		at := slice[0] + k
		all = append(all, m.shown(m.objects[at>>32].w[uint32(at)]))
	}
	return all
}

// New returns a pointer to a new variable of a type.
func (m *Machine) New(t types.Type) uint64 { return m.alloc(m.p.layout.of(t), 1) }
