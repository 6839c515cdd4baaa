package machine

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// uses finds the functions that may be called from some, or from the initialization of packages of which they use
// something, if inits: these packages, and the variables that functions use, and whether others than the initializers do.
func (p *Program) uses(roots []*ssa.Function, inits bool) (packages map[*ssa.Package]bool, globals map[*ssa.Global]bool) {
	prog := p.ssa
	seen, kinds := map[*ssa.Function]bool{}, map[string]bool{}
	packages, globals = map[*ssa.Package]bool{}, map[*ssa.Global]bool{}
	var methods []*ssa.Function // of types that become interfaces
	invoked := map[string]bool{}
	var ahead []*ssa.Function
	add := func(f *ssa.Function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		if f.Pkg != nil {
			f.Pkg.Build()
		}
		ahead = append(ahead, f)
	}
	for _, f := range roots {
		add(f)
	}
	for {
		if len(ahead) == 0 {
			for _, m := range methods {
				if m != nil && invoked[m.Name()] {
					add(m)
				}
			}
		}
		if len(ahead) == 0 {
			break
		}
		f := ahead[len(ahead)-1]
		ahead = ahead[:len(ahead)-1]
		if p.native(nameOf(f)) != nil {
			continue
		}
		if inits && f.Pkg != nil && f.Blocks != nil && !packages[f.Pkg] {
			packages[f.Pkg] = true
			add(f.Pkg.Func("init"))
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				for _, o := range i.Operands(nil) {
					switch v := (*o).(type) {
					case *ssa.Function:
						if v.Name() != "init" || v.Signature.Recv() != nil {
							add(v)
						}
					case *ssa.Global:
						globals[v] = globals[v] || f.Synthetic != initializer
						if inits && v.Pkg != nil && !packages[v.Pkg] {
							v.Pkg.Build()
							if init := v.Pkg.Func("init"); init != nil && init.Blocks != nil {
								packages[v.Pkg] = true
								add(init)
							}
						}
					}
				}
				switch i := i.(type) {
				case *ssa.MakeInterface:
					if t := i.X.Type(); !kinds[t.String()] {
						kinds[t.String()] = true
						for m := range prog.MethodSets.MethodSet(t).Methods() {
							methods = append(methods, prog.MethodValue(m))
						}
					}
				case ssa.CallInstruction:
					if c := i.Common(); c.IsInvoke() {
						invoked[c.Method.Name()] = true
					}
				}
			}
		}
	}
	return packages, globals
}

// Start returns a machine that has initialized the packages that some functions use.
func (p *Program) Start(roots ...*ssa.Function) *Machine {
	m := &Machine{p: p, objects: make([]object, 1), threads: make([]thread, 1)}
	packages, all := p.uses(roots, true)
	for _, first := range []bool{true, false} {
		var globals []*ssa.Global
		for g, others := range all {
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
		if packages[s] {
			m.initialize(s)
		}
	}
	for _, pkg := range p.ssa.AllPackages() {
		if packages[pkg] {
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
	m.threads[0] = thread{frames: []frame{m.first(fn, nil)}}
	for len(m.threads[0].frames) > 0 {
		why := m.tryAdvance()
		if why == "" {
			continue
		}
		th := &m.threads[0]
		f := forgetting{m, fn, &th.frames[0], why, packages(pkg), map[ssa.Value]bool{}, map[*ssa.Function]bool{}}
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

// A forgetting finds what is unknown because an instruction of an initializer is refused.
type forgetting struct {
	*Machine
	fn      *function
	frame   *frame
	why     string
	imports map[*types.Package]bool // of its package, that too
	seen    map[ssa.Value]bool
	may     map[*ssa.Function]bool // that may have run
}

// reach adds a package, and those that it imports.
func reach(all map[*types.Package]bool, pkg *types.Package) {
	if !all[pkg] {
		all[pkg] = true
		for _, imported := range pkg.Imports() {
			reach(all, imported)
		}
	}
}

// instruction forgets what an instruction does, which is not run. If begun, what it calls is known.
func (f forgetting) instruction(i ssa.Instruction, begun bool) {
	f.fn.code[slices.Index(f.fn.list, i)] = func(*Machine, *frame) signal { return next }
	switch i := i.(type) {
	case *ssa.Store:
		f.value(i.Addr)
	case *ssa.MapUpdate:
		f.value(i.Map)
	case ssa.CallInstruction:
		c := i.Common()
		if static := c.StaticCallee(); !begun && !isBuiltin(c.Value) {
			f.called(static)
		}
		for _, v := range c.Args {
			f.value(v)
		}
	case ssa.Value:
	default: // a branch
		f.fn.code[slices.Index(f.fn.list, i)] = func(*Machine, *frame) signal { panic(&Refusal{What: f.why}) }
	}
	if v, ok := i.(ssa.Value); ok {
		f.value(v)
	}
}

// either forgets what is done if a condition is true, or if it is not, and returns where both meet.
func (f forgetting) either(branch *ssa.If) (pc int) {
	without := func(end *ssa.BasicBlock) (all map[*ssa.BasicBlock]bool) {
		all = map[*ssa.BasicBlock]bool{}
		var visit func(b *ssa.BasicBlock)
		visit = func(b *ssa.BasicBlock) {
			if b != end && !all[b] {
				all[b] = true
				for _, next := range b.Succs {
					visit(next)
				}
			}
		}
		for _, b := range branch.Block().Succs {
			visit(b)
		}
		return all
	}
	meet, between := (*ssa.BasicBlock)(nil), without(nil)
	for end := range between {
		all := without(end)
		ends := func(b *ssa.BasicBlock) bool { return len(b.Succs) == 0 }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), ends) && (meet == nil || len(all) < len(between)) {
			meet, between = end, all
		}
	}
	for b := range between {
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Phi); ok {
				f.value(i.(ssa.Value))
			} else if slices.Contains(f.fn.list, i) {
				f.instruction(i, false)
			}
		}
	}
	if meet == nil {
		return len(f.fn.list)
	}
	for _, i := range meet.Instrs {
		if phi, ok := i.(*ssa.Phi); ok {
			f.value(phi)
		}
	}
	return f.fn.starts[meet]
}

// called forgets the variables that a function may write, and what it calls; nil: any function that there is in the package, and in those
// that it imports. If it uses what is unknown, it may write anything.
func (f forgetting) called(fn *ssa.Function) {
	if f.may[fn] {
		return
	}
	f.may[fn] = true
	is := func(g *ssa.Global) bool { return f.imports[g.Pkg.Pkg] }
	if fn != nil {
		_, globals := f.p.uses([]*ssa.Function{fn}, false)
		is = func(g *ssa.Global) bool { return globals[g] }
	}
	unknown := false
	for g, at := range f.p.globals {
		if is(g) {
			unknown = unknown || f.p.unknown[g] != "" || f.objects[at>>32].unknown != ""
			f.value(g)
		}
	}
	if unknown {
		f.called(nil)
	}
}

func isBuiltin(v ssa.Value) bool {
	_, ok := v.(*ssa.Builtin)
	return ok
}

// value forgets what a value points to, and all that is made of it.
func (f forgetting) value(v ssa.Value) {
	if f.seen[v] {
		return
	}
	f.seen[v] = true
	switch v := v.(type) {
	case *ssa.Global:
		f.forget(f.p.global(v))
		return
	case *ssa.Function:
		f.called(v)
		return
	}
	at, ok := f.fn.slots[v]
	if !ok {
		return
	}
	s := f.p.layout.of(v.Type())
	f.all(s.kinds, f.frame.r[at:at+s.size()])
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			f.value(i)
		case *ssa.Store:
			if i.Val == v {
				f.instruction(i, false)
			}
		default:
			f.instruction(i, false)
		}
	}
}

