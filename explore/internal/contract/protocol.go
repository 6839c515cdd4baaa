package contract

import (
	"errors"
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
	throughMethods = "a protocol may use a register only through its methods"
)

// protocol examines all functions that the protocols reach.
func (p *program) protocol(reach []*function) {
	for _, fn := range reach {
		p.whole(fn)
		if generic(fn.outermost().sig) {
			p.report(fn, fn.node, "has type parameters: write a protocol for one type")
		}
		fn.each(func(n ast.Node, path []ast.Node) {
			switch n := n.(type) {
			case ast.Stmt:
				p.statement(fn, n)
			case ast.Expr:
				if tv := p.info.Types[n]; !tv.IsType() && !tv.IsBuiltin() {
					p.expression(fn, n, path)
				}
			}
		})
	}
	p.aborts(reach)
	for _, fn := range reach {
		fn.each(func(n ast.Node, _ []ast.Node) {
			if call, ok := n.(*ast.CallExpr); ok {
				p.giving(call)
			}
		})
	}
}

// whole fails the examination unless all types in fn are known.
func (p *program) whole(fn *function) {
	for _, fault := range p.faults {
		if fn.node.Pos() <= fault.Pos && fault.Pos < fn.node.End() {
			p.fail(fmt.Errorf("%s cannot be examined because of %w", fn.name, errors.New(fault.Error())))
		}
	}
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

// statement reports a statement that is not in the language.
func (p *program) statement(fn *function, n ast.Stmt) {
	for _, to := range written(n) {
		p.writes(fn, to)
	}
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.ExprStmt, *ast.EmptyStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.CaseClause,
		*ast.LabeledStmt, *ast.ReturnStmt, *ast.AssignStmt, *ast.IncDecStmt:
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			p.report(fn, n, "uses goto: write a loop, or register.Repeat")
		}
	case *ast.DeclStmt:
		for _, s := range n.Decl.(*ast.GenDecl).Specs {
			if s, ok := s.(*ast.ValueSpec); ok && len(s.Values) == 0 && embedsRegisters(p.info.TypeOf(s.Names[0])) {
				p.report(fn, n, makes)
			}
		}
	case *ast.RangeStmt:
		p.ranges(fn, n)
	case *ast.GoStmt:
		p.report(fn, n, "uses a go statement: a process is explored alone, without other goroutines")
	case *ast.DeferStmt:
		p.report(fn, n,
			"uses a defer statement: a run may be abandoned at any operation, and a deferred call must not run then")
	case *ast.SendStmt, *ast.SelectStmt, *ast.CommClause:
		p.report(fn, n, channel)
	case *ast.TypeSwitchStmt:
		p.report(fn, n, "uses a type switch: a protocol may not ask for the type of a value")
	default:
		p.report(fn, n, "uses a statement (%T) that is not examined", n)
	}
}

const makes = "makes a register: the constructor makes the registers of a lock, for all its processes"

func (p *program) ranges(fn *function, n *ast.RangeStmt) {
	t := under(p.info.TypeOf(n.X))
	if isPointer(t) {
		t = under(elem(types.NewSlice(t.(*types.Pointer).Elem())))
	}
	switch t.(type) {
	case *types.Basic, *types.Slice, *types.Array:
	case *types.Chan:
		p.report(fn, n, channel)
	case *types.Map:
		p.report(fn, n, "ranges over a map: its order does not depend only on the values read")
	default:
		p.report(fn, n, "ranges over a function: a protocol may range only over numbers, strings, slices and arrays")
	}
	if n.Value != nil && embedsRegisters(p.info.TypeOf(n.Value)) {
		p.report(fn, n.Value, "copies registers in a range: %s", throughMethods)
	}
}

// writes reports an assignment to anything but a variable of fn, or part of one; or of the function around a
// literal that is called there, or is given to package register.
func (p *program) writes(fn *function, to ast.Expr) {
	v, _ := p.base(to).(*types.Var)
	owner := p.owner[v]
	index, _ := ast.Unparen(to).(*ast.IndexExpr)
	local := p.direct(to) || index != nil && identOf(index.X) != nil && p.tabular(v)
	switch {
	case v == nil:
		p.report(fn, to, "writes memory that outlives the call: %s", keeping)
	case packageLevel(v):
		p.report(fn, to, "writes package-level variable %s, which all locks share: %s", v.Name(), keeping)
	case !local:
		p.report(fn, to, "writes plain memory reached through %s: %s", v.Name(), keeping)
	case owner == nil || !p.protocols[owner]:
		p.report(fn, to, "assigns variable %s, declared outside of the protocol: %s", v.Name(), keeping)
	case owner != fn && !p.during(fn, owner):
		p.report(fn, to, "assigns captured variable %s in a function that may be called later: %s", v.Name(), keeping)
	}
}

// during reports whether fn is a literal in outer, and so are those around it, that runs while outer does.
func (p *program) during(fn, outer *function) bool {
	for ; fn != outer; fn = fn.outer {
		if fn == nil || !p.immediate(fn) {
			return false
		}
	}
	return true
}

