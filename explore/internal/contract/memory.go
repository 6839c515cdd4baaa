package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A memory is what protocols read outside of registers and of their own variables: which fields, and where; and,
// by the keys of their types, what they read through pointers, slices and maps.
type memory struct {
	*program
	read  map[field]token.Pos
	kinds map[string]bool
	known [2]map[types.Type]bool // results of reaches
}

// A field is known by its place, and by the names of all fields of its struct: so that no conversion leads to the
// same memory by another field, and a package has the same fields whether it was read from source or imported.
type field struct {
	of string
	k  int
}

func (p *program) field(of *types.Struct, k int) field {
	names, ok := p.structs[of]
	if !ok {
		for f := range of.Fields() {
			names += f.Name() + " "
		}
		p.structs[of] = names
	}
	return field{names, k}
}

// parts returns the fields that are in the same place as a value of type t.
func (p *program) parts(t types.Type) (all []field) {
	switch u := under(t).(type) {
	case *types.Struct:
		for k := 0; k < u.NumFields() && !isRegister(t, ""); k++ {
			all = append(append(all, p.field(u, k)), p.parts(u.Field(k).Type())...)
		}
	case *types.Array:
		all = p.parts(u.Elem())
	}
	return all
}

// selected returns the field that a place is, or is reached by, if any.
func (p *program) selected(place ast.Expr) (all []field) {
	for x := ast.Unparen(place); x != nil && all == nil; x = within(x) {
		if steps := p.steps(selectorOf(x)); len(steps) > 0 {
			all = []field{steps[len(steps)-1].is}
		}
	}
	return all
}

// memory returns what protocols read.
func (p *program) memory(reach []*function) *memory {
	m := &memory{p, map[field]token.Pos{}, map[string]bool{}, [2]map[types.Type]bool{{}, {}}}
	for _, fn := range reach {
		if r := fn.sig.Recv(); r != nil && !is[*types.Pointer](r.Type()) { // a copy of what is elsewhere
			m.reads(fn.body, r.Type())
		}
		fn.each(func(n ast.Node, _ []ast.Node) {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if n.Value != nil {
					m.reads(n.X, elem(p.info.TypeOf(n.X)))
				}
			case ast.Expr:
				m.expression(n)
			}
		})
	}
	return m
}

// reads notes that a protocol reads a value of type t through a pointer or the like.
func (m *memory) reads(at ast.Node, t types.Type) {
	m.kinds[kind(t)] = true
	m.note(at, m.parts(t)...)
}

func (m *memory) note(at ast.Node, fields ...field) {
	for _, f := range fields {
		if before, ok := m.read[f]; !ok || at.Pos() < before {
			m.read[f] = at.Pos()
		}
	}
}

// expression notes what an expression of a protocol reads itself.
func (m *memory) expression(x ast.Expr) {
	t := m.info.TypeOf(x)
	if is[*types.Map](t) {
		m.reads(x, elem(t)) // its length too
	}
	own := false
	if v, ok := m.base(x).(*types.Var); ok && m.owner(v) != nil {
		own = m.direct(x) || m.tabular(v)
	}
	switch y := x.(type) {
	case *ast.SelectorExpr:
		for _, s := range m.steps(y) {
			m.note(x, s.is)
		}
		if !own {
			m.note(x, m.parts(t)...)
		}
	case *ast.IndexExpr, *ast.StarExpr:
		if !own && !m.info.Types[x].IsType() {
			m.reads(x, t)
		}
	}
}

// kind names a type that a pointer, a slice or a map refers to, whatever its name and its type arguments.
func kind(t types.Type) string {
	for is[*types.Array](t) {
		t = elem(t)
	}
	if is[*types.Struct](t) {
		return "" // its fields are known
	}
	return key(under(t))
}

// where returns where protocols read one of the fields.
func (m *memory) where(fields []field) (at token.Pos, ok bool) {
	for _, f := range fields {
		if read, found := m.read[f]; found && (!ok || read < at) {
			at, ok = read, true
		}
	}
	return at, ok
}

// refers reports whether protocols read values of type t through pointers and the like.
func (m *memory) refers(t types.Type) bool {
	_, ok := m.where(m.parts(t))
	return ok || kind(t) != "" && m.kinds[kind(t)] || strings.Contains(kind(t), "TypeParam")
}

