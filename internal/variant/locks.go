package variant

// Locks are the broken locks that the lecture mentions and similar ones, and locks
// that are correct unless a process aborts: they withdraw, or just abandon, an
// acquisition that must be absorbed.
var Locks = []Variant{
	{
		Name: "peterson/turn-first", Of: "peterson", Package: "peterson", Files: []string{"peterson.go"},
		Old:    "\tl.want[i].Set(1)        // 1: no process awaits that the other wants\n\tl.turn.Store(uint64(i)) // 2\n",
		New:    "\tl.turn.Store(uint64(i)) // wrong: after the next line\n\tl.want[i].Set(1)\n",
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "turn is written before want: the other process enters while want is still false, then turn lets this one enter too",
	},
	{
		Name: "tournament/leaf-first", Of: "tournament", Package: "tournament", Files: []string{"tournament.go"},
		Old:    "\tfor k := bits.Len(uint(leaf)) - bits.Len(uint(c)); k >= 0; k-- {\n",
		New:    "\tfor k := range 1 + bits.Len(uint(leaf)) - bits.Len(uint(c)) { // wrong: from the root\n",
		Source: purpose, Refuted: Exclusion, Fewest: 3,
		Why: "flags are lowered from the leaf up: a sibling climbs and raises a flag, which the leaving process then lowers",
	},
	{
		Name: "lamportfast/want-first", Of: "lamportfast", Package: "lamportfast", Files: []string{"lamportfast.go"},
		Old:    "\tl.y.Store(0)            // 16\n\tl.want[p.ID()].Store(0) // 17\n",
		New:    "\tl.want[p.ID()].Store(0) // wrong: after the next line\n\tl.y.Store(0)\n",
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "want is lowered before y: a process enters past line 11, and y := 0 then opens the gate behind it",
	},
	{
		Name: "bakery/late-number", Of: "bakery-simple", Package: "bakery", Files: []string{"simple.go", "classic.go"},
		Old:    "\tl.step.Do(func() { // 2\n\t\tlast, k = maximum(l.number)\n\t\tl.number[i].Set(1 + last) // no process awaits that another has one\n\t})\n",
		New:    "\tl.step.Do(func() { last, k = maximum(l.number) })\n\tl.number[i].Set(1 + last) // wrong: in the same step\n",
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "the maximum is one atomic step, the assignment a later one: another process takes the same number and enters in between",
	},
	{
		Name: "bakery/maxpos", Of: "bakery-classic", Package: "bakery", Files: []string{"classic.go"},
		Old: "\tlast, k := maximum(l.number) // 3\n",
		New: `	k := i
	for j := range l.number {
		if l.number[k].Load() < l.number[j].Load() {
			k = j
		}
	}
	last := l.number[k].Load() // wrong: the value that was seen there
`,
		Source: purpose, Refuted: Exclusion, Fewest: 3,
		Why: "the largest number is read a second time and has become 0: the process takes a number that is too small",
	},
	{
		Name: "lamportfast/just-leave", Of: "lamportfast", Package: "lamportfast", Files: []string{"lamportfast.go"},
		Old: line11, New: "\t\t\t\treturn register.GaveUp // wrong: absorb\n",
		Source: purpose, Refuted: GivingUp, Fewest: 2,
		Why: "a process that aborts at line 11 just leaves: with y = i, the gate stays shut forever",
	},
	{
		Name: "lamportfast/reopen", Of: "lamportfast", Package: "lamportfast", Files: []string{"lamportfast.go"},
		Old: line11, New: `				if l.y.Load() == id { // wrong: absorb
					l.y.Store(0)
				}
				return register.GaveUp
`,
		Source: purpose, Refuted: GivingUp, Fewest: 2,
		Why: "a process that aborts at line 11 opens the gate if y = i: another may have passed line 12 or be about to enter",
	},
	{
		Name: "graunkethakkar/just-leave", Of: "graunkethakkar", Package: "graunkethakkar", Files: []string{"graunkethakkar.go"},
		Old:    "\tif mine, last := l.aborted(p); !l.leave(mine, last) {\n\t\tp.Absorb(func() { l.awaitRemoval(p, mine, last) })\n\t}\n",
		New:    "\tl.leave(l.aborted(p)) // wrong: absorb\n",
		Source: purpose, Refuted: GivingUp, Fewest: 2,
		Why: "a process that aborts in the middle of the queue leaves word and does not wait until it is read: it comes back to a place that is taken",
	},
	{
		Name: "mcs/late-head", Of: "mcs", Package: "mcs", Files: []string{"mcs.go"},
		Old:    "\tq.head.Store(0)\n\treturn q.tail.CompareAndSwap(name, held)\n",
		New:    "\tif !q.tail.CompareAndSwap(name, held) {\n\t\treturn false\n\t}\n\tq.head.Store(0) // wrong: before that\n\treturn true\n",
		Source: purpose, Refuted: Progress, Fewest: 2,
		Why: "head is cleared when the queue is empty already: a process has joined it, and head was its node",
	},
	{
		Name: "mcs/just-leave", Of: "mcs", Package: "mcs", Files: []string{"mcs.go"},
		Old:    "\tp.Absorb(func() { i.state.Await(p, isGranted) })\n",
		New:    "\t// wrong: absorb\n",
		Source: purpose, Refuted: GivingUp, Fewest: 2,
		Why: "a process that aborts does not wait until its node is out of the queue, and joins the queue with it again",
	},
	{
		Name: "bakery-blackwhite/withdraw", Of: "bakery-blackwhite", Package: "bakery", Files: []string{"blackwhite.go", "classic.go"},
		Old: unserved, New: "\t\tl.ticket[i].Store(pair(mycolor, 0)) // wrong: absorb\n",
		Source: purpose, Refuted: GivingUp, Fewest: 2,
		Why: "a process that aborts resets its number and keeps the colour: numbers exceed n",
	},
	{
		Name: "bakery-blackwhite/flip", Of: "bakery-blackwhite", Package: "bakery", Files: []string{"blackwhite.go", "classic.go"},
		Old: unserved, New: "\t\tl.exit(p) // wrong: absorb\n",
		Source: purpose, Refuted: GivingUp, Fewest: 3,
		Why: "a process that aborts runs the exit protocol and flips the colour: the order of the waiters is reversed",
	},
}

// What a process does that aborts: at line 11 of lamportfast, and in the black-white bakery.
const (
	line11   = "\t\t\t\treturn p.Absorb(func() { l.passThrough(p) })\n"
	unserved = "\t\tp.Absorb(func() {\n\t\t\tl.served(p, mine)\n\t\t\tl.exit(p)\n\t\t})\n"
)
