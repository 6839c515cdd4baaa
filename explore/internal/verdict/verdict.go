// Package verdict decides the properties of infinite runs of a lock, and the order of entries, on
// the graph of its states. A schedule refutes a property.
package verdict

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// Questions are those about a graph that keeps its successors.
type Questions struct {
	Bytes int64 // that they take, with the states

	g      *graph.Graph
	memory []memory // by worker
}

// memory is what a question needs. Successive questions can share it.
type memory struct {
	space.Scratch
	follow []uint8 // by state and process: the most entries that can follow; many: any number
}

// large is the number of states from which properties are checked one at a time:
// two at a time take more memory than finding the states did.
const large = 1 << 24

// On returns the questions about g, of which it frees the tables. Those about an order of
// entries take a byte a state and process more. The error is that of a space: not even
// one worker fits into the memory.
func On(g *graph.Graph, workers int, ordered bool, limit int64) (*Questions, error) {
	g.Forget()
	states := int64(g.End())
	each := space.ScratchBytes * states
	if states > large {
		workers = 1
		debug.FreeOSMemory() // of the tables
	}
	if ordered {
		each += states * int64(g.N)
	}
	bytes := g.Bytes()
	for workers > 1 && bytes+each*int64(workers) > limit {
		workers--
	}
	if bytes += each * int64(workers); bytes > limit {
		return nil, &space.MemoryError{Limit: limit, States: int(states)}
	}
	return &Questions{Bytes: bytes, g: g, memory: make([]memory, workers)}, nil
}

// Brief reports whether the only place where a process can stay forever is its wait
// to enter: elsewhere it awaits and repeats nothing. Then a process that starves
// does so while it waits.
func Brief(p graph.Program) bool {
	for _, auto := range p.Automata {
		busy := make([]bool, len(auto)) // on the path
		known := make([]bool, len(auto))
		var ends func(id int32) bool
		ends = func(id int32) bool {
			n := &auto[id]
			switch {
			case n.Phase == phase.Waiting || n.Phase == phase.Remainder || known[id]:
				return true
			case busy[id] || len(n.Watches) > 0 || n.Op == hook.OpBegin:
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

// Deadlock returns a run in which processes want to enter, and none ever does; or nil. Its
// loop is empty if no process can take a step.
func (q *Questions) Deadlock() *Lasso {
	if c := stuck(q.g, &q.memory[0]); c != nil {
		return c.lasso()
	}
	return nil
}

// Starvation returns the first process that can starve, and how; or nil. If othersGiveUp
// is set, others may give up forever.
func (q *Questions) Starvation(othersGiveUp bool) (process int, how *Lasso) {
	var mu sync.Mutex
	process = q.g.N
	q.parallel(func(m *memory, p int) {
		mu.Lock()
		matters := p < process
		mu.Unlock()
		if !matters {
			return
		}
		c := starves(q.g, m, p, othersGiveUp)
		if c == nil {
			return
		}
		l := c.lasso()
		mu.Lock()
		defer mu.Unlock()
		if p < process {
			process, how = p, l
		}
	})
	return process, how
}

// Precedence returns how often others enter while a process waits, at most. If starves
// is set, it also returns, by process, how it can starve while it waits, or nil.
func (q *Questions) Precedence(starves bool) (all space.Precedence, starving []*Lasso) {
	by := make([]space.Precedence, q.g.N)
	starving = make([]*Lasso, q.g.N)
	q.parallel(func(m *memory, p int) {
		var found func(*region)
		if starves {
			found = func(c *region) { starving[p] = c.lasso() }
		}
		by[p] = precedes(q.g, m, p, found)
	})
	for _, w := range by {
		all = all.Or(w)
	}
	return all, starving
}

// parallel calls f for every process on all workers, each with its own memory.
func (q *Questions) parallel(f func(m *memory, p int)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for w := range q.memory {
		wg.Go(func() {
			for p := int(next.Add(1)) - 1; p < q.g.N; p = int(next.Add(1)) - 1 {
				f(&q.memory[w], p)
			}
		})
	}
	wg.Wait()
}
