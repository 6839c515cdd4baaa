package explore

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/replay"
	"example.org/doorway/explore/internal/trace"
	"example.org/doorway/internal/seam"
	"example.org/doorway/mutex"
)

// large is the number of states from which properties are checked one at a time:
// two at a time take more memory than finding the states did.
const large = 1 << 24

// fit allocates the memory for the checks, beside that of the states.
func (c *checking) fit(states int32, bytes int64) error {
	workers, each := c.cfg.Workers, 9*int64(states)
	if states > large {
		workers = 1
		debug.FreeOSMemory() // of the tables
	}
	if !c.cfg.Only.StarvationFree && !c.cfg.Only.FIFO {
		workers = 1 // for one question
	}
	if c.cfg.Only.FIFO {
		each += int64(states) * int64(c.cfg.Processes)
	}
	for workers > 1 && bytes+each*int64(workers) > c.cfg.Memory {
		workers--
	}
	if bytes += each * int64(workers); bytes > c.cfg.Memory {
		return &extract.MemoryError{Limit: c.cfg.Memory, States: int(states)}
	}
	c.report.Bytes = max(c.report.Bytes, bytes)
	c.scratches = make([]scratch, workers)
	return nil
}

// brief reports whether the only place where a process can stay forever is its wait
// to enter: elsewhere it awaits and repeats nothing. Then a process that starves
// does so while it waits.
func (c *checking) brief() bool {
	for _, auto := range c.nodes {
		busy := make([]bool, len(auto)) // on the path
		known := make([]bool, len(auto))
		var ends func(id int32) bool
		ends = func(id int32) bool {
			n := &auto[id]
			switch {
			case n.Phase == phase.Waiting || n.Phase == phase.Remainder || known[id]:
				return true
			case busy[id] || len(n.Watches) > 0 || n.Op == seam.OpBegin:
				return false
			}
			busy[id] = true
			for _, to := range n.Next {
				if to >= 0 && !ends(to) {
					return false
				}
			}
			busy[id], known[id] = false, true
			return true
		}
		for id := range auto {
			if !ends(int32(id)) {
				return false
			}
		}
	}
	return true
}

// deadlock checks that whenever processes want to enter, one eventually does.
// Deadlock implies starvation, since a process leaves its entry protocol only by
// entering.
func deadlock[K key](c *checking, g *graph[K]) {
	if c.report.StarvationFree.Status == Holds {
		c.report.DeadlockFree.Status = Holds
		return
	}
	k := g.stuck(&c.scratches[0])
	if k == nil {
		c.report.DeadlockFree.Status = Holds
		return
	}
	prefix, loop := g.lasso(k)
	title := "livelock: these steps can repeat forever, and no process enters"
	if len(loop) == 0 {
		title = "deadlock: no process in its entry or exit section can take a step"
	}
	c.report.DeadlockFree = fails(c.traceLoop(title, prefix, loop))
}

// traceLoop returns the trace of a schedule that ends in a loop.
func (c *checking) traceLoop(title string, prefix, loop []int) *trace.Trace {
	c.tracing.Lock()
	defer c.tracing.Unlock()
	t := replay.Of(c.x, prefix)
	t.Repeat(loop)
	if len(loop) == 0 {
		title += t.Forgotten()
	}
	return t.End(title)
}

func starvation[K key](c *checking, g *graph[K]) {
	c.report.StarvationFree = c.starving(g.n, func(m *scratch, p int) *trace.Trace { return starved(c, g, m, p, false) })
	if c.cfg.GiveUp {
		c.report.StarvationFreeDespiteAborts = c.starving(g.n, func(m *scratch, p int) *trace.Trace { return starved(c, g, m, p, true) })
	}
}

// starving returns the verdict on all processes, with the trace of the first that
// starves.
func (c *checking) starving(n int, run func(m *scratch, p int) *trace.Trace) Verdict {
	var mu sync.Mutex
	first, how := n, (*trace.Trace)(nil)
	c.parallel(n, func(m *scratch, p int) {
		mu.Lock()
		matters := p < first
		mu.Unlock()
		if !matters {
			return
		}
		t := run(m, p)
		mu.Lock()
		defer mu.Unlock()
		if t != nil && p < first {
			first, how = p, t
		}
	})
	if how != nil {
		return fails(how)
	}
	return Verdict{Status: Holds}
}

// starved returns a trace in which process p starves, or nil. If othersGiveUp is
// set, others may give up forever.
func starved[K key](c *checking, g *graph[K], m *scratch, p int, othersGiveUp bool) *trace.Trace {
	if k := g.starves(m, p, othersGiveUp); k != nil {
		return starvingIn(c, k, p, othersGiveUp)
	}
	return nil
}

