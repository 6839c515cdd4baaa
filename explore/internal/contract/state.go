package contract

import (
	"go/ast"
	"go/types"
	"slices"
)

const knowing = "a process may know only what it has read from registers"

// A fieldPath is the fields by which a part of a struct is reached, without following a
// pointer, as cfg and limit of l.cfg.limit if l is a pointer.
type fieldPath []*types.Var

// A read is a place where the protocol reads fields.
type read struct {
	fn    *function
	at    ast.Node
	paths []fieldPath
}

// state reports the fields that the protocol reads and that something else can write while
// the lock is in use: another package, or a function that is not only part of its
// construction.
func (p *program) state(r *region) {
	var reads []read
	for _, fn := range r.reach {
		fn.each(func(n ast.Node) { reads = append(reads, p.reads(r, fn, n)...) })
	}
	if len(reads) == 0 {
		return
	}
	changes := p.changes(r, reads)
	for _, read := range reads {
		for _, to := range read.paths {
			if f := p.writable(to); f != nil {
				p.report(read.fn, read.at, access, "reads exported field %s, which other packages can write: %s", f.Name(), knowing)
			}
			for _, c := range changes {
				if c.changes(to) {
					p.report(read.fn, read.at, access, "reads field %s, which is written at %s while the lock may be in use: %s", to[len(to)-1].Name(), p.place(c.at), knowing)
				}
			}
		}
	}
}

// reads returns where n reads parts of structs that are foreign, with the paths to all that
// is read there.
func (p *program) reads(r *region, fn *function, n ast.Node) (all []read) {
	if sel, ok := n.(*ast.SelectorExpr); ok && p.isField(sel) && r.isForeign(sel) {
		all = append(all, read{fn, sel.Sel, []fieldPath{p.path(sel)}})
	}
	for _, x := range values(n) {
		x = ast.Unparen(x)
		t := p.info.TypeOf(x)
		if _, ok := under(t).(*types.Struct); !ok || !r.isForeign(x) {
			continue
		}
		switch at := x.(type) {
		case *ast.SelectorExpr:
			all = append(all, read{fn, at.Sel, p.path(x).inside(t)})
		case *ast.StarExpr:
			all = append(all, read{fn, at, p.path(x).inside(t)})
		}
	}
	return all
}

// values returns the expressions whose whole value n uses.
func values(n ast.Node) (all []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Rhs
	case *ast.ValueSpec:
		return n.Values
	case *ast.ReturnStmt:
		return n.Results
	case *ast.CallExpr:
		return n.Args
	case *ast.BinaryExpr:
		return []ast.Expr{n.X, n.Y}
	case *ast.CompositeLit:
		for _, x := range n.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			all = append(all, x)
		}
	}
	return all
}

// isField reports whether sel selects a field.
func (p *program) isField(sel *ast.SelectorExpr) bool {
	s := p.info.Selections[sel]
	return s != nil && s.Kind() == types.FieldVal
}

// path returns the path of the part of a struct that x denotes.
func (p *program) path(x ast.Expr) fieldPath {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		if isArray(p.info.TypeOf(x.X)) {
			return p.path(x.X)
		}
	case *ast.SelectorExpr:
		if !p.isField(x) {
			return nil
		}
		fields, t := p.path(x.X), p.info.TypeOf(x.X)
		for _, k := range p.info.Selections[x].Index() {
			if ptr, ok := t.Underlying().(*types.Pointer); ok {
				fields, t = nil, ptr.Elem()
			}
			f := t.Underlying().(*types.Struct).Field(k)
			fields, t = append(slices.Clip(fields), f.Origin()), f.Type()
		}
		return fields
	}
	return nil
}

// inside returns the paths of all parts of what of leads to, which is of type t.
func (of fieldPath) inside(t types.Type) []fieldPath {
	all := []fieldPath{of}
	if a, ok := t.Underlying().(*types.Array); ok {
		t = a.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			all = append(all, append(slices.Clip(of), f.Origin()).inside(f.Type())...)
		}
	}
	return all
}

// writable returns the field on the path of a read to which other packages can assign, or
// nil. Registers, functions and interfaces are examined where they are used.
func (p *program) writable(read fieldPath) *types.Var {
	if len(read) == 0 {
		return nil
	}
	if t := read[len(read)-1].Type(); holdsRegisters(t) || isFunc(t) || types.IsInterface(t) {
		return nil
	}
	for _, f := range read {
		if p.assignable(f) {
			return f
		}
		if !f.Embedded() {
			return nil
		}
	}
	return nil
}
