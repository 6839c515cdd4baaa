package mutants

// Reasons explain, by [Mutant.Key], why mutants are equivalent to the original. The
// test fails if a mutant listed here is killed or no longer exists, and if a mutant
// survives that is not listed.
var Reasons = map[string]string{
	"peterson entry: never l.want[j].Load() == 0": looksAnyway,
	"peterson entry: swap &l.want[j] and &l.turn": eitherWayRound,
	"tournament entry: never sibling.Load() == 0": looksAnyway,
	"tournament entry: swap sibling and turn":     eitherWayRound,
	"tournament entry: swap turn.Store(side) and if sibling.Load() == 0 { …": "" +
		"of two siblings whose flags are up, the later one sees the other's, writes turn, and waits; " +
		"if both see each other's, both write it, as before; and one that sees none need not let another past",

	"lamportfast entry: swap l.want[i].Set(1) and l.x.Set(id)": "" +
		"both come before the look at the gate, which is all that is used: whoever reads want[i] at line 11 has closed the gate before, " +
		"and a process that looks at the gate later turns back, whichever of the two it wrote first",
	"lamportfast entry: skip l.y.AwaitExclusive(p, zero) (2)": "" +
		"the next try finds the gate closed at line 4, and waits for the same at line 6",

	"graunkethakkar entry: swap case before > taken: … and case before == taken: …": "at most one of the two is true",
	"graunkethakkar entry: swap l.remove(last) and follows.Set(before)":             "no other process reads follows[i]",
	"graunkethakkar entry: skip l.slotOf(last).Await(p, func(v uint64) bool { return v != last&1 })": "" +
		"the next try looks at the same slot: the process spins instead of parking",
	"graunkethakkar leave: swap if l.withdraw(mine, last) { … and l.slotOf(mine).Store(word(mine, last))": "" +
		"line c does the same as line a",
	"graunkethakkar leave: never l.withdraw(mine, last)": "line c does the same as line a, on behalf of the process",
	"graunkethakkar withdraw: swap l.slotOf(mine).Set(mine & 1) and if before := l.at(last); before > taken { …": "" +
		"no process is behind that could read the slot which line f sets, and line g is about another slot",
	"graunkethakkar withdraw: >= for > in before > taken": "" +
		"if the place before is taken, line g looks for a word with taken instead of a place, which no slot ever holds",

	"mcs join: swap i.next.Store(0) and i.state.Store(waiting)": "no other process knows the node before line 3",
	"mcs join: swap case free: … and case held: …":              "at most one of the two is true",
	"mcs join: swap case held: … and default: …":                "a switch has its default anywhere",
	"mcs join: swap i.state.Store(absent) and q.head.Store(name)": "" +
		"only the process that is inside reads head, and it is this one",
	"mcs leave: drop q.head.Load() == 0 from q.head.Load() == 0 && q.tail.CompareAndSwap(held, free)": "" +
		"the queue is empty if tail = 1: to look at head first spares a compare-and-swap that fails",
	"mcs empty: swap if k.next.Load() != 0 { … and q.head.Store(0)": "line 10 writes head again",
	"mcs empty: never k.next.Load() != 0": "" +
		"tail is another node then: to look at next first spares a compare-and-swap that fails",

	"bakery entry: skip l.left(p, last)":                                                     predecessor,
	"bakery entry: swap !l.left(p, last) and !l.served(p, mine)":                             predecessor,
	"bakery left: always last <= choosing":                                                   predecessor,
	"bakery left: skip l.ticket[k].Await(p, func(ticketk uint64) bool { return ticketk != …": predecessor,
	"bakery left: never last <= choosing":                                                    ofProcess0,
	"bakery left: < for <= in last <= choosing":                                              ofProcess0,

	"bakery entry: drop last == choosing from last == choosing && register.Pure(func() bool { return alone(t, i) })": "" +
		"who sees no ticket at all has seen what lines 6 and 7 wait for, of every process, whatever it saw before",
	"bakery alone: swap if own[(i+1)&3].Load()|own[(i+2)&3].Load()|own[(i+3)&3].Load() != 0 { … and for t = t[4:]; len(t) >= 4; t = t[4:] { …": anyOrder,

	"bakery before: > for >= in len(t) >= 4":                                                                               "the last four are awaited one by one, which is right too",
	"bakery before: always t[0].Load()-1 < mine-1 || t[1].Load()-1 < mine-1 || t[2].Load()-1 < …":                          "the loop of lines 5 to 7 is made always, and not only where the four looks found some",
	"bakery before: swap t[0].Load()-1 < mine-1 || t[1].Load()-1 < mine-1 || t[2].Load()-1 < … and t[3].Load()-1 < mine-1": anyOrder,
	"bakery before: swap t[0].Load()-1 < mine-1 || t[1].Load()-1 < mine-1 and t[2].Load()-1 < mine-1":                      anyOrder,
	"bakery before: swap t[0].Load()-1 < mine-1 and t[1].Load()-1 < mine-1":                                                anyOrder,
	"bakery before: <= for < in t[0].Load()-1 < mine-1":                                                                    ownTicket,
	"bakery before: <= for < in t[1].Load()-1 < mine-1":                                                                    ownTicket,
	"bakery before: <= for < in t[2].Load()-1 < mine-1":                                                                    ownTicket,
	"bakery before: <= for < in t[3].Load()-1 < mine-1":                                                                    ownTicket,
	"bakery before: not 1 in mine-1":                                                                                       ownTicket,
	"bakery before: not 1 in mine-1 (2)":                                                                                   ownTicket,
	"bakery before: not 1 in mine-1 (3)":                                                                                   ownTicket,
	"bakery before: not 1 in mine-1 (4)":                                                                                   ownTicket,

	"bakery awaitEach: < for <= in ticketj <= choosing": "" +
		"a process that chooses after line 6 gets a larger number, and soon, for choosing does not wait: to wait for that too takes longer, and is not wrong",

	"bakery largest: > for >= in len(t) >= 4":                   "the loop for the rest reads the last four in the same order",
	"bakery largest: ignore a in max(a, t[j].Load())":           noRest,
	"bakery largest: ignore t[j].Load() in max(a, t[j].Load())": noRest,

	"bakery-classic entry: swap !left(p, l.number, last) and !l.served(p, number)":                      predecessor,
	"bakery-classic entry: skip left(p, l.number, last)":                                                predecessor,
	"bakery-classic left: skip number[last.k].Await(p, func(numberk uint64) bool { return numberk != …": predecessor,
	"bakery-classic maximum: >= for > in numberk > largest.number":                                      anyLargest,

	"bakery-blackwhite entry: swap !l.left(p, last, mycolor) and !l.served(p, mine)":                      predecessor,
	"bakery-blackwhite entry: skip l.left(p, last, mycolor)":                                              predecessor,
	"bakery-blackwhite left: skip l.ticket[last.k].Await(p, func(ticketk uint64) bool { return ticketk …": predecessor,
	"bakery-blackwhite served: swap &l.ticket[j] and &l.color": "" +
		"each half alone lets the process pass, so the order in which they are looked at is free",
	"bakery-blackwhite maximum: >= for > in numberOf(t) > largest.number": anyLargest,

	"bakery-simple maximum: >= for > in numberk > largest.number":                                      anyLargest,
	"bakery-simple left: skip number[last.k].Await(p, func(numberk uint64) bool { return numberk != …": predecessor,
	"bakery-simple entry: skip left(p, l.number, last)":                                                predecessor,
	"bakery-simple entry: swap !left(p, l.number, last) and !l.served(p, number)":                      predecessor,
	"bakery-simple entry: && for || in !left(p, l.number, last) || !l.served(p, number)":               lineAEnough,
	"bakery-simple entry: skip l.served(p, number)":                                                    lineAEnough,
	"bakery-simple served: skip l.number[j].Await(p, func(numberj uint64) bool { …":                    lineAEnough,
	"bakery-simple entry: not 1 in 1 + last.number (2)":                                                lineAEnough,
	"bakery-simple precedes: && for || in numberj < number || numberj == number && j < i":              lineAEnough,
	"bakery-simple precedes: never numberj < number":                                                   lineAEnough,

	"bakery-simple precedes: never numberj == number && j < i": "numbers are taken in one atomic step each, so no two processes have the same",
	"bakery-simple exit: not one atomic step: l.step.Do(func() { l.number[p.ID()].Store(0) })": "" +
		"one store is one step already; and amid the step of another it does no harm, whose number is above all that are still held, with that one or without",

	"central New: always start.Self == start.Holder":        "no other node than the coordinator gets what needs these slices",
	"central node.Release: drop n.Phase = messaging.Idle":   notWaiting,
	"central node.Receive: drop n.Phase = messaging.Inside": "a request gets one Reply, so the node cannot enter twice by it",
	"central node.asked: not 1 in r.Time - 1":               "r itself is neither queued nor granted yet",
	"central node.over: drop !n.Holder.IsZero() from n.Holder.ID == r.ID && n.Holder.Time <= r.Time && !n.Holder.IsZero()": "" +
		"without a holder the queue is empty, and next does nothing",
	"central node.next: never len(n.Queue) == 1": "it only reuses the array",

	"lamport node.Receive: drop n.Phase == messaging.Waiting from n.suppresses && n.Phase == messaging.Waiting": "" +
		"a request of this node that is over was sent as well, and is younger than the one that it serves as a Reply to",
	"lamport node.observe: ignore n.Last[at.ID] in max(n.Last[at.ID], at.Time)": "on a FIFO link, stamps grow",

	"ricartagrawala acknowledged.Request: drop n.forgetSilence()":        "Release has done it",
	"ricartagrawala acknowledged.Receive: always m.To == n.Mine":         "who answers an earlier request is not silent either",
	"ricartagrawala node.enterIfAgreed: drop n.Phase = messaging.Inside": olderThanAll,
	"intervals node.enterIfAgreed: drop n.Phase = messaging.Inside":      olderThanAll,

	"roucairolcarvalho withdrawing.Receive: drop ok from ok && n.past(m.To)":                               noStamp,
	"roucairolcarvalho node.past: drop r.Time != 0 from r.ID == n.start.Self && r.Time != 0":               noStamp,
	"roucairolcarvalho node.past: drop r == n.Mine from r == n.Mine && n.Phase == messaging.Idle":          "no reply names a later request than Mine",
	"maekawa node.Release: keep n.Asked in n.Phase, n.Asked = messaging.Idle, n.Asked[:0]":                 "Request sets it anew, and nothing reads it before",
	"caosinghal node.locked: < for <= in next.Version <= version":                                          oneVersion,
	"caosinghal node.transfer: <= for < in next.Version < m.Version":                                       oneVersion,
	"tokenring node.enter: drop n.Phase = messaging.Inside":                                                notIdle,
	"huntedring node.enter: drop n.Phase = messaging.Inside":                                               notIdle,
	"huntedring node.onward: keep n.Swept in n.Swept, n.Goal, n.Demand = false, none, none":                setByToken,
	"huntedring node.onward: keep n.Goal in n.Swept, n.Goal, n.Demand = false, none, none":                 setByToken,
	"suzukikasami node.pass: keep n.LN in n.HasToken, n.LN, n.Q = false, nil, nil":                         withoutToken,
	"suzukikasami node.pass: keep n.Q in n.HasToken, n.LN, n.Q = false, nil, nil":                          withoutToken,
	"ricartagrawala1983 node.pass: <= for < in k < n.start.Nodes":                                          "the last is the node itself, whose own request is served: R = L",
	"ricartagrawala1983 node.pass: keep n.L in n.HasToken, n.L = false, nil":                               withoutToken,
	"echo node.pass: keep n.LN in n.HasToken, n.LN, n.Q = false, nil, nil":                                 withoutToken,
	"echo node.pass: keep n.Q in n.HasToken, n.LN, n.Q = false, nil, nil":                                  withoutToken,
	"raymond merged.Receive: keep n.Asked in n.Holder, n.Asked = n.self, false":                            "it is set when the token is passed on, and not read before",
	"raymond ordered.drop: drop n.Passed = slices.Delete(n.Passed, k, k+1)":                                passedByNone,
	"raymond ordered.drop: not 1 in k+1":                                                                   passedByNone,
	"raymond ordered.lift: > for >= in k >= 0":                                                             "if this node is the first of the queue, it is also the first that is not behind",
	"snepscheut node.Request: drop n.Phase = messaging.Waiting":                                            notInside,
	"snepscheut node.Withdraw: drop n.Phase = messaging.Idle":                                              notInside,
	"snepscheut node.away: >= for > in cmp.Or(cmp.Compare(n.Known[k], n.Stamp), cmp.Compare(n.distance, …": "no node is its own neighbor, so the comparison is never 0",
	"naimitrehel node.Receive: drop n.Token = true":                                                        "no rule reads it: the invariant does, and what the node rejects",
	"singhal site.Release: drop s.SV[i] = none":                                                            "the loop copies it from TSV[i]",
	"singhal site.Release: keep s.TSN[i] in s.TSV[i], s.TSN[i] = none, s.SN[i]":                            "the loop copies it from SN[i], which is larger",
	"singhal site.Release: keep s.SN[j] in s.SV[j], s.SN[j] = s.TSV[j], s.TSN[j]": "" +
		"SN[j] is only compared with numbers of the token, which are at least as large",
	"hierarchy newNode: always n.Among != nil":                                                       "nil is no Starter",
	"hierarchy node.Release: drop n.Phase = messaging.Idle":                                          "no rule reads the phase: what the node rejects does",
	"hierarchy node.Receive: drop n.Phase = messaging.Inside":                                        "no rule reads the phase: what the node rejects does",
	"hierarchy node.Receive: ignore n.Asked[at.position] in max(n.Asked[at.position], m.Number) (2)": "Own has the number of the latest request",
	"hierarchy node.serve: drop n.Cluster = messaging.Waiting":                                       "it is compared with inside alone",
}

