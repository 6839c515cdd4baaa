package machine

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A liveness finds the registers that are needed when each instruction begins, and those that are while it is a call.
type liveness struct {
	*compiler
	in    []set // by block: what is needed when it begins
	kinds []kind
}

// A set is of registers.
type set []uint64

func (s set) add(k int) { s[k/64] |= 1 << (k % 64) }

func (s set) remove(k int) { s[k/64] &^= 1 << (k % 64) }

func (s set) has(k int) bool { return s[k/64]>>(k%64)&1 != 0 }

func (c *compiler) liveness() {
	blocks := c.fn.ssa.Blocks
	l := liveness{c, make([]set, len(blocks)), make([]kind, c.fn.size)}
	for k := range l.in {
		l.in[k] = l.none()
	}
	for v, at := range c.slots {
		copy(l.kinds[at:], c.layout.of(v.Type()).kinds)
	}
	for again := true; again; {
		again = false
		for _, b := range slices.Backward(blocks) {
			if now := l.block(b, false); !slices.Equal(now, l.in[b.Index]) {
				l.in[b.Index], again = now, true
			}
		}
	}
	c.fn.live, c.fn.across = make([][]slot, len(c.lists)), make([][]slot, len(c.lists))
	for _, b := range blocks {
		l.block(b, true)
	}
}

func (l *liveness) none() set { return make(set, (l.fn.size+63)/64) }

// each calls f with the registers of a value.
func (l *liveness) each(v ssa.Value, f func(k int)) {
	if at, ok := l.slots[v]; ok {
		for k := range l.layout.of(v.Type()).size() {
			f(at + k)
		}
	}
}

func (l *liveness) list(now set) (all []slot) {
	for k := range l.fn.size {
		if l.Fine || now.has(k) {
			all = append(all, slot{int32(k), l.kinds[k]})
		}
	}
	return all
}

// block returns what is needed when a block begins, and keeps what is before and after each of its instructions if asked.
func (l *liveness) block(b *ssa.BasicBlock, keep bool) set {
	now := l.none()
	for _, s := range b.Succs {
		for k, w := range l.in[s.Index] {
			now[k] |= w
		}
		pred := slices.Index(s.Preds, b)
		for _, i := range s.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				break
			}
			l.each(phi.Edges[pred], now.add)
		}
	}
	n := l.starts[b]
	for _, i := range b.Instrs {
		n += int(bit(coded(i)))
	}
	var ops []*ssa.Value
	for _, i := range slices.Backward(b.Instrs) {
		if v, ok := i.(ssa.Value); ok {
			l.each(v, now.remove)
		}
		if !coded(i) {
			continue
		}
		n--
		if keep {
			l.fn.across[n] = l.list(now)
		}
		ops = i.Operands(ops[:0])
		for _, o := range ops {
			if *o != nil {
				l.each(*o, now.add)
			}
		}
		if keep {
			l.fn.live[n] = l.list(now)
		}
	}
	return now
}
