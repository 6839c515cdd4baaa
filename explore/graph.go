package explore

import (
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/phase"
)

// A graph is the reachable states of all processes and registers together, and
// the steps between them.
//
// A state has a successor for each slot: slot p is the step of process p; slot n+p,
// if processes may give up, is its abort, or its entry by TryLock; slot 2n+p, if
// callers are mixed, is its entry by Lock. A state is named by its shard and its
// number there. The number of shards does not depend on the number of workers, so
// results, and even memory use, do not depend on the machine.
type graph[K key] struct {
	layout
	cfg    *Config
	vars   []automaton.Variable
	nodes  [][]automaton.Node
	n      int
	slots  int
	keep   bool // the successors, for later checks
	shards [shards]*shard[K]
	phases [][]phase.Phase // by process and node
	levels [][]int         // by distance from the initial state: the number of states of each shard up to there

	root     int32  // the name of the initial state
	awaited  []bool // by register: a wait depends on its value
	deadline time.Time
	doing    string
}

const (
	split  = 1 // the name of a state is its number, shifted by split, and its shard
	shards = 1 << split
)

// newGraph returns the graph of the automata, with its initial state.
func newGraph[K key](cfg *Config, ways int, vars []automaton.Variable, nodes [][]automaton.Node, y layout, keep bool) *graph[K] {
	g := &graph[K]{layout: y, cfg: cfg, vars: vars, nodes: nodes, n: len(nodes), slots: len(nodes) * ways, keep: keep}
	g.awaited = make([]bool, len(vars))
	for _, auto := range nodes {
		for i := range auto {
			for _, w := range auto[i].Watches {
				g.awaited[w.Reg] = true
			}
		}
	}
	for _, auto := range nodes {
		phases := make([]phase.Phase, len(auto))
		for i := range auto {
			phases[i] = auto[i].Phase
		}
		g.phases = append(g.phases, phases)
	}
	for i := range g.shards {
		g.shards[i] = newShard[K](len(vars))
	}
	var k K
	for _, f := range g.heard {
		set(&k, f, 1)
	}
	h := hash(&k)
	g.root = int32(g.shard(h)) // number 0 of that shard
	g.shards[g.root].add(&k, h)
	return g
}

// shard returns the shard of a hash. Its lower bits index the table.
func (g *graph[K]) shard(h uint64) int { return int(h>>40) & (shards - 1) }

// explore finds all reachable states, level by level, and stops after a level with
// a fault. It returns an error if the memory does not suffice.
func (g *graph[K]) explore() error {
	const block = 1 << 11 // states that a shard steps in a round
	done := make([]int, shards)
	for {
		ends := make([]int, shards)
		more := false
		for s, sh := range g.shards {
			ends[s] = sh.keys.n
			more = more || done[s] < ends[s]
		}
		if !more {
			return nil
		}
		g.levels = append(g.levels, ends)
		for more {
			g.each(func(s int) { g.stepAll(s, done[s], min(done[s]+block, ends[s])) })
			more = false
			for s := range done {
				done[s] = min(done[s]+block, ends[s])
				more = more || done[s] < ends[s]
			}
			g.each(g.addAll)
			if err := g.report(); err != nil {
				return err
			}
		}
		if g.wrong() != nothing {
			return nil
		}
	}
}

// each calls f for every shard, in parallel if there are workers.
func (g *graph[K]) each(f func(s int)) {
	if g.cfg.Workers == 1 {
		for s := range g.shards {
			f(s)
		}
		return
	}
	var wg sync.WaitGroup
	for s := range g.shards {
		wg.Go(func() { f(s) })
	}
	wg.Wait()
}

// report enforces the memory limit and reports progress.
func (g *graph[K]) report() error {
	var bytes int64
	for _, s := range g.shards {
		bytes += s.size()
	}
	if bytes > g.cfg.Memory {
		return &extract.MemoryError{Limit: g.cfg.Memory, States: g.states()}
	}
	if g.cfg.Progress != nil && time.Now().After(g.deadline) {
		if !g.deadline.IsZero() {
			g.cfg.Progress(g.doing, g.states(), bytes)
		}
		g.deadline = time.Now().Add(time.Second)
	}
	return nil
}

func (g *graph[K]) states() int {
	n := 0
	for _, s := range g.shards {
		n += s.keys.n
	}
	return n
}

// stepAll steps the states from lo to hi of shard s by every slot.
func (g *graph[K]) stepAll(s, lo, hi int) {
	sh := g.shards[s]
	for t := range sh.out {
		sh.out[t] = sh.out[t][:0]
	}
	for i := lo; i < hi; i++ {
		state := *sh.keys.at(i)
		inside := 0
		for p := range g.n {
			n := &g.nodes[p][get(&state, g.locs[p])]
			if n.Phase == phase.Inside {
				inside++
				sh.entered |= 1 << p
			}
			if n.Op == automaton.OpPanic {
				sh.note(panicked)
			}
		}
		if inside > 1 {
			sh.note(twoInside)
		}
		for slot := range g.slots {
			k := state
			c, t := g.step(&k, slot, sh.written)
			sh.note(t.what)
			if g.keep {
				sh.succ.add(int32(c))
			}
			if c < 0 {
				if c == capped {
					sh.cut++
				}
				continue
			}
			sh.transitions++
			to := g.shard(hash(&k))
			sh.out[to] = append(sh.out[to], found[K]{k, int32(i), int32(slot)})
		}
	}
}

