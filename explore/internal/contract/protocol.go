package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

const (
	keeping        = "a process may keep state only in local variables and registers"
	knowing        = "a process may know only what it has read from registers"
	channel        = "uses a channel: processes may share only registers"
	asks           = "asserts a type: a protocol may not ask for the type of a value"
	makes          = "makes a register: the constructor makes the registers of a lock, for all its processes"
	throughMethods = "a protocol may use a register only through its methods"
)

// protocol examines all functions that the protocols reach.
func (p *program) protocol(reach []*function) {
	for _, fn := range reach {
		if p.whole(fn); p.err != nil {
			return
		}
		if generic(fn.outermost().sig) {
			p.report(fn, fn.node, "has type parameters: write a protocol for one type")
		}
		fn.each(func(n ast.Node, path []ast.Node) {
			x, ok := n.(ast.Expr)
			if tv := p.info.Types[x]; ok && (tv.IsType() || tv.IsBuiltin()) {
				return
			}
			if why := refused(n); why != "" {
				p.report(fn, n, "%s", why)
			}
			for _, to := range written(n) {
				p.writes(fn, to)
			}
			if ok {
				p.expression(fn, x, path)
			} else {
				p.statement(fn, n)
			}
		})
	}
	for _, fn := range reach {
		fn.calls(p.promised)
	}
	p.beside(reach)
	p.aborts(reach)
}

// whole fails the examination unless all types in fn are known.
func (p *program) whole(fn *function) {
	fn.each(func(n ast.Node, _ []ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name == "_" {
			return
		}
		obj := p.info.ObjectOf(id)
		_, defines := p.info.Defs[id]
		if _, v := obj.(*types.Var); obj == nil && !defines || v && obj.Type() == types.Typ[types.Invalid] {
			why := "its type is unknown"
			if len(p.faults) > 0 {
				why = p.faults[0].Error()
			}
			p.fail(fmt.Errorf("%s cannot be examined because of %s: %s", fn.name, id.Name, why))
		}
	})
}

// refused says why a node cannot be part of a protocol, or "".
func refused(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.ExprStmt, *ast.EmptyStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.CaseClause,
		*ast.LabeledStmt, *ast.ReturnStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.RangeStmt,
		*ast.GenDecl, *ast.ValueSpec, *ast.TypeSpec, *ast.FieldList, *ast.Field,
		*ast.BasicLit, *ast.ParenExpr, *ast.KeyValueExpr, *ast.FuncLit, *ast.IndexExpr, *ast.IndexListExpr, *ast.StarExpr,
		*ast.Ellipsis, *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.BinaryExpr, *ast.SliceExpr, *ast.CompositeLit:
		return ""
	case *ast.BranchStmt:
		if n.Tok != token.GOTO {
			return ""
		}
		return "uses goto: write a loop, or register.Repeat"
	case *ast.UnaryExpr:
		if n.Op != token.ARROW {
			return ""
		}
		return channel
	case *ast.SendStmt, *ast.SelectStmt, *ast.CommClause:
		return channel
	case *ast.GoStmt:
		return "uses a go statement: a process is explored alone, without other goroutines"
	case *ast.DeferStmt:
		return "uses a defer statement: a run may be abandoned at any operation, and a deferred call must not run then: " +
			"write the call before each return"
	case *ast.TypeSwitchStmt, *ast.TypeAssertExpr:
		return asks
	}
	return fmt.Sprintf("uses what is not examined (%T)", n)
}

// statement reports what a statement must not do, besides its expressions.
func (p *program) statement(fn *function, n ast.Node) {
	switch n := n.(type) {
	case *ast.SwitchStmt:
		p.compares(fn, n.Tag)
	case *ast.RangeStmt:
		switch under(p.info.TypeOf(n.X)).(type) {
		case *types.Basic, *types.Slice, *types.Array, *types.Pointer, *types.Chan:
		case *types.Map:
			p.report(fn, n, "ranges over a map: its order does not depend only on the values read")
		default:
			p.report(fn, n, "ranges over a function: a protocol may range only over numbers, strings, slices and arrays")
		}
		p.inMemory(fn, n.Value, p.info.TypeOf(n.Value))
	}
}

