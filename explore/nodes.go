package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/nodes"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
)

// A NodesConfig describes a check of a message-passing algorithm. Every field except New and
// Nodes may be zero.
//
// In the beginning, all nodes are idle and nothing is in transit. From there on, everything
// happens in every order: messages take any time; users request, leave and give up at any
// time, as often as they may; and so do faults.
type NodesConfig struct {
	New  messaging.Algorithm // it must return equal nodes for equal starts
	Name string              // of the algorithm, in scenarios; "": that of its package

	Nodes  int          // 1 to 31
	Holder messaging.ID // the node that initially has the privilege, in algorithms with one

	// Rounds is how often each user requests at most; 0: once; Unbounded: any number of
	// times, which takes an algorithm whose states do not grow but for logical clocks.
	// Requests has it by node, instead of Rounds.
	//
	// Then a state stands for all that differ from it by a common shift of all times, each a [messaging.Time]
	// or [messaging.Clock] that is not 0. CheckNodes repeats what nodes do, and what Invariant says, at thousands of later
	// times, or hundreds for more than two nodes, and returns an error if it depends on the value of a time: a
	// test, not a proof, so verdicts say "if only differences of times count". Two rounds are explored, too, with
	// their exact times, if 32 MiB suffice. No clock is followed until it overflows. Nothing is shifted with Results, or with Inputs that have times. It also
	// returns an error if something grows in long random runs: a number, a slice or the timers of a node, a
	// queue, or the difference of two times, more than 256 times; also of a clock that stands still while
	// others go on.
	Rounds   int
	Requests []int

	// UnboundedWithin, if it is not 0, is the memory, in bytes, in which any number of requests is explored
	// first. If that suffices, Rounds and Requests do not count, a 0 neither, but where they refute it, in 32 MiB.
	// Otherwise it is tried whether mutual exclusion, freedom from deadlock, starvation and panics, and that
	// nodes come to rest, hold in every run if only the order of times counts: on FIFO links, without faults. What nodes do is then
	// repeated with other times in the same order, so that nearly every difference of two times below 547 is
	// tried: a test, not a proof, which may miss what depends on a larger difference, on two at once, or on
	// bits or remainders of a time. If not, the note on freedom from starvation says why; see [NodesReport].
	UnboundedWithin int64

	// Inputs are what the user of each node gives it, by node, in this order, at any time;
	// see cluster.Cluster.Input. One for a node that is down is lost: Input returns ErrDown. Nil: nothing.
	Inputs [][]messaging.Message

	Unordered bool // messages of a link may overtake each other

	// AnyTime has running timers expire at any time; of two of a node, the one that was set first
	// expires first, unless it runs for longer. Otherwise time passes, until the next timer is due,
	// only while a request is pending, no message is in transit, and no node is inside that the
	// request waits for; of nodes that are no locks, when nothing else can happen but what users do
	// and faults. That is the model of timeouts that are long: messages, handlers and critical
	// sections take no time beside them. No time passes while no user waits, and the clocks of all
	// nodes are equal: AnyTime explores the rest. A timer that is due, as another at the same instant
	// has expired, expires at any time. Nothing is ever due where messages are always in
	// transit, or behind a timer of no delay that is always set again. Verdicts say so of nodes that
	// set timers.
	AnyTime bool

	// Early is how often timers expire early at most: those that are due first, at any time
	// although they would not without AnyTime, which excludes Early. It models a message, or an
	// entry, that takes longer than a timeout.
	Early int

	// Perpetual marks an algorithm that never comes to rest, such as one of heartbeats.
	Perpetual bool

	Withdrawals int // how many requests are aborted at most

	// Crashes is how many nodes crash at most: of the nodes CrashOf, in one of the phases
	// CrashIn; if one of these is nil, of any or in any. Restarts is how many start again; see [messaging.Start]
	// for what is left of them. A message that arrives while a node is down is lost, or
	// it arrives after the restart.
	Crashes  int
	CrashOf  []messaging.ID
	CrashIn  []messaging.Phase
	Restarts int

	// Detected has a perfect detector of crashes tell each [messaging.Survivor] of each
	// crash, at any time after it but not once the node has restarted, and one that restarts of those that are down.
	// Otherwise no node is told. Suspicions is how often it is wrong, and tells one of a crash that has not happened.
	Detected   bool
	Suspicions int

	Losses     int // how many messages are lost at most
	Duplicates int // how many messages arrive twice at most; on a FIFO link the second comes anywhere behind the first, and before what is sent later

	// Invariant, if not nil, is held in each state; see [messaging.Invariant].
	Invariant messaging.Invariant

	// Results, if not nil, is held in each state; see [messaging.Results]. It is over where nothing
	// but requests and faults is possible, and no timer is set. What is emitted is then part of
	// the state, and must be plain data.
	Results messaging.Results

	// SafetyOnly leaves the properties of infinite runs, and of the order of entries, Unknown: of DeadlockFree it
	// only tells whether nodes can wait with nothing in transit. That takes a fraction of the time and memory.
	SafetyOnly bool

	Memory   int64                                       // the limit in bytes, about, of what the exploration keeps; 0: 4 GiB
	Workers  int                                         // the number of processors to use, 1 or 2; 0: two if there are two. With an Invariant or Results, it is one.
	Progress func(doing string, states int, bytes int64) // as in [Config]
	Context  context.Context                             // if not nil, and done before all states are found, CheckNodes soon returns its error
}

