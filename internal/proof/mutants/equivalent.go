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
)