// immediate reports whether a literal is only called, by the function that it is in, or is an argument of package
// register, which runs it at once, or never again.
func (p *program) immediate(lit *function) bool {
	if found, ok := p.runs[lit]; ok {
		return found
	}
	found := false
	at := func(n ast.Node, _ []ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || ast.Unparen(n.Fun) == lit.node || inPackage(p.callee(n), registers) &&
				slices.ContainsFunc(n.Args, func(x ast.Expr) bool { return ast.Unparen(x) == lit.node })
		case *ast.Ident:
			v, ok := p.info.Defs[n].(*types.Var)
			found = found || ok && p.initial[v] != nil && ast.Unparen(p.initial[v]) == lit.node && p.fixed(v) && !p.passed[v]
		}
	}
	if lit.outer != nil && lit.outer.body != nil {
		lit.outer.each(at)
	}
	p.runs[lit] = found
	return found
}

// expression reports an expression that is not in the language.
func (p *program) expression(fn *function, x ast.Expr, path []ast.Node) {
	switch x := x.(type) {
	case *ast.BasicLit, *ast.ParenExpr, *ast.KeyValueExpr, *ast.FuncLit, *ast.IndexExpr, *ast.IndexListExpr, *ast.StarExpr, *ast.Ellipsis:
	case *ast.Ident:
		p.names(fn, x, path)
	case *ast.SelectorExpr:
		p.selects(fn, x)
	case *ast.CallExpr:
		p.call(fn, x)
	case *ast.BinaryExpr:
		p.compares(fn, x)
	case *ast.SliceExpr:
		if v, ok := p.base(x.X).(*types.Var); ok && isArray(p.info.TypeOf(x.X)) && p.direct(x.X) && p.owner[v] != nil {
			p.report(fn, x, "slices local array %s: use its elements", v.Name())
		}
	case *ast.UnaryExpr:
		switch x.Op {
		case token.ARROW:
			p.report(fn, x, channel)
		case token.AND:
			p.addresses(fn, x, x.X)
		}
	case *ast.CompositeLit:
		if t := p.info.TypeOf(x); !isStruct(t) && !isArray(t) {
			p.report(fn, x,
				"makes a %s: a process may make only values, such as arrays and structs, and tables by make",
				p.typeName(t))
		} else if embedsRegisters(t) {
			p.report(fn, x, makes)
		}
	case *ast.TypeAssertExpr:
		p.report(fn, x, "asserts a type: a protocol may not ask for the type of a value")
	default:
		p.report(fn, x, "uses an expression (%T) that is not examined", x)
	}
	if _, ok := under(p.info.TypeOf(x)).(*types.Chan); ok {
		p.report(fn, x, channel)
	}
	if what := p.copied(x, path); what != "" {
		p.report(fn, x, "copies registers in %s: %s", what, throughMethods)
	}
}

// names reports a name for anything that is not a function of the values read.
func (p *program) names(fn *function, id *ast.Ident, path []ast.Node) {
	obj := p.info.Uses[id]
	switch obj := obj.(type) {
	case *types.Builtin:
		if obj.Pkg() == types.Unsafe {
			p.report(fn, id, "uses unsafe.%s: the memory that it reaches cannot be examined", obj.Name())
		}
	case *types.Func:
		if len(p.bodies(obj)) > 0 || p.calledBy(id, path) {
			break
		}
		p.report(fn, id, "uses %s as a value: a protocol must call that by its name", display(obj))
	case *types.Var:
		switch owner := p.owner[obj]; {
		case obj.IsField() || owner == fn:
		case packageLevel(obj):
			p.global(fn, id, obj)
		case owner == nil || !p.protocols[owner]:
			if !plain(obj.Type(), true) && !isFunc(obj.Type()) {
				p.report(fn, id,
					"uses captured variable %s, of %s: "+
						"a protocol may capture only numbers, strings, booleans and functions: make it a field, or an argument",
					obj.Name(), p.typeName(obj.Type()))
			} else if !p.fixed(obj) {
				p.report(fn, id, "uses captured variable %s, which may change: %s", obj.Name(), keeping)
			}
		case !p.during(fn, owner) && (!p.fixed(obj) || p.tabular(obj)):
			p.report(fn, id,
				"uses captured variable %s, which may change, in a function that may be called later: %s",
				obj.Name(), keeping)
		}
	}
}

// calledBy reports whether a name is of the function that a call is of.
func (p *program) calledBy(id *ast.Ident, path []ast.Node) bool {
	for _, n := range slices.Backward(path) {
		if call, ok := n.(*ast.CallExpr); ok {
			return name(call.Fun) == id
		}
		if _, ok := n.(ast.Stmt); ok {
			break
		}
	}
	return false
}

