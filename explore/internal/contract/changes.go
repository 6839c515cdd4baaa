package contract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A change is a write of a field.
type change struct {
	at        token.Pos
	to        fieldPath
	addressed map[*types.Var]bool // the fields whose address is taken by what reaches it
}

// changes reports whether c writes a part of a struct that has what read leads to.
func (c change) changes(read fieldPath) bool {
	last := len(c.to) - 1
	k := slices.Index(read, c.to[last])
	return k >= 0 && (k <= last || c.addressed[read[k-last-1]])
}

// changes returns the writes to fields that reads lead to, by functions that can run while
// the lock is in use. Memory that they make themselves is not in use.
func (p *program) changes(r *region, reads []read) (all []change) {
	p.sealed = true // the source of what no protocol reaches is not needed
	defer func() { p.sealed = false }()
	wanted := map[*types.Var]bool{}
	for _, read := range reads {
		for _, path := range read.paths {
			for _, f := range path {
				wanted[f] = true
			}
		}
	}
	writing, beside := map[*function]bool{}, []*function{}
	for _, fn := range p.all {
		if fn.obj != nil && ast.IsExported(fn.name) && !r.within[fn] && !p.tests(fn) {
			beside = append(beside, fn)
		}
		fn.each(func(n ast.Node) {
			beside = append(beside, p.started(n)...)
			for w := range p.written(n) {
				writing[fn] = writing[fn] || p.mayWrite(w, wanted)
			}
		})
	}
	for _, root := range beside {
		of := p.reached(root)
		if !slices.ContainsFunc(of.reach, func(fn *function) bool { return writing[fn] }) {
			continue
		}
		of.from = of.received(root)
		of.receive(root)
		of.settle()
		all = append(all, p.changesBy(of, r)...)
	}
	return all
}

// mayWrite reports whether w may write one of fields.
func (p *program) mayWrite(w write, fields map[*types.Var]bool) bool {
	to, t := p.part(w), p.info.TypeOf(w.to)
	if t == nil {
		return true // changesBy fails, if it can be so
	}
	if slices.ContainsFunc(to.inside(t), func(to fieldPath) bool { return len(to) > 0 && fields[to[len(to)-1]] }) {
		return true
	}
	if to == nil { // by a pointer to what may be a field
		for f := range fields {
			if types.Identical(f.Type(), t) {
				return true
			}
		}
	}
	return false
}

// part returns the path of the part of a struct that w writes, or in which its index or
// pointer is; nil if there is none.
func (p *program) part(w write) fieldPath {
	x := ast.Unparen(w.to)
	for p.path(x) == nil && within(x) != nil {
		x = within(x)
	}
	return p.path(x)
}

// received returns the names of the types of all that root can reach when it begins: from
// its receiver, its arguments, and variables from outside. What a literal receives is not
// in use, as by an option.
func (r *region) received(root *function) map[string]bool {
	from := map[string]bool{}
	var add func(t types.Type)
	add = func(t types.Type) {
		if from[typeName(t)] {
			return
		}
		from[typeName(t)] = true
		_, isMap := t.Underlying().(*types.Map)
		for _, part := range components(t.Underlying()) {
			add(part)
			if !isMap {
				add(types.NewPointer(part))
			}
		}
	}
	if root.obj != nil {
		if recv := root.sig.Recv(); recv != nil {
			add(recv.Type())
		}
		for v := range root.sig.Params().Variables() {
			add(v.Type())
		}
	}
	for _, fn := range r.reach {
		fn.each(func(n ast.Node) {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := r.info.Uses[id].(*types.Var); ok && !v.IsField() && !r.within[r.owner[v.Origin()]] {
					add(v.Type())
				}
			}
		})
	}
	return from
}

// tests reports whether fn is a test, or the like, which makes the locks that it writes.
func (p *program) tests(fn *function) bool {
	name := p.fset.Position(fn.node.Pos()).Filename
	return fn.sig.Recv() == nil && strings.HasSuffix(name, "_test.go")
}

// started returns the functions that n starts as a goroutine or by a timer, and the
// literals that it returns: they run while the lock is in use.
func (p *program) started(n ast.Node) (all []*function) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return p.callees(n.Call)
	case *ast.CallExpr:
		if fn := p.callee(n); fn != nil && fn.Name() == "AfterFunc" && p.standard(fn.Pkg()) {
			return p.targets(n.Args[1])
		}
	case *ast.ReturnStmt:
		for _, x := range n.Results {
			if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
				all = append(all, p.literals[lit])
			}
		}
	}
	return all
}

// changesBy returns the writes to fields by the functions of a region.
func (p *program) changesBy(r, protocol *region) (all []change) {
	addressed := map[*types.Var]bool{}
	take := func(x ast.Expr) {
		for _, f := range p.path(x) {
			addressed[f] = true
		}
	}
	var indirect []write // by a pointer to what may be a field
	for _, fn := range r.reach {
		if protocol.within[fn] {
			continue // its writes are breaches themselves
		}
		fn.each(func(n ast.Node) {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					take(n.X)
				}
			case *ast.CallExpr:
				if x := p.addressed(n); x != nil {
					take(x)
				}
			}
			for w := range p.written(n) {
				t := p.info.TypeOf(w.to)
				if t == nil { // of a package that was not found
					p.whole(fn)
				}
				if t == nil || !r.breaks(w) {
					continue
				}
				to := p.part(w)
				if to == nil {
					indirect = append(indirect, w)
				}
				for _, to := range to.inside(t) {
					if len(to) > 0 {
						all = append(all, change{w.to.Pos(), to, addressed})
					}
				}
			}
		})
	}
	for _, w := range indirect {
		for f := range addressed {
			if types.Identical(f.Type(), p.info.TypeOf(w.to)) {
				all = append(all, change{w.to.Pos(), fieldPath{f}, addressed})
			}
		}
	}
	return all
}

// within returns the expression by which x denotes a part of memory, or nil.
func within(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return nil
}
