package explore

import (
	"slices"

	"example.org/doorway/explore/internal/replay"
)

// invariant checks Config.Invariant in every state, the nearest first.
func invariant[K key](c *checking, g *graph[K]) error {
	var wrong []int32 // of the first level that has any
	level := 0
	err := c.x.Inspect(func() {
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
	return c.violated(replay.Of(c.x, schedule))
}

// violated reports a violation in the state that t has reached, if there is one.
func (c *checking) violated(t *replay.Replay) error {
	var why error
	if err := c.x.Inspect(func() { why = c.x.Violates(c.cfg.Invariant, func(r int) uint64 { return t.Holds[r] }, t.Phases()) }); err != nil || why == nil {
		return err
	}
	c.report.Invariant = fails(t.End(why.Error()))
	return nil
}

// violates calls Config.Invariant in a state.
func (g *graph[K]) violates(c *checking, id int32) error {
	phases := make([]string, g.n)
	for p := range phases {
		phases[p] = g.phase(id, p).String()
	}
	k := g.key(id)
	return c.x.Violates(c.cfg.Invariant, func(r int) uint64 { return g.vars[r].Values[get(k, g.regs[r])] }, phases)
}
