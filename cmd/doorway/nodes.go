package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/refutation"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging/nodetest"
)

// A workload is what users of a protocol do, and what faults there are.
type workload struct {
	Rounds      int
	Requests    []int // by node, instead of Rounds
	Unordered   bool
	Withdrawals int
	Crashes     int
	Restarts    int
	Detected    bool
	Suspicions  int
	Losses      int
	Duplicates  int
	AnyTime     bool
	Early       int

	Users string // what the user of each node does, if the nodes are no locks
}

// Flags of doorway check that are for locks alone, and for protocols alone.
var (
	ofLocks     = []string{"numbers", "give-up", "mixed", "everything", "test"}
	ofProtocols = []string{"rounds", "unordered", "withdrawals", "crashes", "restarts", "detected", "suspicions", "losses", "duplicates", "any-time", "early"}
)

// ofProtocol gives c the flags of a workload, and returns what reads them.
func (c *command) ofProtocol() func() workload {
	r := &requests{}
	c.add("rounds", "of a protocol: how often each node requests, a `number`, unbounded, or one by node, such as 2,1,0 "+
		"(default: what takes a second or two)", r)
	unordered := c.is("unordered", "of a protocol: messages of a link may overtake each other")
	few := func(name, usage string) *int { return c.whole(name, 0, 0, 100, "of a protocol: "+usage) }
	withdrawals := few("withdrawals", "how many requests are aborted at most, a `number` from 0 to 100")
	crashes := few("crashes", "how many nodes crash at most, a `number` from 0 to 100")
	restarts := few("restarts", "how many of the crashed nodes start again at most, a `number` from 0 to 100")
	detected := c.is("detected", "of a protocol: the other nodes are told of each crash; otherwise none is")
	suspicions := few("suspicions", "how often a node is told of a crash that has not happened at most, a `number` from 0 to 100")
	losses := few("losses", "how many messages are lost at most, a `number` from 0 to 100")
	duplicates := few("duplicates", "how many messages arrive twice at most, a `number` from 0 to 100")
	anyTime := c.is("any-time", "of a protocol: timers expire at any time; otherwise only while a node waits and nothing else can happen", "anytime")
	early := few("early", "how many timers expire early at most, as if a message took longer, a `number` from 0 to 100; without -any-time")
	return func() workload {
		return workload{r.all, r.by, *unordered, *withdrawals, *crashes, *restarts, *detected, *suspicions, *losses, *duplicates, *anyTime, *early, ""}
	}
}

// requests is the value of -rounds.
type requests struct {
	all int   // of every node; 0: not given
	by  []int // node; nil: not given
}

// unbounded is the -rounds of users that request any number of times.
const unbounded = "unbounded"

func (r *requests) Set(s string) error {
	*r = requests{}
	words := strings.Split(s, ",")
	for _, word := range words {
		k, err := strconv.Atoi(word)
		switch {
		case word == unbounded:
			k = explore.Unbounded
		case err != nil || k < 0 || k > 100 || k == 0 && len(words) == 1:
			return errors.New("it is an integer from 1 to 100, unbounded, or from 0 on one for each node, such as 2,1,0")
		}
		r.by = append(r.by, k)
	}
	if len(words) == 1 {
		*r = requests{all: r.by[0]}
	}
	return nil
}

func (r *requests) Get() any { return *r }

func (r *requests) String() string {
	if len(r.by) == 0 {
		return times(r.all)
	}
	all := make([]string, len(r.by))
	for i, k := range r.by {
		all[i] = times(k)
	}
	return strings.Join(all, ",")
}

func times(k int) string {
	if k == explore.Unbounded {
		return unbounded
	}
	return strconv.Itoa(k)
}

