package explore

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/verdict"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/spelling"
)

// explore finds the states, and decides the properties.
func (c *checking) explore() error {
	r := c.report
	r.DoorwayWaits, r.DoorwayIsEntry = c.doorwayWaits(), c.x.DoorwayIsEntry()
	if only := c.cfg.Only; only.MutualExclusion || only.runs() || c.cfg.Invariant != nil {
		if err := c.states(); err != nil || r.MutualExclusion.Status == Fails {
			return err
		}
	}
	if r.DoorwayIsEntry && r.DeclaresFIFO && c.cfg.Only.FIFO {
		return errors.New("explore: the lock declares FIFO, but its doorway is its whole entry, so FIFO says nothing: call Process.Doorway before the process waits")
	}
	if c.cfg.Only.RaceFree {
		if err := c.unanswered("race-free", c.races()); err != nil {
			return err
		}
	}
	if c.cfg.Only.SafeRegisters && !c.cfg.GiveUp {
		return c.unanswered("tolerates safe registers", c.safe())
	}
	return nil
}

// unanswered notes that a property took too much memory, and keeps the verdicts on
// the others.
func (c *checking) unanswered(property string, err error) error {
	if c.report.States > 0 && unfit(err) {
		c.report.Unanswered = append(c.report.Unanswered, property+": "+public(err).Error())
		return nil
	}
	return err
}

// options returns those of a search that is doing something.
func (c *checking) options(doing string) space.Options {
	o := space.Options{Workers: c.cfg.Workers, Memory: c.cfg.Memory}
	if c.cfg.Progress != nil {
		o.Progress = func(states int, bytes int64) { c.cfg.Progress(doing, states, bytes) }
	}
	return o
}

// states explores the states and checks the properties that need only them.
func (c *checking) states() error {
	r := c.report
	o := c.options("states")
	o.Keep = c.cfg.Only.runs()
	g, err := graph.New(c.program, graph.NewLayout(c.program, false), o)
	if err == nil {
		err = g.Explore()
	}
	if err != nil {
		return err
	}
	r.States, r.Transitions, r.Cut, r.Depth, r.Bytes = g.States(), g.Transitions(), g.Cut(), g.Depth(), g.Bytes()
	if f := g.Fault(); f != nil {
		return c.blame(f)
	}
	for p := range c.cfg.Processes {
		if !g.Entered(p) && r.Cut > 0 {
			return fmt.Errorf("explore: Config.Cap = %d is too low for process %d to enter: %s would hold %d",
				c.cfg.Cap, p, c.x.Variables[c.x.Least.Reg].Name, c.x.Least.Value)
		}
	}
	r.MutualExclusion.Status = Holds
	tell(r, g)
	r.Reads, r.Writes = g.Uncontended()
	if c.cfg.Invariant != nil {
		c.say("invariant")
		if err := invariant(c, g); err != nil {
			return err
		}
	}
	if !o.Keep {
		return nil
	}
	return decide(c, g)
}

// tell describes the registers in r.
func tell(r *Report, g *graph.Graph) {
	var named []int
	for k := range g.Variables {
		if g.Variables[k].Word != nil {
			named = append(named, k)
		}
	}
	slices.SortStableFunc(named, func(a, b int) int { return strings.Compare(g.Variables[a].Name, g.Variables[b].Name) })
	r.Registers = slices.Grow(r.Registers, len(named))[:len(named)]
	for at, k := range named {
		found := &r.Registers[at]
		found.Name, found.Largest = g.Variables[k].Name, g.Largest(k)
		for p, w := range g.Variables[k].Writes {
			if w {
				found.Writers = append(found.Writers, p)
			}
		}
	}
}

// say reports the property that is being checked, if the graph is large.
func (c *checking) say(doing string) {
	if c.cfg.Progress != nil && c.report.States >= 1<<20 {
		c.cfg.Progress(doing, c.report.States, c.report.Bytes)
	}
}

// decide decides the properties of infinite runs, and FIFO.
func decide(c *checking, g *graph.Graph) error {
	r, only, workers := c.report, c.cfg.Only, c.cfg.Workers
	if !only.StarvationFree && !only.FIFO {
		workers = 1 // for one question
	}
	q, err := verdict.On(g, workers, only.FIFO, c.cfg.Memory)
	if err != nil {
		return err
	}
	r.Bytes = max(r.Bytes, q.Bytes)
	together := only.StarvationFree && only.FIFO && !c.cfg.GiveUp && verdict.Brief(c.program)
	if only.StarvationFree && !together {
		c.say("starvation")
		r.StarvationFree = starvation(c, q, false)
		if c.cfg.GiveUp {
			r.StarvationFreeDespiteAborts = starvation(c, q, true)
		}
	}
	if only.FIFO {
		c.say("bypasses")
		order(c, q, together)
	}
	if only.DeadlockFree {
		c.say("deadlock")
		r.DeadlockFree = deadlock(c, q)
	}
	return nil
}