const (
	looksAnyway    = "the wait begins with the same look"
	eitherWayRound = "it is enough to see either half true, at any time after turn was written, in whichever order they are looked at"
	predecessor    = "line a waits for what line 7 waits for too, and is there for speed alone"
	ofProcess0     = "last is never 0, since our own register was choosing; and if it is choosing, k is 0, and line 6 waits for ticket[0] ≠ choosing too"
	anyOrder       = "each j is argued alone, so the order in which they are looked at is free"
	ownTicket      = "equal to mine is our own ticket alone, and to await each of the four where that is not needed is right too"
	noRest         = "there is no rest: the number of registers is a multiple of four"
	anyLargest     = "if several have the largest number, line a may await any of them; if none has one, it awaits none"
	lineAEnough    = "numbers are taken in one atomic step each, so the process of the largest is the one to wait for, and by line a it has left"

	notWaiting   = "the phase is compared with waiting alone"
	notIdle      = "the phase is then waiting, which is not idle either; and no second token comes"
	notInside    = "the phase is compared with inside alone"
	olderThanAll = "inside, the node is then waiting with a request that is older than all that can still count: " +
		"each node has agreed to it, and its later requests are younger"
	noStamp      = "no request has the zero stamp, and no reply names it"
	oneVersion   = "an arbiter gives each version to one Transfer, and the next Locked to the same request has a later one"
	setByToken   = "both are none if the token rests here; and else the next token sets them before they are read"
	withoutToken = "without the token it is not read, and the next token sets it"
	passedByNone = "no node that asked after this one was passed over yet, since the token is elsewhere: the places from k on hold 0"
)

