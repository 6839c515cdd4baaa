package explore

import (
	"fmt"
	"math/rand/v2"

	"example.org/doorway/internal/seam"
)

// conformSteps is how many operations of each process are compared with its
// automaton.
const conformSteps = 20_000

// conform runs the protocols of every process, round after round and nothing
// left out, on answers drawn at random among those that are possible, and
// compares what they do with the automata. So a process that carries anything
// from one try or round to the next outside of registers is found out, if it
// takes effect within a few hundred rounds.
func (x *extraction) conform(nodes [][]node) error {
	return x.watched(func() {
		for p := range nodes {
			for seed := range uint64(4) {
				w := &walker{x: x, nodes: nodes[p], p: p, random: rand.New(rand.NewPCG(seed, uint64(p)))}
				w.make()
			}
		}
	})
}

// walker is such a run of one process. It is the seam.Host that the run is
// made on.
type walker struct {
	x      *extraction
	nodes  []node
	p      int
	at     int32
	try    bool
	steps  int
	random *rand.Rand
}

func (w *walker) make() {
	defer func() {
		switch e := recover().(type) {
		case nil, abandoned:
		case refused:
			panic(e)
		default: // it panics on values that it cannot read, perhaps: the graph will tell
			if w.nodes[w.at].op != opPanic {
				panic(refused{fmt.Errorf("explore: after %d operations process %d panics, where it did not when it read the same before: %v", w.steps, w.p, e)})
			}
		}
	}()
	seam.Attach(w)
	r := &run{x: w.x, t: w.x.trees[w.p]}
	for {
		w.try = w.Do(seam.Operation{Op: opStart}) == answerTry
		r.try = w.try
		if !r.enter() {
			continue
		}
		w.Do(seam.Operation{Op: opLeave})
		w.x.lock.Unlock(w.p)
	}
}

func (w *walker) Do(op seam.Operation) uint64 {
	w.x.ops.Add(1)
	if w.steps++; w.steps > conformSteps/4 {
		panic(abandoned{})
	}
	n := &w.nodes[w.at]
	if !w.same(n, op) {
		panic(refused{w.x.broken("after %d operations process %d does something else than it did when it read the same before: it keeps something outside of registers", w.steps-1, w.p)})
	}
	var answers []int
	for k, to := range n.next {
		if to >= 0 {
			answers = append(answers, k)
		}
	}
	if len(answers) == 0 {
		panic(abandoned{})
	}
	k := answers[w.random.IntN(len(answers))]
	w.at = n.next[k]
	l := local{op: n.op, reg: n.reg}
	return w.x.reply(&l, k)
}

// same reports whether op is what the automaton does.
func (w *walker) same(n *node, op seam.Operation) bool {
	if op.Op != n.op {
		return false
	}
	if op.Word == nil {
		return true
	}
	if r, ok := w.x.of[op.Word]; !ok || r != n.reg {
		return false
	}
	if op.Holds != nil && w.x.mask(n.reg, op.Holds) != n.holds {
		return false
	}
	switch op.Op {
	case seam.OpSet, seam.OpStore, seam.OpStoreGate, seam.OpSwap:
		if n.flags&over != 0 {
			return op.Value > w.x.cfg.Cap
		}
		return w.x.vars[n.reg].values[n.value] == op.Value
	}
	return true
}

func (w *walker) Mark() int                     { return 0 }
func (w *walker) Again(int)                     {}
func (w *walker) Passed(int, uint64)            {}
func (w *walker) Comes(seam.Boundary, any, int) {}
func (w *walker) Absorb()                       {}
func (w *walker) Tries() bool                   { return !w.try }
