package nodevet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// hidden finds state of nodes that is in none of their fields: package-level variables that
// a function writes, and variables that a function literal writes and that outlive its call.
func (e *examination) hidden(files []*ast.File) {
	e.mutators(files)
	for _, f := range files {
		for _, d := range f.Decls {
			switch f, ok := d.(*ast.FuncDecl); {
			case ok && f.Body == nil:
				e.found[f.Pos()] = fmt.Sprintf("the code of %s is not in Go, so it cannot be examined", f.Name.Name)
			case ok && (f.Recv != nil || f.Name.Name != "init"):
				e.writes(f.Body)
			default: // a declaration or init, which may write variables: but not the function literals in it
				for n := range ast.Preorder(d) {
					if literal, ok := n.(*ast.FuncLit); ok {
						e.writes(literal.Body)
					}
				}
			}
		}
		e.captures(f)
	}
}

// writes finds the package-level variables that a body writes, or whose memory it passes on
// so that others may write it.
func (e *examination) writes(body *ast.BlockStmt) {
	for _, x := range e.written(body) {
		if v := e.root(x); v != nil && shared(v) {
			e.found[x.Pos()] = fmt.Sprintf("%s is shared by all nodes and must not be written", v.Name())
		}
	}
	for n := range ast.Preorder(body) {
		for _, x := range e.passed(n) {
			if v := e.root(x); v != nil && shared(v) && refers(e.info.TypeOf(x)) && e.found[x.Pos()] == "" {
				e.found[x.Pos()] = fmt.Sprintf("%s is shared by all nodes: its memory must not be passed on, since it could be written", v.Name())
			}
		}
	}
}

// passed returns the expressions whose values n passes on.
func (e *examination) passed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Rhs
	case *ast.ValueSpec:
		return n.Values
	case *ast.ReturnStmt:
		return n.Results
	case *ast.CompositeLit:
		return n.Elts
	case *ast.KeyValueExpr:
		return []ast.Expr{n.Value}
	case *ast.CallExpr:
		if !e.reads(n) {
			return n.Args
		}
	case *ast.RangeStmt:
		if n.Value != nil && refers(e.info.TypeOf(n.Value)) {
			return []ast.Expr{n.X}
		}
	case *ast.SelectorExpr:
		if f, ok := e.info.Uses[n.Sel].(*types.Func); ok && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) && f.Pkg() != nil {
			return []ast.Expr{n.X} // what it writes is not known
		}
	}
	return nil
}

// refers reports whether values of a type refer to memory that may be written.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
		return true
	case *types.Interface:
		return !types.Identical(t, types.Universe.Lookup("error").Type())
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
	}
	return false
}

// writers are the functions of package slices that write their arguments, or return a part
// of them.
var writers = []string{
	"Clip", "Compact", "CompactFunc", "Delete", "DeleteFunc", "Grow", "Insert", "Replace", "Reverse", "Sort", "SortFunc", "SortStableFunc", "Chunk",
}

// writesArgument reports whether a call of a function, or of a function value, may write its argument k, x.
func (e *examination) writesArgument(called types.Object, k int, x ast.Expr) bool {
	switch f := called.(type) {
	case *types.Builtin:
		return k == 0 && slices.Contains([]string{"append", "clear", "copy", "delete"}, f.Name())
	case *types.TypeName: // a conversion
		return false
	case *types.Func:
		switch {
		case f.Pkg() == e.pkg:
			return false
		case k > 0 || f.Pkg() == nil:
		case f.Pkg().Path() == "slices" && slices.Contains(writers, f.Name()), slices.Contains([]string{"sort", "encoding/binary"}, f.Pkg().Path()):
			return true
		}
	}
	t := e.info.TypeOf(x)
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		return false
	}
	for m := range types.NewMethodSet(t).Methods() { // which it may call
		if m, ok := m.Obj().(*types.Func); ok && e.mutate[m.Origin()] {
			return true
		}
	}
	return false
}

