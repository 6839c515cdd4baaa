package contract

import (
	"cmp"
	"go/ast"
	"go/types"
)

// reached returns the functions that roots reach, by a call or as a value. Last come those
// that are only guessed to be called.
func (p *program) reached(roots ...*function) *region {
	r := &region{
		program: p, within: map[*function]bool{}, guessed: map[*function]*guess{}, levels: map[*types.Var]level{},
		leaks: map[*function]level{}, pointed: map[*types.Var]bool{}, stored: map[string]level{},
	}
	for _, fn := range roots {
		r.add(fn, nil)
	}
	var guesses []guess
	for i := 0; i < len(r.reach); {
		for ; i < len(r.reach); i++ {
			in := r.reach[i]
			in.each(func(n ast.Node) {
				for _, f := range p.mentioned(n) {
					r.add(f, r.guessed[in])
				}
				for _, x := range p.run(n) {
					found, known := p.assigned(x)
					if !known {
						found = nil
						guesses = append(guesses, guess{in, x})
					}
					for _, f := range found {
						r.add(f, r.guessed[in])
					}
				}
			})
		}
		for ; i == len(r.reach) && len(guesses) > 0; guesses = guesses[1:] {
			g := guesses[0]
			for _, f := range p.targets(g.call) {
				r.add(f, cmp.Or(r.guessed[g.in], &g))
			}
		}
	}
	return r
}

// A guess is that a call of a function value may run any function of its type, since not
// all that is assigned to it is known.
type guess struct {
	in   *function
	call ast.Expr // the function value
}

// mentioned returns the functions that n names or has as a literal, and those that the
// standard library runs for it.
func (p *program) mentioned(n ast.Node) (all []*function) {
	switch n := n.(type) {
	case *ast.FuncLit:
		return []*function{p.literals[n]}
	case *ast.Ident:
		if fn := p.function(n); fn != nil {
			return append(p.implementations(fn), p.declared(fn))
		}
	case *ast.CallExpr:
		for _, fs := range p.interpreted(n) {
			all = append(all, fs...)
		}
	}
	return all
}

// run returns the function values that n calls, or gives to a function whose source is not
// examined.
func (p *program) run(n ast.Node) (all []ast.Expr) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if p.dynamic(n) {
			return []ast.Expr{n.Fun}
		}
		if to := p.callee(n); to != nil && p.declared(to) == nil {
			for _, arg := range n.Args {
				if t := p.info.TypeOf(arg); t != nil && isFunc(t) {
					all = append(all, arg)
				}
			}
		}
	case *ast.RangeStmt:
		if isFunc(p.info.TypeOf(n.X)) {
			all = append(all, n.X)
		}
	}
	return all
}

func (r *region) add(fn *function, by *guess) {
	if fn != nil && !r.within[fn] {
		r.within[fn] = true
		if by != nil {
			r.guessed[fn] = by
		}
		r.reach = append(r.reach, fn)
	}
}
