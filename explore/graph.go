package explore

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"example.org/doorway/register"
)

// A key is a state of all processes and registers, packed into bits.
type key interface{ [1]uint64 | [2]uint64 }

// A field is where a part of the state is in a key.
type field struct {
	word  uint8
	shift uint8
	mask  uint64
}

func get[K key](k *K, f field) uint64 { return (*k)[f.word] >> f.shift & f.mask }

func set[K key](k *K, f field, v uint64) {
	(*k)[f.word] = (*k)[f.word]&^(f.mask<<f.shift) | v<<f.shift
}

// A layout is which part of the state is where in a key.
type layout struct {
	regs  []field
	locs  []field   // by process: the node it is at
	lines [][]field // by gate: who stands in line, from 1; 0: nobody
	gate  []int8    // by register: the index of its line, or -1
	heard []field   // by process, then by register; nil: no monitor for races
	bits  int
}

// lay packs the fields of these widths one after the other.
func (y *layout) lay(width int) field {
	if y.bits%64+width > 64 {
		y.bits += 64 - y.bits%64
	}
	f := field{uint8(y.bits / 64), uint8(y.bits % 64), 1<<width - 1}
	y.bits += width
	return f
}

// newLayout returns the layout of a state; with a monitor for races if so.
func newLayout(vars []variable, nodes [][]node, races bool) layout {
	y := layout{gate: make([]int8, len(vars))}
	n := len(nodes)
	for p := range nodes {
		y.locs = append(y.locs, y.lay(max(1, bits.Len(uint(len(nodes[p])-1)))))
	}
	for r := range vars {
		y.regs = append(y.regs, y.lay(max(1, bits.Len(uint(len(vars[r].values)-1)))))
	}
	for r := range vars {
		y.gate[r] = -1
		if !vars[r].gate {
			continue
		}
		y.gate[r] = int8(len(y.lines))
		line := make([]field, n)
		for k := range line {
			line[k] = y.lay(bits.Len(uint(n)))
		}
		y.lines = append(y.lines, line)
	}
	if races {
		for range n + len(vars) {
			y.heard = append(y.heard, y.lay(1))
		}
	}
	return y
}

// A graph is the reachable states of all processes and registers together, and
// the steps between them.
//
// A state has a successor for each slot: slot p is the step of process p, slot
// n+p, if processes may give up, its giving up. A state is named by its shard
// and its number there.
type graph[K key] struct {
	layout
	cfg    *Config
	vars   []variable
	nodes  [][]node
	n      int
	slots  int
	keep   bool        // the successors, for what is asked of the graph later
	shards []*shard[K] // one or two
	split  int         // a state's name is its number, shifted by so much, and its shard
	phases [][]Phase   // by process and node
	levels [][]int     // for each distance from the first state: how many states each shard has up to there

	root     int32  // the name of the first state
	awaited  []bool // by register: some wait asks for its value
	deadline time.Time
	doing    string
}

// A shard is the states whose hash it is responsible for. In each round it is
// first read and written by one worker, which steps its states, and then by
// another or the same, which adds the states that were found.
type shard[K key] struct {
	keys   pages[K]
	succ   pages[int32] // slots for each state; see blocked
	table  []uint32     // open addressing: the number of a state plus one, or 0
	out    [][]found[K] // by shard: the states found in this round
	recent []known[K]

	transitions, cut int
	written          []uint64 // by register: which values were written, a bit each
	trouble          trouble
}

// found is a state that was found by a step.
type found[K key] struct {
	k    K
	from int32 // number in its shard
	slot int32
}

// known is a state that was found, with its number; -1: none.
type known[K key] struct {
	k  K
	id int32
}

const recentSize = 1 << 13

// What a step comes to when it has no successor.
const (
	blocked = -1 // the process cannot make a step here
	capped  = -2 // it would write more than the cap
)

// trouble is the first state of a shard in which something is wrong.
type trouble struct {
	what  wrong
	state int32 // number in the shard; the step of process is what is wrong, or the state itself
	slot  int32
	reg   int16
	with  int32 // another process
}

type wrong int

const (
	nothing    wrong = iota
	twoInside        // two processes are inside
	unheard          // a process enters that has not heard of the last exit
	awaitedSet       // a Set makes true what somebody awaits
	panicked         // a process panics
)

