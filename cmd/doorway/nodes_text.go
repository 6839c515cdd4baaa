package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
)

// A nodesProperty is the verdict on a property of nodes.
type nodesProperty struct {
	name     string // in JSON
	words    string
	promised bool
	explore.NodesVerdict
}

func (f *nodesFinding) properties() []nodesProperty {
	r := f.report
	if r == nil {
		return nil
	}
	return []nodesProperty{
		{"mutual_exclusion", "mutual exclusion", true, r.MutualExclusion},
		{"invariant", "invariant", true, r.Invariant},
		{"results", "results", true, r.Results},
		{"deadlock_free", "deadlock-free", true, r.DeadlockFree},
		{"starvation_free", "starvation-free", true, r.StarvationFree},
		{"quiescent", "comes to rest", true, r.Quiescent},
		{"fifo", "FIFO", false, r.FIFO},
		{"by_stamp", "by stamp", false, r.ByStamp},
		{"happened_before", "happened-before", false, r.HappenedBefore},
	}
}

// broken returns the promises that fail.
func (f *nodesFinding) broken() (all []nodesProperty) {
	for _, p := range f.properties() {
		if p.promised && p.Status == explore.Fails {
			all = append(all, p)
		}
	}
	return all
}

func (f *nodesFinding) violated() bool { return f.broke != nil || len(f.broken()) > 0 }

// histories returns the runs that show what fails; those of orders of entries only with all.
func (f *nodesFinding) histories(all bool) []*explore.History {
	if f.broke != nil {
		return []*explore.History{f.broke}
	}
	runs := f.report.Failures()
	for _, p := range f.properties() {
		if all && !p.promised && p.History != nil {
			runs = append(runs, p.History)
		}
	}
	return runs
}

// concludeNodes writes the finding, and returns an error if a promise is broken.
func (u *checkup) concludeNodes(s streams, f *nodesFinding) error {
	if *u.machines {
		if err := writeJSON(s.out, f.json()); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		f.write(&b, s.width)
		runs := f.histories(*u.traces)
		if len(runs) < len(f.histories(true)) {
			b.WriteString("-trace shows a run for every property that fails.\n")
		}
		for _, h := range runs {
			f.tell(&b, h)
		}
		if _, err := io.WriteString(s.out, b.String()); err != nil {
			return err
		}
	}
	if err := u.drawNodes(s, f); err != nil {
		return err
	}
	if f.violated() {
		return errViolated
	}
	return nil
}

// write writes what was explored, the verdicts, and what they mean.
func (f *nodesFinding) write(b *strings.Builder, limit int) {
	t := table{columns: make([]column, 2), limit: limit}
	t.add("protocol", fmt.Sprintf("%s (%s)", f.name, f.source))
	of := f.workload.String()
	if f.sets != "" {
		of += "; " + f.sets
	}
	t.add("checked", "every schedule of "+number(f.nodes, "node", "nodes")+", "+of)
	if r := f.report; r != nil {
		t.add("states", fmt.Sprintf("%s, the farthest %s from the start; %s between them",
			thousands(r.States), number(r.Depth, "event", "events"), number(r.Events, "event", "events")))
		t.add("took", fmt.Sprintf("%v, %d MiB", f.elapsed.Round(10*time.Millisecond), (r.Bytes+1<<20-1)>>20))
		t.add()
		f.addVerdicts(&t)
	}
	t.write(b)
	b.WriteString("\n")
	paragraph(b, 0, f.conclusion())
	if f.why != "" {
		b.WriteString("How it is broken:\n")
		paragraph(b, 2, f.why)
	}
}

func (f *nodesFinding) addVerdicts(t *table) {
	for _, p := range f.properties() {
		switch {
		case p.Status == explore.Fails && !p.promised:
			t.add(p.words, "fails, not promised")
		case p.Status != explore.Unknown:
			t.add(p.words, p.Status)
		}
	}
	r := f.report
	switch {
	case r.MutualExclusion.Status == explore.Fails:
		t.add("all others", "not checked: mutual exclusion is violated")
		return
	case r.Invariant.Status == explore.Fails:
		t.add("all others", "not checked: the invariant is violated")
		return
	case r.Results.Status == explore.Fails:
		t.add("all others", "not checked: the results are wrong")
		return
	}
	if len(r.Starving) > 0 {
		t.add("may starve", starving(r.Starving))
	}
	if r.FIFO.Status != explore.Unknown {
		t.add("bypasses", fmt.Sprintf("while a node waits, %s by each other, %s by all together", atMost(r.Bypasses), atMost(r.BypassesByAll)))
	}
	switch {
	case r.Messages == explore.Unbounded:
		t.add("messages", "any number without an entry")
	case r.Entries > 0:
		t.add("messages", "at most "+perEntry(r.Messages, r.Entries)+" an entry")
	}
	t.add("links", "at most "+number(r.Queue, "message", "messages")+" in transit on one")
}

