package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
)

const knowing = "a process may know only what it has read from registers"

// A fieldPath is the fields by which a part of a struct is reached, without following a
// pointer, as cfg and limit of l.cfg.limit if l is a pointer.
type fieldPath []*types.Var

// state reports what the protocol reads and something else can write while the lock is in
// use: another package, or a function that is not only part of its construction.
func (p *program) state(o *ownership) {
	c := p.changes(o)
	for _, fn := range o.set {
		ast.PreorderStack(fn.body, nil, func(n ast.Node, path []ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // another function
			case *ast.Ident:
				p.outer(o, c, fn, n)
			case *ast.SelectorExpr:
				for _, of := range p.steps(n) {
					if o.selects(fn, n) {
						p.field(c, fn, n.Sel, of)
					}
				}
				p.receiver(o, c, fn, n)
			case *ast.IndexExpr:
				if t := p.info.TypeOf(n.X); !isArray(t) && o.strange(fn, n.X) {
					p.behind(c, fn, n, t)
				}
			case *ast.StarExpr:
				if t := p.info.TypeOf(n.X); p.info.Types[n].IsValue() && o.strange(fn, n.X) {
					p.behind(c, fn, n, t)
				}
			case *ast.RangeStmt:
				if o.strange(fn, n.X) && n.Value != nil {
					p.behind(c, fn, n.X, p.info.TypeOf(n.X))
					p.parts(c, fn, n.X, nil, elem(p.info.TypeOf(n.X)))
				}
			case *ast.CallExpr:
				if to := p.callee(n); to != nil && len(p.bodies(to)) > 0 || p.dynamic(n) {
					break
				}
				for _, arg := range n.Args {
					if o.strange(fn, arg) && elem(p.info.TypeOf(arg)) != nil {
						p.behind(c, fn, arg, p.info.TypeOf(arg))
					}
				}
			}
			if x, ok := n.(ast.Expr); ok && p.valued(x, path) && o.outside(fn, x) {
				p.parts(c, fn, last(x), p.path(x), p.info.TypeOf(x))
			}
			return true
		})
	}
}

// parts reports the read of all parts of what a path leads to.
func (p *program) parts(c *changes, fn *function, at ast.Node, of fieldPath, t types.Type) {
	for _, of := range p.inside(of, t) {
		p.field(c, fn, at, of)
	}
}

// receiver reports the read of the receiver of a method that has a copy of it.
func (p *program) receiver(o *ownership, c *changes, fn *function, sel *ast.SelectorExpr) {
	s := p.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || byPointer(s.Obj().(*types.Func)) {
		return
	}
	of := p.path(sel.X)
	if isPointer(p.info.TypeOf(sel.X)) {
		of = nil
	}
	if o.strange(fn, sel.X) || o.outside(fn, sel.X) {
		p.parts(c, fn, sel.X, of, s.Obj().(*types.Func).Signature().Recv().Type())
	}
}

// valued reports whether the value of x is used whole, and is that of a place of a struct type.
func (p *program) valued(x ast.Expr, path []ast.Node) bool {
	switch x.(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
	default:
		return false
	}
	if tv := p.info.Types[x]; !tv.IsValue() || !isStruct(tv.Type) && !isArray(tv.Type) {
		return false
	}
	switch parent := path[len(path)-1].(type) {
	case *ast.ParenExpr:
		return p.valued(x, path[:len(path)-1])
	case *ast.IndexExpr:
		return parent.X != x
	case *ast.SelectorExpr, *ast.SliceExpr, *ast.UnaryExpr:
		return false
	case *ast.RangeStmt:
		return parent.Value != nil
	case *ast.AssignStmt:
		return !slices.Contains(parent.Lhs, x)
	}
	return true
}

// last returns the part of a place that stands for it in a report.
func last(x ast.Expr) ast.Node {
	if sel, ok := x.(*ast.SelectorExpr); ok {
		return sel.Sel
	}
	return x
}

// field reports the read of a field.
func (p *program) field(c *changes, fn *function, at ast.Node, of fieldPath) {
	if f := p.writable(of); f != nil {
		p.report(fn, at, access, "reads exported field %s, which other packages can write: %s", f.Name(), knowing)
	}
	if len(of) == 0 {
		return
	}
	if by, ok := c.writes(of); ok {
		p.report(fn, at, access, "reads field %s, which is written at %s while the lock may be in use: %s", of[len(of)-1].Name(), p.place(by), knowing)
	}
}

