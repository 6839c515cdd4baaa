package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/cmd/doorway/internal/own"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
)

// A workload is what users of a protocol do, and what faults there are.
type workload struct {
	own.Workload
	users  string // what the user of each node does, if the nodes are no locks
	within int64  // the memory in which any number of requests is explored first; see [own.UnboundedWithin]
}

// Flags of doorway check that are for locks alone, and for protocols alone.
var (
	ofUsers     = []string{"rounds", "withdrawals"} // of a lock
	ofLocks     = []string{"numbers", "give-up", "mixed", "everything", "test", "doorway"}
	ofProtocols = []string{"rounds", "unordered", "withdrawals", "crashes", "restarts", "detected", "suspicions", "losses", "duplicates", "any-time", "early"}
)

// ofProtocol gives c the flags of a workload.
func (c *command) ofProtocol(w *own.Workload) {
	few := func(to *int, name, usage string) { c.whole(to, name, 0, 100, "of a protocol: "+usage) }
	c.add("rounds", "of a protocol: how often each node requests, a `number`, unbounded, or one by node, such as 2,1,0 "+
		"(default: unbounded or what takes a second or two)", (*requests)(&w.Requests))
	c.is(&w.Unordered, "unordered", "of a protocol: messages of a link may overtake each other")
	few(&w.Withdrawals, "withdrawals", "how many requests are aborted at most, a `number` from 0 to 100")
	few(&w.Crashes, "crashes", "how many nodes crash at most, a `number` from 0 to 100")
	few(&w.Restarts, "restarts", "how many of the crashed nodes start again at most, a `number` from 0 to 100")
	c.is(&w.Detected, "detected", "of a protocol: the other nodes are told of each crash; otherwise none is")
	few(&w.Suspicions, "suspicions", "how often a node is told of a crash that has not happened at most, a `number` from 0 to 100")
	few(&w.Losses, "losses", "how many messages are lost at most, a `number` from 0 to 100")
	few(&w.Duplicates, "duplicates", "how many messages arrive twice at most, a `number` from 0 to 100")
	c.is(&w.AnyTime, "any-time", "of a protocol: timers expire at any time; otherwise only while a node waits and nothing else can happen", "anytime")
	few(&w.Early, "early", "how many timers expire early at most, as if a message took longer, a `number` from 0 to 100; without -any-time")
}

// requests is the value of -rounds: by node, or one for all.
type requests []int

const unbounded = "unbounded" // any number

func (r *requests) Set(s string) error {
	*r = nil
	words := strings.Split(s, ",")
	for _, word := range words {
		k, err := strconv.Atoi(word)
		switch {
		case word == unbounded:
			k = explore.Unbounded
		case err != nil || k < 0 || k > 100 || k == 0 && len(words) == 1:
			return errors.New("it is an integer from 1 to 100, unbounded, or from 0 on one for each node, such as 2,1,0")
		}
		*r = append(*r, k)
	}
	return nil
}

func (r *requests) Get() any { return *r }

func (r *requests) String() string {
	all := make([]string, len(*r))
	for i, k := range *r {
		if all[i] = strconv.Itoa(k); k == explore.Unbounded {
			all[i] = unbounded
		}
	}
	return strings.Join(all, ",")
}

// misfit returns which flags of a workload do not fit together, as an error.
func (u *checkup) misfit() error {
	switch w := u.Workload; {
	case w.Detected && w.Crashes == 0:
		return u.mistaken("-detected takes -crashes, which are what is detected")
	case w.AnyTime && w.Early > 0:
		return u.mistaken("-any-time and -early exclude each other: timers that expire at any time expire early any number of times")
	case w.Restarts > w.Crashes:
		return u.mistaken("-restarts %d: it is at most -crashes, which is %d", w.Restarts, w.Crashes)
	}
	return nil
}

// given returns which flags of those names are given.
func (c *command) given(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !c.IsSet(name) })
}

// sizes has the instances that a second or two suffice for, where that is less than two
// requests of each of three nodes.
var sizes = map[string][]int{
	"lamport":                               {2, 2},
	"lamport-suppressed":                    {2, 2},
	"ricartagrawala":                        {1, 1, 1},
	"ricartagrawala-acknowledged":           {1, 1, 1},
	"roucairolcarvalho":                     {1, 1, 1},
	"roucairolcarvalho-withdrawing":         {1, 1, 1},
	"majority-choosing":                     {1, 1, 1},
	"caosinghal":                            {1, 1, 1},
	"echo":                                  {2, 2},
	"hierarchy-suzukikasami-ricartagrawala": {1, 1, 1},
}

