package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/own"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
)

// runNodes checks an algorithm that passes messages: a lock, or a system.
func (u *checkup) runNodes(ctx context.Context, s streams, of subject) error {
	if err := u.misfit(); err != nil {
		return err
	}
	far := newProgress(s.err)
	if of.kind == system {
		f, err := u.checkSystem(ctx, far, of)
		return u.finish(s, of, f, err)
	}
	w, err := u.sized(of.Name)
	if err != nil {
		return err
	}
	f, err := u.checkProtocol(ctx, far, of, w)
	return u.finish(s, of, f, err)
}

// checkProtocol checks a lock of nodes with a workload of each.
func (u *checkup) checkProtocol(ctx context.Context, far *progress, of subject, w own.Workload) (f *nodesFinding, err error) {
	if err := of.Lacking(); err != nil {
		return nil, err
	}
	f = &nodesFinding{of: of, Nodes: len(w.Requests), Workload: w}
	c := explore.NodesConfig{New: of.protocol.New(f.Nodes)}
	wrong, _ := proof.RefutationOf(of.Name)
	if f.Nodes == len(wrong.Requests) {
		if c.New, err = wrong.Algorithm(); err != nil {
			return nil, err
		}
		f.sets = wrong.Given
	}
	err = u.exploreNodes(ctx, far, f, c)
	for _, p := range f.Properties {
		if f.sets != "" && p.History != nil {
			p.History.Scenario = wrong.Scenario(p.History.Scenario)
		}
	}
	return f, err
}

// checkSystem checks an algorithm that is no lock, in its trial.
func (u *checkup) checkSystem(ctx context.Context, far *progress, of subject) (*nodesFinding, error) {
	trial := of.system.Trial
	if trial.Nodes == 0 {
		return nil, u.mistaken("%s: its states grow forever, so not every schedule can be visited; trace shows a run", of.Name)
	}
	n := cmp.Or(u.Processes, trial.Nodes)
	a, err := of.protocol.Declared.New(n)
	if err != nil {
		return nil, err
	}
	f := &nodesFinding{of: of, Nodes: n, Workload: u.Workload}
	f.Users = trial.Text
	return f, u.exploreNodes(ctx, far, f, explore.NodesConfig{New: a, Inputs: trial.Inputs(n), Results: of.protocol.Results})
}

// exploreNodes has f report what a check finds.
func (u *checkup) exploreNodes(ctx context.Context, far *progress, f *nodesFinding, c explore.NodesConfig) error {
	p := f.of.protocol
	c = f.Onto(c)
	c.Name, c.Nodes, c.Perpetual, c.Invariant = p.Name, f.Nodes, p.Perpetual, p.Invariant
	c.Memory, c.Workers = int64(u.Memory)<<20, u.Workers
	start := time.Now()
	_, err := watch(ctx, far, func(say func(string)) (*nodesFinding, error) {
		c.Context, c.Progress = ctx, reporting(say, f.of.Name, number(f.Nodes, "node", "nodes"))
		report, broke, err := own.CheckNodes(c)
		if err != nil {
			return nil, err
		}
		f.Elapsed = time.Since(start)
		return f.with(report, broke), nil
	})
	return err
}

// A nodesFinding is what a check of a protocol found out, for machines and for people.
type nodesFinding struct {
	of     subject
	sets   string // its quorums or links, if they are not the usual ones
	report *explore.NodesReport
	drawn  picture // of one's own: the first run of histories with a scenario

	Protocol string   `json:"protocol"`
	Source   string   `json:"source"`
	Why      string   `json:"why,omitempty"`
	Violated bool     `json:"violated"`
	Broke    *history `json:"history,omitempty"` // a run in which a node breaks its contract; then there is no report
	Nodes    int      `json:"nodes"`
	own.Workload
	Starving []messaging.ID `json:"starving"`
	Messages int            `json:"messages"`
	Entries  int            `json:"entries"`
	Queue    int            `json:"queue"`
	extent
}

