package mutants

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// node makes the changes to a node: a statement removed, a loop ended after its first
// round, a condition decided, a comparison weakened, an off-by-one error, a flag inverted,
// two stamps swapped, the last of a queue taken for its first.
//
// A handler is one atomic step, so its statements are not swapped.
func (o *operators) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		o.remove(n.List)
	case *ast.CaseClause:
		o.remove(n.Body)
		for _, x := range n.List {
			if o.isBoolean(x) {
				o.decide(x)
			}
		}
	case *ast.RangeStmt:
		if k := len(n.Body.List); k > 0 {
			last := n.Body.List[k-1]
			o.add("only the first of "+o.brief(n.X), edit{o.offset(last.End()), o.offset(last.End()), "; break"})
		}
	case *ast.IfStmt:
		o.decide(n.Cond)
	case *ast.ReturnStmt:
		if len(n.Results) == 1 && o.isBoolean(n.Results[0]) {
			o.result(n.Results[0])
		}
	case *ast.KeyValueExpr:
		if o.isBoolean(n.Value) {
			o.add("not "+o.brief(n.Value), o.replace(n.Value, "!("+o.text(n.Value)+")"))
		}
	case *ast.CallExpr:
		if method(n, 1) == "Before" {
			f := n.Fun.(*ast.SelectorExpr)
			o.add("swap the stamps of "+o.brief(n), o.replace(n, "("+o.text(n.Args[0])+").Before("+o.text(f.X)+")"))
		}
		o.maximum(n)
	case *ast.BinaryExpr:
		o.binary(n)
	case *ast.SliceExpr:
		if isLiteral(n.Low, "1") {
			o.add("not 1 in "+o.brief(n), o.replace(n.Low, "0"))
		}
	case *ast.IndexExpr:
		if isLiteral(n.Index, "0") {
			o.add("the last for "+o.brief(n), o.replace(n.Index, "len("+o.text(n.X)+")-1"))
		}
	}
}

// remove removes each statement of a list that assigns to a variable, or is a call for its
// effects.
func (o *operators) remove(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !isRejection(called(s)) {
				o.dropStatement(s)
			}
		case *ast.IncDecStmt:
			o.dropStatement(s)
		case *ast.AssignStmt:
			switch {
			case s.Tok == token.DEFINE:
			case len(s.Lhs) == 1:
				o.dropStatement(s)
			default:
				for _, x := range s.Lhs {
					if o.text(x) == "_" {
						continue
					}
					o.add("keep "+o.brief(x)+" in "+o.brief(s),
						o.replace(s, "{ kept := "+o.text(x)+"; "+o.text(s)+"; "+o.text(x)+" = kept }"))
				}
			}
		}
	}
}

// isRejection reports whether a call rejects something impossible.
func isRejection(call *ast.CallExpr) bool {
	return slices.Contains([]string{"panic", "Refuse"}, lastName(call.Fun))
}

// rejects reports whether n is a condition on which something is only rejected: by a panic,
// or an error that is returned.
func (p *protocol) rejects(n ast.Node) bool {
	var body []ast.Stmt
	switch n := n.(type) {
	case *ast.IfStmt:
		body = n.Body.List
	case *ast.CaseClause:
		body = n.Body
	}
	if len(body) != 1 {
		return false
	}
	switch s := body[0].(type) {
	case *ast.ExprStmt:
		return isRejection(called(s))
	case *ast.ReturnStmt:
		return slices.ContainsFunc(s.Results, func(x ast.Expr) bool {
			text := p.text(x)
			return text == "err" || strings.HasPrefix(text, "fmt.Errorf") || strings.HasPrefix(text, "errors.New")
		})
	}
	return false
}

// isBoolean reports whether x is known to be a bool.
func (o *operators) isBoolean(x ast.Expr) bool {
	t := o.info.Types[x].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// result decides what a function returns.
func (o *operators) result(x ast.Expr) {
	if other, is := opposite[o.text(x)]; is {
		o.add(other+" for "+o.text(x), o.replace(x, other))
		return
	}
	o.decide(x)
}

var opposite = map[string]string{"true": "false", "false": "true"}