// usually returns the workload of a protocol for which no flag says anything: a broken one
// fails.
func usually(name string) (w workload) {
	w.Requests, w.within = []int{2, 2, 2}, own.UnboundedWithin
	if r, ok := proof.RefutationOf(name); ok {
		w.Requests, w.Withdrawals, w.within = r.Requests, r.Withdrawals, 0
	} else if requests, ok := sizes[name]; ok {
		w.Requests = requests
	} else if strings.HasPrefix(name, catalog.Recovery) {
		w.Requests = []int{1, 1, 1}
	}
	return w
}

// sized returns the workload of each node of a protocol, with what the flags leave open: as many nodes and
// requests as take a second or two.
func (u *checkup) sized(name string) (w workload, err error) {
	w.Workload = u.Workload
	usual, n, given := usually(name), u.Processes, len(w.Requests)
	if err := u.misfit(); err != nil {
		return w, err
	}
	switch {
	case n == 0 && given > 1:
		n = given
	case n == 0:
		n = len(usual.Requests)
	case given > 1 && n != given:
		rounds := requests(w.Requests)
		return w, u.mistaken("-rounds %v: it is for %d nodes, and -n for %d", &rounds, given, n)
	}
	if given == 0 {
		w.within = usual.within
	}
	if given == 0 && n == len(usual.Requests) {
		w.Requests = usual.Requests
		if len(u.given(ofProtocols)) == 0 {
			w.Withdrawals = usual.Withdrawals
		}
	}
	w.Workload = w.For(n)
	return w, nil
}

func (u *checkup) runProtocol(ctx context.Context, s streams, name string) error {
	if given := u.given(ofLocks); len(given) > 0 {
		return u.mistaken("-%s is for a lock, and %s is a protocol", given[0], name)
	}
	w, err := u.sized(name)
	if err != nil {
		return err
	}
	f, err := u.exploreProtocol(ctx, newProgress(s.err), name, w)
	if err != nil {
		return err
	}
	return u.conclude(s, f.result(s.width))
}

// exploreProtocol checks a protocol of the catalog with a workload of each node.
func (u *checkup) exploreProtocol(ctx context.Context, far *progress, name string, w workload) (f *nodesFinding, err error) {
	p, _ := catalog.FindProtocol(name)
	if err := p.Lacking(); err != nil {
		return nil, err
	}
	f = &nodesFinding{of: protocol(p), Nodes: len(w.Requests), workload: w}
	c := explore.NodesConfig{New: p.New(f.Nodes), UnboundedWithin: w.within}
	wrong, _ := proof.RefutationOf(name)
	if f.Nodes == len(wrong.Requests) {
		if c.New, err = wrong.Algorithm(); err != nil {
			return nil, err
		}
		f.sets = wrong.Given
	}
	err = u.exploreNodes(ctx, far, f, p, c)
	for _, p := range f.Properties {
		if f.sets != "" && p.History != nil {
			p.History.Scenario = wrong.Scenario(p.History.Scenario)
		}
	}
	return f, err
}

// runSystem checks an algorithm that is no lock, in its trial.
func (u *checkup) runSystem(ctx context.Context, s streams, of subject) error {
	trial, p := of.system.Trial, of.system.Protocol
	if given := u.given(slices.Concat(ofLocks, ofUsers)); len(given) > 0 {
		return u.mistaken("-%s is for a lock, and %s is none: its users %s, one each", given[0], of.Name, trial.Text)
	}
	if trial.Nodes == 0 {
		return u.mistaken("%s: its states grow forever, so not every schedule can be visited; trace shows a run", of.Name)
	}
	if err := u.misfit(); err != nil {
		return err
	}
	n := cmp.Or(u.Processes, trial.Nodes)
	a, err := p.Declared.New(n)
	if err != nil {
		return err
	}
	f := &nodesFinding{of: of, Nodes: n, workload: workload{Workload: u.Workload, users: trial.Text}}
	c := explore.NodesConfig{New: a, Inputs: trial.Inputs(n), Results: p.Results}
	if err := u.exploreNodes(ctx, newProgress(s.err), f, p, c); err != nil {
		return err
	}
	return u.conclude(s, f.result(s.width))
}

// exploreNodes has f report what a check of p finds.
func (u *checkup) exploreNodes(
	ctx context.Context, far *progress, f *nodesFinding, p catalog.Protocol, c explore.NodesConfig,
) error {
	c = f.Onto(c)
	c.Name, c.Nodes, c.Perpetual, c.Invariant = p.Name, f.Nodes, p.Perpetual, p.Invariant
	c.Memory, c.Workers = int64(u.Memory)<<20, u.Workers
	start := time.Now()
	_, err := watch(ctx, far, func(say func(string)) (*nodesFinding, error) {
		c.Progress = reporting(say, f.of.Name, number(f.Nodes, "node", "nodes"))
		report, broke, err := own.CheckNodes(c)
		if err != nil {
			return nil, u.hint(err)
		}
		f.Elapsed = time.Since(start)
		return f.with(report, broke), nil
	})
	return err
}
