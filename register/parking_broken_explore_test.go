//go:build doorway_explore

package register_test

import (
	"testing"

	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// Changes that make this package lose wake-ups, or might.
var changes = []variants.Change{
	{
		Name:  "a waiter joins the line and does not read the register again",
		File:  "process.go",
		Shown: "word: a waiter and a writer",
		Old:   "\t\tif holdsA(a.Load()) || b != nil && holdsB(b.Load()) {\n\t\t\treturn true\n\t\t}\n\t\tif !p.sleep()",
		New:   "\t\tif !p.sleep()",
	},
	{
		Name:  "a waiter reads the register before it joins the line",
		File:  "process.go",
		Shown: "word: a waiter and a writer",
		Old: `		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
`,
		New: `		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
	},
	{
		Name:  "a waiter reads the second register before it joins its line",
		File:  "process.go",
		Shown: "word: a waiter at either of two, of which one comes",
		Old: `		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
`,
		New: `		p.places[0].join(&a.line)
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
	},
	{
		Name:  "a waiter joins the line once, not each time it waits",
		File:  "process.go",
		Shown: "word: two waiters and two stores",
		Old: `	for {
		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
`,
		New: `	p.places[0].join(&a.line)
	if b != nil {
		p.places[1].join(&b.line)
	}
	for {
`,
	},
	{
		Name:  "a writer looks for waiters before it writes",
		File:  "word.go",
		Shown: "word: a waiter and a writer",
		Old:   "\tw.v.Store(v)\n\tseam.Intercepted(seam.Waking, nil)\n\tw.line.unlessEmpty((*line).wakeAll)\n",
		New:   "\twaits := w.line.first.Load() != nil\n\tw.v.Store(v)\n\tif waits {\n\t\tw.line.wakeAll()\n\t}\n",
	},
	{
		Name:  "a swap wakes no process",
		File:  "word.go",
		Shown: "word: a waiter and a swap",
		Old:   "\told = w.v.Swap(v)\n\tseam.Intercepted(seam.Waking, nil)\n\tw.line.unlessEmpty((*line).wakeAll)\n",
		New:   "\told = w.v.Swap(v)\n",
	},
	{
		Name:  "a fetch-and-add wakes no process",
		File:  "word.go",
		Shown: "word: two waiters and two fetch-and-adds",
		Old:   "\told = w.v.Add(delta) - delta\n\tseam.Intercepted(seam.Waking, nil)\n\tw.line.unlessEmpty((*line).wakeAll)\n",
		New:   "\told = w.v.Add(delta) - delta\n",
	},
	{
		Name:  "a compare-and-swap wakes no process",
		File:  "word.go",
		Shown: "word: a waiter and a compare-and-swap",
		Old:   "\t\treturn false\n\t}\n\tseam.Intercepted(seam.Waking, nil)\n\tw.line.unlessEmpty((*line).wakeAll)\n",
		New:   "\t\treturn false\n\t}\n",
	},
	{
		Name:  "wakeAll sends a process the token before it takes the process out of line",
		File:  "line.go",
		Shown: "word: two waiters and two stores",
		Old:   "\t\tl.remove(q) // before the token: a process that has it need not be in line\n\t\tseam.Intercepted(seam.Waking, nil)\n\t\tq.p.signal()\n",
		New:   "\t\tq.p.signal()\n\t\tl.remove(q)\n",
	},
	{
		Name:  "wakeAll takes the first process for the only one",
		File:  "line.go",
		Shown: "word: two waiters and one store",
		Old:   "first.next.Load() == first && first.p.signal()",
		New:   "first.p.signal()",
	},
	{
		Name:  "wakeAll returns if a token has been sent already",
		File:  "line.go",
		Shown: "word: ",
		Old:   "first.next.Load() == first && first.p.signal()",
		New:   "first.next.Load() == first && (first.p.signal() || true)",
		Right: "sent is cleared before the read, so a process that has yet to clear it reads after the store; " +
			"taking it out of line only saves later stores from sending spurious tokens",
	},
	{
		Name:  "step does not wake the processes behind the one that leaves",
		File:  "line.go",
		Shown: "word: one goes on to the next, one stays",
		Old:   "\t\tif first {\n\t\t\told.empty()\n\t\t}\n",
		New:   "\t\t_ = first\n",
	},
	{
		Name:  "sleep clears sent before it receives",
		File:  "process.go",
		Shown: "word: a waiter and a value that does not last",
		Old:   "\tif p.done == nil {\n\t\tp.token.Receive()\n",
		New:   "\tp.sent.Store(false)\n\tif p.done == nil {\n\t\tp.token.Receive()\n",
	},
	{
		Name:  "sleep clears sent before it receives, and not after",
		File:  "process.go",
		Shown: "word: a waiter and a value that does not last",
		Old:   "\tif p.done == nil {\n\t\tp.token.Receive()\n\t} else if !p.token.ReceiveOr(p.done) {\n\t\treturn false\n\t}\n\tp.sent.Store(false)\n",
		New:   "\tp.sent.Store(false)\n\tif p.done == nil {\n\t\tp.token.Receive()\n\t} else if !p.token.ReceiveOr(p.done) {\n\t\treturn false\n\t}\n",
	},
	{
		Name:  "sleep does not clear sent",
		File:  "process.go",
		Shown: "word: two waiters and two stores",
		Old:   "\tp.sent.Store(false)\n",
		New:   "",
	},
	{
		Name:  "a writer looks for waiters at a gate before it writes",
		File:  "word.go",
		Shown: "gate: two take a lock",
		Old:   "\tg.w.Set(v)\n\tseam.Intercepted(seam.Waking, nil)\n\tg.w.line.unlessEmpty((*line).wakeOne)\n",
		New:   "\twaits := g.w.line.first.Load() != nil\n\tg.w.Set(v)\n\tif waits {\n\t\tg.w.line.wakeOne()\n\t}\n",
	},
	{
		Name:  "a process that aborts at a gate does not wake the next",
		File:  "turn.go",
		Shown: "gate: one opens it, of two that wait one gives up",
		Old:   "\t\tif p.front = passed && wasFirst; !passed {\n\t\t\tseam.Intercepted(seam.Waking, nil)\n\t\t\tl.wakeOne()\n\t\t}\n",
		New:   "\t\tp.front = passed && wasFirst\n",
	},
	{
		Name:  "a process that aborts at a gate wakes before it leaves the line",
		File:  "turn.go",
		Shown: "gate: one opens it, of two that wait one gives up",
		Old:   "\t\twasFirst := q.leaveGate(l)\n\t\tif p.front = passed && wasFirst; !passed {\n\t\t\tseam.Intercepted(seam.Waking, nil)\n\t\t\tl.wakeOne()\n\t\t}\n",
		New:   "\t\tif !passed {\n\t\t\tl.wakeOne()\n\t\t}\n\t\tp.front = q.leaveGate(l) && passed\n",
	},
	{
		Name:  "a process that passes a gate stays in line",
		File:  "turn.go",
		Shown: "gate: two take a lock twice",
		Old:   "\t\twasFirst := q.leaveGate(l)\n\t\tif p.front = passed && wasFirst; !passed {\n\t\t\tseam.Intercepted",
		New:   "\t\tif !passed {\n\t\t\tq.leaveGate(l)\n\t\t\tseam.Intercepted",
	},
	{
		Name:  "woken is cleared after the read",
		File:  "turn.go",
		Shown: "gate: two take a lock twice",
		Old:   "\t\tq.woken.Store(false) // before the read: a store after it wakes q again\n\t\tseam.Intercepted(seam.Waking, nil)\n\t\tif passes() {\n\t\t\treturn true\n\t\t}\n",
		New:   "\t\tif passes() {\n\t\t\treturn true\n\t\t}\n\t\tq.woken.Store(false)\n",
	},
	{
		Name:  "woken is set after the token",
		File:  "line.go",
		Shown: "gate: two take a lock twice",
		Old:   "\t\tq.woken.Store(true)\n\t\tseam.Intercepted(seam.Waking, nil)\n\t\tq.p.signal()\n",
		New:   "\t\tq.p.signal()\n\t\tq.woken.Store(true)\n",
	},
	{
		Name:  "a process behind a line sleeps before it looks whether it is the first",
		File:  "turn.go",
		Shown: "gate: three take a lock, two of them behind the line",
		Old:   "\t\tpassed := p.awaitInLine(l, func() bool { return l.first.Load() == &p.places[0] })\n",
		New:   "\t\tasked := false\n\t\tpassed := p.awaitInLine(l, func() bool { was := asked; asked = true; return was && l.first.Load() == &p.places[0] })\n",
	},
	{
		Name:  "a process that comes back is made the first before it is in line",
		File:  "turn.go",
		Shown: "gate: two take a lock twice",
		Old:   "\tq.step(l)\n\tif q.p.front {\n\t\tl.first.Store(q) // the line is a ring\n\t}\n",
		New:   "\tif q.p.front {\n\t\tl.first.Store(q)\n\t}\n\tq.step(l)\n",
	},
	{
		Name:  "a store to a relay looks for waiters before it writes",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "\tr.w.Set(v)\n\tseam.Intercepted(seam.Waking, nil)\n\tif first := r.w.line.first.Load(); first != nil {\n",
		New:   "\tfirst := r.w.line.first.Load()\n\tr.w.Set(v)\n\tif first != nil {\n",
	},
	{
		Name:  "a waiter at relays reads before it joins the line",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "\t\tp.stand(&a.w.line, &b.w.line)\n\t\tseam.Intercepted(seam.Waking, nil)\n\t\tif held() {\n\t\t\treturn true\n\t\t}\n",
		New:   "\t\tif held() {\n\t\t\treturn true\n\t\t}\n\t\tp.stand(&a.w.line, &b.w.line)\n",
	},
	{
		Name:  "a process that parks keeps the baton",
		File:  "process.go",
		Shown: "relay: two and a lock",
		Old:   "\tp.pass()\n\tseam.Intercepted(seam.Waking, nil)\n\tp.lot.parked.Add(1)\n",
		New:   "\tseam.Intercepted(seam.Waking, nil)\n\tp.lot.parked.Add(1)\n",
	},
	{
		Name:  "a process that parks at a word keeps the baton",
		File:  "process.go",
		Shown: "relay: one waits elsewhere, at a word",
		Old:   "\tp.pass()\n\tseam.Intercepted(seam.Waking, nil)\n\tp.lot.parked.Add(1)\n",
		New:   "\tif p.lot.baton.Load() != p || p.climbing[0].at.Load() != nil {\n\t\tp.pass()\n\t}\n\tp.lot.parked.Add(1)\n",
	},
	{
		Name:  "a process that parks at a word or a gate does not wake those that it made due",
		File:  "process.go",
		Shown: "relay: one makes another due, and waits at a",
		Old:   "\tp.pass()\n\tseam.Intercepted(seam.Waking, nil)\n\tp.lot.parked.Add(1)\n",
		New:   "\tif p.lot.baton.Load() == p || p.climbing[0].at.Load() != nil {\n\t\tp.pass()\n\t}\n\tp.lot.parked.Add(1)\n",
	},
	{
		Name:  "only the holder passes the baton",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "\t\tif lot.due.first.Load() == nil {\n\t\t\treturn\n\t\t}\n",
		New:   "\t\treturn\n",
	},
	{
		Name:  "the baton is passed without a token",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "\t\tnext.signal()\n",
		New:   "",
	},
	{
		Name:  "a process that passes a relay stays due",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "; !waits {\n\t\t\tp.stand(nil, nil)\n\t\t}\n",
		New:   "; !waits {\n\t\t}\n",
	},
	{
		Name:  "a process that aborts stays due",
		File:  "relay.go",
		Shown: "relay: one waits elsewhere, and gives up",
		Old:   "\t\t\twaits = false\n\t\t\tp.stand(nil, nil)\n\t\t\treturn false\n",
		New:   "\t\t\twaits = false\n\t\t\treturn false\n",
	},
	{
		Name:  "a process stands behind the baton though no process has it",
		File:  "relay.go",
		Shown: "relay: one stands behind the baton",
		Old:   "\tif p.lot.baton.Load() != nil {\n\t\tp.came = overdue",
		New:   "\tif true {\n\t\tp.came = overdue",
		Right: "sleep passes the baton if no process has it: to the first that is due, which may be the process itself",
	},
	{
		Name:  "a process that stood behind the baton and aborts stays due",
		File:  "relay.go",
		Shown: "relay: one stands behind the baton, and gives up",
		Old:   "\t\t\tp.stand(nil, nil)\n\t\t\tp.pass()\n\t\t\treturn false\n",
		New:   "\t\t\tp.pass()\n\t\t\treturn false\n",
	},
	{
		Name:  "a process that stood behind the baton and aborts keeps the baton",
		File:  "relay.go",
		Shown: "relay: one stands behind the baton, and gives up",
		Old:   "\t\t\tp.stand(nil, nil)\n\t\t\tp.pass()\n\t\t\treturn false\n",
		New:   "\t\t\tp.stand(nil, nil)\n\t\t\treturn false\n",
	},
	{
		Name:  "a process that stood behind the baton is woken without it",
		File:  "relay.go",
		Shown: "relay: one stands behind the baton",
		Old:   "\tfor p.isDue() {\n\t\tif !p.sleep() {",
		New:   "\tfor range 1 {\n\t\tif !p.sleep() {",
	},
	{
		Name:  "a process looks without the lock whether it is due",
		File:  "relay.go",
		Shown: "relay: one stands behind the baton",
		Old:   "\tfor p.isDue() {\n",
		New:   "\tfor p.climbing[0].at.Load() != nil {\n",
	},
	{
		Name:  "a process that yields in line sleeps before it reads",
		File:  "relay.go",
		Shown: "relay: ",
		Old:   "\t\tif held() {\n\t\t\treturn true\n\t\t}\n\t\tif yields {",
		New:   "\t\tif yields {",
	},
	{
		Name:  "the baton stays with its holder if no process is due",
		File:  "relay.go",
		Shown: "relay: two and a lock",
		Old:   "\t\tt.baton.Store(nil)\n",
		New:   "",
	},
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBrokenVariantsLoseWakeUps(t *testing.T) {
	tier.NeedsFull(t, "compiles a copy of this package with each change")
	variants.Check(t, "parking_scenarios_explore_test.go", changes)
}