// behind reports the read of what a value of type t refers to.
func (p *program) behind(c *changes, fn *function, at ast.Node, t types.Type) {
	of := elem(t)
	if ptr, ok := under(t).(*types.Pointer); ok && of == nil {
		of = ptr.Elem()
	}
	if of == nil {
		return
	}
	if by, ok := c.fills(of); ok {
		p.report(fn, at, access, "reads memory of type %s that it did not make, and such memory is written at %s while the lock may be in use (a struct of its own tells it apart): %s", p.typeName(of), p.place(by), knowing)
	}
}

// outer reports the read of a package-level variable, or of one of a function that is not part of the
// protocol, unless it has one value.
func (p *program) outer(o *ownership, c *changes, fn *function, id *ast.Ident) {
	v, ok := p.info.Uses[id].(*types.Var)
	switch {
	case !ok || v.IsField() || v.Pkg() == nil || o.within[p.owner[p.origin(v)]]:
	case packageLevel(v):
		p.shared(c, fn, id, v)
		p.parts(c, fn, id, nil, v.Type())
	case p.reassigned[p.origin(v)] || p.pointed[p.origin(v)]:
		p.report(fn, id, writing, "reads variable %s, declared outside of the protocol, which is assigned more than once: %s", v.Name(), knowing)
	}
}

// shared reports the use of a package-level variable.
func (p *program) shared(c *changes, fn *function, id *ast.Ident, v *types.Var) {
	if p.standard(v.Pkg()) {
		if !isError(v.Type()) {
			p.report(fn, id, foreign, "uses %s.%s: of the variables of the standard library, a protocol may use only errors, such as io.EOF", v.Pkg().Name(), v.Name())
		}
		return
	}
	if holdsRegisters(v.Type()) {
		p.report(fn, id, foreign, "uses package-level variable %s, whose registers all locks would share: make it a field", v.Name())
	} else if at, ok := c.variable(v); ok {
		p.report(fn, id, writing, "reads package-level variable %s, written at %s: all locks share it, and %s", v.Name(), p.place(at), knowing)
	} else if p.assignable(v) && !isError(v.Type()) {
		p.report(fn, id, writing, "reads package-level variable %s, which other packages can write: all locks share it, and %s", v.Name(), knowing)
	}
}

// isField reports whether sel selects a field.
func (p *program) isField(sel *ast.SelectorExpr) bool {
	s := p.info.Selections[sel]
	return s != nil && s.Kind() == types.FieldVal
}

// selects reports whether a selection is of foreign memory.
func (o *ownership) selects(fn *function, sel *ast.SelectorExpr) bool {
	from := o.outside
	if isPointer(o.info.TypeOf(sel.X)) {
		from = o.strange
	}
	return from(fn, sel.X) || o.embedded(sel, o.info.Selections[sel])
}

// steps returns the paths to the fields that a selection reads: of embedded ones, and the one selected.
func (p *program) steps(sel *ast.SelectorExpr) (all []fieldPath) {
	s := p.info.Selections[sel]
	if s == nil || s.Kind() == types.MethodExpr {
		return nil
	}
	of, t := p.path(sel.X), p.info.TypeOf(sel.X)
	for i, k := range s.Index() {
		if i == len(s.Index())-1 && s.Kind() != types.FieldVal {
			break
		}
		if ptr, ok := under(t).(*types.Pointer); ok {
			of, t = nil, ptr.Elem()
		}
		f := under(t).(*types.Struct).Field(k)
		of, t = append(slices.Clip(of), p.origin(f)), f.Type()
		all = append(all, of)
	}
	return all
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
		steps := p.steps(x)
		return steps[len(steps)-1]
	}
	return nil
}

// inside returns the paths of all parts of what a path leads to, which is of type t.
func (p *program) inside(of fieldPath, t types.Type) []fieldPath {
	all := []fieldPath{of}
	if t == nil {
		return all
	}
	for isArray(t) {
		t = under(t).(*types.Array).Elem()
	}
	if s, ok := under(t).(*types.Struct); ok {
		for f := range s.Fields() {
			all = append(all, p.inside(append(slices.Clip(of), p.origin(f)), f.Type())...)
		}
	}
	return all
}

// writable returns the field on the path of a read to which other packages can assign, or
// nil. Registers may be exported.
func (p *program) writable(read fieldPath) *types.Var {
	if len(read) == 0 {
		return nil
	}
	if t := read[len(read)-1].Type(); holdsRegisters(t) {
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

// place formats a line as [Breach] does.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}
