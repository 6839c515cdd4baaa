package machine

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A forgetting finds what is unknown because an instruction of an initializer is refused.
type forgetting struct {
	*Machine
	fn      *function
	frame   *frame
	why     string
	imports map[*types.Package]bool // of its package, that too
	may     map[*ssa.Function]bool  // that may have run
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
	for _, o := range i.Operands(nil) {
		switch v := (*o).(type) {
		case *ssa.Global:
			f.forget(f.p.global(v))
		case *ssa.Function:
			f.called(v)
		default:
			if at, ok := f.fn.slots[v]; ok {
				s := f.p.layout.of(v.Type())
				f.all(s.kinds, f.frame.r[at:at+s.size()])
			}
		}
	}
	if call, ok := i.(ssa.CallInstruction); ok && !begun && !isBuiltin(call.Common().Value) {
		f.called(call.Common().StaticCallee())
	}
	if v, ok := i.(ssa.Value); ok {
		f.value(v)
	}
}

// value has what uses a value refused.
func (f forgetting) value(v ssa.Value) {
	if f.fn.unknown[v] != "" {
		return
	}
	f.fn.unknown[v] = f.why
	for _, i := range *v.Referrers() {
		if phi, ok := i.(*ssa.Phi); ok {
			f.value(phi)
		}
	}
}

// knowing returns an instruction of an initializer that is refused if something that it uses is unknown.
func (fn *function) knowing(i ssa.Instruction, run instruction) instruction {
	return func(m *Machine, f *frame) signal {
		for _, o := range i.Operands(nil) {
			if why := fn.unknown[*o]; why != "" {
				panic(&Refusal{What: why})
			}
		}
		return run(m, f)
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
			f.instruction(i, false)
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
		globals := f.p.uses([]*ssa.Function{fn}, false).globals
		is = func(g *ssa.Global) bool { return globals[g] }
	}
	unknown := false
	for g, at := range f.p.globals {
		if is(g) {
			unknown = unknown || f.p.unknown[g] != "" || f.objects[at>>32].unknown != ""
			f.forget(at)
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