// addAll adds the states that were found for shard t. Most were found just before,
// by the same steps in another order: a small cache of recent states detects them.
// The others are looked up a few at a time, first in the table and then among the
// keys, to overlap cache misses.
func (g *graph[K]) addAll(t int) {
	const batch = 16
	sh := g.shards[t]
	var unknown [batch]*found[K]
	var hashes [batch]uint64
	for _, from := range g.shards {
		n := 0
		add := func() {
			mask := uint64(len(sh.table) - 1)
			var touched uint64
			var ids [batch]uint32
			for j := range n {
				ids[j] = sh.table[hashes[j]&mask]
			}
			for j := range n {
				if ids[j] != 0 {
					touched += (*sh.keys.at(int(ids[j] - 1)))[0]
				}
			}
			sink(touched)
			for j, f := range unknown[:n] {
				id := sh.add(&f.k, hashes[j])
				sh.recent[hashes[j]>>20&(recentSize-1)] = known[K]{f.k, id}
				if g.keep {
					*from.succ.at(int(f.from)*g.slots + int(f.slot)) = id<<split + int32(t)
				}
			}
			n = 0
		}
		all := from.out[t]
		for i := range all {
			f := &all[i]
			h := hash(&f.k)
			if r := &sh.recent[h>>20&(recentSize-1)]; r.k == f.k && r.id >= 0 {
				if g.keep {
					*from.succ.at(int(f.from)*g.slots + int(f.slot)) = r.id<<split + int32(t)
				}
				continue
			}
			unknown[n], hashes[n] = f, h
			if n++; n == batch {
				add()
			}
		}
		add()
	}
}

//go:noinline
func sink(uint64) {}

// Properties of states.

func (g *graph[K]) key(id int32) *K {
	return g.shards[g.shardOf(id)].keys.at(g.number(id))
}

// shardOf and number decode the name of a state.
func (g *graph[K]) shardOf(id int32) int { return int(id) & (shards - 1) }

func (g *graph[K]) number(id int32) int { return int(id) >> split }

// limit returns one more than the largest name of a state.
func (g *graph[K]) limit() int32 {
	most := 0
	for _, s := range g.shards {
		most = max(most, s.keys.n)
	}
	return int32(most << split)
}

func (g *graph[K]) exists(id int32) bool {
	return g.number(id) < g.shards[g.shardOf(id)].keys.n
}

// name returns the name of the state k, if it was found.
func (g *graph[K]) name(k *K) (int32, bool) {
	h := hash(k)
	t := g.shard(h)
	id := g.shards[t].find(k, h)
	return id<<split + int32(t), id >= 0
}

// successor returns the state to which slot leads, or blocked, or capped.
func (g *graph[K]) successor(id int32, slot int) int32 {
	if g.keep {
		return *g.shards[g.shardOf(id)].succ.at(g.number(id)*g.slots + slot)
	}
	k := *g.key(id)
	outcome, _ := g.step(&k, slot, make([]uint64, len(g.vars)))
	if outcome < 0 {
		return int32(outcome)
	}
	to, ok := g.name(&k)
	if !ok {
		return capped // of the level that was not explored
	}
	return to
}

func (g *graph[K]) node(id int32, p int) *automaton.Node {
	return &g.nodes[p][get(g.key(id), g.locs[p])]
}

func (g *graph[K]) phase(id int32, p int) phase.Phase { return g.phases[p][get(g.key(id), g.locs[p])] }

// forgetTables frees the tables by which states are found.
func (g *graph[K]) forgetTables() {
	for _, s := range g.shards {
		s.table, s.out, s.recent = nil, nil, nil
	}
}

// after returns the state to which a schedule leads from the initial state.
func (g *graph[K]) after(schedule []int) int32 {
	id := g.root
	for _, slot := range schedule {
		id = g.successor(id, slot)
	}
	return id
}

// entered returns a bit for each process that has entered.
func (g *graph[K]) entered() uint8 {
	var all uint8
	for _, s := range g.shards {
		all |= s.entered
	}
	return all
}

// tell describes the registers in r.
func (g *graph[K]) tell(r *Report) {
	var named []int
	for k := range g.vars {
		if g.vars[k].Word != nil {
			named = append(named, k)
		}
	}
	slices.SortStableFunc(named, func(a, b int) int { return strings.Compare(g.vars[a].Name, g.vars[b].Name) })
	r.Registers = slices.Grow(r.Registers, len(named))[:len(named)]
	for at, k := range named {
		v, found := &g.vars[k], &r.Registers[at]
		found.Name, found.Largest = v.Name, v.Values[0]
		for bit, value := range v.Values {
			for _, s := range g.shards {
				if s.written[k]>>bit&1 == 1 {
					found.Largest = max(found.Largest, value)
				}
			}
		}
		for p, w := range v.Writes {
			if w {
				found.Writers = append(found.Writers, p)
			}
		}
	}
}