// newGraph returns the graph of the automata, with its first state.
func newGraph[K key](cfg *Config, vars []variable, nodes [][]node, y layout, workers int, keep bool) *graph[K] {
	g := &graph[K]{layout: y, cfg: cfg, vars: vars, nodes: nodes, n: len(nodes), slots: len(nodes), keep: keep}
	if cfg.GiveUp {
		g.slots *= 2
	}
	g.awaited = make([]bool, len(vars))
	for _, auto := range nodes {
		for i := range auto {
			for _, w := range auto[i].watches {
				g.awaited[w.reg] = true
			}
		}
	}
	g.split = bits.Len(uint(workers - 1))
	for _, auto := range nodes {
		phases := make([]Phase, len(auto))
		for i := range auto {
			phases[i] = auto[i].phase
		}
		g.phases = append(g.phases, phases)
	}
	for range workers {
		g.shards = append(g.shards, &shard[K]{
			recent: make([]known[K], recentSize), table: make([]uint32, 1<<10), out: make([][]found[K], workers), written: make([]uint64, len(vars)),
		})
	}
	for _, s := range g.shards {
		for i := range s.recent {
			s.recent[i].id = -1
		}
	}
	var k K
	for _, f := range g.heard {
		set(&k, f, 1)
	}
	h := hash(&k)
	g.root = int32(g.shard(h)) // the number 0 of that shard
	g.shards[g.root].add(&k, h)
	return g
}