// carries reports whether through a value of type t the memory that protocols read can be reached, or registers.
func (m *memory) carries(t types.Type) bool { return m.reaches(t, 0) }

// exposes reports whether another package could write what protocols read, if it had a value of type t. What has
// registers in it is not assigned as a whole.
func (m *memory) exposes(t types.Type) bool { return m.reaches(t, 1) }

func (m *memory) reaches(t types.Type, writable int) bool {
	if t == nil {
		return false
	}
	found, ok := m.known[writable][t]
	if !ok {
		m.known[writable][t] = false // until it is known, of a recursive type
		found = m.leadsTo(t, writable)
		m.known[writable][t] = found
	}
	return found
}

func (m *memory) leadsTo(t types.Type, writable int) bool {
	further := func(t types.Type) bool { return m.reaches(t, writable) }
	n, _ := types.Unalias(t).(*types.Named)
	foreign := n != nil && !m.examined(n.Obj().Pkg())
	switch u := under(t).(type) {
	case *types.Signature, *types.Basic:
		return isUnsafe(t)
	case *types.Interface:
		return !isError(t) && !isContext(t) && (writable == 0 || !isLock(t))
	case *types.Struct:
		if isRegister(t, "") {
			return writable == 0
		}
		if foreign { // of which nothing is read by name
			return slices.ContainsFunc(slices.Collect(n.TypeArgs().Types()), further)
		}
	case *types.Pointer:
		if writable > 0 && (isLock(t) || hasRegisters(u.Elem())) {
			return false
		}
	}
	whole := writable == 0 || !hasRegisters(elem(t))
	return isTypeParam(t) || elem(t) != nil && !is[*types.Array](t) && whole && m.refers(elem(t)) || slices.ContainsFunc(components(t), further)
}

// byValue reports whether only numbers and the like are read by x: no way to the memory itself.
func (m *memory) byValue(x ast.Expr, path []ast.Node) bool {
	last := len(path) - 1
	for ; last > 0 && m.leads(x, path[last]); last-- {
		x = path[last].(ast.Expr)
	}
	if to := m.method(path[last]); to != nil {
		return overInterface(to) && !to.Exported() || inPackage(to, registers) && onRegisters(to)&writes == 0 || inPackage(to, mutexes)
	}
	plainly := func(t types.Type) bool { return t != nil && !m.carries(t) }
	switch parent := path[last].(type) {
	case *ast.AssignStmt, *ast.IncDecStmt:
		return slices.Contains(written(parent), x) || plainly(m.info.TypeOf(x)) // what is written is examined as such
	case *ast.UnaryExpr:
		return parent.Op != token.AND && plainly(m.info.TypeOf(x))
	case *ast.BinaryExpr:
		return true
	case *ast.RangeStmt:
		return parent.X == x && (parent.Value == nil || plainly(m.info.TypeOf(parent.Value)) || is[*types.Basic](m.info.TypeOf(x)))
	case *ast.CallExpr:
		b := m.builtin(parent)
		copied := (b == "copy" || b == "append" && parent.Ellipsis.IsValid()) && parent.Args[0] != x || m.reading(parent)
		return plainly(m.info.TypeOf(x)) || b == "len" || b == "cap" || copied && plainly(elem(m.info.TypeOf(x)))
	}
	return plainly(m.info.TypeOf(x))
}

// leads reports whether an expression denotes a part of what x denotes or refers to.
func (p *program) leads(x ast.Expr, to ast.Node) bool {
	up, ok := to.(ast.Expr)
	return ok && (within(up) == x || selectorOf(up) != nil && p.method(up) == nil)
}

// method returns the method that an expression selects, or nil.
func (p *program) method(x ast.Node) *types.Func {
	sel, _ := x.(*ast.SelectorExpr)
	if s := p.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
		return s.Obj().(*types.Func)
	}
	return nil
}

// reading reports whether a call is of a function of the standard library that keeps and writes nothing.
func (p *program) reading(call *ast.CallExpr) bool {
	to := p.callee(call)
	return inPackage(to, "slices") && slices.Contains(strings.Fields("Clone Contains Equal Index IsSorted Max Min"), to.Name()) ||
		inPackage(to, "fmt") && slices.Contains(strings.Fields("Errorf Print Printf Println Sprint Sprintf Sprintln"), to.Name())
}
