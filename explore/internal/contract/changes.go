package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

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
	case *types.Slice, *types.Map:
		c.element(at, elem(t))
		c.reachable(at, elem(t), seen)
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