// Unbounded is any number of requests, or a number without a bound.
const Unbounded = nodes.Unbounded

// A NodesReport is the result of CheckNodes.
//
// A verdict on infinite runs considers the fair ones: what remains possible happens
// eventually, that is, each message arrives (the first one of a FIFO link), each timer
// expires, each node that is told of a crash hears of it, a user leaves, and a node that has
// crashed restarts if it may; but no request, abort or fault has to happen. Where a node chooses
// again and again in a state of all nodes and links, it chooses each result eventually.
type NodesReport struct {
	Nodes    int
	Requests []int // how often each requests at most, in the runs that were explored; 0 of nodes that are no locks

	States int   // the reachable states of nodes, users and links
	Events int   // the transitions between them
	Ends   int   // the states without a possible event, but for faults
	Depth  int   // the maximum, over all states, of the least number of events to reach it
	Bytes  int64 // that the exploration took, about

	// NoPanic: no node panics. So none refuses a message ([messaging.Refuse]), enters without a
	// request, or sends where it has no link.
	NoPanic NodesVerdict

	// MutualExclusion: no two nodes are inside that exclude each other, as all do that are
	// no [messaging.Sharer]. Invariant and Results are those of the config.
	MutualExclusion, Invariant, Results NodesVerdict

	// Fencing: the [messaging.Token] of each entry is larger than those of all entries before it that
	// exclude it, on nodes of a cluster.Cluster. It is unknown if no node is a
	// [messaging.Epocher]: then it follows from MutualExclusion, since the nodes of a Cluster share the count. On
	// other hosts it does not where silence is taken for a crash, as nodetest.Run finds.
	Fencing NodesVerdict

	// DeadlockFree: whenever nodes wait, one enters eventually. A Sharer need not wait for
	// nodes that it does not exclude.
	DeadlockFree NodesVerdict

	// StarvationFree: each node that waits enters eventually, unless it crashes. Starving
	// has the nodes that may wait forever. If each of those that request at all does not do so
	// any number of times, it fails or is [Undecided]: others that enter again and again cannot
	// do so forever.
	StarvationFree NodesVerdict
	Starving       []messaging.ID

	// Quiescent: when users do nothing but leave, the nodes come to rest. It is unknown of
	// a Perpetual algorithm.
	Quiescent NodesVerdict

	// FIFO: nodes enter in the order in which they request; one that requests again after an abort
	// does so anew, also if the node is no [messaging.Withdrawer] and cannot tell. Bypasses is how often another
	// node enters at most while one waits, and BypassesByAll is it of all others
	// together; Unbounded if there is no bound, or it is more than 254. Both are 0 if FIFO is unknown, as
	// with SafetyOnly.
	FIFO                    NodesVerdict
	Bypasses, BypassesByAll int

	// ByStamp: no node enters while another, which it excludes, waits with a smaller stamp:
	// the [messaging.Stamp] in what Request sends. A request that sends none comes last. It
	// is unknown if none sends one.
	//
	// HappenedBefore: if the request of one node happened before that of another, which it
	// excludes, through messages of the algorithm, and it waits, it enters first. What a node
	// got before it crashed and restarted counts, too.
	ByStamp, HappenedBefore NodesVerdict

	// Messages and Entries are of a run with the most messages an entry, among those from the
	// beginning to a state with no request pending and no message in transit. Messages of a node
	// to itself do not count. Messages is Unbounded if nodes can send forever without an
	// entry. Both are 0 if it is unknown: with faults, aborts or unbounded requests, of a Perpetual algorithm, and
	// with SafetyOnly.
	Messages, Entries int

	Queue int // the largest number of messages in transit on one link, to a node that is up or restarts

	asked         string // the requests that were explored, before a comma
	faults, again string // of the config; as in [Report]
}

