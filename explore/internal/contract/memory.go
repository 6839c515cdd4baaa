package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A memory is what protocols read outside of registers and of their own variables: by class, where they do.
//
// Classes are rough, so that no other name and no conversion leads to the same memory by another class. That of a
// field is its place and the names of all fields of its struct; that of what a pointer, a slice or a map refers to
// is the kind of its type.
type memory struct {
	*program
	read  map[string]token.Pos
	known [2]map[types.Type]bool // results of reaches
}

// anything is the class of what may be of any type.
const anything = "any"

func fieldClass(of *types.Struct, k int) string {
	var names []string
	for f := range of.Fields() {
		names = append(names, f.Name())
	}
	return fmt.Sprintf("field %d of %s", k, strings.Join(names, " "))
}

func elemClass(t types.Type) string {
	switch u := under(t).(type) {
	case *types.Array:
		return elemClass(u.Elem())
	case *types.Struct:
		return fieldClass(u, -1)
	}
	if of := key(under(t)); !isTypeParam(t) && !strings.Contains(of, "TypeParam") {
		return of
	}
	return anything
}

// parts returns the classes of what is in the same place as a value of type t.
func parts(t types.Type) (all []string) {
	if isTypeParam(t) {
		return []string{anything}
	}
	switch u := under(t).(type) {
	case *types.Struct:
		for k := 0; k < u.NumFields() && !isRegister(t, ""); k++ {
			all = append(append(all, fieldClass(u, k)), parts(u.Field(k).Type())...)
		}
	case *types.Array:
		all = append(parts(u.Elem()), elemClass(u.Elem()))
	}
	return all
}

// elements returns the classes of what a value of type t refers to.
func elements(t types.Type) []string {
	if t = elem(t); t == nil {
		return nil
	}
	return append(parts(t), elemClass(t))
}

// classes returns the classes of a place, with those of its parts.
func (p *program) classes(place ast.Expr) []string {
	t := p.info.TypeOf(place)
	switch x := ast.Unparen(place).(type) {
	case *ast.SelectorExpr:
		if steps := p.steps(x); len(steps) > 0 && p.info.Selections[x].Kind() == types.FieldVal {
			return append(parts(t), steps[len(steps)-1].class)
		}
	case *ast.Ident:
		if v, ok := p.info.ObjectOf(x).(*types.Var); ok && p.addressed[v] {
			return append(parts(t), elemClass(t))
		}
	case *ast.IndexExpr, *ast.StarExpr:
		if t != nil {
			return append(parts(t), elemClass(t))
		}
	}
	return nil
}

// memory returns what protocols read.
func (p *program) memory(reach []*function) *memory {
	m := &memory{p, map[string]token.Pos{}, [2]map[types.Type]bool{{}, {}}}
	add := func(at ast.Node, classes []string) {
		for _, c := range classes {
			if before, ok := m.read[c]; !ok || at.Pos() < before {
				m.read[c] = at.Pos()
			}
		}
	}
	for _, fn := range reach {
		if r := fn.sig.Recv(); r != nil && !isPointer(r.Type()) {
			add(fn.body, append(parts(r.Type()), elemClass(r.Type()))) // of what it is a copy
		}
		fn.each(func(n ast.Node, _ []ast.Node) {
			if x, ok := n.(ast.Expr); ok && isMap(p.info.TypeOf(x)) {
				add(x, elements(p.info.TypeOf(x))) // its length too
			}
			switch x := n.(type) {
			case *ast.SelectorExpr:
				for _, s := range p.steps(x) {
					add(x, []string{s.class})
				}
				if !p.mine(x) {
					add(x, p.classes(x))
				}
			case *ast.IndexExpr, *ast.StarExpr:
				if x := n.(ast.Expr); !p.info.Types[x].IsType() && !p.mine(x) {
					add(x, p.classes(x))
				}
			case *ast.RangeStmt:
				if x.Value != nil {
					add(x.X, elements(p.info.TypeOf(x.X)))
				}
			}
		})
	}
	return m
}

