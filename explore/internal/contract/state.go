package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const knowing = "a process may know only what it has read from registers"

// A fieldPath is the fields by which a part of a struct is reached, without following a
// pointer, as cfg and limit of l.cfg.limit if l is a pointer.
type fieldPath []*types.Var

// The changes of a program are all that its functions write while a lock may be in use: all but
// the protocols, and what functions write to memory that they made themselves, as constructors do.
type changes struct {
	*program
	fields    []change
	variables map[*types.Var]token.Pos // of packages
	types     map[string]token.Pos     // by [placeName]: what is written by a pointer, in a slice, or in a map
}

// A change is a write of a field.
type change struct {
	at token.Pos
	to fieldPath
}

// changes returns what is written by functions that are not in the protocol.
func (p *program) changes(protocol *ownership) *changes {
	c := &changes{program: p, variables: map[*types.Var]token.Pos{}, types: map[string]token.Pos{}}
	o := &ownership{program: p, set: p.all, apart: true}
	o.settle(func(fn *function) bool {
		return fn.obj == nil && !p.option(fn) || fn.obj != nil && (p.unseen(fn) || ast.IsExported(fn.name) && !p.tests(fn))
	})
	for _, fn := range p.all {
		if protocol.within[fn] || p.tests(fn.outermost()) || fn.initial() {
			continue
		}
		fn.each(func(n ast.Node) {
			for w := range p.written(n) {
				switch {
				case p.info.TypeOf(w.to) == nil: // of a package that was not found
					p.whole(fn)
				case w.contents && o.strange(fn, w.to):
					c.element(w.to.Pos(), elem(p.info.TypeOf(w.to)))
					if ptr, ok := under(p.info.TypeOf(w.to)).(*types.Pointer); ok {
						c.element(w.to.Pos(), ptr.Elem())
					}
				case !w.contents && o.outside(fn, w.to):
					c.write(w.to)
				}
			}
			p.boxed(fn, n, func(x ast.Expr) {
				if o.strange(fn, x) {
					c.reachable(x.Pos(), p.info.TypeOf(x), map[types.Type]bool{})
				}
			})
			switch n := n.(type) {
			case *ast.CallExpr:
				c.handed(o, fn, n)
			case *ast.GoStmt:
				if to := p.callee(n.Call); to != nil && len(p.bodies(to)) == 0 {
					for _, x := range n.Call.Args {
						c.reachable(x.Pos(), p.info.TypeOf(x), map[types.Type]bool{})
					}
				}
			case *ast.ReturnStmt:
				for _, x := range n.Results {
					if fn.obj != nil && ast.IsExported(fn.name) && !p.private(fn.obj) && o.strange(fn, x) {
						c.reachable(x.Pos(), p.info.TypeOf(x), map[types.Type]bool{})
					}
				}
			}
		})
	}
	return c
}

// boxed calls yield with what n assigns, in fn, to interfaces without methods: from there it may be handed to
// anything.
func (p *program) boxed(fn *function, n ast.Node, yield func(x ast.Expr)) {
	box := func(to types.Type, x ast.Expr) {
		i, ok := under(to).(*types.Interface)
		if t := p.info.TypeOf(x); ok && i.NumMethods() == 0 && t != nil && !types.IsInterface(t) {
			yield(x)
		}
	}
	for _, a := range assignments(n) {
		box(p.info.TypeOf(a.to), a.from)
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		s, ok := under(p.info.TypeOf(n)).(*types.Struct)
		for i, x := range n.Elts {
			switch kv, keyed := x.(*ast.KeyValueExpr); {
			case ok && keyed:
				box(p.info.TypeOf(kv.Key), kv.Value)
			case ok:
				box(s.Field(i).Type(), x)
			case keyed:
				box(elem(p.info.TypeOf(n)), kv.Value)
			default:
				box(elem(p.info.TypeOf(n)), x)
			}
		}
	case *ast.ReturnStmt:
		for i, x := range n.Results {
			if i < fn.sig.Results().Len() {
				box(fn.sig.Results().At(i).Type(), x)
			}
		}
	case *ast.CallExpr:
		sig, ok := under(p.info.TypeOf(n.Fun)).(*types.Signature)
		switch to := p.callee(n); {
		case p.info.Types[n.Fun].IsType():
			box(p.info.TypeOf(n.Fun), n.Args[0])
		case ok && (to == nil || !p.reads(to)):
			for i, x := range n.Args {
				if last := sig.Params().Len() - 1; i < last || !sig.Variadic() {
					box(sig.Params().At(min(i, last)).Type(), x)
				} else {
					box(elem(sig.Params().At(last).Type()), x)
				}
			}
		}
	}
}

// tests reports whether fn is a test, or the like, which makes the locks that it writes.
func (p *program) tests(fn *function) bool {
	return fn.obj != nil && fn.sig.Recv() == nil && strings.HasSuffix(p.fset.PositionFor(fn.node.Pos(), false).Filename, "_test.go")
}

// initial reports whether fn is an init of its package.
func (fn *function) initial() bool {
	return fn.obj != nil && fn.name == "init" && fn.sig.Recv() == nil
}

// option reports whether a literal is the result of a function, such as an option for a constructor:
// what it is given is not in use.
func (p *program) option(lit *function) bool {
	return lit.outer != nil && slices.ContainsFunc(p.yields[lit.outer], func(x ast.Expr) bool { return ast.Unparen(x) == lit.node })
}

