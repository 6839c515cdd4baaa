package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	public "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// A cluster is a run of nodes.
type cluster struct {
	sim        *sim.Simulation
	directives []string // without the run and what is about the text
	of         catalog.Protocol
	system     *catalog.System // nil: it is none
	setting    sim.Setting
	algorithm  messaging.Algorithm
	describe   Run

	locks, withdraws bool // what the nodes are, and what they can
	links            topology.Graph

	over     bool               // the end that the text gives is reached
	observed int                // how many events there have been
	phases   []messaging.Phase  // by node, after the last event
	entries  []int              // by node
	states   []sim.NodeState    // by node, unless there was an event since
	stale    []bool             // by node: there was
	before   []sim.NodeState    // by node, before the last choice; nil: there was none
	moving   map[uint64]*moving // what is in transit, by numbers
	tally    tally
	waits    waits
}

// openNodes opens a run of nodes, whose choices are not made yet. If a directive is wrong, it opens what those before it say.
func openNodes(directives []string) (game, error) {
	if n := number(directives, "nodes"); n > mostNodes {
		return nil, fmt.Errorf("the run has %d nodes, and a page plays at most %d", n, mostNodes)
	}
	directives = without(withUsers(directives), "version", "run")
	g := &cluster{directives: without(directives, "rules")}
	s, err := sim.ReadScenario("", strings.NewReader(strings.Join(append(directives, "run"), "\n")))
	if err == nil {
		g.sim, err = s.Start(func(of sim.Setting) (messaging.Algorithm, error) { return g.lookup(s, of) })
	}
	var line *notation.LineError
	switch {
	case g.sim != nil:
		g.begin()
		if err != nil {
			err = outdated(fmt.Sprintf("this run was made with other rules of %s than those that the page has", g.of.Name))
		}
		return g, err
	case !errors.As(err, &line):
		return nil, err
	case line.Line < 1 || line.Line > len(directives):
		return nil, line.Err
	}
	wrong := inDirective(directives[line.Line-1], line.Err)
	if before := directives[:line.Line-1]; has(before, "nodes") && has(before, "algorithm") {
		opened, _ := openNodes(before)
		return opened, wrong
	}
	return nil, wrong
}

// inDirective returns an error of a line as that of the directive.
func inDirective(directive string, err error) error {
	var unknown *notation.UnknownDirectiveError
	switch {
	case !errors.As(err, &unknown):
		return fmt.Errorf("%q: %w", directive, err)
	case unknown.Suggestion == "":
		return fmt.Errorf("%q is no directive, such as nodes 3", unknown.Word)
	}
	return fmt.Errorf("%q is no directive: %s", unknown.Word, unknown.Suggestion)
}

// withUsers returns the directives, with what users do by themselves if there is no run yet and no user does anything: systems
// get the inputs of their trial, and nodes that go on after the crash of another learn of it.
func withUsers(directives []string) []string {
	for _, word := range []string{"at", "low", "high", "run"} {
		if has(directives, word) {
			return directives
		}
	}
	name, _ := value(directives, "algorithm")
	s, isSystem := catalog.FindSystem(name)
	p, known := catalog.FindProtocol(name)
	all := slices.Clone(directives)
	if isSystem {
		p, known = s.Protocol, true
		for i := range messaging.ID(number(directives, "nodes")) {
			all = append(all, fmt.Sprintf("at 0 %s gets %s", notation.Node(i), notation.Message(s.Trial.Input)))
		}
	}
	if !has(directives, "stay") && (!isSystem || s.Locks()) {
		all = append(all, "stay 1")
	}
	if !has(directives, "detect") && known && p.Lacking() == nil && p.Survives() {
		all = append(all, "detect 1")
	}
	return all
}

// lookup returns the algorithm of a scenario, and notes what it is.
func (g *cluster) lookup(s *sim.Scenario, of sim.Setting) (messaging.Algorithm, error) {
	a, err := public.Scenario(of)
	o, own := ownOf(of.Algorithm)
	if own {
		a, err = o.algorithm(of)
	}
	if err != nil {
		return nil, err
	}
	g.setting = of
	if system, is := catalog.FindSystem(of.Algorithm); own {
		g.of = catalog.Protocol{Entry: o.entry(), New: o.Nodes}
	} else if is {
		g.system, g.of = &system, system.Protocol
	} else {
		g.of, _ = catalog.FindProtocol(of.Algorithm)
	}
	s.Invariant, s.Kinds, s.Results = g.of.Invariant, g.of.Kinds, g.of.Results
	if g.algorithm = a; of.Links != nil {
		g.algorithm = messaging.On(of.Links, a) // as package sim does
	}
	return g.notes(a), nil
}

