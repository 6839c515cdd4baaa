package explore

import (
	"slices"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/internal/space"
)

// invariant checks Config.Invariant in every state, the nearest first.
func invariant(c *checking, g *graph.Graph) error {
	violates := func(id space.ID) error {
		phases := make([]string, g.N)
		for p := range phases {
			phases[p] = g.Phase(id, p).String()
		}
		return c.x.Violates(c.cfg.Invariant, func(r int) uint64 { return g.Value(id, r) }, phases)
	}
	var wrong []space.ID // of the first level that has any
	level := 0
	err := c.x.Inspect(func() {
		for ; level <= g.Depth() && len(wrong) == 0; level++ {
			g.AtLevel(level, func(id space.ID) {
				if violates(id) != nil {
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
	schedule := g.To(level-1, func(id space.ID) bool { return slices.Contains(wrong, id) })
	r := c.replay(schedule)
	why, err := c.violation(r)
	if err != nil || why == nil {
		return err
	}
	c.report.Invariant = fails(r.end(why.Error()))
	return nil
}

// violation returns what Config.Invariant says of the state that r has reached.
func (c *checking) violation(r *replay) (why, err error) {
	err = c.x.Inspect(func() { why = c.x.Violates(c.cfg.Invariant, r.holds, r.phases()) })
	return why, err
}