// mine reports whether a place is a local variable, part of one, or an element of a table.
func (p *program) mine(place ast.Expr) bool {
	v, _ := p.base(place).(*types.Var)
	return p.owner[v] != nil && (p.direct(place) || p.tabular(v))
}

// where returns where protocols read one of the classes.
func (m *memory) where(classes []string) (at token.Pos, ok bool) {
	for c, read := range m.read {
		if len(classes) > 0 && (c == anything || slices.Contains(classes, c) || slices.Contains(classes, anything)) && (!ok || read < at) {
			at, ok = read, true
		}
	}
	return at, ok
}

func (m *memory) reads(classes []string) bool { _, ok := m.where(classes); return ok }

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
		found = m.leads(t, writable)
		m.known[writable][t] = found
	}
	return found
}

func (m *memory) leads(t types.Type, writable int) bool {
	further := func(t types.Type) bool { return m.reaches(t, writable) }
	n, _ := types.Unalias(t).(*types.Named)
	foreign := n != nil && !m.examined(n.Obj().Pkg())
	switch u := under(t).(type) {
	case *types.Signature, *types.Basic:
		return isUnsafe(t)
	case *types.Interface:
		context := foreign && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
		return !isError(t) && !context && (writable == 0 || !isLock(t))
	case *types.Struct:
		if isRegister(t, "") {
			return writable == 0
		}
		if foreign { // of which nothing is read by name
			return slices.ContainsFunc(slices.Collect(n.TypeArgs().Types()), further)
		}
	case *types.Pointer:
		if writable > 0 && (isLock(t) || embedsRegisters(u.Elem())) {
			return false
		}
	}
	whole := writable == 0 || !embedsRegisters(elem(t))
	return isTypeParam(t) || elem(t) != nil && !isArray(t) && whole && m.reads(elements(t)) || slices.ContainsFunc(components(t), further)
}

// byValue reports whether only numbers and the like are read by x: no way to the memory itself.
func (m *memory) byValue(x ast.Expr, path []ast.Node) bool {
	last := len(path) - 1
	for ; last > 0; last-- {
		up, ok := path[last].(ast.Expr)
		if sel := selectorOf(up); sel != nil && m.info.Selections[sel] != nil && m.info.Selections[sel].Kind() == types.MethodVal {
			to := m.info.Selections[sel].Obj().(*types.Func)
			return overInterface(to) && !to.Exported() || inPackage(to, registers)
		} else if _, paren := up.(*ast.ParenExpr); !ok || !paren && sel == nil && within(up) != x {
			break
		}
		x = up
	}
	plainly := func(t types.Type) bool { return t != nil && !m.carries(t) }
	switch parent := path[last].(type) {
	case *ast.AssignStmt, *ast.IncDecStmt:
		return !slices.Contains(written(parent), x) && plainly(m.info.TypeOf(x))
	case *ast.UnaryExpr:
		return parent.Op != token.AND && plainly(m.info.TypeOf(x))
	case *ast.BinaryExpr:
		return true
	case *ast.RangeStmt:
		return parent.X == x && (parent.Value == nil || plainly(m.info.TypeOf(parent.Value)) || isBasic(m.info.TypeOf(x)))
	case *ast.CallExpr:
		b := m.builtin(parent)
		copied := (b == "copy" || b == "append" && parent.Ellipsis.IsValid()) && parent.Args[0] != x || m.reading(parent)
		return plainly(m.info.TypeOf(x)) || b == "len" || b == "cap" || copied && plainly(elem(m.info.TypeOf(x)))
	}
	return plainly(m.info.TypeOf(x))
}

// reading reports whether a call is of a function of the standard library that keeps and writes nothing.
func (p *program) reading(call *ast.CallExpr) bool {
	to := p.callee(call)
	return inPackage(to, "slices") && slices.Contains(strings.Fields("Clone Contains Equal Index IsSorted Max Min"), to.Name()) ||
		inPackage(to, "fmt") && slices.Contains(strings.Fields("Errorf Print Printf Println Sprint Sprintf Sprintln"), to.Name())
}
