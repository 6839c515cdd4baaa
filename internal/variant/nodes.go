package variant

// Nodes are rules as lectures print them, and tempting variants, that fail. Of most,
// examples/scenarios has a run that shows how, such as caosinghal-eager.txt.
var Nodes = []Variant{
	// It differs from roucairolcarvalho.NewWithdrawing in one rule: a reply that arrives after its
	// request was withdrawn is kept, because the lecture (Prabhakaran, slide 14) says that its receiver is
	// authorised until it replies to the sender itself. It fails on FIFO links, too.
	{
		Name: "roucairolcarvalho/naive", Of: "roucairolcarvalho-withdrawing",
		Package: "messaging/permission/roucairolcarvalho", Files: []string{"withdrawing.go", "roucairolcarvalho.go", "impossible.go", "permission.go"},
		Old: "\tif m, ok := m.(reply); ok && n.past(m.To) {\n\t\treturn\n",
		New: `	if _, ok := m.(reply); ok {
		n.Permitted.Add(from) // wrong: only if m.To is wanted
		if n.Phase == messaging.Waiting {
			n.enterIfPermitted(out)
		}
		return
`,
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "a request is withdrawn by going idle: mutual exclusion is violated",
	},

	// A node that finds the lock taken waits, and gets no message. Prabhakaran introduces the
	// algorithm in this form, and corrects it afterwards. See examples/scenarios/maekawa-circle.txt.
	{
		Name: "maekawa/no-deadlock-handling", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "crash.go", "impossible.go"},
		Old: `	head := n.Waiting.First()
	n.Waiting.Insert(x)
	if n.mustWait(x, head) {
		out.Send(x.ID, failed{x})
		return
	}
	if !head.IsZero() && head.Before(n.Lock) {
		out.Send(head.ID, failed{head}) // it got no reply yet: it was about to get the lock
	}
	if !n.Inquiring {
		n.Inquiring = true
		out.Send(n.Lock.ID, inquire{n.Lock})
	}
`,
		New:    "\tn.Waiting.Insert(x) // wrong: it, head or the one that has the lock must be told\n",
		Source: "Prabhakaran, slide 18", Refuted: Progress, Fewest: 2,
		Why: "it deadlocks",
	},

	// When a request arrives that is older than all others, the arbiter only inquires of the lock's
	// holder. If all quorums have the same size and contain the node itself, it takes four nodes.
	{
		Name: "maekawa/late-failed", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "crash.go", "impossible.go"},
		Old: toldHead, New: untoldHead,
		Source: "Reiser 2002, slides 5.15-5.17", Refuted: Progress, Fewest: 3,
		Why: "it deadlocks",
	},

	// A request that is younger than that of the lock's holder gets FAILED; for an older one the
	// arbiter inquires. It fails where late-failed does, and also if the two requests arrive the other way round.
	{
		Name: "maekawa/lock-only", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "crash.go", "impossible.go"},
		Old: toldHead, New: untoldHead,
		More: []Edit{{
			Old: "\treturn n.Lock.Before(x) || !head.IsZero() && head.Before(x)\n",
			New: "\treturn n.Lock.Before(x) // wrong: or head goes before it\n",
		}},
		Source: "Prabhakaran, slide 21", Refuted: Progress, Fewest: 3,
		Why: "it deadlocks",
	},
	{
		Name: "sanders/printed", Of: "sanders", Package: "messaging/permission/sanders", Files: []string{"sanders.go", "structure.go", "impossible.go"},
		Old: `	first := n.Waiting.First()
	n.Waiting.Insert(x)
	switch {
	case n.Busy.IsZero():
		n.serve(out)
	case n.Busy.Before(x) || n.Waiting.First() != x:
		out.Send(x.ID, failed{x})
	default:
		if !first.IsZero() && first.Before(n.Busy) {
			out.Send(first.ID, failed{first})
		}
		if !n.Inquiring {
			n.Inquiring = true
			out.Send(n.Busy.ID, inquire{n.Busy})
		}
	}
`,
		New: `	n.Waiting.Insert(x)
	if n.Busy.IsZero() {
		n.serve(out)
	} // wrong: else all but the oldest must be told
`,
		Source: "Reiser 2002, slides 5.25-5.26", Refuted: Progress, Fewest: 2,
		Why: "it deadlocks",
	},

	// A node that knows that it must wait answers an inquiry for a lock at once, even if it does not
	// have the lock yet. In Maekawa's algorithm that is correct if links are FIFO, as Locked and Inquire
	// come from the same node. Here the lock may come from its previous holder and arrive after the
	// Inquire, of which Reiser 2002, slide 5.35, warns. In other runs a node may reject a lock that arrives twice.
	{
		Name: "caosinghal/eager", Of: "caosinghal", Package: "messaging/permission/caosinghal", Files: []string{"caosinghal.go", "impossible.go"},
		Old:    "\t\tif n.Got.Has(q) { // else its Locked is still in transit\n\t\t\tn.Inquired.Remove(q)\n\t\t\tn.Got.Remove(q)\n\t\t\tn.Failed.Add(q)\n\t\t\tout.Send(q, yield{n.Mine})\n\t\t}\n",
		New:    "\t\tn.Inquired.Remove(q) // wrong: only if Got has q\n\t\tn.Got.Remove(q)\n\t\tn.Failed.Add(q)\n\t\tout.Send(q, yield{n.Mine})\n",
		Source: purpose, Refuted: Exclusion, Fewest: 3,
		Why: "an inquiry is answered before the lock has arrived: mutual exclusion is violated",
	},

	// The Release of a request that got the lock forwarded may arrive before the Release that
	// names it. If the arbiter does not keep that it is over, it takes the lock to be there.
	//
	// It fails with three nodes whose quorum is node 0 only, and FIFO links: node 1 forwards
	// the lock to node 2, whose Release is faster than that of node 1. Then node 0 waits for a
	// Release that has arrived already.
	{
		Name: "caosinghal/early-release", Of: "caosinghal", Package: "messaging/permission/caosinghal", Files: []string{"caosinghal.go", "impossible.go"},
		Old:    "\tcase n.Lock == x && n.over(next): // it was not forwarded, or its next holder is over too\n",
		New:    "\tcase n.Lock == x && next.IsZero(): // wrong: or its next holder is over too\n",
		Source: purpose, Refuted: Progress, Fewest: 3,
		Why: "a Release that arrives before the one that names its request is forgotten: the arbiter waits for it forever",
	},
	{
		Name: "ricartagrawala/no-tie-break", Of: "ricartagrawala", Package: ricartagrawala, Files: []string{"ricartagrawala.go", "acknowledged.go", "impossible.go"},
		Old:    comparingStamps,
		New:    "n.Phase == messaging.Waiting && n.Mine.Time < m.Of.Time { // wrong: of equal times, the smaller ID is older\n",
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "requests of equal times are granted by both nodes: mutual exclusion is violated",
	},
	{
		Name: "ricartagrawala/deferred-ties", Of: "ricartagrawala", Package: ricartagrawala, Files: []string{"ricartagrawala.go", "acknowledged.go", "impossible.go"},
		Old:    comparingStamps,
		New:    "n.Phase == messaging.Waiting && n.Mine.Time <= m.Of.Time { // wrong: of equal times, the smaller ID is older\n",
		Source: purpose, Refuted: Progress, Fewest: 2,
		Why: "requests of equal times are deferred by both nodes: it deadlocks",
	},

	// A Reply counts for whatever request waits, as in the paper, whose replies name none.
	// That is correct there, since the paper has no withdrawal: with it, a Reply may come to a
	// request that is withdrawn, and then counts for the next one.
	//
	// It fails with two nodes and FIFO links. Node 0 withdraws, and replies to the request of
	// node 1; then it requests again, and the Reply to its first request makes it enter. That
	// to the request of node 1 lets node 1 enter, too.
	{
		Name: "ricartagrawala/unnamed-replies", Of: "ricartagrawala", Package: ricartagrawala, Files: []string{"ricartagrawala.go", "acknowledged.go", "impossible.go"},
		Old:    "\t\tif m.To == n.Mine { // else it agrees to a request that was withdrawn\n",
		New:    "\t\tif n.Phase == messaging.Waiting { // wrong: only if m.To is Mine\n",
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "a reply to a withdrawn request counts for the next one: mutual exclusion is violated",
	},

	// Asked stays true when the token has arrived. The sketch in Mattern's lecture, which says that
	// details are missing, resets it only when the token leaves after a critical section with nobody else waiting.
	{
		Name: "raymond/still-asked", Of: "raymond", Package: "messaging/token/raymond", Files: []string{"raymond.go", "impossible.go"},
		Old:    "\t\tn.Holder, n.Asked = n.self, false\n",
		New:    "\t\tn.Holder = n.self // wrong: Asked must be false now\n",
		Source: "Mattern 1999/2000, sketch of the algorithm", Refuted: Progress, Fewest: 2,
		Why: "it deadlocks",
	},
	{
		Name: "suzukikasami/stale", Of: "suzukikasami", Package: "messaging/token/suzukikasami", Files: []string{"suzukikasami.go", "impossible.go"},
		Old:    "n.Phase == messaging.Idle && n.waits(from) {\n",
		New:    "n.Phase == messaging.Idle { // wrong: and only if the request is not served yet\n",
		Source: purpose, Refuted: Contract, Fewest: 3,
		Why: "a request that is over is served: the token comes to a node that has not asked for it",
	},

	// Next is kept when the token has been passed to it. The paper has no rule that refuses a token
	// that was not asked for, and so the variant has none either.
	{
		Name: "naimitrehel/next-kept", Of: "naimitrehel", Package: "messaging/token/naimitrehel", Files: []string{"naimitrehel.go", "impossible.go"},
		Old: "\t\tn.pass(n.Next, out)\n\t\tn.Next = None\n",
		New: "\t\tn.pass(n.Next, out) // wrong: and Next is None again\n",
		More: []Edit{{
			Old: "\t\tn.Token = true\n\t\tn.enter(out)\n",
			New: "\t\tn.Token = true\n\t\tif n.Phase == messaging.Waiting {\n\t\t\tn.enter(out)\n\t\t}\n",
		}, {
			File: "impossible.go",
			Old:  "\t\t\timpossible.If(m.Origin == n.Next, \"that node waits for the token already\"),\n",
		}, {
			File: "impossible.go",
			Old:  "\t\t\timpossible.If(n.Phase != messaging.Waiting, \"it does not wait for the token\"),\n",
		}},
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "the node that got the token last gets it again: two tokens, and mutual exclusion is violated",
	},
	{
		Name: "singhal/printed", Of: "singhal", Package: "messaging/token/singhal", Files: []string{"singhal.go", "impossible.go"},
		Old: `	if s.TSN != nil && r.Time <= s.TSN[j] {
		out.Send(j, s.latest()) // the token was faster: a hint where it is
		return
	}
`,
		New: `	if r.Time <= s.SN[j] {
		return // wrong: where the token is must be told
	}
`,
		Source: "Reiser 2002, slide 5.53", Refuted: Progress, Fewest: 3,
		Why: "it deadlocks if the token overtakes a request",
	},

	// Links have directions, but nodes do not compare stamps: an Invert turns the link, however late it
	// arrives. Then nodes would have to wait for acknowledgements. FIFO links do not help.
	{
		Name: "snepscheut/unstamped", Of: "snepscheut", Package: "messaging/token/snepscheut", Files: []string{"snepscheut.go", "impossible.go", "invariant.go"},
		Old:    "\t\tn.Known[n.index(from)] = m.Hop // later than what was known: a node is not told again before it knows\n",
		New:    "\t\tn.Known[n.index(from)] = n.Stamp + 1 // wrong: the token may have been here since\n",
		Source: purpose, Refuted: Progress, Fewest: 4,
		Why: "an Invert that arrives late makes a link lead away from the token: it deadlocks",
	},
}

const (
	maekawa        = "messaging/permission/maekawa"
	ricartagrawala = "messaging/permission/ricartagrawala"
)

// comparingStamps is how a node decides which of two requests is older.
const comparingStamps = "n.Phase == messaging.Waiting && n.Mine.Before(m.Of) {\n"

// An arbiter of maekawa tells the request at the head of its queue if an older one takes the head.
const (
	toldHead   = "\tif !head.IsZero() && head.Before(n.Lock) {\n\t\tout.Send(head.ID, failed{head}) // it got no reply yet: it was about to get the lock\n\t}\n"
	untoldHead = "\t// wrong: head may have to be told that it failed\n"
)