func atMost(k int) string {
	if k == explore.Unbounded {
		return "any number"
	}
	return fmt.Sprintf("at most %d", k)
}

// perEntry returns messages for each of some entries, as "3" or "3.67".
func perEntry(messages, entries int) string {
	return strconv.FormatFloat(math.Round(100*float64(messages)/float64(entries))/100, 'f', -1, 64)
}

func starving(nodes []messaging.ID) string {
	all := make([]string, len(nodes))
	for k, i := range nodes {
		all[k] = fmt.Sprintf("node %d", i)
	}
	return spelling.Enumerate(all)
}

// String says what users do, and which faults there are.
func (w workload) String() string {
	text := ""
	switch all := slices.Compact(slices.Clone(w.Requests)); {
	case w.Users != "":
		text = "whose users each " + w.Users
	case len(all) == 1:
		text = requesting(all[0])
	case len(all) > 1:
		text = "which request " + (&requests{by: w.Requests}).String() + " times at most"
	default:
		text = requesting(w.Rounds)
	}
	if w.Unordered {
		text += "; messages may overtake each other"
	} else {
		text += "; links are FIFO"
	}
	for _, f := range []struct {
		n         int
		one, more string
	}{
		{w.Withdrawals, "request is aborted", "requests are aborted"},
		{w.Crashes, "node crashes", "nodes crash"},
		{w.Restarts, "node starts again", "nodes start again"},
		{w.Suspicions, "crash is reported that has not happened", "crashes are reported that have not happened"},
		{w.Losses, "message is lost", "messages are lost"},
		{w.Duplicates, "message arrives twice", "messages arrive twice"},
		{w.Early, "timer expires early", "timers expire early"},
	} {
		if f.n > 0 {
			text += "; at most " + number(f.n, f.one, f.more)
		}
		if f.n > 0 && f.one == "node crashes" && w.Detected {
			text += ", of which the others are told"
		} else if f.n > 0 && f.one == "node crashes" {
			text += ", of which no node is told"
		}
	}
	if w.AnyTime {
		text += "; timers expire at any time"
	}
	return text
}

func requesting(k int) string {
	switch k {
	case explore.Unbounded:
		return "each of which requests any number of times"
	case 1:
		return "each of which requests at most once"
	}
	return fmt.Sprintf("each of which requests at most %d times", k)
}

// conclusion reports whether the protocol keeps its promise.
func (f *nodesFinding) conclusion() string {
	whose := "its"
	if f.own {
		whose = "every protocol's"
	}
	if f.broke != nil {
		return f.name + " breaks the contract of a node: it cannot be checked further."
	}
	if broken := f.broken(); len(broken) > 0 {
		words := make([]string, len(broken))
		for k, p := range broken {
			words[k] = p.words
		}
		if f.workload.faults() {
			return fmt.Sprintf("%s does not survive these faults: %s.", f.name, fails(words))
		}
		return fmt.Sprintf("%s breaks %s promise: %s.", f.name, whose, fails(words))
	}
	if f.why != "" {
		return fmt.Sprintf("Nothing fails in such runs of %s: it takes other ones, or other sets or links, which a scenario can have.", number(f.nodes, "node", "nodes"))
	}
	return fmt.Sprintf("%s keeps %s promise in every such run of %s.", f.name, whose, number(f.nodes, "node", "nodes"))
}

// fails says of properties that they fail.
func fails(words []string) string {
	for k, w := range words {
		switch w {
		case "deadlock-free":
			words[k] = "deadlock freedom"
		case "starvation-free":
			words[k] = "starvation freedom"
		case "results":
			words[k] = "correctness of the results"
		case "comes to rest":
			words[k] = "coming to rest"
		}
	}
	if len(words) == 1 {
		return words[0] + " fails"
	}
	return spelling.Enumerate(words) + " fail"
}

// tell writes a run as a table, and how to repeat it.
func (f *nodesFinding) tell(b *strings.Builder, h *explore.History) {
	b.WriteString("\n")
	paragraph(b, 0, h.Title)
	b.WriteString("\n")
	t := table{columns: []column{{right: true}, {}, {}}}
	t.add("line", "node", "event")
	for k, e := range h.Events {
		if k == h.Loop {
			t.add("", "", "and from here on, forever:")
		}
		node, what := "", e
		if rest, ok := strings.CutPrefix(e, "node "); ok {
			node, what, _ = strings.Cut(rest, " ")
		}
		t.add(fmt.Sprint(k+1), node, what)
	}
	t.write(b)
	switch {
	case h.Scenario == "":
	case f.own:
		fmt.Fprintf(b, "\nTo repeat it in a test, with S1 for node 0, give sim.ReadScenario:\n\n  %s\n", h.Scenario)
	default:
		fmt.Fprintf(b, "\nTo repeat it, with S1 for node 0; doorway trace -svg file draws it:\n\n  echo '%s' | doorway run -\n", h.Scenario)
	}
}

