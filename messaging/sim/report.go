package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// A Report holds what was measured up to the end of the run.
type Report struct {
	Nodes int
	Time  time.Duration // of the last event, or Config.Until if that ended the run

	// Entries is the number of entries, EntriesOf that of each node. Users are the
	// nodes that the load has ask.
	Entries   int
	EntriesOf []int
	Users     []messaging.ID

	// Requests is the number of requests made. Of those given up, some were
	// Withdrawn, and some Absorbed: these went on without their user, unless the node
	// asked again meanwhile.
	Requests            int
	Withdrawn, Absorbed int

	// Messages is the number of messages sent, including those lost, without those of
	// a node to itself; one that the network duplicates counts once. Kinds has the number
	// of each kind, named by [messaging.Kind].
	Messages                    int
	Kinds                       map[string]int
	Delivered, Lost, Duplicated int
	Timers                      int // that fired

	// SyncDelay is from an exit to the next entry, if a request is pending all that
	// time; Waiting is from a request to its entry, and Response from a request to
	// its exit. If nodes may be inside together ([messaging.Sharer]), SyncDelay is
	// from the last exit of a node that the entering node excludes to that entry, if
	// its request is pending all that time.
	SyncDelay, Waiting, Response Times

	// Bypasses is the number of pairs of requests of which the later entered while
	// the earlier was waiting; one that is made again after it was given up is a later one.
	// Requests made at the same time do not bypass each other, nor do those of nodes that may
	// be inside together.
	Bypasses int

	// PerEntry is the number of messages per entry, and Throughput the number of
	// entries per T, from the first entry to the last; 0 if that took no time.
	PerEntry, Throughput float64

	// Jain is the fairness index of R. Jain, D. Chiu and W. Hawe for the entries x of
	// the n users, (Σx)² / (n Σx²): 1 if all made the same number, 1/n if one made
	// all. LeastShare and MostShare are the parts of all entries that the users with
	// the fewest and the most made.
	Jain, LeastShare, MostShare float64

	Pairs map[[2]messaging.ID]Times // if Config.Pairs: SyncDelay by the node that leaves and the node that enters
	Emits []messaging.Event         // what nodes passed to [messaging.Out.Emit]

	// Order lists the entries in order, if Config.Order. Left is -1 if the node never
	// left.
	Order []struct {
		Node                     messaging.ID
		Requested, Entered, Left time.Duration
	}

	firstEntry, lastEntry time.Duration
}

// A visit is an element of Order.
type visit = struct {
	Node                     messaging.ID
	Requested, Entered, Left time.Duration
}

// Times summarizes measured durations.
type Times struct {
	Count    int
	Sum      time.Duration
	Shortest time.Duration
	Longest  time.Duration
	Mean     float64 // in T; 0 if Count is 0
}

func (t *Times) add(d time.Duration) {
	if t.Count == 0 || d < t.Shortest {
		t.Shortest = d
	}
	t.Longest = max(t.Longest, d)
	t.Count++
	t.Sum += d
}

func (t Times) text() string {
	return fmt.Sprintf("%.3f T, from %.3f to %.3f", t.Mean, ratio(t.Shortest, T), ratio(t.Longest, T))
}

// derive computes the fields that follow from the counts.
func (r *Report) derive() {
	r.PerEntry = ratio(r.Messages, r.Entries)
	r.Throughput = ratio(time.Duration(r.Entries-1)*T, r.lastEntry-r.firstEntry)
	r.Jain = r.jain()
	r.LeastShare, r.MostShare = r.shares()
	for _, t := range []*Times{&r.SyncDelay, &r.Waiting, &r.Response} {
		t.Mean = t.mean()
	}
	for pair, t := range r.Pairs {
		t.Mean = t.mean()
		r.Pairs[pair] = t
	}
}

func (t Times) mean() float64 { return ratio(t.Sum, time.Duration(t.Count)*T) }

func (r *Report) jain() float64 {
	sum, squares := int64(0), int64(0)
	for _, i := range r.Users {
		x := int64(r.EntriesOf[i])
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 0
	}
	return float64(sum) * float64(sum) / (float64(len(r.Users)) * float64(squares))
}

func (r *Report) shares() (least, most float64) {
	fewest, highest := r.Entries, 0
	for _, i := range r.Users {
		fewest, highest = min(fewest, r.EntriesOf[i]), max(highest, r.EntriesOf[i])
	}
	return ratio(fewest, r.Entries), ratio(highest, r.Entries)
}

// String returns the report in a few lines, without Pairs and Order.
func (r Report) String() string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s", what)
		fmt.Fprintf(&b, format+"\n", args...)
	}
	line("nodes", "%d", r.Nodes)
	line("entries", "%d in %s T, %.3f per T", r.Entries, inT(r.Time), r.Throughput)
	line("messages", "%d, %.3f per entry", r.Messages, r.PerEntry)
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		line("", "%d %s, %.3f per entry", r.Kinds[kind], kind, ratio(r.Kinds[kind], r.Entries))
	}
	line("sync delay", "%s, after %d exits", r.SyncDelay.text(), r.SyncDelay.Count)
	line("waiting", "%s", r.Waiting.text())
	line("response", "%s", r.Response.text())
	line("shares", "%.3f to %.3f, Jain index %.3f", r.LeastShare, r.MostShare, r.Jain)
	line("bypasses", "%d", r.Bypasses)
	if r.Withdrawn+r.Absorbed > 0 {
		line("given up", "%d withdrawn, %d absorbed", r.Withdrawn, r.Absorbed)
	}
	if r.Lost+r.Duplicated > 0 {
		line("faults", "%d lost, %d duplicated", r.Lost, r.Duplicated)
	}
	if r.Timers > 0 {
		line("timers", "%d", r.Timers)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// delayTable returns the means of Pairs as a table: rows are the nodes that leave,
// columns those that enter; - marks a pair that did not occur.
func (r Report) delayTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-6s", "T")
	for _, j := range r.Users {
		fmt.Fprintf(&b, " %6s", name(j))
	}
	for _, i := range r.Users {
		fmt.Fprintf(&b, "\n%-6s", name(i))
		for _, j := range r.Users {
			cell := "-"
			if t := r.Pairs[[2]messaging.ID{i, j}]; t.Count > 0 {
				cell = fmt.Sprintf("%.2f", t.Mean)
			}
			fmt.Fprintf(&b, " %6s", cell)
		}
	}
	return b.String()
}

// ratio is the only division: of whole numbers, so that the result is the same on
// every machine. (An int may have only 32 bits, too few for times.)
func ratio[N int | time.Duration](a, b N) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