// inMemory reports a value of type t, if that is a function.
func (p *program) inMemory(fn *function, x ast.Expr, t types.Type) {
	if is[*types.Signature](t) {
		p.report(fn, x, "uses %s, a function value that is kept in a slice or a map, or behind a pointer: its effects are unknown",
			types.ExprString(x))
	}
}

// expression reports what an expression must not do.
func (p *program) expression(fn *function, x ast.Expr, path []ast.Node) {
	t := p.info.TypeOf(x)
	switch x := x.(type) {
	case *ast.Ident:
		p.names(fn, x, path)
	case *ast.SelectorExpr:
		p.selects(fn, x)
	case *ast.CallExpr:
		p.call(fn, x)
	case *ast.BinaryExpr:
		if (x.Op == token.EQL || x.Op == token.NEQ) && !p.info.Types[x.X].IsNil() && !p.info.Types[x.Y].IsNil() {
			p.compares(fn, x.X)
			p.compares(fn, x.Y)
		}
	case *ast.IndexExpr:
		if is[*types.Map](p.info.TypeOf(x.X)) {
			p.compares(fn, x.Index)
		}
		p.inMemory(fn, x, elem(p.info.TypeOf(x.X)))
	case *ast.StarExpr:
		p.inMemory(fn, x, t)
	case *ast.CompositeLit:
		if hasRegisters(t) {
			p.report(fn, x, makes)
		} else if !is[*types.Struct](t) && !is[*types.Array](t) {
			p.report(fn, x, "makes a %s: a process may make only values, such as arrays and structs, and tables by make", p.typeName(t))
		}
	}
	if _, ok := under(t).(*types.Chan); ok {
		p.report(fn, x, channel)
	}
	if of := p.addressOf(x); of != nil {
		p.addresses(fn, x, of)
	}
	if p.copies(x, path) {
		p.report(fn, x, "copies registers: %s", throughMethods)
	}
}

// names reports a name for anything that is not a function of the values read.
func (p *program) names(fn *function, id *ast.Ident, path []ast.Node) {
	if v, ok := p.info.Defs[id].(*types.Var); ok && hasRegisters(v.Type()) {
		p.report(fn, id, makes)
	}
	switch obj := p.info.Uses[id].(type) {
	case *types.Builtin:
		if obj.Pkg() == types.Unsafe {
			p.report(fn, id, "uses unsafe.%s: the memory that it reaches cannot be examined", obj.Name())
		}
	case *types.Func:
		if len(p.bodies(obj)) == 0 && !called(id, path) {
			p.report(fn, id, "uses %s as a value: a protocol must call that by its name", display(obj))
		}
	case *types.Var:
		owner := p.owner(obj)
		switch {
		case isContext(obj.Type()) && !obj.IsField() && !isArgument(id, path):
			p.report(fn, id, "uses context %s: a protocol may only give it to LockContext or to Processes.Context", id.Name)
		case owner == fn && is[*types.Signature](obj.Type()) && obj == fn.sig.Recv(): // which may be that of an interface
			p.finds(fn, id)
		case obj.IsField() || owner == fn:
		case packageLevel(obj):
			p.global(fn, id, obj)
		case !p.protocols[owner]:
			p.captures(fn, id, obj)
		case !p.during(fn, owner) && (!p.fixed(obj) || p.tabular(obj)):
			p.report(fn, id, "uses captured variable %s, which may change, in a function that may be called later: %s", obj.Name(), keeping)
		case p.changes(obj, fn):
			p.report(fn, id, "uses captured variable %s, which is assigned later, in a condition: "+
				"it may be tested at any time, so give it a variable that is assigned before", obj.Name())
		}
	}
}

func isArgument(x ast.Expr, path []ast.Node) bool {
	call, ok := path[len(path)-1].(*ast.CallExpr)
	return ok && slices.Contains(call.Args, x)
}

// global reports the use of a package-level variable, unless it is an error that is only declared, and that
// no other package can assign.
func (p *program) global(fn *function, id *ast.Ident, v *types.Var) {
	made, _ := p.initial[v].(*ast.CallExpr)
	switch {
	case !isError(v.Type()) || made == nil || !inPackage(p.callee(made), "errors") || v.Exported() && !p.private(v.Pos()):
		p.report(fn, id,
			"uses package-level variable %s, which all locks share: make it a constant, a function or a field; "+
				"only errors made by errors.New that are not exported may be variables", v.Name())
	case !p.fixed(v):
		p.report(fn, id, "reads package-level variable %s, which is assigned, or whose address is taken: all locks share it, and %s",
			v.Name(), knowing)
	}
}