// write notes a write to the memory that x denotes.
func (c *changes) write(x ast.Expr) {
	at := x.Pos()
	c.part(at, c.path(x), c.info.TypeOf(x))
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if isArray(c.info.TypeOf(y.X)) {
				x = y.X
				continue
			}
			c.element(at, elem(c.info.TypeOf(y.X)))
		case *ast.StarExpr:
			c.element(at, c.info.TypeOf(y))
		}
		break
	}
	if v, ok := c.base(x).(*types.Var); ok && c.direct(x) {
		c.variables[c.origin(v)] = at
		c.pointer(at, v)
	}
}

// part notes a write to the part of a struct of a path, which is of type t.
func (c *changes) part(at token.Pos, of fieldPath, t types.Type) {
	for _, to := range c.inside(of, t) {
		if len(to) > 0 {
			c.fields = append(c.fields, change{at, to})
			c.pointer(at, to[len(to)-1])
		}
	}
}

// pointer notes a write to a field or variable whose address is taken.
func (c *changes) pointer(at token.Pos, v *types.Var) {
	for t := v.Type(); c.pointed[c.origin(v)] && !embedsRegisters(t) && !isRegister(t, ""); t = elem(t) {
		c.types[placeName(t)] = at
		if !isArray(t) {
			return
		}
	}
}

// element notes a write to memory of type t.
func (c *changes) element(at token.Pos, t types.Type) {
	if t == nil || isRegister(t, "") {
		return
	}
	if _, ok := c.types[placeName(t)]; !ok {
		c.types[placeName(t)] = at
	}
	c.part(at, nil, t)
}

// handed notes what a function whose source is not examined may write of its arguments: what these
// refer to, and the exported fields there.
func (c *changes) handed(o *ownership, fn *function, call *ast.CallExpr) {
	to := o.callee(call)
	switch {
	case to == nil && o.dynamic(call), to != nil && overInterface(to): // of the examined source, or it may as well be outside
	case to == nil, o.functions[fullName(to)] != nil, inPackage(to, registers), inPackage(to, tables), o.reads(to):
		return
	}
	args := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && to != nil && o.info.Selections[sel] != nil {
		args = append(slices.Clip(args), sel.X)
	}
	if x := o.addressed(call); x != nil && o.outside(fn, x) {
		c.part(call.Pos(), o.path(x), o.info.TypeOf(x))
	}
	for _, arg := range args {
		if t := o.info.TypeOf(arg); t != nil && refers(t) && (o.strange(fn, arg) || o.element(fn, arg)) {
			c.reachable(call.Pos(), t, map[types.Type]bool{})
		}
	}
}

// reads reports whether a function of the standard library only reads its arguments.
func (p *program) reads(fn *types.Func) bool {
	if !p.standard(fn.Pkg()) || byPointer(fn) {
		return false
	}
	name := strings.TrimPrefix(display(fn), fn.Pkg().Name()+".")
	return reading.MatchString(display(fn)) ||
		slices.Contains(strings.Fields(allowed[fn.Pkg().Path()]), name) && !filling[fullName(fn)]
}

// reading matches the functions of the standard library that only read, besides those allowed.
var reading = regexp.MustCompile(`^(fmt\.(Fprint|Print|Sprint)|fmt\.Errorf|log\.|slog\.|json\.Marshal|reflect\.DeepEqual|maps\.(Keys|Values|Clone)|slices\.Sorted)`)

// reachable notes a write to all that can be reached from a value of type t, but unexported fields.
func (c *changes) reachable(at token.Pos, t types.Type, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if !isStruct(u.Elem()) {
			c.element(at, u.Elem())
		}
		c.reachable(at, u.Elem(), seen)
	case *types.Slice:
		c.element(at, u.Elem())
		c.reachable(at, u.Elem(), seen)
	case *types.Map:
		c.element(at, u.Elem())
		c.reachable(at, u.Elem(), seen)
	case *types.Array:
		c.reachable(at, u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() {
				c.part(at, fieldPath{c.origin(f)}, nil)
				c.reachable(at, f.Type(), seen)
			}
		}
	}
}

// writes returns where what a path leads to may be written.
func (c *changes) writes(read fieldPath) (token.Pos, bool) {
	for _, by := range c.fields {
		last := len(by.to) - 1
		if k := slices.Index(read, by.to[last]); k >= 0 && (k <= last || c.pointed[read[k-last-1]]) {
			return by.at, true
		}
	}
	return c.aliased(read[len(read)-1])
}

// aliased returns where a variable or field may be written through its address.
func (c *changes) aliased(v *types.Var) (at token.Pos, ok bool) {
	for t := v.Type(); c.pointed[c.origin(v)] && !embedsRegisters(t) && !isRegister(t, ""); t = elem(t) {
		if at, ok := c.fills(t); ok {
			return at, true
		}
		if !isArray(t) {
			break
		}
	}
	return 0, false
}

// variable returns where a package-level variable may be written.
func (c *changes) variable(v *types.Var) (token.Pos, bool) {
	if at, ok := c.variables[c.origin(v)]; ok {
		return at, true
	}
	return c.aliased(v)
}

// fills returns where something of type t may be written that is behind a reference.
func (c *changes) fills(t types.Type) (token.Pos, bool) {
	for name, at := range c.types {
		if name == anyType || name == placeName(t) || placeName(t) == anyType {
			return at, true
		}
	}
	return 0, false
}

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
		p.report(fn, at, access, "reads memory of type %s that it did not make, and such memory is written at %s while the lock may be in use (a type of its own tells it apart): %s", p.typeName(of), p.place(by), knowing)
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