// mistake returns which flags do not fit together; "" if all do.
func (w workload) mistake() string {
	switch {
	case w.Detected && w.Crashes == 0:
		return "-detected takes -crashes, which are what is detected"
	case w.Detected && w.Restarts > 0:
		return "-detected and -restarts exclude each other: what a detector tells of a node that starts again is not modelled"
	case w.AnyTime && w.Early > 0:
		return "-any-time and -early exclude each other: timers that expire at any time expire early any number of times"
	case w.Restarts > w.Crashes:
		return fmt.Sprintf("-restarts %d: it is at most -crashes, which is %d", w.Restarts, w.Crashes)
	}
	return ""
}

// faults reports whether any are possible.
func (w workload) faults() bool { return w.Crashes+w.Suspicions+w.Losses+w.Duplicates+w.Early > 0 }

// given returns which flags of those names are given.
func (u *checkup) given(names []string) (some []string) {
	for _, f := range u.Flags {
		if name := f.Names()[0]; f.IsSet() && slices.Contains(names, name) {
			some = append(some, name)
		}
	}
	return some
}

// sizes has the instances that a second or two suffice for, where that is less than two
// requests of each of three nodes.
var sizes = map[string]workload{
	"lamport":                               {Requests: []int{2, 2}},
	"lamport-suppressed":                    {Requests: []int{2, 2}},
	"ricartagrawala":                        {Requests: []int{1, 1, 1}},
	"ricartagrawala-acknowledged":           {Requests: []int{1, 1, 1}},
	"roucairolcarvalho":                     {Requests: []int{1, 1, 1}},
	"roucairolcarvalho-withdrawing":         {Requests: []int{1, 1, 1}},
	"majority-choosing":                     {Requests: []int{1, 1, 1}},
	"caosinghal":                            {Requests: []int{1, 1, 1}},
	"echo":                                  {Requests: []int{2, 2}},
	"hierarchy-suzukikasami-ricartagrawala": {Requests: []int{1, 1, 1}},
}

// usually returns the workload of a protocol for which no flag says anything: a broken one
// fails.
func usually(name string) workload {
	if r, ok := refutation.Of(name); ok {
		return workload{Requests: r.Requests, Withdrawals: r.Withdrawals}
	}
	if w, ok := sizes[name]; ok {
		return w
	}
	if strings.HasPrefix(name, catalog.Recovery) {
		return workload{Requests: []int{1, 1, 1}}
	}
	return workload{Requests: []int{2, 2, 2}}
}

// sized returns the workload of a protocol for n nodes, with what the flags leave open;
// 0: as many as take a second or two.
func (u *checkup) sized(name string, n int) (int, workload, error) {
	w := u.workload()
	usual := usually(name)
	if wrong := w.mistake(); wrong != "" {
		return 0, w, u.mistaken("%s", wrong)
	}
	switch {
	case w.Requests != nil && n == 0:
		n = len(w.Requests)
	case w.Requests != nil && n != len(w.Requests):
		return 0, w, u.mistaken("-rounds %v: it is for %d nodes, and -n for %d", &requests{by: w.Requests}, len(w.Requests), n)
	case n == 0:
		n = len(usual.Requests)
	}
	if w.Rounds != 0 || w.Requests != nil {
		return n, w, nil
	}
	if n != len(usual.Requests) {
		w.Rounds = 1
		return n, w, nil
	}
	w.Requests = usual.Requests
	if len(u.given(ofProtocols)) == 0 {
		w.Withdrawals = usual.Withdrawals
	}
	return n, w, nil
}

// onto returns c with the workload.
func (w workload) onto(c explore.NodesConfig) explore.NodesConfig {
	c.Rounds, c.Requests, c.Unordered, c.Withdrawals = w.Rounds, w.Requests, w.Unordered, w.Withdrawals
	c.Crashes, c.Restarts, c.Detected, c.Suspicions = w.Crashes, w.Restarts, w.Detected, w.Suspicions
	c.Losses, c.Duplicates, c.AnyTime, c.Early = w.Losses, w.Duplicates, w.AnyTime, w.Early
	return c
}

