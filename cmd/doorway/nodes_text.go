package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
)

// A nodesFinding is what a check of a protocol found out, for machines and for people.
type nodesFinding struct {
	of     subject
	sets   string // its quorums or links, if they are not the usual ones
	report *explore.NodesReport
	drawn  *spacetime.Run // of one's own: the first run of histories with a scenario

	Protocol string   `json:"protocol"`
	Source   string   `json:"source"`
	Why      string   `json:"why,omitempty"`
	Violated bool     `json:"violated"`
	Broke    *history `json:"history,omitempty"` // a run in which a node breaks its contract; then there is no report
	Nodes    int      `json:"nodes"`
	workload
	States     int            `json:"states"`
	Events     int            `json:"transitions"`
	Depth      int            `json:"depth"`
	Bypasses   int            `json:"bypasses"`
	ByAll      int            `json:"bypasses_by_all"`
	Starving   []messaging.ID `json:"starving"`
	Messages   int            `json:"messages"`
	Entries    int            `json:"entries"`
	Queue      int            `json:"queue"`
	Bytes      int64          `json:"bytes"`
	Elapsed    time.Duration  `json:"elapsed_ns"`
	Properties []property     `json:"properties"`
}

// with returns f with the report of the check, or else the run that broke it off.
func (f *nodesFinding) with(r *explore.NodesReport, broke *explore.History) *nodesFinding {
	f.Protocol, f.Source, f.Why = f.of.Name, f.of.Source, f.of.why()
	f.report, f.Broke, f.Violated = r, (*history)(broke), broke != nil
	f.Starving, f.Properties = []messaging.ID{}, []property{}
	if r == nil {
		if f.users != "" {
			f.Requests = make([]int, f.Nodes)
		}
		return f
	}
	f.States, f.Events, f.Depth, f.Queue, f.Bytes = r.States, r.Events, r.Depth, r.Queue, r.Bytes
	f.Messages, f.Entries = r.Messages, r.Entries
	f.Requests = r.Requests
	f.Bypasses, f.ByAll, f.Starving = r.Bypasses, r.BypassesByAll, append(f.Starving, r.Starving...)
	for _, p := range []struct {
		name, words string
		promised    bool
		explore.NodesVerdict
	}{
		{"mutual_exclusion", "mutual exclusion", true, r.MutualExclusion},
		{"fencing", "fencing", true, r.Fencing},
		{"no_panic", "no panic", true, r.NoPanic},
		{"invariant", "invariant", true, r.Invariant},
		{"results", "results", true, r.Results},
		{"deadlock_free", "deadlock-free", true, r.DeadlockFree},
		{"starvation_free", "starvation-free", true, r.StarvationFree},
		{"quiescent", "comes to rest", true, r.Quiescent},
		{"fifo", "FIFO", false, r.FIFO},
		{"by_stamp", "by stamp", false, r.ByStamp},
		{"happened_before", "happened-before", false, r.HappenedBefore},
	} {
		f.Properties = append(f.Properties, newProperty(p.name, p.words, p.promised, p.NodesVerdict))
	}
	f.Violated = len(broken(f.Properties)) > 0
	return f
}

// result returns f as check prints it, and the runs that show what fails: those of orders of entries
// last.
func (f *nodesFinding) result(limit int) result {
	r := result{text: f.text(limit), json: f, violated: f.Violated, none: "there is no run to draw", more: []string{"crashes", "losses"}}
	if f.users == "" {
		r.more = append(r.more, "rounds")
	}
	if f.Broke != nil {
		r.runs, r.shown = []shownRun{f.shown(f.Broke)}, 1
		return r
	}
	for _, p := range broken(f.Properties) {
		if len(r.runs) == 0 || p.History.Title != r.runs[len(r.runs)-1].title { // one run can show that several fail
			r.runs = append(r.runs, f.shown(p.History))
		}
	}
	r.shown = len(r.runs)
	for _, p := range f.Properties {
		if !p.Promised && p.History != nil {
			r.runs = append(r.runs, f.shown(p.History))
		}
	}
	return r
}

// text returns what was explored, the verdicts, and what they mean.
func (f *nodesFinding) text(limit int) string {
	t := table{limit: limit}
	t.add("protocol", fmt.Sprintf("%s (%s)", f.of.Name, f.of.Source))
	of := f.String()
	if f.sets != "" {
		of += "; " + f.sets
	}
	t.add("checked", "every schedule of "+number(f.Nodes, "node", "nodes")+", "+of)
	if r := f.report; r != nil {
		t.add("states", fmt.Sprintf("%s, the farthest %s from the start; %s between them",
			proof.Thousands(r.States), number(r.Depth, "event", "events"), number(r.Events, "event", "events")))
		t.add("took", fmt.Sprintf("%v, %d MiB", f.Elapsed.Round(10*time.Millisecond), (r.Bytes+1<<20-1)>>20))
		t.add()
		f.addVerdicts(&t)
	}
	return t.concluded(f.conclusion(), f.Why)
}

