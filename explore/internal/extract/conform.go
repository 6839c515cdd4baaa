package extract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/memory/hook"
)

// conformSteps is the number of operations of each process that are compared with
// its automaton.
const conformSteps = 20_000

// conform runs the protocols of every process, complete round after round, on
// random possible answers, and compares their operations with the automata. This
// detects a process that carries state from one try or round to the next outside
// of registers, if the state has an effect within a few hundred rounds.
func (x *Extraction) conform(nodes [][]automaton.Node) error {
	return x.Watched(func() {
		for p := range nodes {
			for seed := range uint64(4) {
				w := &walker{x: x, nodes: nodes[p], p: p, random: rand.New(rand.NewPCG(seed, uint64(p)))}
				w.make()
			}
		}
	})
}

// A walker is such a run of one process. It is the hook.Host of the run.
type walker struct {
	hook.Aloof
	x      *Extraction
	nodes  []automaton.Node
	p      int
	at     int32
	by     uint64
	steps  int
	random *rand.Rand
}

func (w *walker) make() {
	defer func() {
		switch e := recover().(type) {
		case nil, abandoned:
		case refused:
			panic(e)
		default: // perhaps a panic on values that it cannot read: the graph decides
			if w.nodes[w.at].Op != automaton.OpPanic {
				panic(refused{fmt.Errorf("explore: process %[2]d panics after %[1]d operations, but did not on the same reads before: %[3]v", w.steps, w.p, e)})
			}
		}
	}()
	hook.Attach(w)
	for {
		w.by = w.Do(hook.Operation{Op: automaton.OpStart})
		if !w.x.Enter(w.p, w.by) {
			continue
		}
		w.Do(hook.Operation{Op: automaton.OpLeave})
		w.x.Lock.Unlock(w.p)
	}
}

func (w *walker) Do(op hook.Operation) uint64 {
	w.x.Ops.Add(1)
	if w.steps++; w.steps > conformSteps/4 {
		panic(abandoned{})
	}
	n := &w.nodes[w.at]
	if !w.same(n, op) {
		panic(refused{w.x.broken("process %[2]d behaves differently on the same reads, after %[1]d operations: it keeps state outside of registers", w.steps-1, w.p)})
	}
	var answers []int
	for k, to := range n.Next {
		if to >= 0 {
			answers = append(answers, k)
		}
	}
	if len(answers) == 0 {
		panic(abandoned{})
	}
	k := answers[w.random.IntN(len(answers))]
	w.at = n.Next[k]
	l := automaton.Local{Op: n.Op, Reg: n.Reg}
	return w.x.give(op, w.x.reply(&l, k))
}

// same reports whether op is the operation of the automaton.
func (w *walker) same(n *automaton.Node, op hook.Operation) bool {
	if op.Op != n.Op {
		return false
	}
	if op.Word == nil {
		return true
	}
	if r, ok := w.x.of[op.Word]; !ok || r != n.Reg {
		return false
	}
	if op.Holds != nil && w.x.Variables[n.Reg].Mask(op.Holds) != n.Holds {
		return false
	}
	switch op.Op {
	case hook.OpSet, hook.OpStore, hook.OpCompareAndSwap, hook.OpSwap:
		if n.Flags&automaton.Over != 0 {
			return op.Value > w.x.Cap
		}
		return w.x.Variables[n.Reg].Values[n.Value] == op.Value
	case hook.OpFetchAdd:
		return slices.Equal(w.x.Variables[n.Reg].Sums(op.Value), n.Sums)
	}
	return true
}

func (w *walker) Foreign(of *atomic.Uint64) { w.x.Foreign(of) }
func (w *walker) Tries() bool               { return w.by != automaton.AnswerTry }