// A NodesVerdict is the answer whether nodes, or a [System], have a property. It is Unknown
// of a property that does not apply, and of those that were not reached when an earlier
// one failed.
type NodesVerdict struct {
	Status  string   // [Unknown], [Holds], [Fails] or [Undecided]
	Note    string   // in which runs of nodes it holds, or what was seen of one that is not decided
	History *History // a run that shows that it fails; nil if it does not
}

// A History is a run of nodes, or of a [System]. No shorter one shows what it shows, unless it has a loop; of
// an order of entries, no shorter one shows it of the node that waits.
type History struct {
	Title  string   // what it shows
	Events []string // in order, one or more lines each, as the lectures write them: S1 is node 0
	Length int      // the number of events
	Loop   int      // the lines from this one on can repeat forever; -1: no loop

	// Scenario is the run on one line, without the repetition: sim.ReadScenario reads it,
	// and the command doorway runs it. It is "" if package sim does not repeat it, such as
	// a wrong suspicion, or a second copy of a message that is not the last on its link.
	Scenario string
}

// String returns the title and the events.
func (h *History) String() string {
	var b strings.Builder
	b.WriteString(h.Title + "\n")
	for k, e := range h.Events {
		if k == h.Loop {
			b.WriteString("and from here on, forever:\n")
		}
		b.WriteString(e + "\n")
	}
	return b.String()
}

// CheckNodes visits every schedule of nodes of an algorithm, and returns a report: what
// holds is proved for the instance. It needs no build tag.
//
// It returns an error that is [ErrMemory] if the memory does not suffice, and one that
// names the field and the rule if the config is invalid. If a node breaks the contract of
// a [messaging.Node], but not by a panic, the error lists the shortest events that show it;
// sim.Failure classifies it, and nodetest.Scenario repeats it.
//
// Nodes must satisfy that contract, which nodetest.Check checks: CheckNodes restores
// their states, and runs a node once for each of its states and inputs; then it repeats these
// on nodes that it does not restore. It stores whole states, not hashes, so no two are
// confused. That a live node is [messaging.Removed], at which a cluster.Cluster stops, is no
// verdict: Suspicions, Early and AnyTime explore what follows from it.
func CheckNodes(c NodesConfig) (*NodesReport, error) {
	found, err := nodes.Check(nodes.Config(c))
	if err != nil {
		return nil, public(err)
	}
	every, explored, asked := provided(everyRun, found.IfEvery), runs(found.Requests), "any number of requests, "
	switch {
	case !found.Locks:
		found.Requests, explored, asked = make([]int, c.Nodes), everyRun, ""
	case explored != everyRun:
		asked = strings.TrimPrefix(strings.TrimPrefix(explored, everyRun+" of "), everyRun+" in which ") + ", "
	}
	explored = provided(explored, found.If)
	verdictOf := func(v space.Verdict) NodesVerdict { return noted(verdictOf(v), explored) }
	always := func(v space.Verdict) NodesVerdict {
		if found.EveryRun {
			return noted(verdictOf(v), every)
		}
		return verdictOf(v)
	}
	r := &NodesReport{
		Nodes: c.Nodes, Requests: found.Requests, States: found.States, Events: found.Events, Ends: found.Ends, Depth: found.Depth, Bytes: found.Bytes,
		NoPanic: always(found.NoPanic), MutualExclusion: always(found.Exclusion), Fencing: verdictOf(found.Fencing), Invariant: verdictOf(found.Invariant), Results: verdictOf(found.Results),
		DeadlockFree: always(found.DeadlockFree), StarvationFree: starvationFree(&found, explored, every), Starving: found.Starving,
		Quiescent: always(found.Quiescent),
		FIFO:      verdictOf(found.FIFO), Bypasses: found.Bypasses, BypassesByAll: found.BypassesByAll,
		ByStamp: verdictOf(found.ByStamp), HappenedBefore: verdictOf(found.HappenedBefore),
		Messages: found.Messages, Entries: found.Entries, Queue: found.Queue,
		asked: asked, faults: c.Faults(), again: again(c),
	}
	if c.SafetyOnly {
		r.leaveOut()
	}
	return r, nil
}

