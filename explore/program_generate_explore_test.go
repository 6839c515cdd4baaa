//go:build doorway_explore

package explore_test

// randomProgram returns a program of random choices: choose returns one of 0 to n-1.
// Most programs are known locks, changed in a few places.
func randomProgram(choose func(n int) int) *lockProgram {
	g := generator{choose: choose, n: 2 + choose(4)/3}
	p := &lockProgram{GiveUp: choose(2) == 1}
	kind, twin := choose(len(locks)), choose(4) > 0
	changes := max(0, choose(5)-1)
	doorway, at := choose(4), choose(6)
	for i := range g.n {
		g.i = i
		if !twin {
			kind = choose(len(locks))
		}
		entry, exit := locks[kind](&g)
		switch doorway {
		case 0, 1: // as it is
		case 2:
			entry = without(entry, Doorway)
		default:
			entry = without(entry, Doorway)
			at = min(at, len(entry))
			entry = append(append(entry[:at:at], Op{Kind: Doorway}), entry[at:]...)
		}
		if p.GiveUp && choose(8) == 0 { // an abort lets it in
			entry = append(entry, Op{Kind: Await, Reg: choose(Registers), Holds: only(Cap), Forget: true})
		}
		if wait := g.await(choose(Registers), Values(1+choose(1<<(Cap+1)-1))); choose(8) == 0 {
			exit = append(exit, wait)
		}
		p.Entry, p.Exit = append(p.Entry, entry), append(p.Exit, exit)
	}
	for range changes {
		i := choose(g.n)
		g.i = i
		if choose(4) == 0 {
			p.Exit[i] = g.change(p.Exit[i])
		} else {
			p.Entry[i] = g.change(p.Entry[i])
		}
	}
	if p.GiveUp && choose(6) == 0 {
		for i := range g.n {
			p.Try = append(p.Try, append([]Op{g.any(0)}, p.Entry[i]...)) // differs from Entry in any case
		}
	}
	return p
}

// A generator makes the protocols of process i of n.
type generator struct {
	choose func(int) int
	n, i   int
}

func without(ops []Op, k Kind) (all []Op) {
	for _, o := range ops {
		if o.Kind != k {
			all = append(all, o)
		}
	}
	return all
}

func only(x int) Values { return 1 << x }

func not(x int) Values { return (1<<(Cap+1) - 1) &^ only(x) }

func store(r, x int) Op { return Op{Kind: Store, Reg: r, Value: Value(x)} }

func repeat(ops ...Op) Op { return Op{Kind: Repeat, Body: ops} }

// await is an await that withdraws by undo: now and then not at all, or it forgets.
func (g *generator) await(r int, holds Values, undo ...Op) Op {
	o := Op{Kind: Await, Reg: r, Holds: holds, Body: undo}
	switch g.choose(14) {
	case 8:
		o.Body = nil
	case 9:
		o.Forget = true
	case 10:
		o.Kind = AwaitValue
	}
	return o
}

// others returns what of returns for each other process.
func (g *generator) others(from, to int, of func(j int) Op) (all []Op) {
	for j := from; j < to; j++ {
		if j != g.i {
			all = append(all, of(j))
		}
	}
	return all
}