func (f *nodesFinding) addVerdicts(t *table) {
	for _, p := range f.Properties {
		if p.Status != explore.Unknown {
			t.add(p.words, p.says(p.Status == explore.Fails))
		}
	}
	r := f.report
	for _, ends := range []struct {
		explore.NodesVerdict
		why string
	}{
		{r.MutualExclusion, "mutual exclusion is violated"},
		{r.NoPanic, "a node panicked"},
		{r.Invariant, "the invariant is violated"},
		{r.Results, "the results are wrong"},
	} {
		if ends.Status == explore.Fails {
			t.add("all others", "not checked: "+ends.why)
			return
		}
	}
	if len(r.Starving) > 0 {
		all := make([]string, len(r.Starving))
		for k, i := range r.Starving {
			all[k] = notation.Node(i)
		}
		t.add("may starve", spelling.Enumerate(all))
	}
	if r.FIFO.Status != explore.Unknown {
		t.add("bypasses", fmt.Sprintf("while a node waits, in these runs, %s by each other, %s by all together", atMost(r.Bypasses), atMost(r.BypassesByAll)))
	}
	switch {
	case r.Messages == explore.Unbounded:
		t.add("messages", "in these runs, any number without an entry")
	case r.Entries > 0:
		each := math.Round(100*float64(r.Messages)/float64(r.Entries)) / 100
		t.add("messages", fmt.Sprintf("in these runs, at most %v an entry", each))
	}
	t.add("links", "in these runs, at most "+number(r.Queue, "message", "messages")+" in transit on one")
}

func atMost(k int) string {
	if k == explore.Unbounded {
		return "more than 254"
	}
	return fmt.Sprintf("at most %d", k)
}

// String says what users do, and which faults there are.
func (w workload) String() string {
	text := ""
	switch all := slices.Compact(slices.Clone(w.Requests)); {
	case w.users != "":
		text = "whose users each " + w.users
	case len(all) > 1:
		text = "which request " + w.rounds() + " times at most"
	case all[0] == explore.Unbounded:
		text = "each of which requests any number of times"
	case all[0] == 1:
		text = "each of which requests at most once"
	default:
		text = fmt.Sprintf("each of which requests at most %d times", all[0])
	}
	return text + "; " + w.Onto(explore.NodesConfig{}).Faults()
}

// rounds returns how often the nodes request, as the flag has it.
func (w workload) rounds() string { return (*requests)(&w.Requests).String() }

// conclusion reports whether the protocol keeps its promise.
func (f *nodesFinding) conclusion() string {
	whose := "its"
	if f.of.kind == foreign {
		whose = "every protocol's"
	}
	if f.Broke != nil {
		return f.of.Name + " breaks the contract of a node: it cannot be checked further."
	}
	if broken := broken(f.Properties); len(broken) > 0 {
		if f.Crashes+f.Suspicions+f.Losses+f.Duplicates+f.Early > 0 { // these faults are possible
			return fmt.Sprintf("%s does not survive these faults: %s.", f.of.Name, fails(broken))
		}
		return fmt.Sprintf("%s breaks %s promise: %s.", f.of.Name, whose, fails(broken))
	}
	if f.Why != "" {
		return fmt.Sprintf("Nothing fails in such runs of %s: it takes other ones, or other sets or links, which a scenario can have.", number(f.Nodes, "node", "nodes"))
	}
	text := fmt.Sprintf("%s keeps %s promise in every such run of %s", f.of.Name, whose, number(f.Nodes, "node", "nodes"))
	if f.report.StarvationFree.Status == explore.Undecided {
		text += "; whether a node can starve is not decided"
	}
	return text + "."
}

// nouns are what can fail, where it differs from the words for what holds.
var nouns = map[string]string{
	"no panic": "freedom from panics", "deadlock-free": "deadlock freedom", "starvation-free": "starvation freedom",
	"results": "correctness of the results", "comes to rest": "coming to rest",
}

// fails says of properties that they fail.
func fails(broken []property) string {
	all := words(broken)
	for k, w := range all {
		all[k] = cmp.Or(nouns[w], w)
	}
	if len(all) == 1 {
		return all[0] + " fails"
	}
	return spelling.Enumerate(all) + " fail"
}

// shown returns a run as a table, with how to repeat it.
func (f *nodesFinding) shown(h *history) shownRun {
	t := table{columns: []column{{right: true}}}
	t.add("line", "event")
	for k, e := range h.Events {
		if k == h.Loop {
			t.add("", "and from here on, forever:")
		}
		t.add(fmt.Sprint(k+1), e)
	}
	run := shownRun{title: h.Title, text: "\n" + paragraph(0, h.Title) + "\n" + t.String()}
	if h.Scenario == "" {
		return run
	}
	how := "\nTo repeat it (doorway trace -svg file draws it):\n\n  echo '%s' | doorway run -\n"
	if f.of.kind == foreign {
		how = "\nTo repeat it in a test, give sim.ReadScenario:\n\n  %s\n"
	}
	run.text += fmt.Sprintf(how, h.Scenario)
	run.draw = func() (drawable, error) {
		if f.drawn != nil {
			return f.drawn, nil
		}
		return traced("the counterexample", h.Scenario)
	}
	return run
}
