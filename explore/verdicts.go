package explore

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"example.org/doorway/internal/seam"
)

// large is from how many states on the questions are asked one at a time: two
// at a time take more memory than finding the states did.
const large = 1 << 24

// fit prepares the memory for what is asked of the graph, beside that of its states.
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
		return &memoryError{limit: c.cfg.Memory, states: int(states)}
	}
	c.report.Bytes = max(c.report.Bytes, bytes)
	c.scratches = make([]scratch, workers)
	return nil
}

// brief reports whether no process can stay for ever in a protocol but where it waits
// to enter: elsewhere it awaits nothing and repeats nothing. Then who starves does so while
// it waits.
func (c *checking) brief() bool {
	for _, auto := range c.nodes {
		busy := make([]bool, len(auto)) // on the path
		known := make([]bool, len(auto))
		var ends func(id int32) bool
		ends = func(id int32) bool {
			n := &auto[id]
			switch {
			case n.phase == phaseWaiting || n.phase == phaseRemainder || known[id]:
				return true
			case busy[id] || len(n.watches) > 0 || n.op == seam.OpBegin:
				return false
			}
			busy[id] = true
			for _, to := range n.next {
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

// deadlock answers whether somebody can want to enter and nobody ever does. Who
// wants to then starves, for there is no way out of an entry protocol but to enter.
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
	title := "livelock: these processes can go on for ever, and none of them enters"
	if len(loop) == 0 {
		title = "deadlock: no process that wants to enter or leave can make a step"
	}
	c.report.DeadlockFree = Verdict{Fails, c.traceLoop(title, prefix, loop)}
}

// traceLoop returns the trace of a schedule that ends in a loop.
func (c *checking) traceLoop(title string, prefix, loop []int) *Trace {
	c.tracing.Lock()
	defer c.tracing.Unlock()
	t := c.x.replay(prefix)
	if len(loop) > 0 {
		t.trace.Loop = len(t.trace.Steps)
	}
	for _, slot := range loop {
		t.step(slot)
	}
	return t.end(title)
}

func starvation[K key](c *checking, g *graph[K]) {
	c.report.StarvationFree = c.starving(g.n, func(m *scratch, p int) *Trace { return starved(c, g, m, p, false) })
	if c.cfg.GiveUp {
		c.report.StarvationFreeDespiteAborts = c.starving(g.n, func(m *scratch, p int) *Trace { return starved(c, g, m, p, true) })
	}
}

// starving returns the verdict on all processes: how the first starves for which trace
// returns that, or that none does.
func (c *checking) starving(n int, trace func(m *scratch, p int) *Trace) Verdict {
	var mu sync.Mutex
	first, how := n, (*Trace)(nil)
	c.parallel(n, func(m *scratch, p int) {
		mu.Lock()
		matters := p < first
		mu.Unlock()
		if !matters {
			return
		}
		t := trace(m, p)
		mu.Lock()
		defer mu.Unlock()
		if t != nil && p < first {
			first, how = p, t
		}
	})
	if how != nil {
		return Verdict{Fails, how}
	}
	return Verdict{Status: Holds}
}

// starved returns how process p starves, or nil; others may give up for ever if so.
func starved[K key](c *checking, g *graph[K], m *scratch, p int, othersGiveUp bool) *Trace {
	if k := g.starves(m, p, othersGiveUp); k != nil {
		return starvingIn(c, k, p, othersGiveUp)
	}
	return nil
}

// starvingIn returns how process p starves in k.
func starvingIn[K key](c *checking, k *component[K], p int, othersGiveUp bool) *Trace {
	prefix, loop := k.g.lasso(k)
	title := fmt.Sprintf("process %d starves", p)
	if othersGiveUp {
		title += " while others come and give up without end"
	}
	return c.traceLoop(title, prefix, loop)
}

// order answers how often each process is bypassed, and, if that is to be found out together, who
// starves.
func order[K key](c *checking, g *graph[K], together bool) {
	r := c.report
	all, starving := make([]precedence, g.n), make([]*Trace, g.n)
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
			r.StarvationFree = Verdict{Fails, t}
		}
	}
	r.FIFO.Status = Holds
	for p, w := range all {
		if w.most == unbounded {
			r.Bypasses = unbounded
		}
		if r.Bypasses != unbounded {
			r.Bypasses = max(r.Bypasses, w.most)
		}
		if w.fails && r.FIFO.Status == Holds {
			title := fmt.Sprintf("not FIFO: process %d came when the doorway of process %d was over, and enters before it", w.other, p)
			if c.x.settled {
				title += " (the lock does not say where its doorway ends, so it ends with the first operation)"
			}
			r.FIFO = Verdict{Fails, c.x.replay(g.bypassed(p, w)).end(title)}
		}
	}
}

// parallel calls f for 0 to n-1, as many at a time as there are workers, each
// of which has memory of its own.
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

// races explores the states with the monitor for races.
func (c *checking) races() error {
	y := newLayout(c.x.vars, c.nodes, true)
	switch {
	case y.bits <= 64:
		return racesOn[[1]uint64](c, y)
	case y.bits <= 128:
		return racesOn[[2]uint64](c, y)
	}
	return tooWide(y.bits)
}

func racesOn[K key](c *checking, y layout) error {
	g := newGraph[K](c.cfg, c.x.vars, c.nodes, y, false)
	g.doing = "states, with who has heard of whom"
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
	y, err := newSafely(c.cfg, c.x.vars, c.nodes)
	if err != nil {
		return err
	}
	schedule, err := y.run()
	if err != nil {
		return err
	}
	c.report.SafeRegisters.Status = Holds
	if schedule != nil {
		c.report.SafeRegisters = Verdict{Fails, c.x.traceSafely(y.safe, schedule, "mutual exclusion fails with safe registers")}
	}
	return nil
}