// The locks that programs are made from.
var locks = []func(g *generator) (entry, exit []Op){
	func(g *generator) (entry, exit []Op) { // test-and-set
		return []Op{repeat(Op{Kind: CAS, Value: Value(g.i + 1), Else: []Op{{Kind: Again}}})}, []Op{store(0, 0)}
	},
	func(g *generator) (entry, exit []Op) { // that waits before it tries
		return []Op{repeat(g.await(0, only(0)), Op{Kind: CAS, Value: 1, Else: []Op{{Kind: Again}}})}, []Op{store(0, 0)}
	},
	func(g *generator) (entry, exit []Op) { // Peterson's
		other := (g.i + 1) % g.n
		either := g.await(other, only(0), store(g.i, 0))
		either.Kind, either.Other, either.OtherHolds = Either, 2, not(g.i)
		return []Op{store(g.i, 1), store(2, g.i), {Kind: Doorway}, either}, []Op{store(g.i, 0)}
	},
	func(g *generator) (entry, exit []Op) { // tickets
		wrap := only(Cap)
		if g.choose(3) == 0 {
			wrap = only(Cap + 1) // never
		}
		next := func(r int) []Op {
			return []Op{{Kind: Load, Reg: r}, {Kind: If, Holds: wrap, Body: []Op{store(r, 0)}, Else: []Op{{Kind: Store, Reg: r, Value: Next}}}}
		}
		return []Op{{Kind: Atomic, Body: next(0)}, {Kind: Doorway}, g.await(1, 0)}, next(1)
	},
	func(g *generator) (entry, exit []Op) { // flags that deadlock
		entry = append([]Op{store(g.i, 1), {Kind: Doorway}}, g.others(0, g.n, func(j int) Op {
			return g.await(j, only(0), store(g.i, 0))
		})...)
		if g.choose(2) == 0 {
			entry = append(entry, store(g.i, 2)) // as a safe register it might hold 0
		}
		return entry, []Op{store(g.i, 0)}
	},
	func(g *generator) (entry, exit []Op) { // flags that livelock
		return []Op{repeat(append([]Op{store(g.i, 1)}, g.others(0, g.n, func(j int) Op {
			return Op{Kind: CAS, Reg: j, Else: []Op{store(g.i, 0), {Kind: Again}}}
		})...)...)}, []Op{store(g.i, 0)}
	},
	func(*generator) (entry, exit []Op) { // test-and-set, by a swap
		return []Op{repeat(Op{Kind: Swap, Value: 1}, Op{Kind: If, Holds: not(0), Body: []Op{{Kind: Again}}})}, []Op{store(0, 0)}
	},
	func(g *generator) (entry, exit []Op) { // tickets, by a fetch-and-add
		return []Op{{Kind: FetchAdd, Value: 1}, {Kind: Doorway}, g.await(1, 0)}, []Op{{Kind: FetchAdd, Reg: 1, Value: 1}}
	},
	func(g *generator) (entry, exit []Op) { // turns, or what may never be
		wait := g.await(2, only(g.i))
		if g.choose(2) == 0 {
			wait.Kind, wait.Other, wait.OtherHolds = Either, g.choose(2), only(g.choose(Cap))
		}
		return []Op{wait}, []Op{store(2, (g.i+1)%g.n)}
	},
	func(g *generator) (entry, exit []Op) { // one bit: Burns, Lamport
		free := func(j int) Op { return g.await(j, only(0), store(g.i, 0)) }
		try := append([]Op{store(g.i, 0)}, g.others(0, g.i, free)...)
		try = append(try, store(g.i, 1))
		for _, o := range g.others(0, g.i, func(j int) Op { return Op{Kind: Load, Reg: j} }) {
			try = append(try, o, Op{Kind: If, Holds: not(0), Body: []Op{{Kind: Again}}})
		}
		return append([]Op{repeat(try...)}, g.others(g.i+1, g.n, free)...), []Op{store(g.i, 0)}
	},
	func(g *generator) (entry, exit []Op) { // anything
		for range 1 + g.choose(5) {
			entry = append(entry, g.any(2))
		}
		for range g.choose(3) {
			exit = append(exit, g.any(1))
		}
		return entry, exit
	},
}

// any returns any operation, or a part of a protocol of no more than that depth.
func (g *generator) any(depth int) Op {
	kinds := []Kind{Store, Load, Store, CAS, Set, Await, AwaitValue, Swap, FetchAdd}
	if depth > 0 {
		kinds = append(kinds, If, Either, Atomic)
	}
	o := g.await(g.choose(Registers), Values(g.choose(1<<(Cap+1))), store(g.i%Registers, 0))
	o.Kind, o.Other, o.OtherHolds = kinds[g.choose(len(kinds))], g.choose(Registers), Values(g.choose(1<<(Cap+1)))
	o.Old, o.Value = uint64(g.choose(2)), Value(g.choose(int(Next)+1))
	switch o.Kind {
	case Atomic:
		o.Reg, o.Body = g.choose(steps), []Op{{Kind: Load, Reg: o.Other}, {Kind: Store, Reg: g.choose(Registers), Value: o.Value}}
	case CAS, If:
		o.Body = nil
		if depth > 0 {
			o.Body, o.Else = []Op{g.any(depth - 1)}, []Op{g.any(depth - 1)}
		}
	}
	return o
}

// change returns ops with a random change.
func (g *generator) change(ops []Op) []Op {
	ops = append([]Op{}, ops...)
	if len(ops) == 0 {
		return []Op{g.any(0)}
	}
	k := g.choose(len(ops))
	o := &ops[k]
	if o.Kind == Repeat || o.Kind != Atomic && g.choose(2) == 0 {
		if len(o.Body) > 0 && !o.Kind.waits() {
			o.Body = g.change(o.Body)
			return ops
		}
	}
	switch g.choose(6) {
	case 0:
		return append(ops[:k], ops[k+1:]...)
	case 1:
		return append(append(ops[:k:k], g.any(1)), ops[k:]...)
	case 2:
		j := g.choose(len(ops))
		ops[k], ops[j] = ops[j], ops[k]
	case 3:
		o.Forget = !o.Forget
		o.Value = Value(g.choose(int(Next) + 1))
	case 4:
		o.Holds ^= only(g.choose(Cap + 1))
		if o.Kind == Store && g.choose(2) == 0 {
			o.Kind = Set
		}
	default:
		if o.Kind != Atomic {
			o.Reg = g.choose(Registers)
		}
	}
	return ops
}
