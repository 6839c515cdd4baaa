package explore

import (
	"fmt"

	"example.org/doorway/internal/seam"
	"example.org/doorway/mutex"
)

// Accesses are what an entry and exit cost a process that is alone.
type Accesses struct {
	Reads, Writes int // a swap counts as both
	Registers     int // that any process touches, all processes together
	Written       int // those of them that some process writes; the others are padding
	Held          int // that are in the fields of the lock, touched or not
}

// Alone runs an entry and exit of each process of a new lock for n processes, one after
// the other, and returns the most accesses that any made. It returns [ErrBuild]
// in a build without the tag doorway_explore, and an error if a process waits though
// nobody else is there.
func Alone(newLock func(n int) mutex.Mutex, n int) (Accesses, error) {
	if !seam.Hosted {
		return Accesses{}, ErrBuild
	}
	exploring.Lock()
	defer exploring.Unlock()
	lock, err := made(newLock, n)
	if err != nil {
		return Accesses{}, err
	}
	x := &extraction{lock: lock}
	c := &counter{x: x, values: map[*seam.Number]uint64{}, written: map[*seam.Number]bool{}}
	var most Accesses
	err = x.watched(func() {
		seam.Attach(c)
		for i := range n {
			c.process, c.made, c.reads, c.writes = i, 0, 0, 0
			x.lock.Lock(i)
			x.lock.Unlock(i)
			most.Reads, most.Writes = max(most.Reads, c.reads), max(most.Writes, c.writes)
		}
	})
	most.Registers, most.Written, most.Held = len(c.values), len(c.written), len(x.fields())
	return most, err
}

// A counter is a seam.Host that holds values and counts accesses.
type counter struct {
	x             *extraction
	values        map[*seam.Number]uint64
	written       map[*seam.Number]bool
	process, made int // operations
	reads, writes int
}

func (c *counter) Do(op seam.Operation) uint64 {
	c.x.ops.Add(1)
	if c.made++; c.made > maxRun {
		panic(refused{fmt.Errorf("explore: process %d makes more than %d operations though it is alone", c.process, maxRun)})
	}
	if op.Word == nil {
		return 0 // an atomic step begins or ends
	}
	v, ok := c.values[op.Word]
	if !ok {
		v = op.Word.Load()
		c.values[op.Word] = v
	}
	holds := op.Holds != nil && op.Holds(v)
	switch op.Op {
	case seam.OpLoad:
		c.reads++
		return v
	case seam.OpSet, seam.OpStore, seam.OpStoreGate:
		c.writes++
		c.values[op.Word], c.written[op.Word] = op.Value, true
		return 0
	case seam.OpSwap:
		c.reads, c.writes = c.reads+1, c.writes+1
		c.written[op.Word] = true
		if v != op.Old {
			return 0
		}
		c.values[op.Word] = op.Value
		return 1
	}
	c.reads++
	if !holds && op.Op != seam.OpTestFirst {
		panic(refused{fmt.Errorf("explore: process %d waits though it is alone", c.process)})
	}
	if !holds {
		return 0
	}
	return 1
}

func (c *counter) Mark() int           { return 0 }
func (c *counter) Again(int)           {}
func (c *counter) Passed(int, uint64)  {}
func (c *counter) Comes(seam.Boundary) {}
func (c *counter) Absorb()             {}

// uncontended returns the most reads and the most writes that an entry and exit
// make from any state in which everybody is in the remainder section, while the
// others stay there; [Unbounded] if an entry or exit does not end then.
func (g *graph[K]) uncontended() (reads, writes int) {
	all := uint8(1)<<g.n - 1
	for id := range g.limit() {
		if !g.exists(id) || g.resting(id) != all {
			continue
		}
		for p := range g.n {
			r, w, ok := g.round(*g.key(id), p)
			if !ok {
				return Unbounded, Unbounded
			}
			reads, writes = max(reads, r), max(writes, w)
		}
	}
	return reads, writes
}

// round counts the accesses of process p from its remainder section in k until it
// is there again, and returns false if it never is.
func (g *graph[K]) round(k K, p int) (reads, writes int, ok bool) {
	written := make([]uint64, len(g.vars))
	for range maxRun {
		n := &g.nodes[p][get(&k, g.locs[p])]
		for {
			switch n.op {
			case seam.OpSet, seam.OpStore, seam.OpStoreGate:
				writes++
			case seam.OpSwap:
				reads, writes = reads+1, writes+1
			case opStart, opLeave, opSleep, opPanic, seam.OpBegin, seam.OpEnd:
			default:
				reads++
			}
			answer := 0
			if n.op == seam.OpLoad {
				answer = int(get(&k, g.regs[n.reg]))
			}
			if len(n.next) <= answer || n.next[answer] < 0 {
				break
			}
			if n = &g.nodes[p][n.next[answer]]; n.flags&joined == 0 {
				break
			}
		}
		switch c, _ := g.step(&k, p, written); {
		case c == capped:
			return reads, writes, true // it may be what is seen of a larger number
		case c == blocked:
			return 0, 0, false
		case g.nodes[p][get(&k, g.locs[p])].phase == phaseRemainder:
			return reads, writes, true
		}
	}
	return 0, 0, false
}
