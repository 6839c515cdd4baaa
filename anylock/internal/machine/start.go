package machine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// globalBelow returns the global variable of which an address is, if it is one.
func globalBelow(v ssa.Value) *ssa.Global {
	for {
		switch i := v.(type) {
		case *ssa.Global:
			return i
		case *ssa.FieldAddr:
			v = i.X
		case *ssa.IndexAddr:
			v = i.X
		default:
			return nil
		}
	}
}

// uses finds the functions that may be called from some, or from the initialization of packages of which they use
// something: these packages, and the variables that functions use, and whether others than the initializers do.
func (p *Program) uses(roots []*ssa.Function) (packages map[*ssa.Package]bool, globals map[*ssa.Global]bool) {
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
	for len(ahead) > 0 {
		f := ahead[len(ahead)-1]
		ahead = ahead[:len(ahead)-1]
		if p.native(nameOf(f)) != nil {
			continue
		}
		if f.Pkg != nil && f.Blocks != nil && !packages[f.Pkg] {
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
						if v.Pkg != nil && !packages[v.Pkg] {
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
		if len(ahead) == 0 {
			for _, m := range methods {
				if m != nil && invoked[m.Name()] {
					add(m)
				}
			}
		}
	}
	return packages, globals
}

// Start returns a machine that has initialized the packages that some functions use.
func (p *Program) Start(roots ...*ssa.Function) *Machine {
	m := &Machine{p: p, objects: make([]object, 1), threads: make([]thread, 1)}
	packages, all := p.uses(roots)
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
	m.p.tainted = ""
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

// initialize runs the initialization of a package. What is refused there is only if it is used.
func (m *Machine) initialize(pkg *ssa.Package) {
	fn := m.p.function(pkg.Func("init"))
	m.p.tainted = ""
	m.threads[0] = thread{frames: []frame{m.first(fn, nil)}}
	for len(m.threads[0].frames) > 0 {
		why := m.tryAdvance()
		if why == "" {
			continue
		}
		frames := m.threads[0].frames
		if len(frames) > 1 && strings.HasPrefix(frames[1].fn.ssa.Name(), "init#") {
			for _, member := range pkg.Members {
				if g, ok := member.(*ssa.Global); ok {
					m.p.unknown[g] = why
				}
			}
		}
		m.threads[0].frames = frames[:1]
		m.p.tainted = why
		frames[0].pc++
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

// Run makes the goroutines of a machine: calls of a function with these arguments, and those that were started before.
func (m *Machine) Run(calls []Goroutine) {
	started := m.threads[1:]
	m.threads, m.users = nil, len(calls)
	for k := range m.objects {
		m.objects[k].shared = k <= m.p.roots
	}
	for _, c := range calls {
		m.threads = append(m.threads, thread{frames: []frame{m.first(m.p.function(c.Func), c.Args)}})
	}
	m.threads = append(m.threads, started...)
}

// A Goroutine is a call.
type Goroutine struct {
	Func *ssa.Function
	Args []uint64
}

// New returns a pointer to a new variable of a type.
func (m *Machine) New(t types.Type) uint64 { return m.alloc(m.p.layout.of(t), 1) }