// notes returns a, and notes what its nodes are, and to which they have links.
func (g *cluster) notes(a messaging.Algorithm) messaging.Algorithm {
	g.links = make(topology.Graph, g.setting.Nodes)
	known := 0
	return func(start messaging.Start) messaging.Node {
		node := a(start)
		if i := int(start.Self); known <= i && i < len(g.links) {
			known = i + 1
			_, g.locks = messaging.As[messaging.Exclusion](node)
			_, g.withdraws = messaging.As[messaging.Withdrawer](node)
			g.links[i] = slices.Collect(layer.Linked(start))
		}
		return node
	}
}

// reset shows all anew.
func (g *cluster) reset() {
	n := g.setting.Nodes
	g.observed, g.phases, g.entries, g.before = 0, make([]messaging.Phase, n), make([]int, n), nil
	g.states, g.stale, g.moving = make([]sim.NodeState, n), slices.Repeat([]bool{true}, n), map[uint64]*moving{}
	g.tally, g.waits = tally{}, newWaits(n)
}

// fresh shows the events that are new.
func (g *cluster) fresh() (all []Event) {
	for _, e := range g.unobserved() {
		i := g.observe(e)
		shown := Event{
			Number: int(e.Number), At: notation.Time(e.At), Member: i, Action: e.Action, Text: notation.Event(e), Phase: phases[g.phases[i]],
			Entry: e.Action == action.Entered, From: int(e.From), To: int(e.To), Cause: int(e.Cause),
		}
		if e.Message != nil {
			shown.Kind = messaging.Kind(e.Message)
		}
		all = append(all, shown)
	}
	return all
}

func (g *cluster) unobserved() []messaging.Event { return g.sim.Events()[g.observed:] }

// observe notes what an event changes, and returns the node at which it occurs.
func (g *cluster) observe(e messaging.Event) (i int) {
	i = int(e.From)
	if e.Action == action.Delivered || e.Action == action.Expired || e.Action == action.Told {
		i = int(e.To)
	}
	g.observed++
	g.stale[i] = true
	g.waits.observe(e)
	switch e.Action {
	case action.Requested:
		g.tally.requests++
		g.phases[i] = messaging.Waiting
	case action.Entered:
		g.tally.entries++
		g.entries[i]++
		g.phases[i] = messaging.Inside
	case action.Left, action.Passed, action.Restarted:
		g.phases[i] = messaging.Idle
	case action.GaveUp:
		g.phases[i] = messaging.Absorbing
		if g.withdraws {
			g.phases[i] = messaging.Idle
		}
	case action.Sent:
		g.tally.sent(messaging.Kind(e.Message))
	case action.Duplicated:
		g.tally.transit++
	case action.Delivered, action.Lost:
		g.tally.transit--
	}
	return i
}

// phases are those of users, as the page calls them.
var phases = [...]string{messaging.Idle: "idle", messaging.Waiting: "waiting", messaging.Inside: "inside", messaging.Absorbing: "absorbing"}

func (g *cluster) run() Run     { return g.describe }
func (g *cluster) transit() int { return g.tally.transit }

func (g *cluster) text() (string, error) {
	text, err := g.sim.MarshalText()
	return string(text), err
}

func (g *cluster) settle() {
	for i := range g.states {
		g.state(i)
	}
	g.before = slices.Clone(g.states)
}

// state returns that of a node.
func (g *cluster) state(i int) sim.NodeState {
	if g.stale[i] {
		g.states[i], g.stale[i] = g.sim.Node(messaging.ID(i)), false
	}
	return g.states[i]
}

func (g *cluster) choose(do string) error {
	if err := g.sim.Do(do); err != nil {
		err = errors.Unwrap(err)               // which names package sim
		return cmp.Or(errors.Unwrap(err), err) // and its place in the text, in which it is the only one
	}
	g.over = len(g.unobserved()) == 0 && do == "s1" && has(g.directives, "until")
	return nil
}

func (g *cluster) undo(n int) error {
	if err := g.sim.Undo(n); err != nil {
		return err
	}
	g.over = false
	g.reset()
	for _, e := range g.unobserved() {
		g.observe(e)
	}
	return nil
}

// member returns a node, with what the last choice has changed.
func (g *cluster) member(i int) Member {
	state := g.state(i)
	m := Member{
		Name: notation.Node(messaging.ID(i)), Phase: phases[state.Phase], Crashed: state.Crashed, Entries: g.entries[i], Fields: []Field{},
	}
	for k, f := range state.Fields {
		changed := g.before != nil && k < len(g.before[i].Fields) && g.before[i].Fields[k].Value != f.Value
		m.Fields = append(m.Fields, Field{f.Name, f.Value, changed})
	}
	return m
}

func (g *cluster) show(v *View) {
	for i := range g.setting.Nodes {
		v.Members = append(v.Members, g.member(i))
	}
	if n := len(v.Events); n > 0 {
		v.Now = v.Events[n-1].At
	}
	g.showPending(v)
	v.Waits = append(v.Waits, g.waits.list(v.Members)...)
	v.Costs = g.costs()
	v.Verdict = g.verdict(v)
}
