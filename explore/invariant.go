package explore

import (
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/seam"
)

// invariant checks Config.Invariant in every state, the nearest first.
func invariant[K key](c *checking, g *graph[K]) error {
	var wrong []int32 // of the first level that has any
	level := 0
	err := c.inspect(func() {
		for ; level < len(g.levels) && len(wrong) == 0; level++ {
			g.atLevel(level, func(id int32) {
				if g.violates(c, id) != nil {
					wrong = append(wrong, id)
				}
			})
		}
	})
	if err != nil {
		return err
	}
	if len(wrong) == 0 {
		c.report.Invariant.Status = Holds
		return nil
	}
	schedule := g.to(level-1, func(id int32) bool { return slices.Contains(wrong, id) })
	return c.violated(c.x.replay(schedule))
}

// violated reports a violation in the state that t has reached, if there is one.
func (c *checking) violated(t *replay) error {
	var why error
	if err := c.inspect(func() { why = t.violates(c) }); err != nil || why == nil {
		return err
	}
	c.report.Invariant = Verdict{Fails, t.end(why.Error())}
	return nil
}

// violates calls Config.Invariant in a state.
func (g *graph[K]) violates(c *checking, id int32) error {
	phases := make([]string, g.n)
	for p := range phases {
		phases[p] = g.phase(id, p).String()
	}
	k := g.key(id)
	return c.violates(func(r int) uint64 { return g.vars[r].values[get(k, g.regs[r])] }, phases)
}

// violates calls Config.Invariant in the state that t has reached.
func (t *replay) violates(c *checking) error {
	phases := make([]string, len(t.at))
	for p := range phases {
		phases[p] = t.x.trees[p].locals[t.at[p]].phase.String()
	}
	return c.violates(func(r int) uint64 { return t.holds[r] }, phases)
}

// violates calls Config.Invariant with the values of the registers.
func (c *checking) violates(holds func(register int) uint64, phases []string) (err error) {
	c.x.ops.Add(1)
	for r := range c.x.vars {
		if w := c.x.vars[r].word; w != nil {
			w.Store(holds(r))
		}
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the invariant panics: %v", e)
		}
	}()
	if err = c.cfg.Invariant(c.x.lock, phases); err != nil {
		err = fmt.Errorf("the invariant fails: %w", err)
	}
	return err
}

// inspect runs f, which calls Config.Invariant.
func (c *checking) inspect(f func()) error {
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	err := c.x.watched(func() {
		seam.Attach(&inspector{x: c.x})
		f()
	})
	if wrote := c.x.intruder.Load(); wrote != nil {
		return wrote
	}
	if err != nil {
		return errors.New("explore: Config.Invariant does not return: it must not wait, nor end its goroutine")
	}
	return nil
}
