package contract

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// A construction is what functions that are not in a protocol do to the memory that protocols read, and to
// registers. A function that writes there, or stores there how to reach more, must be a constructor: it gets such
// memory from other constructors only, and gives it to others only when it returns.
type construction struct {
	*memory
	of map[*function]*acts
}

// The acts of a function.
type acts struct {
	builds []act // what only a constructor may do
	faults []act // what a constructor must not do
	hands  []act // calls of options
	calls  []act // by which such memory comes and goes
	inner  bool  // only constructors may call it: it gets such memory by arguments, or returns more than a lock
	valid  bool  // it is a constructor
}

// An act is at a node, in a loop that begins before it or there.
type act struct {
	at    ast.Node
	since token.Pos
	what  string
	of    *function // that is called
}

// construct examines all functions that are not in a protocol.
func (p *program) construct(reach []*function) {
	c := &construction{p.memory(reach), map[*function]*acts{}}
	for _, fn := range p.reached(slices.DeleteFunc(slices.Clone(p.all), func(fn *function) bool { return !fn.isEntryPoint() }), nil) {
		p.others[fn] = !p.protocols[fn]
	}
	for _, fn := range p.all {
		if !p.protocols[fn] {
			c.of[fn] = &acts{valid: true, inner: slices.ContainsFunc(fn.results(), c.exposes)}
			fn.each(func(n ast.Node, path []ast.Node) { c.visit(fn, n, path) })
		}
	}
	for _, fn := range reach {
		c.gains(fn)
	}
	c.validate()
	for _, fn := range p.all {
		c.offers(fn)
		if a := c.of[fn]; a != nil && !a.valid {
			c.judge(fn, a)
			fn.each(func(n ast.Node, path []ast.Node) {
				if x, ok := n.(ast.Expr); ok {
					c.keeps(fn, x, path)
				}
			})
		}
	}
}

// validate finds out which functions are constructors.
func (c *construction) validate() {
	for changed := true; changed; {
		changed = false
		for _, fn := range c.all {
			a := c.of[fn]
			if a == nil {
				continue
			}
			for _, u := range a.calls {
				if of := c.of[u.of]; of != nil && len(of.hands) > 0 && !slices.ContainsFunc(a.hands, func(h act) bool { return h.at == u.at }) {
					a.hands, changed = append(a.hands, act{at: u.at, since: u.since, what: of.hands[0].what}), true
				}
			}
			if a.valid && c.why(fn) != "" {
				a.valid, changed = false, true
			}
		}
	}
}

// why says why fn is no constructor, or "".
func (c *construction) why(fn *function) string {
	a, name := c.of[fn], fn.name
	if len(a.faults) > 0 {
		return fmt.Sprintf("%s %s at %s", name, a.faults[0].what, c.place(a.faults[0].at.Pos()))
	}
	for _, h := range a.hands {
		if a.inner || slices.ContainsFunc(a.builds, func(b act) bool { return b.at.Pos() >= h.since }) {
			return fmt.Sprintf("%s %s at %s, and may write later", name, h.what, c.place(h.at.Pos()))
		}
	}
	for _, u := range a.calls {
		if of := c.of[u.of]; of != nil && !of.valid {
			return fmt.Sprintf("%s calls %s, which is none", name, u.of.name)
		}
	}
	if !a.inner {
		return ""
	}
	var by []*function
	switch {
	case fn.obj == nil && c.immediate(fn) != "":
		by = []*function{fn.outer}
	case fn.obj != nil && !fn.obj.Exported() && !c.taken(fn) && len(c.callers(fn, true)) == 0:
		by = c.callers(fn, false)
	}
	if len(by) == 0 {
		return name + " may be called later"
	}
	for _, fn := range by {
		if of := c.of[fn]; of == nil || !of.valid {
			return fmt.Sprintf("%s is called by %s, which is none", name, fn.name)
		}
	}
	return ""
}

// judge reports what a function does that is no constructor.
func (c *construction) judge(fn *function, a *acts) {
	switch {
	case len(a.builds) == 0:
	case len(a.faults) > 0:
		c.report(fn, a.faults[0].at,
			"%s, and %s: only a constructor may do so, and it gets such memory from constructors, "+
				"and gives it away only by its result", a.faults[0].what, a.builds[0].what)
	default:
		c.report(fn, a.builds[0].at, "%s: only a constructor may, and %s", a.builds[0].what, c.why(fn))
	}
}
