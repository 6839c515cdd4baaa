package graph

import (
	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// safely is the system of the automata with safe registers: a write takes two steps, and a
// read between them may return any value that the register can ever hold
// (L. Lamport, "On interprocess communication", 1986). Registers with a single
// writer, and without read-modify-writes, are safe; the others stay atomic.
type safely[K space.Key] struct {
	Program
	layout Layout
	busy   []space.Field // by register: it is being written
	safe   []bool        // by register
	fails  [space.Shards]bool
}

// Safely searches the states with safe registers for one in which two processes are
// inside, or one panics. It returns a shortest schedule to such a state, nil if there is
// none, and which registers are safe.
func Safely(p Program, o space.Options) (schedule []automaton.Access, safe []bool, err error) {
	layout := NewLayout(p, false)
	var busy []space.Field
	for r := range p.Variables {
		safe = append(safe, p.Variables[r].Word != nil && p.Variables[r].Writers() == 1)
		busy = append(busy, layout.Lay(1))
	}
	for _, auto := range p.Automata {
		for i := range auto {
			switch auto[i].Op {
			case hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
				safe[auto[i].Reg] = false
			}
		}
	}
	err = layout.Explore(func() (err error) {
		schedule, err = (&safely[[1]uint64]{Program: p, layout: layout, busy: busy, safe: safe}).run(o)
		return err
	}, func() (err error) {
		schedule, err = (&safely[[2]uint64]{Program: p, layout: layout, busy: busy, safe: safe}).run(o)
		return err
	})
	return schedule, safe, err
}

// run searches the states, and returns the schedule of Safely.
func (y *safely[K]) run(o space.Options) (schedule []automaton.Access, err error) {
	var k K
	s := space.New(k, y, o)
	complete, err := s.Explore(func() bool { return y.fails != [space.Shards]bool{} })
	if complete || err != nil {
		return nil, err
	}
	for _, nth := range s.Paths().Shortest(s.Depth(), func(node int) bool { return y.wrong(s.Key(space.ID(node))) }) {
		from := k
		y.each(&from, func(to K, a automaton.Access) {
			if nth == 0 {
				k, schedule = to, append(schedule, a)
			}
			nth--
		})
	}
	return schedule, nil
}

// Steps tells the states to which steps lead from k.
func (y *safely[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	if y.wrong(k) {
		y.fails[shard] = true
	}
	y.each(k, func(to K, _ automaton.Access) { out.To(&to) })
	return true
}

// each calls lead for each state to which a step leads from k.
func (y *safely[K]) each(k *K, lead func(K, automaton.Access)) {
	for p := range y.Automata {
		y.step(*k, p, lead)
	}
}

// wrong reports whether two processes are inside, or one panics.
func (y *safely[K]) wrong(k *K) bool {
	inside, panics := 0, false
	for p := range y.Automata {
		if y.phase(k, p) == phase.Inside {
			inside++
		}
		panics = panics || y.Automata[p][space.Get(k, y.layout.locs[p])].Op == automaton.OpPanic
	}
	return inside > 1 || panics
}

// phase returns the phase of p. While the first write of its exit has only begun, p
// is still inside: the write is not observable yet.
func (y *safely[K]) phase(k *K, p int) phase.Phase {
	n := &y.Automata[p][space.Get(k, y.layout.locs[p])]
	if n.Phase == phase.Inside && n.Reg >= 0 && y.safe[n.Reg] && space.Get(k, y.busy[n.Reg]) == 1 && y.writes(n) {
		return phase.Exit
	}
	return n.Phase
}

func (y *safely[K]) writes(n *automaton.Node) bool {
	return n.Op == hook.OpSet || n.Op == hook.OpStore
}

// step calls lead for each state to which a step of p leads from k.
func (y *safely[K]) step(k K, p int, lead func(K, automaton.Access)) {
	n := &y.Automata[p][space.Get(&k, y.layout.locs[p])]
	c := automaton.Access{Process: p, Value: -1}
	goTo := func(answer int) {
		t := k
		space.Set(&t, y.layout.locs[p], uint64(n.Next[answer]))
		lead(t, c)
	}
	if n.Reg < 0 {
		if len(n.Next) > 0 {
			goTo(0)
		}
		return
	}
	f := y.layout.Registers[n.Reg]
	v := space.Get(&k, f)
	seen := uint64(1) << v // the values that may be read
	if y.safe[n.Reg] && space.Get(&k, y.busy[n.Reg]) == 1 {
		seen = 1<<len(y.Variables[n.Reg].Values) - 1
	}
	write := func(value uint64, answer int) {
		space.Set(&k, f, value)
		goTo(answer)
	}
	switch {
	case y.writes(n):
		if n.Flags&automaton.Over != 0 {
			return
		}
		if y.safe[n.Reg] && space.Get(&k, y.busy[n.Reg]) == 0 {
			space.Set(&k, y.busy[n.Reg], 1)
			lead(k, c)
		} else {
			space.Set(&k, y.busy[n.Reg], 0)
			write(uint64(n.Value), automaton.AnswerDone)
		}
	case n.Op == hook.OpBegin || n.Op == hook.OpEnd:
		if n.Op == hook.OpEnd || v == 0 {
			write(1-v, automaton.AnswerDone)
		}
	case n.Op == hook.OpCompareAndSwap:
		if v != uint64(n.Old) {
			goTo(automaton.AnswerFail)
		} else if n.Flags&automaton.Over == 0 {
			write(uint64(n.Value), automaton.AnswerTrue)
		}
	case n.Op == hook.OpSwap || n.Op == hook.OpFetchAdd:
		if to := n.Exchanged(v); to != automaton.NoValue {
			write(uint64(to), int(v))
		}
	default:
		for k := range y.Variables[n.Reg].Values {
			if seen>>k&1 == 1 {
				c.Value = k
				y.read(n, k, goTo)
			}
		}
	}
}

// read continues after n has read value k.
func (y *safely[K]) read(n *automaton.Node, k int, goTo func(int)) {
	holds := int(n.Holds >> k & 1)
	switch n.Op {
	case hook.OpLoad:
		goTo(k)
	case hook.OpAwaitValue, hook.OpTryValue:
		if holds == 1 {
			goTo(automaton.AnswerValue + k)
		} else if n.Op == hook.OpTryValue {
			goTo(automaton.AnswerNoValue)
		}
	case hook.OpTest, hook.OpTestFirst, hook.OpTry:
		goTo(holds)
	case hook.OpAwait, hook.OpAwaitExclusive:
		if holds == 1 {
			goTo(automaton.AnswerDone)
		}
	}
}