// captures reports a variable of a function that is no protocol, unless it is a number, or a function, for ever.
func (p *program) captures(fn *function, id *ast.Ident, v *types.Var) {
	switch {
	case !plain(v.Type(), true) && !is[*types.Signature](v.Type()):
		p.report(fn, id,
			"uses captured variable %s, of %s: "+
				"a protocol may capture only numbers, strings, booleans and functions: make it a field, or an argument",
			v.Name(), p.typeName(v.Type()))
	case !p.fixed(v):
		p.report(fn, id, "uses captured variable %s, which may change: %s", v.Name(), keeping)
	case is[*types.Signature](v.Type()):
		p.finds(fn, id)
	}
}

// finds reports a function value that a protocol finds, in a field or captured, and that is not known.
func (p *program) finds(fn *function, x ast.Expr) {
	if why := p.unknown(x); why != "" {
		p.report(fn, x, "uses %s, a function value that %s: write a method, or call the function outside of the lock",
			types.ExprString(x), why)
	}
}

// selects reports the use of a field that others can write, as it is exported in the lock, and that of a function
// that is not known.
func (p *program) selects(fn *function, sel *ast.SelectorExpr) {
	for _, f := range p.steps(sel) {
		t := f.field.Type()
		switch {
		case !f.field.Exported() || !p.lockType(f.of) || hasRegisters(t) && p.private(f.field.Pos()):
		case f.field.Embedded() && !isRegister(t, "") && (p.private(f.field.Pos()) || !named(f.of).Obj().Exported()):
		default:
			p.report(fn, sel.Sel, "uses exported field %s, which other packages can write: %s", f.field.Name(), knowing)
		}
	}
	if s := p.info.Selections[sel]; s != nil && s.Kind() == types.FieldVal && is[*types.Signature](s.Type()) {
		p.finds(fn, sel)
	}
}

// addresses reports the address of what is no part of the lock.
func (p *program) addresses(fn *function, at, of ast.Expr) {
	v, _ := p.base(of).(*types.Var)
	if _, literal := of.(*ast.CompositeLit); literal {
		p.report(fn, at, "makes a *%s: a process may make only values, such as arrays and structs, and tables by make", p.typeName(p.info.TypeOf(of)))
	} else if p.owner(v) != nil && p.direct(of) {
		p.report(fn, at, "takes the address of local variable %s: return the new value instead", v.Name())
	}
}

// compares reports a comparison of memory, or of what is not known.
func (p *program) compares(fn *function, x ast.Expr) {
	switch t := p.info.TypeOf(x); {
	case x == nil || is[*types.Basic](t) || is[*types.Pointer](t) || plain(t, false) || hasRegisters(t):
	case isError(t):
		p.report(fn, x, "compares an error: a protocol may compare errors only with nil")
	default:
		p.report(fn, x,
			"compares values of type %s: a protocol may compare only numbers, strings, booleans, pointers, "+
				"and arrays and structs of these", p.typeName(t))
	}
}

// copies reports whether x is a value with registers that is used as a whole.
func (p *program) copies(x ast.Expr, path []ast.Node) bool {
	if tv := p.info.Types[x]; !tv.IsValue() || !hasRegisters(tv.Type) {
		return false
	}
	switch x.(type) {
	case *ast.ParenExpr, *ast.CompositeLit:
		return false
	}
	last := len(path) - 1
	for last > 0 && isParen(path[last]) {
		last--
	}
	switch parent := path[last].(type) {
	case *ast.SelectorExpr:
		to := p.method(parent)
		return to != nil && !byPointer(to)
	case *ast.SliceExpr, *ast.UnaryExpr, *ast.RangeStmt, *ast.IndexExpr:
		return false
	case *ast.CallExpr:
		b := p.builtin(parent)
		return b != "len" && b != "cap"
	}
	return true
}

func isParen(n ast.Node) bool { _, ok := n.(*ast.ParenExpr); return ok }