// with returns f with the report of the check, or else the run that broke it off.
func (f *nodesFinding) with(r *explore.NodesReport, broke *explore.History) *nodesFinding {
	f.Protocol, f.Source, f.Why = f.of.Name, f.of.Source, f.of.why()
	f.report, f.Broke, f.Violated = r, (*history)(broke), broke != nil
	f.Starving, f.Properties = []messaging.ID{}, []property{}
	if r == nil {
		if f.Users != "" {
			f.Requests = make([]int, f.Nodes)
		}
		return f
	}
	f.Requests, f.Starving = r.Requests, append(f.Starving, r.Starving...)
	f.States, f.Transitions, f.Depth, f.Bytes = r.States, r.Events, r.Depth, r.Bytes
	f.Bypasses, f.ByAll, f.Messages, f.Entries, f.Queue = r.Bypasses, r.BypassesByAll, r.Messages, r.Entries, r.Queue
	f.Properties = []property{
		newProperty("mutual_exclusion", "mutual exclusion", true, r.MutualExclusion),
		newProperty("fencing", "fencing", true, r.Fencing),
		newProperty("no_panic", "no panic", true, r.NoPanic),
		newProperty("invariant", "invariant", true, r.Invariant),
		newProperty("results", "results", true, r.Results),
		newProperty("deadlock_free", "deadlock-free", true, r.DeadlockFree),
		newProperty("starvation_free", "starvation-free", true, r.StarvationFree),
		newProperty("quiescent", "comes to rest", true, r.Quiescent),
		newProperty("fifo", "FIFO", false, r.FIFO),
		newProperty("by_stamp", "by stamp", false, r.ByStamp),
		newProperty("happened_before", "happened-before", false, r.HappenedBefore),
	}
	f.Violated = len(broken(f.Properties)) > 0
	return f
}

func (f *nodesFinding) result(limit int) result {
	r := f.extent.result(f, f.text(limit), func(p property) shownRun { return f.shown(p.History) })
	r.violated, r.none, r.more = f.Violated, "there is no run to draw", []string{"crashes", "losses"}
	if f.Users == "" {
		r.more = append(r.more, "rounds")
	}
	if f.Broke != nil {
		r.runs, r.shown = []shownRun{f.shown(f.Broke)}, 1
	}
	return r
}

// text returns what was explored, the verdicts, and what they mean.
func (f *nodesFinding) text(limit int) string {
	t := table{limit: limit}
	t.add("protocol", f.of.String())
	of := f.String()
	if f.sets != "" {
		of += "; " + f.sets
	}
	t.add("checked", "every schedule of "+number(f.Nodes, "node", "nodes")+", "+of)
	if f.report == nil {
		return t.concluded(f.of.Name+" breaks the contract of a node: it cannot be checked further.", f.Why)
	}
	f.addStates(&t, "event", "events")
	f.addTook(&t)
	t.add()
	ended := f.ended()
	f.addVerdicts(&t, ended)
	if ended == "" {
		f.addCosts(&t)
	}
	return t.concluded(f.concluded(), f.Why)
}

// ended says which failure ended the check; "": none did.
func (f *nodesFinding) ended() string {
	r := f.report
	switch explore.Fails {
	case r.MutualExclusion.Status:
		return "mutual exclusion is violated"
	case r.NoPanic.Status:
		return "a node panicked"
	case r.Invariant.Status:
		return "the invariant is violated"
	case r.Results.Status:
		return "the results are wrong"
	}
	return ""
}

// addCosts adds rows for how long nodes wait, and how many messages there are.
func (f *nodesFinding) addCosts(t *table) {
	if len(f.Starving) > 0 {
		all := make([]string, len(f.Starving))
		for k, i := range f.Starving {
			all[k] = notation.Node(i)
		}
		t.add("may starve", spelling.Enumerate(all))
	}
	if f.report.FIFO.Status != explore.Unknown {
		f.addBypasses(t, "node waits, in these runs")
	}
	switch {
	case f.Messages == explore.Unbounded:
		t.add("messages", "in these runs, any number without an entry")
	case f.Entries > 0:
		each := math.Round(100*float64(f.Messages)/float64(f.Entries)) / 100
		t.add("messages", fmt.Sprintf("in these runs, at most %v an entry", each))
	}
	t.add("links", "in these runs, at most "+number(f.Queue, "message", "messages")+" in transit on one")
}

// concluded reports whether the protocol keeps its promise.
func (f *nodesFinding) concluded() string {
	nodes := number(f.Nodes, "node", "nodes")
	runs := "such run of " + nodes
	faults := f.Crashes+f.Suspicions+f.Losses+f.Duplicates+f.Early > 0
	switch broken := broken(f.Properties); {
	case len(broken) > 0 && faults:
		return fmt.Sprintf("%s does not survive these faults: %s.", f.of.Name, fails(broken))
	case len(broken) == 0 && f.Why != "":
		return fmt.Sprintf("Nothing fails in such runs of %s: it takes other ones, or other sets or links, which a scenario can have.", nodes)
	case f.report.StarvationFree.Status == explore.Undecided:
		runs += "; whether a node can starve is not decided"
	}
	return f.conclusion(f.of, "protocol", runs)
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
		if f.drawn != "" {
			return f.drawn, nil
		}
		return newScene("the counterexample", []byte(h.Scenario), nil).trace()
	}
	return run
}