// reads reports whether a call only reads its arguments: a conversion of text, len, cap, a
// function of a package of the standard library that returns none of their memory.
func (e *examination) reads(call *ast.CallExpr) bool {
	switch f := e.callee(call).(type) {
	case *types.Builtin:
		return true // what append and copy write is found otherwise
	case *types.Func:
		if f.Pkg() == nil {
			return false
		}
		switch f.Pkg().Path() {
		case "slices":
			return !slices.Contains(writers, f.Name())
		case "fmt", "strings", "bytes", "strconv", "errors", "cmp", "unicode", "unicode/utf8":
			return true
		}
	}
	return false
}

// callee returns the function that is called, if it has a name.
func (e *examination) callee(call *ast.CallExpr) types.Object {
	x := ast.Unparen(call.Fun)
	if i, ok := x.(*ast.IndexExpr); ok {
		x = i.X
	}
	if s, ok := x.(*ast.SelectorExpr); ok {
		x = s.Sel
	}
	id, _ := x.(*ast.Ident)
	return e.info.Uses[id]
}

// written returns the expressions that a body writes, takes the address of, or calls a
// builtin or a method of that may write them.
func (e *examination) written(body ast.Node) (all []ast.Expr) {
	for n := range ast.Preorder(body) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			all = append(all, n.Lhs...)
		case *ast.IncDecStmt:
			all = append(all, n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				all = append(all, n.X)
			}
		case *ast.RangeStmt:
			all = append(all, n.Key, n.Value)
		case *ast.CallExpr:
			for k, x := range n.Args {
				if e.writesArgument(e.callee(n), k, x) {
					all = append(all, x)
				}
			}
		case *ast.SelectorExpr:
			if e.writesReceiver(n) {
				all = append(all, n.X)
			}
		}
	}
	return all
}

// writesReceiver reports whether x is a method that may write its receiver, or what that refers to: one of
// this package that does, a method of an interface, and one with a pointer receiver of another package.
func (e *examination) writesReceiver(x *ast.SelectorExpr) bool {
	f, ok := e.info.Uses[x.Sel].(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return false
	}
	switch t := f.Signature().Recv().Type(); {
	case f.Pkg() == e.pkg && !types.IsInterface(t):
		return e.mutate[f.Origin()] && refers(t)
	case types.IsInterface(t):
		return f.Pkg() != nil && f.Pkg().Path() != "example.org/doorway/messaging" // not an error, nor an Out
	default:
		_, pointer := t.(*types.Pointer)
		return pointer
	}
}

// mutators finds the methods of this package that write their receiver, also by others.
func (e *examination) mutators(files []*ast.File) {
	e.mutate = map[*types.Func]bool{}
	for more := true; more; {
		more = false
		for _, f := range files {
			for _, d := range f.Decls {
				m, ok := d.(*ast.FuncDecl)
				if !ok || m.Recv == nil || m.Body == nil || len(m.Recv.List[0].Names) == 0 {
					continue
				}
				method, receiver := e.info.Defs[m.Name].(*types.Func), e.info.Defs[m.Recv.List[0].Names[0]]
				writes := slices.ContainsFunc(e.written(m.Body), func(x ast.Expr) bool { return e.root(x) == receiver })
				if writes && !e.mutate[method] {
					e.mutate[method], more = true, true
				}
			}
		}
	}
}

// root returns the variable that an expression is, or is part of or reached from; nil if
// there is none.
func (e *examination) root(x ast.Expr) *types.Var {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.SelectorExpr:
			if v, ok := e.info.Uses[y.Sel].(*types.Var); ok && !v.IsField() {
				return v
			}
			x = y.X
		case *ast.Ident:
			v, _ := e.info.ObjectOf(y).(*types.Var)
			return v
		default:
			return nil
		}
	}
}