// writes reports an assignment to anything but a variable of fn, or part of one; or of the function around a
// literal that is called there, or is given to package register.
func (p *program) writes(fn *function, to ast.Expr) {
	v, _ := p.base(to).(*types.Var)
	owner := p.owner(v)
	index, _ := ast.Unparen(to).(*ast.IndexExpr)
	element := index != nil && identOf(index.X) != nil && p.tabular(v)
	switch {
	case v == nil:
		p.report(fn, to, "writes memory that outlives the call: %s", keeping)
	case packageLevel(v):
		p.report(fn, to, "writes package-level variable %s, which all locks share: %s", v.Name(), keeping)
	case !p.direct(to) && !element:
		p.report(fn, to, "writes plain memory reached through %s: %s", v.Name(), keeping)
	case !p.protocols[owner]:
		p.report(fn, to, "assigns variable %s, declared outside of the protocol: %s", v.Name(), keeping)
	case !p.during(fn, owner):
		p.report(fn, to, "assigns captured variable %s in a function that may be called later: %s", v.Name(), keeping)
	}
}

// during reports whether fn is outer, or a literal in it, and so are those around it, that runs while outer does.
func (p *program) during(fn, outer *function) bool {
	for ; fn != outer; fn = fn.outer {
		if fn == nil || p.immediate(fn) == "" {
			return false
		}
	}
	return true
}

// immediate returns what calls a literal while the function runs that it is in, and not later: package register, by
// the function that it is an argument of, or only the function that it is in; or "".
func (p *program) immediate(lit *function) string {
	by, ok := p.runs[lit]
	if ok || lit.outer == nil || lit.outer.body == nil {
		return by
	}
	lit.outer.each(func(n ast.Node, _ []ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			to := p.callee(n)
			if ast.Unparen(n.Fun) == lit.node {
				by = lit.name
			} else if inPackage(to, registers) && to.Name() != "Absorb" && slices.ContainsFunc(n.Args, func(x ast.Expr) bool { return ast.Unparen(x) == lit.node }) {
				by = display(to)
			}
		case *ast.Ident:
			v, ok := p.info.Defs[n].(*types.Var)
			if ok && p.initial[v] == lit.node && p.fixed(v) && p.only(v, func(id *ast.Ident, path []ast.Node) bool {
				call, ok := path[len(path)-1].(*ast.CallExpr)
				return ok && call.Fun == id && !slices.ContainsFunc(path, isLiteral)
			}) {
				by = lit.name
			}
		}
	})
	p.runs[lit] = by
	return by
}

func isLiteral(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }

// changes reports whether a variable, or an element of it, is assigned after a function that captures it was given to
// an await, which may test it later.
func (p *program) changes(v *types.Var, fn *function) (later bool) {
	for ; fn != p.owner(v); fn = fn.outer {
		if (operations[p.immediate(fn)]|ofCells[p.immediate(fn)])&awaits == 0 {
			continue
		}
		since := fn.node.Pos()
		ast.PreorderStack(p.owner(v).body, nil, func(n ast.Node, path []ast.Node) bool {
			if k := slices.IndexFunc(path, func(n ast.Node) bool { return isLoop(n) && v.Pos() < n.Pos() }); n == fn.node && k >= 0 {
				since = path[k].Pos()
			}
			return true
		})
		for n := range ast.Preorder(p.owner(v).body) {
			if n.Pos() >= since && (n.Pos() < fn.node.Pos() || fn.node.End() <= n.Pos()) {
				later = later || slices.ContainsFunc(written(n), func(to ast.Expr) bool { return p.base(to) == v })
			}
		}
	}
	return later
}

// A step is a field that a selection reads, and the type whose field it is.
type step struct {
	field *types.Var
	is    field
	of    types.Type
}

// steps returns the fields that a selection reads: embedded ones, and the one selected.
func (p *program) steps(sel *ast.SelectorExpr) (all []step) {
	s := p.info.Selections[sel]
	if sel == nil || s == nil || s.Kind() == types.MethodExpr {
		return nil
	}
	t := s.Recv()
	for i, k := range s.Index() {
		if i == len(s.Index())-1 && s.Kind() != types.FieldVal {
			break
		}
		if is[*types.Pointer](t) {
			t = under(t).(*types.Pointer).Elem()
		}
		fields := under(t).(*types.Struct)
		all = append(all, step{fields.Field(k), p.field(fields, k), t})
		t = fields.Field(k).Type()
	}
	return all
}