// hash is a mixing function over the words of k (D. Lea, as in SplitMix64).
func hash[K key](k *K) uint64 {
	var h uint64
	for i := range len(*k) {
		h = (h ^ (*k)[i]) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// shard returns which shard is responsible for a hash. The table is indexed
// by its lower bits.
func (g *graph[K]) shard(h uint64) int { return int(h>>40) & (1<<g.split - 1) }

// add returns the number of k in s, where it is put if it is new.
func (s *shard[K]) add(k *K, h uint64) int32 {
	mask := uint64(len(s.table) - 1)
	i := h & mask
	for s.table[i] != 0 {
		if id := s.table[i] - 1; *s.keys.at(int(id)) == *k {
			return int32(id)
		}
		i = (i + 1) & mask
	}
	id := s.keys.add(*k)
	s.table[i] = uint32(id) + 1
	if id > len(s.table)*3/4 {
		s.grow()
	}
	return int32(id)
}

// find returns the number of k in s, or -1.
func (s *shard[K]) find(k *K, h uint64) int32 {
	mask := uint64(len(s.table) - 1)
	for i := h & mask; s.table[i] != 0; i = (i + 1) & mask {
		if id := s.table[i] - 1; *s.keys.at(int(id)) == *k {
			return int32(id)
		}
	}
	return -1
}

func (s *shard[K]) grow() {
	s.table = make([]uint32, 2*len(s.table))
	mask := uint64(len(s.table) - 1)
	for id := range s.keys.n {
		i := hash(s.keys.at(id)) & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = uint32(id) + 1
	}
}

func (s *shard[K]) size() int64 { return s.keys.bytes() + s.succ.bytes() + 4*int64(len(s.table)) }

// pages is a slice that grows without being copied.
type pages[T any] struct {
	list [][]T
	n    int
}

const (
	pageBits = 14
	pageSize = 1 << pageBits
)

func (p *pages[T]) at(i int) *T { return &p.list[i>>pageBits][i&(pageSize-1)] }

func (p *pages[T]) add(v T) int {
	if p.n>>pageBits == len(p.list) {
		p.list = append(p.list, make([]T, pageSize))
	}
	*p.at(p.n) = v
	p.n++
	return p.n - 1
}

func (p *pages[T]) bytes() int64 {
	var v T
	return int64(len(p.list)) * pageSize * int64(unsafe.Sizeof(v))
}

// explore finds all reachable states, level by level, and stops at the end of a
// level in which there was trouble. It returns an error if the memory does not
// suffice.
func (g *graph[K]) explore() error {
	const block = 1 << 11 // states a shard steps in a round
	w := len(g.shards)
	done := make([]int, w)
	for {
		ends := make([]int, w)
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
		if g.trouble() != nil {
			return nil
		}
	}
}

// each calls f for every shard, at the same time.
func (g *graph[K]) each(f func(s int)) {
	if len(g.shards) == 1 {
		f(0)
		return
	}
	var wg sync.WaitGroup
	for s := range g.shards {
		wg.Go(func() { f(s) })
	}
	wg.Wait()
}

// report keeps the limit of memory, and says how far the exploration has come.
func (g *graph[K]) report() error {
	var bytes int64
	for _, s := range g.shards {
		bytes += s.size()
	}
	if bytes > g.cfg.Memory {
		return &MemoryError{Limit: g.cfg.Memory, States: g.states()}
	}
	if g.cfg.Progress != nil && time.Now().After(g.deadline) {
		if !g.deadline.IsZero() {
			g.cfg.Progress(Progress{Doing: g.doing, States: g.states(), Bytes: bytes})
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
			if n.phase == Inside {
				inside++
			}
			if n.op == opPanic {
				sh.note(trouble{what: panicked, state: int32(i), slot: int32(p)})
			}
		}
		if inside > 1 {
			sh.note(trouble{what: twoInside, state: int32(i), slot: -1})
		}
		for slot := range g.slots {
			k := state
			c, t := g.step(&k, slot, sh.written)
			if t.what != nothing {
				t.state, t.slot = int32(i), int32(slot)
				sh.note(t)
			}
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

// note keeps the first trouble.
func (s *shard[K]) note(t trouble) {
	if s.trouble.what == nothing {
		s.trouble = t
	}
}

// trouble returns a shard that has trouble, or nil.
func (g *graph[K]) trouble() *shard[K] {
	for _, s := range g.shards {
		if s.trouble.what != nothing {
			return s
		}
	}
	return nil
}

// addAll adds the states that were found for shard t. Most have just been found
// before, by the same steps in another order, which the recent ones tell; the others are
// looked up a few at a time, first in the table and then among the keys, so
// that the misses of the cache overlap.
func (g *graph[K]) addAll(t int) {
	const batch = 16
	sh := g.shards[t]
	w := int32(len(g.shards))
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
					*from.succ.at(int(f.from)*g.slots + int(f.slot)) = id*w + int32(t)
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
					*from.succ.at(int(f.from)*g.slots + int(f.slot)) = r.id*w + int32(t)
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

// step makes the step of slot in k, and returns blocked or capped if there is
// none, and otherwise 0.
func (g *graph[K]) step(k *K, slot int, written []uint64) (outcome int, t trouble) {
	p := slot
	if slot >= g.n {
		return g.giveUp(k, slot-g.n), t
	}
	auto := g.nodes[p]
	l := get(k, g.locs[p])
	n := &auto[l]
	wasInside := n.phase == Inside
	for first := true; first || n.flags&joined != 0; first = false {
		var f field
		var v uint64
		if n.reg >= 0 {
			f = g.regs[n.reg]
			v = get(k, f)
		}
		next := int32(0)
		switch n.op {
		case register.OpLoad:
			next = n.next[v]
			g.hear(k, p, n.reg)
		case register.OpSet, register.OpStore, register.OpStoreGate:
			if n.flags&over != 0 {
				return capped, t
			}
			if n.op == register.OpSet && g.awaited[n.reg] {
				if q := g.awaiting(k, p, n.reg, v, uint64(n.value)); q >= 0 {
					t = trouble{what: awaitedSet, reg: n.reg, with: int32(q)}
				}
			}
			set(k, f, uint64(n.value))
			written[n.reg] |= 1 << n.value
			g.tell(k, p, n.reg)
			if n.op == register.OpStoreGate {
				g.wakeFirst(k, g.gate[n.reg])
			}
			next = n.next[0]
		case register.OpSwap:
			g.hear(k, p, n.reg)
			if v != uint64(n.old) {
				next = n.next[answerFail]
				break
			}
			if n.flags&over != 0 {
				return capped, t
			}
			set(k, f, uint64(n.value))
			written[n.reg] |= 1 << n.value
			g.tell(k, p, n.reg)
			next = n.next[answerTrue]
		case register.OpAwait:
			if n.holds>>v&1 == 0 {
				return blocked, t
			}
			g.hear(k, p, n.reg)
			next = n.next[answerDone]
		case register.OpTest, register.OpTestFirst:
			g.hear(k, p, n.reg)
			next = n.next[n.holds>>v&1]
		case register.OpAwaitGate, opLook:
			if n.holds>>v&1 == 1 {
				g.hear(k, p, n.reg)
				if n.op == opLook {
					g.leave(k, g.gate[n.reg], p)
				}
				next = n.next[answerDone]
				break
			}
			if n.op == register.OpAwaitGate {
				g.join(k, g.gate[n.reg], p)
			}
			next = n.asleep
		case opSleep, opPanic:
			return blocked, t
		default: // opStart, opLeave
			next = n.next[0]
		}
		l = uint64(next)
		n = &auto[l]
	}
	set(k, g.locs[p], l)
	if g.heard != nil && !wasInside && n.phase == Inside && !g.enters(k, p) {
		t = trouble{what: unheard, with: -1}
	}
	return 0, t
}

// giveUp has process p give up its wait.
func (g *graph[K]) giveUp(k *K, p int) int {
	n := &g.nodes[p][get(k, g.locs[p])]
	answer := answerGiveUp
	switch n.op {
	case register.OpTestFirst:
		answer = answerTestGiveUp
	case register.OpAwait, register.OpAwaitGate, opSleep, opLook:
	default:
		return blocked
	}
	if len(n.next) <= answer {
		return blocked
	}
	if n.op == opSleep || n.op == opLook {
		g.leave(k, g.gate[n.reg], p)
		g.wakeFirst(k, g.gate[n.reg])
	}
	set(k, g.locs[p], uint64(n.next[answer]))
	return 0
}

// awaiting returns a process that awaits what becomes true when register r
// changes from one value to another, or -1.
func (g *graph[K]) awaiting(k *K, writer int, r int16, from, to uint64) int {
	for q := range g.n {
		if q == writer {
			continue
		}
		for _, w := range g.nodes[q][get(k, g.locs[q])].watches {
			if w.reg == r && w.holds>>to&1 == 1 && w.holds>>from&1 == 0 {
				return q
			}
		}
	}
	return -1
}

// The line of a gate: who stands in it, the longest wait first.

func (g *graph[K]) join(k *K, gate int8, p int) {
	for _, f := range g.lines[gate] {
		if get(k, f) == 0 {
			set(k, f, uint64(p)+1)
			return
		}
	}
}

func (g *graph[K]) leave(k *K, gate int8, p int) {
	line := g.lines[gate]
	i := 0
	for get(k, line[i]) != uint64(p)+1 {
		i++
	}
	for ; i+1 < len(line); i++ {
		set(k, line[i], get(k, line[i+1]))
	}
	set(k, line[i], 0)
}

// wakeFirst wakes the first in line, if anybody is and has not been woken.
func (g *graph[K]) wakeFirst(k *K, gate int8) {
	first := get(k, g.lines[gate][0])
	if first == 0 {
		return
	}
	f := g.locs[first-1]
	if n := &g.nodes[first-1][get(k, f)]; n.op == opSleep {
		set(k, f, uint64(n.awake))
	}
}

// The monitor for races: who has heard of the last entry and exit, in the sense
// of the Go memory model: whoever was inside has; so has a register that it
// wrote after, and whoever read that; and so on.

func (g *graph[K]) hear(k *K, p int, r int16) {
	if g.heard != nil && get(k, g.heard[g.n+int(r)]) == 1 {
		set(k, g.heard[p], 1)
	}
}

func (g *graph[K]) tell(k *K, p int, r int16) {
	if g.heard != nil {
		set(k, g.heard[g.n+int(r)], get(k, g.heard[p]))
	}
}

// enters says whether p, which enters, has heard of the last exit, and begins
// anew: of this entry only p has heard.
func (g *graph[K]) enters(k *K, p int) bool {
	knew := get(k, g.heard[p]) == 1
	for _, f := range g.heard {
		set(k, f, 0)
	}
	set(k, g.heard[p], 1)
	return knew
}

// Questions about states.

func (g *graph[K]) key(id int32) *K {
	return g.shards[g.shardOf(id)].keys.at(g.number(id))
}

// shardOf and number take the name of a state apart.
func (g *graph[K]) shardOf(id int32) int { return int(id) & (1<<g.split - 1) }

func (g *graph[K]) number(id int32) int { return int(id) >> g.split }

// limit is one more than the largest name of a state.
func (g *graph[K]) limit() int32 {
	most := 0
	for _, s := range g.shards {
		most = max(most, s.keys.n)
	}
	return int32(most * len(g.shards))
}

func (g *graph[K]) exists(id int32) bool {
	return g.number(id) < g.shards[g.shardOf(id)].keys.n
}

// name returns the name of the state k, if it was found.
func (g *graph[K]) name(k *K) (int32, bool) {
	h := hash(k)
	t := g.shard(h)
	id := g.shards[t].find(k, h)
	return id*int32(len(g.shards)) + int32(t), id >= 0
}

// successor returns where slot leads from a state: a state, blocked or capped.
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
		return capped // found in the level that was not explored
	}
	return to
}

func (g *graph[K]) node(id int32, p int) *node { return &g.nodes[p][get(g.key(id), g.locs[p])] }

func (g *graph[K]) phase(id int32, p int) Phase { return g.phases[p][get(g.key(id), g.locs[p])] }

// entry says whether process p is in its entry protocol.
func (g *graph[K]) entry(id int32, p int) bool {
	ph := g.phase(id, p)
	return ph == Doorway || ph == Waiting
}

// forgetTables gives up the tables by which states are found.
func (g *graph[K]) forgetTables() {
	for _, s := range g.shards {
		s.table, s.out, s.recent = nil, nil, nil
	}
}

// worst returns the trouble of the last level: of several kinds, the first.
func (g *graph[K]) worst() trouble {
	var w trouble
	for _, s := range g.shards {
		if t := s.trouble; t.what != nothing && (w.what == nothing || t.what < w.what) {
			w = t
		}
	}
	return w
}

// has says whether a state, or a step from it, is trouble of that kind.
func (g *graph[K]) has(id int32, what wrong) bool {
	inside := 0
	for p := range g.n {
		n := g.node(id, p)
		if n.phase == Inside {
			inside++
		}
		if n.op == opPanic && what == panicked {
			return true
		}
	}
	if what == twoInside {
		return inside > 1
	}
	written := make([]uint64, len(g.vars))
	for slot := range g.slots {
		k := *g.key(id)
		if _, t := g.step(&k, slot, written); t.what == what && what != nothing {
			return true
		}
	}
	return false
}

// after returns the state that a schedule leads to from the first.
func (g *graph[K]) after(schedule []int) int32 {
	id := g.root
	for _, slot := range schedule {
		id = g.successor(id, slot)
	}
	return id
}

// whoIsInside names the processes that are inside.
func (g *graph[K]) whoIsInside(id int32) string {
	var who []string
	for p := range g.n {
		if g.phase(id, p) == Inside {
			who = append(who, fmt.Sprint(p))
		}
	}
	return "processes " + strings.Join(who, " and ") + " are inside"
}

// registers returns what is known of the registers.
func (g *graph[K]) registers() []Register {
	all := make([]Register, len(g.vars))
	for r := range g.vars {
		v := &g.vars[r]
		all[r] = Register{Name: v.name, Largest: v.values[0]}
		for k, value := range v.values {
			for _, s := range g.shards {
				if s.written[r]>>k&1 == 1 {
					all[r].Largest = max(all[r].Largest, value)
				}
			}
		}
		for p, w := range v.writes {
			if w {
				all[r].Writers = append(all[r].Writers, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Register) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// uncontended returns the most reads and the most writes that an entry and exit
// make from any state in which everybody is in the remainder section, while the
// others stay there.
func (g *graph[K]) uncontended() (reads, writes int) {
	all := uint8(1)<<g.n - 1
	for id := range g.limit() {
		if !g.exists(id) || g.resting(id) != all {
			continue
		}
		for p := range g.n {
			r, w := g.round(*g.key(id), p)
			reads, writes = max(reads, r), max(writes, w)
		}
	}
	return reads, writes
}

// round counts the accesses of process p from its remainder section in k until it
// is there again, or must wait.
func (g *graph[K]) round(k K, p int) (reads, writes int) {
	written := make([]uint64, len(g.vars))
	for steps := 0; steps < maxRun; steps++ {
		n := &g.nodes[p][get(&k, g.locs[p])]
		for {
			switch n.op {
			case register.OpSet, register.OpStore, register.OpStoreGate:
				writes++
			case register.OpSwap:
				reads, writes = reads+1, writes+1
			case opStart, opLeave, opSleep, opPanic:
			default:
				reads++
			}
			answer := 0
			if n.op == register.OpLoad {
				answer = int(get(&k, g.regs[n.reg]))
			}
			if len(n.next) <= answer || n.next[answer] < 0 {
				break
			}
			if n = &g.nodes[p][n.next[answer]]; n.flags&joined == 0 {
				break
			}
		}
		if c, _ := g.step(&k, p, written); c < 0 || g.nodes[p][get(&k, g.locs[p])].phase == Remainder {
			break
		}
	}
	return reads, writes
}