// A nodesFinding is what a check of a protocol found out.
type nodesFinding struct {
	name, source, why string
	sets              string // its quorums or links, if they are not the usual ones
	own               bool
	nodes             int
	workload          workload
	report            *explore.NodesReport
	broke             *explore.History // a run in which a node panics or breaks its contract; then there is no report
	elapsed           time.Duration

	drawn *spacetime.Run // of one's own: the first run of histories with a scenario
}

// runProtocol checks a protocol of the catalog, in this build.
func (u *checkup) runProtocol(ctx context.Context, s streams, name string) error {
	if given := u.given(ofLocks); len(given) > 0 {
		return u.mistaken("-%s is for a lock, and %s is a protocol", given[0], name)
	}
	n, w, err := u.sized(name, *u.n)
	if err != nil {
		return err
	}
	f, err := u.exploreProtocol(ctx, newProgress(s.err), name, n, w)
	if err != nil {
		return err
	}
	return u.concludeNodes(s, f)
}

// exploreProtocol checks a protocol of the catalog.
func (u *checkup) exploreProtocol(ctx context.Context, progress *progress, name string, n int, w workload) (*nodesFinding, error) {
	p, _ := catalog.FindProtocol(name)
	if err := p.Lacking(); err != nil {
		return nil, err
	}
	c := w.onto(explore.NodesConfig{New: p.New(n), Name: p.Name, Nodes: n, Perpetual: p.Perpetual, Invariant: p.Invariant})
	f := &nodesFinding{name: name, source: p.Source, nodes: n, workload: w}
	var err error
	wrong, _ := refutation.Of(name)
	if n == len(wrong.Requests) {
		if c.New, err = wrong.Algorithm(); err != nil {
			return nil, err
		}
		f.sets = wrong.Sets()
	}
	if p.Broken != nil {
		f.why = p.Broken.Why
	}
	if err := u.exploreNodes(ctx, progress, f, c); err != nil {
		return nil, err
	}
	for _, p := range f.properties() {
		if f.sets != "" && p.History != nil {
			p.History.Scenario = wrong.Scenario(p.History.Scenario)
		}
	}
	return f, nil
}

// exploreNodes has f report what a check of c finds.
func (u *checkup) exploreNodes(ctx context.Context, progress *progress, f *nodesFinding, c explore.NodesConfig) (err error) {
	c.Memory, c.Workers = int64(*u.memory)<<20, *u.workers
	start := time.Now()
	f.report, err = watch(ctx, progress, func(say func(string)) (*explore.NodesReport, error) {
		c.Progress = func(doing string, states int, bytes int64) {
			say(f.name + ": " + reached(f.nodes, doing, states, bytes))
		}
		return explore.CheckNodes(c)
	})
	f.elapsed = time.Since(start)
	if nodetest.Failure(err) != "" {
		f.broke = history(err.Error(), nodetest.Scenario(err))
	} else if err != nil {
		return f.workload.hint(err)
	}
	return nil
}

// reached describes how far a check of nodes has come.
func reached(n int, doing string, states int, bytes int64) string {
	return fmt.Sprintf("%s, %d MiB: %s %s", number(n, "node", "nodes"), bytes>>20, thousands(states), doing)
}

// history returns the run that an error of explore.CheckNodes lists.
func history(failure, scenario string) *explore.History {
	lines := strings.Split(strings.TrimRight(failure, "\n"), "\n")
	_, run, _ := strings.Cut(scenario, "; run ")
	h := &explore.History{Title: lines[0], Length: 1 + strings.Count(run, "."), Loop: -1, Scenario: scenario} // each event is a choice of the scenario
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "scenario:") {
			h.Events = append(h.Events, line)
		}
	}
	return h
}

// hint adds to an error the flags that can help.
func (w workload) hint(err error) error {
	switch {
	case !errors.Is(err, explore.ErrMemory):
		return err
	case w.Rounds == explore.Unbounded || slices.Contains(w.Requests, explore.Unbounded):
		return fmt.Errorf("%w; with unbounded rounds its states may grow forever: -rounds bounds them, and -memory allows more", err)
	}
	return fmt.Errorf("%w; -memory allows more", err)
}