// forget marks what a place is in as unknown, and what that points to.
func (f forgetting) forget(at ptr) {
	id := int(at >> 32)
	if id == 0 || id >= len(f.objects) || f.objects[id].unknown != "" {
		return
	}
	o := &f.objects[id]
	o.unknown = f.why
	if id <= len(f.p.order) {
		o.unknown = f.p.order[id-1].String() + ", which is set by " + f.why
	}
	f.all(o.shape.kinds, o.w)
	if o.shape.frozen && o.shape.t == nil { // a closure
		f.called(f.p.functions[o.w[0]].ssa)
	}
}

// all forgets what words point to, and what functions that they are, and methods of what they are, may write.
func (f forgetting) all(kinds []kind, words []uint64) {
	for k, w := range words {
		kd := kinds[k%len(kinds)]
		if kd == pointer && w&isFunction != 0 {
			f.called(f.p.functions[w&^isFunction].ssa)
		}
		if kd == dynamic && words[k-1] != 0 {
			for m := range f.p.ssa.MethodSets.MethodSet(f.p.types[words[k-1]].t).Methods() {
				if fn := f.p.ssa.MethodValue(m); fn != nil {
					f.called(fn)
				}
			}
		}
		if id := f.target(kd, words, k, w); id > 0 {
			f.forget(pointTo(id))
		}
	}
}

func (m *Machine) tryAdvance() (why string) {
	defer func() {
		m.p.unknownIf(recover(), func(refused string) { why = refused })
	}()
	m.after = false
	m.advance(0)
	if m.failure != nil {
		return m.failure.What
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
		if m.failure != nil {
			return nil, m.failure
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
	m.threads, m.users = nil, len(calls)
	for _, c := range calls {
		m.threads = append(m.threads, thread{frames: []frame{m.first(m.p.function(c.Func), c.Args)}})
	}
	m.threads = append(m.threads, started...)
	m.settle()
}

// settle numbers the objects that can be reached anew, and makes them the first ones.
func (m *Machine) settle() {
	old := m.objects
	numbers, kept := make([]int, len(old)), make([]int, 1, len(old))
	move := func(kd kind, words []uint64, at int) {
		id := m.target(kd, words, at, words[at])
		if id == 0 {
			return
		}
		if numbers[id] == 0 {
			numbers[id] = len(kept)
			kept = append(kept, id)
		}
		words[at] = uint64(numbers[id])<<32 | words[at]&(1<<32-1)
	}
	for id := 1; id <= m.p.roots; id++ {
		numbers[id] = id
		kept = append(kept, id)
	}
	for t := range m.threads {
		m.threads[t].each(m, move)
	}
	m.objects = make([]object, 1, len(old))
	for k := 1; k < len(kept); k++ {
		o := &old[kept[k]]
		for at := range o.w {
			move(o.shape.kinds[at%len(o.shape.kinds)], o.w, at)
		}
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
	m.fixed = make([]uint64, len(m.kinds))
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

// New returns a pointer to a new variable of a type.
func (m *Machine) New(t types.Type) uint64 { return m.alloc(m.p.layout.of(t), 1) }