// starvingIn returns a trace in which process p starves in k.
func starvingIn[K key](c *checking, k *component[K], p int, othersGiveUp bool) *trace.Trace {
	prefix, loop := k.g.lasso(k)
	title := fmt.Sprintf("process %d starves", p)
	if othersGiveUp {
		title += " while others abort forever"
	}
	return c.traceLoop(title, prefix, loop)
}

// order checks FIFO and computes the bypass bound. If together is set, it checks
// starvation in the same pass.
func order[K key](c *checking, g *graph[K], together bool) {
	r := c.report
	all, starving := make([]precedence, g.n), make([]*trace.Trace, g.n)
	c.parallel(g.n, func(m *scratch, p int) {
		var starves func(*component[K])
		if together {
			starves = func(k *component[K]) { starving[p] = starvingIn(c, k, p, false) }
		}
		all[p] = g.precedes(m, p, starves)
	})
	if together {
		r.StarvationFree.Status = Holds
	}
	for _, t := range starving {
		if t != nil && r.StarvationFree.Status == Holds {
			r.StarvationFree = fails(t)
		}
	}
	overtaken := false
	for _, w := range all {
		r.Bypasses, r.BypassesByAll = most(r.Bypasses, w.most), most(r.BypassesByAll, w.all)
		overtaken = overtaken || w.fails
	}
	if !overtaken {
		r.FIFO.Status = Holds
		return
	}
	p, q, schedule := g.overtaken()
	title := fmt.Sprintf("not FIFO: process %d began its doorway after process %d had completed its own, and enters first", q, p)
	if !c.x.Marked {
		title += " (the lock does not call Process.Doorway, so its doorway is the first operation)"
	}
	t := replay.Of(c.x, schedule).End(title)
	t.Overtakes = []int{q, p}
	r.FIFO = fails(t)
}

// most returns the larger of two bounds.
func most(a, b int) int {
	if a == unbounded || b == unbounded {
		return unbounded
	}
	return max(a, b)
}

// parallel calls f for 0 to n-1 on all workers, each with its own memory.
func (c *checking) parallel(n int, f func(m *scratch, i int)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for w := range c.scratches {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(&c.scratches[w], i)
			}
		})
	}
	wg.Wait()
}

// races explores the states with the race monitor.
func (c *checking) races() error {
	y := newLayout(c.x.Variables, c.nodes, true)
	switch {
	case y.bits <= 64:
		return racesOn[[1]uint64](c, y)
	case y.bits <= 128:
		return racesOn[[2]uint64](c, y)
	}
	return tooWide(y.bits)
}

func racesOn[K key](c *checking, y layout) error {
	g := newGraph[K](c.cfg, c.x.Ways(), c.x.Variables, c.nodes, y, false)
	g.doing = "states with the race monitor"
	if err := g.explore(); err != nil {
		return err
	}
	if g.wrong() == nothing {
		c.report.RaceFree.Status = Holds
		return nil
	}
	return blame(c, g)
}

// safe explores the states with safe registers.
func (c *checking) safe() error {
	y, err := newSafely(c.cfg, c.x.Variables, c.nodes)
	if err != nil {
		return err
	}
	schedule, err := y.run()
	if err != nil {
		return err
	}
	c.report.SafeRegisters.Status = Holds
	if schedule != nil {
		c.report.SafeRegisters = fails(replay.Safely(c.x, y.safe, schedule, "mutual exclusion fails with safe registers"))
	}
	return nil
}

// runSchedule runs the protocols of a new lock in the order of Config.Schedule, and
// reports the state at its end. The trace is made as for any schedule, and compared with
// that run.
func (c *checking) runSchedule() error {
	r, err := replay.Execute(c.x, func() (mutex.Mutex, error) { return made(c.cfg.New, c.cfg.Processes) }, c.cfg.Schedule)
	if err != nil {
		return err
	}
	title := r.Fault()
	end := replay.Of(c.x, c.cfg.Schedule)
	if title != "" && r.Inside() < 2 {
		title += end.Forgotten()
	}
	t := end.End(title)
	if err := r.Compare(t); err != nil {
		return err
	}
	if c.cfg.Invariant != nil {
		if err := c.violated(replay.Of(c.x, c.cfg.Schedule)); err != nil {
			return err
		}
	}
	if title == "" {
		return nil
	}
	if r.Inside() > 1 {
		c.report.MutualExclusion = fails(t)
	} else {
		c.report.DeadlockFree = fails(t)
	}
	return nil
}