// leaveOut notes why there is no verdict that SafetyOnly leaves out.
func (r *NodesReport) leaveOut() {
	for _, v := range []*NodesVerdict{&r.Fencing, &r.DeadlockFree, &r.StarvationFree, &r.Quiescent, &r.FIFO, &r.ByStamp, &r.HappenedBefore} {
		if v.Status == Unknown {
			v.Note = "left out by SafetyOnly"
		}
	}
}

// Faults says in words how messages arrive and what can fail in the runs that CheckNodes visits:
// "links are FIFO; at most 1 node crashes, of which no node is told".
func (c NodesConfig) Faults() string {
	text := "links are FIFO"
	if c.Unordered {
		text = "messages may overtake each other"
	}
	one, more, told := "node", "nodes", ", of which no node is told"
	if c.CrashOf != nil {
		one = "of the nodes " + spelling.Enumerate(c.CrashOf)
		more = one
	}
	if c.Detected {
		told = ", of which the others are told"
	}
	if c.CrashIn != nil {
		told = " while " + spelling.Enumerate(c.CrashIn) + told
	}
	for _, f := range []struct {
		n         int
		one, more string
	}{
		{c.Withdrawals, "request is aborted", "requests are aborted"},
		{c.Crashes, one + " crashes" + told, more + " crash" + told},
		{c.Restarts, "node starts again", "nodes start again"},
		{c.Suspicions, "crash is reported that has not happened", "crashes are reported that have not happened"},
		{c.Losses, "message is lost", "messages are lost"},
		{c.Duplicates, "message arrives twice", "messages arrive twice"},
		{c.Early, "timer expires early", "timers expire early"},
	} {
		if f.n == 1 {
			text += "; at most 1 " + f.one
		} else if f.n > 1 {
			text += fmt.Sprintf("; at most %d %s", f.n, f.more)
		}
	}
	if c.AnyTime {
		text += "; timers expire at any time"
	}
	return text
}

const everyRun = "in every run"

// runs says which runs were explored.
func runs(requests []int) string {
	each := slices.Compact(slices.Clone(requests))
	switch {
	case len(each) == 1 && each[0] == Unbounded:
		return everyRun
	case len(each) == 1 && each[0] == 1:
		return "in every run of at most 1 request a node"
	case len(each) == 1:
		return fmt.Sprintf("in every run of at most %d requests a node", each[0])
	}
	all := make([]string, len(requests))
	for i, r := range requests {
		if all[i] = bound(r); r == Unbounded {
			all[i] += " of"
		}
	}
	return fmt.Sprintf("in every run in which the nodes request at most %s times", spelling.Enumerate(all))
}

// provided says what is assumed of runs.
func provided(runs string, all []string) string {
	if len(all) == 0 {
		return runs
	}
	return runs + ", if " + strings.Join(all, ", and ")
}

// noted returns v with the runs in which it holds.
func noted(v NodesVerdict, runs string) NodesVerdict {
	if v.Status == Holds {
		v.Note = runs
	}
	return v
}

// starvationFree returns the verdict on freedom from starvation. That it does not fail is only a verdict
// if those who request do so any number of times.
func starvationFree(found *nodes.Result, runs, every string) NodesVerdict {
	v := noted(verdictOf(found.StarvationFree), runs)
	if v.Status == Holds && found.EveryRun {
		return noted(v, every)
	}
	if v.Status != Holds || !slices.ContainsFunc(found.Requests, func(r int) bool { return r > 0 }) {
		return v
	}
	most := "any number of times"
	switch found.BypassesByAll {
	case Unbounded:
	case 1:
		most = "at most once"
	default:
		most = fmt.Sprintf("at most %d times", found.BypassesByAll)
	}
	v = NodesVerdict{Status: Undecided, Note: fmt.Sprintf("%s, others enter %s while one waits", runs, most)}
	if found.Unclosed != nil {
		v.Note += fmt.Sprintf("; any number of requests was not explored: %v", found.Unclosed)
	}
	return v
}

func verdictOf(v space.Verdict) NodesVerdict {
	switch {
	case !v.Known:
		return NodesVerdict{Status: Unknown}
	case v.Against == nil:
		return NodesVerdict{Status: Holds}
	}
	h := History(*v.Against)
	return NodesVerdict{Status: Fails, History: &h}
}