// drawNodes draws the first run to the file that was asked for.
func (u *checkup) drawNodes(s streams, f *nodesFinding) error {
	if *u.svg == "" {
		return nil
	}
	at := slices.IndexFunc(f.histories(true), func(h *explore.History) bool { return h.Scenario != "" })
	if at < 0 {
		tell(s.err, fmt.Sprintf("doorway check: there is no run to draw: %s is not written", *u.svg))
		return nil
	}
	h := f.histories(true)[at]
	r, err := f.drawn, error(nil)
	if r == nil {
		r, err = traced("", "the counterexample", strings.NewReader(h.Scenario))
	}
	if err != nil {
		return err
	}
	if err := draw(s.out, *u.svg, r); err != nil || *u.machines || *u.svg == standardInput {
		return err
	}
	_, err = fmt.Fprintf(s.out, "\n%s shows it: %s.\n", *u.svg, h.Title)
	return err
}

// A protocolJSON is what doorway check says of a protocol to machines.
type protocolJSON struct {
	Protocol    string              `json:"protocol"`
	Source      string              `json:"source"`
	Why         string              `json:"why,omitempty"`
	Violated    bool                `json:"violated"`
	History     *historyJSON        `json:"history,omitempty"`
	Nodes       int                 `json:"nodes"`
	Requests    []int               `json:"requests"`
	Unordered   bool                `json:"unordered"`
	Withdrawals int                 `json:"withdrawals"`
	Crashes     int                 `json:"crashes"`
	Restarts    int                 `json:"restarts"`
	Detected    bool                `json:"detected"`
	Suspicions  int                 `json:"suspicions"`
	Losses      int                 `json:"losses"`
	Duplicates  int                 `json:"duplicates"`
	AnyTime     bool                `json:"any_time"`
	Early       int                 `json:"early"`
	States      int                 `json:"states"`
	Events      int                 `json:"transitions"`
	Depth       int                 `json:"depth"`
	Bypasses    int                 `json:"bypasses"`
	ByAll       int                 `json:"bypasses_by_all"`
	Starving    []messaging.ID      `json:"starving"`
	Messages    int                 `json:"messages"`
	Entries     int                 `json:"entries"`
	Queue       int                 `json:"queue"`
	Bytes       int64               `json:"bytes"`
	Elapsed     time.Duration       `json:"elapsed_ns"`
	Properties  []nodesPropertyJSON `json:"properties"`
}

type nodesPropertyJSON struct {
	Name     string       `json:"name"`
	Promised bool         `json:"promised"`
	Status   string       `json:"status"`
	History  *historyJSON `json:"history,omitempty"`
}

type historyJSON struct {
	Title    string   `json:"title"`
	Events   []string `json:"events"`
	Loop     int      `json:"loop"`
	Scenario string   `json:"scenario,omitempty"`
}

func (f *nodesFinding) json() protocolJSON {
	w := f.workload
	all := protocolJSON{
		Protocol: f.name, Source: f.source, Why: f.why, Violated: f.violated(),
		Nodes: f.nodes, Requests: w.Requests, Unordered: w.Unordered, Withdrawals: w.Withdrawals, Crashes: w.Crashes,
		Restarts: w.Restarts, Detected: w.Detected, Suspicions: w.Suspicions, Losses: w.Losses, Duplicates: w.Duplicates, AnyTime: w.AnyTime, Early: w.Early,
		Starving: []messaging.ID{},
		Elapsed:  f.elapsed, Properties: []nodesPropertyJSON{},
	}
	if w.Requests == nil {
		all.Requests = slices.Repeat([]int{w.Rounds}, f.nodes)
	}
	if f.broke != nil {
		all.History = newHistoryJSON(f.broke)
		return all
	}
	r := f.report
	all.States, all.Events, all.Depth, all.Queue, all.Bytes = r.States, r.Events, r.Depth, r.Queue, r.Bytes
	all.Messages, all.Entries = r.Messages, r.Entries
	all.Bypasses, all.ByAll, all.Starving = r.Bypasses, r.BypassesByAll, append(all.Starving, r.Starving...)
	for _, p := range f.properties() {
		all.Properties = append(all.Properties, nodesPropertyJSON{p.name, p.promised, p.Status, newHistoryJSON(p.History)})
	}
	return all
}

func newHistoryJSON(h *explore.History) *historyJSON {
	if h == nil {
		return nil
	}
	return &historyJSON{h.Title, h.Events, h.Loop, h.Scenario}
}