// global reports the use of a package-level variable, unless it is an error that is only declared.
func (p *program) global(fn *function, id *ast.Ident, v *types.Var) {
	switch made, _ := ast.Unparen(p.initial[v]).(*ast.CallExpr); {
	case p.standard(v.Pkg()) && isError(v.Type()):
	case p.standard(v.Pkg()):
		p.report(fn, id,
			"uses %s.%s: of the variables of the standard library, a protocol may use only errors, such as io.EOF",
			v.Pkg().Name(), v.Name())
	case !isError(v.Type()) || made == nil || !inPackage(p.callee(made), "errors"):
		p.report(fn, id,
			"uses package-level variable %s, which all locks share: "+
				"make it a constant, a function or a field; only errors made by errors.New may be variables", v.Name())
	case !p.fixed(v):
		p.report(fn, id,
			"reads package-level variable %s, which is assigned, or whose address is taken: "+
				"all locks share it, and %s", v.Name(), knowing)
	}
}

// selects reports the read of an exported field, unless it is a register.
func (p *program) selects(fn *function, sel *ast.SelectorExpr) {
	for _, f := range p.steps(sel) {
		switch t := f.field.Type(); {
		case !f.field.Exported() || embedsRegisters(t) && !isPointer(t):
		case f.field.Embedded() && (p.private(f.field) || !f.of.Exported()):
		default:
			p.report(fn, sel.Sel,
				"reads exported field %s, which other packages can write: %s", f.field.Name(), knowing)
		}
	}
	if p.addressing(sel) && !isRegister(p.info.TypeOf(sel.X), "") {
		p.addresses(fn, sel, sel.X)
	}
}

// addresses reports an address that a protocol may not take: it may take those of registers, and of structs and
// arrays of the lock.
func (p *program) addresses(fn *function, at ast.Expr, of ast.Expr) {
	t := p.info.TypeOf(of)
	v, _ := p.base(of).(*types.Var)
	_, literal := ast.Unparen(of).(*ast.CompositeLit)
	switch {
	case literal && embedsRegisters(t):
		p.report(fn, at, makes)
	case literal:
		p.report(fn, at,
			"makes a *%s: a process may make only values, such as arrays and structs, and tables by make",
			p.typeName(t))
	case v != nil && p.owner[v] != nil && p.direct(of):
		p.report(fn, at, "takes the address of local variable %s: return the new value instead", v.Name())
	case !isStruct(t) && !isArray(t):
		p.report(fn, at,
			"takes the address of a %s: a protocol may take only those of registers, structs and arrays of the lock",
			p.typeName(t))
	}
}

// compares reports a comparison of memory, or of what is not known.
func (p *program) compares(fn *function, x *ast.BinaryExpr) {
	if x.Op != token.EQL && x.Op != token.NEQ || p.info.Types[x.X].IsNil() || p.info.Types[x.Y].IsNil() {
		return
	}
	for _, y := range []ast.Expr{x.X, x.Y} {
		if t := p.info.TypeOf(y); embedsRegisters(t) {
			p.report(fn, y, "copies registers in a comparison: %s", throughMethods)
		} else if !isBasic(t) && !isPointer(t) && !isError(t) && !plain(t, false) {
			p.report(fn, x,
				"compares values of type %s: a protocol may compare only numbers, strings, booleans, pointers, "+
					"and arrays and structs of these", p.typeName(t))
		}
	}
}

// copied returns what is done to the value of x, if it has registers.
func (p *program) copied(x ast.Expr, path []ast.Node) string {
	if tv := p.info.Types[x]; !tv.IsValue() || !embedsRegisters(tv.Type) {
		return ""
	}
	switch x.(type) {
	case *ast.ParenExpr, *ast.CompositeLit:
		return ""
	}
	last := len(path) - 1
	for ; last > 0; last-- {
		if _, ok := path[last].(*ast.ParenExpr); !ok {
			break
		}
	}
	switch parent := path[last].(type) {
	case *ast.SelectorExpr:
		if s := p.info.Selections[parent]; s != nil && s.Kind() == types.MethodVal && !byPointer(s.Obj().(*types.Func)) {
			return "a method with such a receiver"
		}
		return ""
	case *ast.SliceExpr, *ast.UnaryExpr, *ast.BinaryExpr, *ast.RangeStmt, *ast.IndexExpr:
		return ""
	case *ast.CallExpr:
		if b := p.builtin(parent); b == "len" || b == "cap" {
			return ""
		}
		return "a call"
	}
	return "an assignment"
}

// A step is a field that a selection reads, and the type whose field it is.
type step struct {
	field *types.Var
	class string
	of    *types.TypeName
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
		of := types.NewTypeName(0, nil, "", nil)
		if n := named(t); n != nil {
			of = n.Obj()
		}
		if isPointer(t) {
			t = under(t).(*types.Pointer).Elem()
		}
		fields := under(t).(*types.Struct)
		all = append(all, step{fields.Field(k), fieldClass(fields, k), of})
		t = fields.Field(k).Type()
	}
	return all
}