// as returns the verdict as a property, with the kind of a failure.
func (v *NodesVerdict) as(name string, must bool, kind error) property {
	p := property{name: name, status: v.Status, note: v.Note, must: must, kind: kind}
	if h := v.History; h != nil {
		p.length, p.run, p.scenario = fmt.Sprintf("%d events", h.Length), h, h.Scenario
		if h.Loop >= 0 {
			p.kind = history.Endless
		}
	}
	return p
}

func (r *NodesReport) properties(also Properties) []property {
	known := func(v NodesVerdict) bool { return v.Status == Holds || v.Status == Fails }
	locks := known(r.MutualExclusion) || !known(r.Invariant) && !known(r.Results) // what is no lock has one of these
	return []property{
		r.MutualExclusion.as("mutual exclusion", locks || also.MutualExclusion, history.Exclusion),
		r.Fencing.as("fencing", r.Fencing.Status == Fails, history.Fencing),
		r.NoPanic.as("no panic", r.NoPanic.Status == Fails, history.Panic),
		r.Invariant.as("invariant", r.Invariant.Status == Fails, history.Invariant),
		r.Results.as("results", r.Results.Status == Fails, history.Results),
		r.DeadlockFree.as("deadlock-free", locks || also.DeadlockFree, history.Stuck),
		r.StarvationFree.as("starvation-free", locks && r.StarvationFree.Status != Undecided || also.StarvationFree, history.Endless),
		r.Quiescent.as("comes to rest", r.Quiescent.Status == Fails, history.Endless),
		r.FIFO.as("FIFO", also.FIFO, nil),
		r.ByStamp.as("by stamp", false, nil),
		r.HappenedBefore.as("happened-before", false, nil),
		{name: "race-free", must: also.RaceFree},
		{name: "tolerates safe registers", must: also.SafeRegisters},
	}
}

// Err returns nil if the nodes have what every protocol promises, and doorway check holds it to:
// no panic; mutual exclusion, fencing, and freedom from deadlock and from starvation, if they are locks or
// there is neither an invariant nor results (if that is not decided, it must be set in also to count); the
// invariant and the results, if there are any; that they come to rest, unless they are Perpetual;
// and the properties that are set in also. Few protocols are FIFO: without a common clock, nodes
// cannot tell which requested first. Otherwise it returns an error as [Report.Err] does, which
// sim.Failure classifies and nodetest.Scenario repeats. As all verdicts, nil is about the
// nodes, requests and faults of the config.
func (r *NodesReport) Err(also ...Properties) error {
	if r == nil {
		return errNoReport
	}
	return refuted(wanted(r.properties, also), r.again)
}

// String returns the results, a line for each property, without histories.
func (r *NodesReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes, %s%d states, %d events between them; %s\n", r.Nodes, r.asked, r.States, r.Events, r.faults)
	for _, p := range r.properties(Properties{}) {
		b.WriteString(p.line())
	}
	if len(r.Starving) > 0 {
		b.WriteString(line("nodes that may wait forever", nodeNames(r.Starving)))
	}
	if r.FIFO.Status != Unknown {
		b.WriteString(line("bypasses while a node waits, in these runs", fmt.Sprintf("%s by one other, %s by all others", bypasses(r.Bypasses), bypasses(r.BypassesByAll))))
	}
	if r.Messages != 0 {
		b.WriteString(line("messages an entry in these runs, at most", perEntry(r.Messages, r.Entries)))
	}
	if r.MutualExclusion.Status == Holds {
		b.WriteString(line("messages on a link in these runs, at most", r.Queue))
	}
	return b.String()
}

// nodeNames returns the names of nodes: S1 is node 0.
func nodeNames(nodes []messaging.ID) string {
	var all []string
	for _, i := range nodes {
		all = append(all, notation.Node(i))
	}
	return strings.Join(all, " ")
}

// bypasses returns a number of bypasses as text: they are counted up to 254.
func bypasses(n int) string {
	if n == Unbounded {
		return "more than 254"
	}
	return fmt.Sprintf("at most %d", n)
}

// perEntry returns the most messages an entry, as text.
func perEntry(messages, entries int) string {
	if messages == Unbounded || messages%entries == 0 {
		return bound(messages / max(1, entries))
	}
	return fmt.Sprintf("%.2f, %d in %d", float64(messages)/float64(entries), messages, entries)
}