// shared reports whether v is a package-level variable.
func shared(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// captures finds variables of a function that a function literal in it writes, or whose memory it returns,
// unless the literal is only called while that function runs.
func (e *examination) captures(f *ast.File) {
	ast.PreorderStack(f, nil, func(n ast.Node, path []ast.Node) bool {
		if literal, ok := n.(*ast.FuncLit); ok && e.outlives(literal, path) {
			captured := func(x ast.Expr) *types.Var {
				if v := e.root(x); v != nil && !v.IsField() && !shared(v) && (v.Pos() < literal.Pos() || v.Pos() > literal.End()) {
					return v
				}
				return nil
			}
			for _, x := range e.written(literal.Body) {
				if v := captured(x); v != nil {
					e.found[x.Pos()] = fmt.Sprintf("%s is written by a function that outlives it: a node has no state but its fields", v.Name())
				}
			}
			for _, x := range returned(literal) {
				if v := captured(x); v != nil && refers(e.info.TypeOf(x)) && !types.IsInterface(e.info.TypeOf(x)) {
					e.found[x.Pos()] = fmt.Sprintf("the memory of %s is returned by a function that outlives it, and could be written: a node has no state but its fields", v.Name())
				}
			}
		}
		if x, ok := n.(*ast.SelectorExpr); ok && e.writesReceiver(x) && e.bound(x, path) {
			e.found[x.Pos()] = fmt.Sprintf("the receiver of %s is written by a function that outlives it: a node has no state but its fields", x.Sel.Name)
		}
		return true
	})
}

// returned returns the expressions that a function literal returns.
func returned(literal *ast.FuncLit) (all []ast.Expr) {
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			all = append(all, r.Results...)
		}
		_, another := n.(*ast.FuncLit)
		return !another
	})
	return all
}

// bound reports whether x is a method bound to its receiver, which may be called when the
// function that has it has returned.
func (e *examination) bound(x *ast.SelectorExpr, path []ast.Node) bool {
	if call, ok := path[len(path)-1].(*ast.CallExpr); ok && call.Fun == x {
		return false
	}
	return e.info.Types[x.X].IsValue() && e.outlives(x, path)
}

// outlives reports whether a function literal or bound method may be called when the
// function that has it has returned; path leads to it.
func (e *examination) outlives(literal ast.Expr, path []ast.Node) bool {
	switch parent := path[len(path)-1].(type) {
	case *ast.CallExpr:
		if parent.Fun == literal {
			return false
		}
		f, ok := e.callee(parent).(*types.Func)
		if !ok || f.Pkg() == nil {
			return true
		}
		if f.Pkg() == e.pkg {
			return !e.onlyCalls(f, slices.Index(parent.Args, literal))
		}
		return strings.Contains(f.Pkg().Path(), ".") // no package of the standard library that nodes may use keeps it
	case *ast.AssignStmt:
		k := slices.Index(parent.Rhs, literal)
		id, ok := parent.Lhs[min(k, len(parent.Lhs)-1)].(*ast.Ident)
		return !ok || !e.onlyCalled(e.info.ObjectOf(id))
	case *ast.ValueSpec:
		k := slices.Index(parent.Values, literal)
		return !e.onlyCalled(e.info.Defs[parent.Names[k]])
	}
	return true
}

// onlyCalls reports whether a function of this package only calls its parameter k.
func (e *examination) onlyCalls(f *types.Func, k int) bool {
	parameters := f.Origin().Signature().Params()
	return k >= 0 && k < parameters.Len() && e.onlyCalled(parameters.At(k))
}

// onlyCalled reports whether each use of a local variable is a call of it, or an assignment to it.
func (e *examination) onlyCalled(v types.Object) bool {
	return v != nil && v.Parent() != e.pkg.Scope() && !e.values[v]
}

// uses finds the variables that are used otherwise than by a call or an assignment.
func (e *examination) uses(files []*ast.File) {
	e.values = map[types.Object]bool{}
	for _, f := range files {
		plain := map[*ast.Ident]bool{}
		for n := range ast.Preorder(f) {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
					plain[id] = true
				}
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok {
						plain[id] = true
					}
				}
			case *ast.Ident:
				if v := e.info.Uses[n]; v != nil && !plain[n] {
					e.values[v] = true
				}
			}
		}
	}
}