// deadlock checks that whenever processes want to enter, one eventually does.
// Deadlock implies starvation, since a process leaves its entry protocol only by
// entering.
func deadlock(c *checking, q *verdict.Questions) Verdict {
	if c.report.StarvationFree.Status == Holds {
		return Verdict{Status: Holds}
	}
	l := q.Deadlock()
	switch {
	case l == nil:
		return Verdict{Status: Holds}
	case len(l.Loop) == 0:
		return fails(c.lasso(deadlocked, l))
	}
	return fails(c.lasso("livelock: these steps can repeat forever, and no process enters", l))
}

// lasso returns the trace of a schedule that ends in a loop.
func (c *checking) lasso(title string, l *verdict.Lasso) *Trace {
	r := c.replay(l.Prefix)
	r.repeat(l.Loop)
	return r.end(title)
}

// starvation checks that no process starves. If othersGiveUp is set, others may give up
// forever.
func starvation(c *checking, q *verdict.Questions, othersGiveUp bool) Verdict {
	p, l := q.Starvation(othersGiveUp)
	if l == nil {
		return Verdict{Status: Holds}
	}
	title := fmt.Sprintf("process %d starves", p)
	if othersGiveUp {
		title += " while others abort forever"
	}
	return fails(c.lasso(title, l))
}

// order checks FIFO and computes the bypass bound. If together is set, it checks
// starvation in the same pass.
func order(c *checking, q *verdict.Questions, together bool) {
	r := c.report
	all, starving := q.Precedence(together)
	r.Bypasses, r.BypassesByAll = all.Most, all.All
	if together {
		r.StarvationFree.Status = Holds
		if p := slices.IndexFunc(starving, func(l *verdict.Lasso) bool { return l != nil }); p >= 0 {
			r.StarvationFree = fails(c.lasso(fmt.Sprintf("process %d starves", p), starving[p]))
		}
	}
	if !all.Fails {
		r.FIFO.Status = Holds
		return
	}
	p, first, schedule := q.Overtaking()
	title := fmt.Sprintf("not FIFO: process %d began its doorway after process %d had completed its own, and enters first", first, p)
	if !c.x.Marked {
		title += " (the lock does not call Process.Doorway, so its doorway is the first operation)"
	}
	t := c.replay(schedule).end(title)
	t.Overtakes = []int{first, p}
	r.FIFO = fails(t)
}

// races explores the states with the race monitor.
func (c *checking) races() error {
	g, err := graph.New(c.program, graph.NewLayout(c.program, true), c.options("states with the race monitor"))
	if err == nil {
		err = g.Explore()
	}
	if err != nil {
		return err
	}
	if f := g.Fault(); f != nil {
		return c.blame(f)
	}
	c.report.RaceFree.Status = Holds
	return nil
}

// safe explores the states with safe registers.
func (c *checking) safe() error {
	schedule, safe, err := graph.Safely(c.program, c.options("states with safe registers"))
	if err != nil {
		return err
	}
	c.report.SafeRegisters.Status = Holds
	if schedule != nil {
		r := c.replay(nil)
		r.safely(safe, schedule)
		c.report.SafeRegisters = fails(r.end("mutual exclusion fails with safe registers"))
	}
	return nil
}

// blame reports a fault with a shortest run to it.
func (c *checking) blame(f *graph.Fault) error {
	r, what := c.replay(f.Schedule), c.says(f)
	switch f.What {
	case graph.TwoInside:
		c.report.MutualExclusion = fails(r.end(what))
		return nil
	case graph.Unordered:
		r.step(f.Slot)
		c.report.RaceFree = fails(r.end(what))
		return nil
	case graph.AwaitedSet:
		r.step(f.Slot)
	}
	return &LockError{What: what, Trace: r.end(what)}
}

// says describes a fault.
func (c *checking) says(f *graph.Fault) string {
	switch f.What {
	case graph.TwoInside:
		return "mutual exclusion fails: processes " + spelling.Enumerate(f.Inside) + " are inside"
	case graph.Panicked:
		s := c.x.Trees[f.Process].Locals[f.Local].Site
		return fmt.Sprintf("process %d panics at %s:%d: %s", f.Process, filepath.Base(s.File), s.Line, s.Func)
	case graph.Unordered:
		return fmt.Sprintf("data race: no happens-before edge orders the entry of process %d after the last exit", f.Process)
	default:
		return fmt.Sprintf("process %d writes %s with Set, which wakes no process, and makes the condition true that process %d awaits: use Store",
			f.Process, c.x.Variables[f.Register].Name, f.Awaits)
	}
}