// Open says, by [Mutant.Key], what would kill the mutants that survive and are not known to
// be equivalent. The test fails if they are more than one in twenty.
var Open = map[string]string{
	"ricartagrawala acknowledged.Release: drop n.forgetSilence()": "" +
		"the number of messages if a node withdraws while others are silent, and asks no more: it repeats what is over",
	"ricartagrawala acknowledged.Release: keep p.Waited in p.Deferred, p.Late, p.Waited = 0, p.Deferred, 0": "" +
		"the loss of two late grants in a row to the same node: it is removed an interval or more too early",
	"caosinghal node.locked: always next.Version <= version": "" +
		"the delay if a Transfer overtakes the Locked before it: it is forgotten, and the lock goes back to its arbiter",
	"raymond ordered.assignOrAsk: always len(n.Passed) < len(n.Queue)":      passedGrows,
	"raymond ordered.assignOrAsk: <= for < in len(n.Passed) < len(n.Queue)": passedGrows,
	"singhal site.Receive: drop s.SV[s.start.Self] = executing": "" +
		"the number of messages to a node that is inside: it asks each new requester for the token that it has",
	"hierarchy starting.Start: drop l.settle()": "" +
		"a level whose nodes send to themselves when they start: the library has none",
}

const passedGrows = "a bound on the state: each look at the queue appends a 0 to Passed, and no node is behind it"
