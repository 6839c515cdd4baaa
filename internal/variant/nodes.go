package variant

// Nodes are rules as lectures print them, and tempting variants, that fail.
var Nodes = []Variant{
	// It differs from roucairolcarvalho.NewWithdrawing in one rule: a reply that
	// comes after its request was withdrawn is kept, for what the lecture says of it
	// (Prabhakaran, "Mutual Exclusion Algorithms", slide 14) is that its receiver is
	// authorised until it replies to the sender itself.
	//
	// A node that has withdrawn lets the next request of another pass at once. But
	// the other may get the withdrawn request after that, find that it is older than
	// its own, and let it pass as well. Then each has the permission of the other.
	// It happens on FIFO links, too.
	{
		Name: "roucairolcarvalho/naive", Of: "roucairolcarvalho-withdrawing",
		Package: "messaging/permission/roucairolcarvalho", Files: []string{"withdrawing.go", "roucairolcarvalho.go", "impossible.go"},
		Edits: []Edit{{
			File: "withdrawing.go",
			Old:  "\tif m, ok := m.(Reply); ok && n.past(m.To) {\n\t\treturn\n",
			New: `	if _, ok := m.(Reply); ok {
		n.Permitted.Add(from) // wrong: only if m.To is wanted
		if n.Phase == messaging.Waiting {
			n.enterIfPermitted(out)
		}
		return
`,
		}},
		Source: purpose, Refuted: Exclusion, Fewest: 2,
		Why: "a request is withdrawn by going idle: two are inside",
	},

	// Whoever finds the lock taken waits, and is told nothing. So Prabhakaran
	// introduces the algorithm, to mend it afterwards.
	//
	// It fails with two nodes already, each of whose quorums is both: both ask, each
	// gets its own lock, and waits for the other's for good.
	{
		Name: "maekawa/no-deadlock-handling", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "impossible.go"},
		Edits: []Edit{{
			File: "maekawa.go",
			Old: `	head := n.Waiting.First()
	n.Waiting.Insert(x)
	if n.mustWait(x, head) {
		out.Send(x.ID, Failed{x})
		return
	}
	if !head.IsZero() && head.Before(n.Lock) {
		out.Send(head.ID, Failed{head}) // it got no reply yet: it was about to get the lock
	}
	if !n.Inquiring {
		n.Inquiring = true
		out.Send(n.Lock.ID, Inquire{n.Lock})
	}
`,
			New: "\tn.Waiting.Insert(x) // wrong: it, head or the one that has the lock must be told\n",
		}},
		Source: "Prabhakaran, slide 18", Refuted: Progress, Fewest: 2,
		Why: "it deadlocks",
	},

	// If a request comes that is older than all the others, the member inquires of
	// the one that has the lock, and that is all.
	//
	// It needs three that ask, and fails with three nodes already. Let their quorums
	// be {0, 1, 2}, {1, 2} and {2}, and let all ask at the same time, so that 0 is the
	// oldest. Node 1 gets its own lock. Node 2 gets its own and enters. At node 2
	// arrives the request of 1, which is older than that of 2, and so is told nothing;
	// then that of 0, which is the oldest: 1 must wait for it now, and does not know.
	// 2 leaves, and its lock is for 0. Now the request of 0 comes to node 1, which
	// inquires of its own, but that has not failed yet, as far as it knows, and keeps
	// the lock. So 0 waits for the lock of 1, and 1 for that of 2, for good.
	//
	// Where all quorums have the same number of members, the node itself among them,
	// it takes four nodes.
	{
		Name: "maekawa/late-failed", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "impossible.go"},
		Edits:  []Edit{untoldHead},
		Source: "Reiser 2002, slides 5.15-5.17", Refuted: Progress, Fewest: 3,
		Why: "it deadlocks",
	},

	// A request that is younger than the one that has the lock has failed, and for an
	// older one the member inquires.
	//
	// It fails where late-failed does, and also if in the schedule there the request
	// of 0 comes to node 2 before that of 1: this one is older than that of 2, which
	// has the lock, and is not told that it must wait for 0.
	{
		Name: "maekawa/lock-only", Of: "maekawa", Package: maekawa, Files: []string{"maekawa.go", "impossible.go"},
		Edits: []Edit{untoldHead, {
			File: "maekawa.go",
			Old:  "\treturn n.Lock.Before(x) || !head.IsZero() && head.Before(x)\n",
			New:  "\treturn n.Lock.Before(x) // wrong: or head goes before it\n",
		}},
		Source: "Prabhakaran, slide 21", Refuted: Progress, Fewest: 3,
		Why: "it deadlocks",
	},

	// There is no FAILED, INQUIRE and RELINQUISH, of which the slides say themselves
	// that it deadlocks. Two nodes that ask at the same time are enough: under the
	// structure of Ricart and Agrawala each has locked itself when it is asked by the
	// other, and neither gets the second lock.
	{
		Name: "sanders/printed", Of: "sanders", Package: "messaging/permission/sanders", Files: []string{"sanders.go", "structure.go", "impossible.go"},
		Edits: []Edit{{
			File: "sanders.go",
			Old: `	first := n.Waiting.First()
	n.Waiting.Insert(x)
	switch {
	case n.Busy.IsZero():
		n.serve(out)
	case n.Busy.Before(x) || n.Waiting.First() != x:
		out.Send(x.ID, Failed{x})
	default:
		if !first.IsZero() && first.Before(n.Busy) {
			out.Send(first.ID, Failed{first})
		}
		if !n.Inquiring {
			n.Inquiring = true
			out.Send(n.Busy.ID, Inquire{n.Busy})
		}
	}
`,
			New: `	n.Waiting.Insert(x)
	if n.Busy.IsZero() {
		n.serve(out)
	} // wrong: else all but the oldest must be told
`,
		}},
		Source: "Reiser 2002, slides 5.25-5.26", Refuted: Progress, Fewest: 2,
		Why: "it deadlocks",
	},

	// A node that knows that it must wait answers an inquiry for a lock at once, also
	// if it does not have the lock yet. In Maekawa's algorithm that is right as long
	// as links are FIFO, for Locked and Inquire come from the same node. Here the lock
	// may come from whoever had it before, and be late for the Inquire, which Reiser
	// 2002, slide 5.35, warns of.
	//
	// It fails with three nodes that all ask node 0 only, and FIFO links. Node 1 leaves
	// and hands the lock to node 2, which takes long; then it asks again, and its new
	// request is older. So node 0 inquires of node 2, which gives back what it does not
	// have; node 0 locks for node 1, which enters; and when the lock that was on its
	// way comes to node 2 after all, that one enters too. Where nobody notices so, a
	// node may refuse a lock that comes twice.
	{
		Name: "caosinghal/eager", Of: "caosinghal", Package: "messaging/permission/caosinghal", Files: []string{"caosinghal.go", "impossible.go"},
		Edits: []Edit{{
			File: "caosinghal.go",
			Old:  "\t\tif n.Got.Has(q) { // else its Locked is still in transit\n\t\t\tn.Inquired.Remove(q)\n\t\t\tn.Got.Remove(q)\n\t\t\tn.Failed.Add(q)\n\t\t\tout.Send(q, Yield{n.Mine})\n\t\t}\n",
			New:  "\t\tn.Inquired.Remove(q) // wrong: only if Got has q\n\t\tn.Got.Remove(q)\n\t\tn.Failed.Add(q)\n\t\tout.Send(q, Yield{n.Mine})\n",
		}},
		Source: purpose, Refuted: Exclusion, Fewest: 3,
		Why: "an inquiry is answered before the lock is there: two are inside",
	},
}

const maekawa = "messaging/permission/maekawa"

// untoldHead has the member of maekawa forget the request that waited in front of
// all others, and is overtaken by an older one.
var untoldHead = Edit{
	File: "maekawa.go",
	Old:  "\tif !head.IsZero() && head.Before(n.Lock) {\n\t\tout.Send(head.ID, Failed{head}) // it got no reply yet: it was about to get the lock\n\t}\n",
	New:  "\t// wrong: head may have to be told that it failed\n",
}
