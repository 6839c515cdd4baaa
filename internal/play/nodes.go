package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	public "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/draw/network"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// A cluster is a run of nodes.
type cluster struct {
	sim      *sim.Simulation
	of       catalog.Protocol
	system   *catalog.System // nil: it is none
	setting  sim.Setting
	describe Run

	directives []string // without the run and what is about the text
	algorithm  messaging.Algorithm
	unordered  bool

	locks, withdraws bool // what the nodes are, and what they can
	links            topology.Graph
	labels           labels

	perpetual     bool // it is said of the run
	limited, over bool // the text of the run gives its end, which is reached
	lowLoad       int  // the entries of a low load, in which a node asks when nothing is pending; 0: there is none

	seen    []Event // the events, to be shown
	members []Member
	stale   []bool // members of which fields are not read since their last event
	marked  []bool // members of which fields are marked as changed

	tally    tally
	waits    waits
	inMotion map[uint64]*moving // by their numbers
}

// openNodes opens a run of nodes, whose choices are not made yet.
func openNodes(directives []string) (o opened, err error) {
	if err := checkNodes(directives); err != nil {
		return o, err
	}
	directives = withUsers(directives)
	if v, given := value(directives, "version"); given && v != "1" {
		o.again = strings.Join(without(directives, "version", "rules"), "; ")
		err = fmt.Errorf("this run is of version %s, and the page plays version 1", v)
		directives, o.choices = without(directives, "version", "rules", "run"), ""
	} else {
		o.choices, _ = value(directives, "run")
		directives = without(directives, "version", "run")
	}
	g := new(cluster)
	_, g.perpetual = value(directives, "perpetual")
	g.directives = without(directives, "rules")
	_, g.unordered = value(directives, "unordered")
	g.lowLoad = lowLoad(directives)
	_, g.limited = value(directives, "until")
	s, at, wrong := g.scenario(directives)
	if wrong != nil {
		return before(directives, at, wrong)
	}
	var changed error
	g.sim, changed = s.Start(func(of sim.Setting) (messaging.Algorithm, error) { return g.lookup(s, of) })
	if g.sim == nil {
		at, wrong = located(changed, directives)
		return before(directives, at, wrong)
	}
	if changed != nil {
		o.again = strings.Join(append(without(directives, "rules"), strings.TrimSpace("run "+o.choices)), "; ")
		err = fmt.Errorf("this run was made with other rules of %s than those that the page has", g.setting.Algorithm)
	}
	g.begin()
	o.game = g
	return o, err
}

// lowLoad returns the entries of a low load; 0: there is none.
func lowLoad(directives []string) (entries int) {
	text, _ := value(directives, "low")
	_, _ = fmt.Sscanf(text, "load %d entries", &entries)
	return entries
}

// checkNodes checks how many nodes there are.
func checkNodes(directives []string) error {
	if n := number(directives, "nodes"); n > mostNodes {
		return fmt.Errorf("the run has %d nodes, and a page plays at most %d", n, mostNodes)
	}
	return nil
}

// scenario reads the directives, each as a line.
func (g *cluster) scenario(directives []string) (s *sim.Scenario, at int, err error) {
	s, err = sim.ReadScenario("", strings.NewReader(strings.Join(append(directives, "run"), "\n")))
	if err != nil {
		at, err = located(err, directives)
	}
	return s, at, err
}

// located returns an error of a line as one of a directive, and its index.
func located(err error, directives []string) (at int, is error) {
	text := strings.TrimPrefix(err.Error(), ":")
	line, rest, found := strings.Cut(text, ": ")
	rest, _, _ = strings.Cut(rest, " go doc ") // which a page does not have
	n, bad := strconv.Atoi(line)
	if !found || bad != nil || n < 1 {
		return 0, err
	}
	if n > len(directives) {
		return 0, errors.New(rest)
	}
	if word, is := strings.CutPrefix(rest, "expected a directive, found "); is {
		end := strings.LastIndex(word, ":") // behind it may be a suggestion
		suggestion := strings.TrimSuffix(word[end:], ":")
		return n - 1, errors.New(word[:end] + " is no directive" + cmp.Or(suggestion, ", such as nodes 3"))
	}
	return n - 1, fmt.Errorf("%q: %s", directives[n-1], rest)
}

// before opens what the directives before that one say, which is wrong.
func before(directives []string, at int, wrong error) (o opened, err error) {
	_, sized := value(directives[:at], "nodes")
	_, named := value(directives[:at], "algorithm")
	if sized && named {
		o, _ = openNodes(directives[:at])
	}
	return opened{game: o.game}, wrong
}

// withUsers returns the directives, with what users do by themselves if there is no run yet and no user does anything.
func withUsers(directives []string) []string {
	done := func(d string) bool {
		word, _, _ := strings.Cut(d, " ")
		return word == "at" || word == "low" || word == "high" || word == "run"
	}
	if slices.ContainsFunc(directives, done) {
		return directives
	}
	return append(directives, users(directives)...)
}

// users returns directives for what users do by themselves: systems get the inputs of their trial. Nodes that go on after
// the crash of another learn of it.
func users(directives []string) (all []string) {
	name, _ := value(directives, "algorithm")
	s, is := catalog.FindSystem(name)
	p, known := catalog.FindProtocol(name)
	if is {
		for i := range number(directives, "nodes") {
			all = append(all, fmt.Sprintf("at 0 S%d gets %s", i+1, notation.Message(s.Trial.Input)))
		}
	}
	if _, given := value(directives, "stay"); !given && (!is || s.Locks()) {
		all = append(all, "stay 1")
	}
	if is {
		p, known = s.Protocol, true
	}
	if _, given := value(directives, "detect"); !given && known && p.Lacking() == nil && p.Survives() {
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
		g.of = o.protocol()
	} else if is {
		g.system, g.of = &system, system.Protocol
	} else {
		g.of, _ = catalog.FindProtocol(of.Algorithm)
	}
	s.Invariant, s.Kinds, s.Results = g.of.Invariant, g.of.Kinds, g.of.Results
	return g.notes(a), nil
}

// notes returns a, and notes what its nodes are, and to which they have links.
func (g *cluster) notes(a messaging.Algorithm) messaging.Algorithm {
	g.algorithm = g.onLinks(a)
	g.links = make(topology.Graph, g.setting.Nodes)
	known := 0
	return func(start messaging.Start) messaging.Node {
		node := a(start)
		if i := int(start.Self); known <= i && i < len(g.links) {
			known = i + 1
			_, g.locks = messaging.As[messaging.Exclusion](node)
			_, g.withdraws = messaging.As[messaging.Withdrawer](node)
			g.links[i] = slices.Collect(start.Linked())
		}
		return node
	}
}

// begin shows the beginning of the run.
func (g *cluster) begin() {
	g.describe = Run{Kind: "nodes", Algorithm: g.of.Name, Source: g.of.Source}
	for i := range g.setting.Nodes {
		g.describe.Names = append(g.describe.Names, notation.Node(messaging.ID(i)))
	}
	for _, k := range g.of.Kinds {
		g.describe.Kinds = append(g.describe.Kinds, messaging.Kind(k))
	}
	if len(g.of.Kinds) == 0 {
		g.describe.Kinds = g.found()
	}
	g.labels = labelsOf(g.describe.Kinds)
	g.describe.Quorums = g.quorums()
	if g.of.Ring {
		g.links = g.successors()
	}
	for _, at := range network.Layout(g.links) {
		g.describe.Points = append(g.describe.Points, Point(at))
	}
	g.describe.Links = linked(g.links)
	g.reset()
}

// found returns the kinds of messages that a fixed run sends, in which each node asks; it is taken back.
func (g *cluster) found() (kinds []string) {
	made := 0
	for k := range g.setting.Nodes + ruleSteps {
		do := "s1"
		if k < g.setting.Nodes {
			do = fmt.Sprintf("a%d", k)
		}
		if g.sim.Do(do) == nil {
			made++
		}
	}
	for _, e := range g.sim.Events() {
		if kind := messaging.Kind(e.Message); e.Message != nil && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if err := g.sim.Undo(made); err != nil {
		panic(err) // it has made them
	}
	return kinds
}

// reset shows all anew.
func (g *cluster) reset() {
	n := g.setting.Nodes
	g.seen, g.tally, g.waits = g.seen[:0], tally{}, newWaits(n)
	g.inMotion = map[uint64]*moving{}
	g.members, g.stale, g.marked = make([]Member, n), make([]bool, n), make([]bool, n)
	for i := range g.members {
		g.members[i] = Member{Name: notation.Node(messaging.ID(i)), Phase: phases[messaging.Idle], Fields: []Field{}}
	}
	g.observe()
	for i := range g.members {
		g.read(i, false)
	}
}

// phases are those of users.
var phases = map[messaging.Phase]string{messaging.Idle: "idle", messaging.Waiting: "waiting", messaging.Inside: "inside", messaging.Absorbing: "absorbing"}

// observe shows the events that are new.
func (g *cluster) observe() {
	for _, e := range g.sim.Events()[len(g.seen):] {
		i := int(e.From)
		if e.Action == action.Delivered || e.Action == action.Expired || e.Action == action.Told {
			i = int(e.To)
		}
		g.stale[i] = true
		g.tally.count(e)
		g.waits.observe(e)
		m := &g.members[i]
		g.phase(m, e.Action)
		shown := Event{
			Number: int(e.Number), At: notation.Time(e.At), Member: i, Action: e.Action, Text: notation.Event(e), Phase: m.Phase,
			Entry: e.Action == action.Entered, From: int(e.From), To: int(e.To), Cause: int(e.Cause), Register: -1,
		}
		if e.Message != nil {
			shown.Kind, shown.Label = messaging.Kind(e.Message), g.labels.of(e.Message)
		}
		g.seen = append(g.seen, shown)
	}
}

// phase notes what an event does to the phase of a member.
func (g *cluster) phase(m *Member, does string) {
	switch does {
	case action.Requested:
		m.Phase = phases[messaging.Waiting]
	case action.Entered:
		m.Phase, m.Entries = phases[messaging.Inside], m.Entries+1
	case action.Left, action.Passed:
		m.Phase = phases[messaging.Idle]
	case action.GaveUp:
		m.Phase = phases[messaging.Absorbing]
		if g.withdraws {
			m.Phase = phases[messaging.Idle]
		}
	case action.Crashed:
		m.Crashed = true
	case action.Restarted:
		m.Phase, m.Crashed = phases[messaging.Idle], false
	}
}

// read reads the state of a member, and may mark what has changed since it was read last.
func (g *cluster) read(i int, mark bool) {
	state := g.sim.Node(messaging.ID(i))
	m := &g.members[i]
	m.Phase, m.Crashed = phases[state.Phase], state.Crashed
	before := m.Fields
	m.Fields = make([]Field, len(state.Fields))
	g.stale[i], g.marked[i] = false, mark
	for k, f := range state.Fields {
		m.Fields[k] = Field{f.Name, f.Value, mark && k < len(before) && before[k].Value != f.Value}
	}
}

func (g *cluster) settle() {
	for i := range g.members {
		if g.stale[i] || g.marked[i] {
			g.read(i, false)
		}
	}
}

func (g *cluster) run() Run        { return g.describe }
func (g *cluster) events() []Event { return g.seen }
func (g *cluster) transit() int    { return g.tally.transit }

func (g *cluster) text() (string, error) {
	text, err := g.sim.MarshalText()
	return string(text), err
}

func (g *cluster) choose(do string) error {
	if err := g.sim.Do(do); err != nil {
		return because(err)
	}
	before := len(g.seen)
	g.observe()
	g.over = g.limited && len(g.seen) == before && do == "s1"
	return nil
}

// because returns why sim refuses the only choice of a text.
func because(err error) error {
	text := sentence(err)
	if _, why, found := strings.Cut(text, " at offset "); found {
		_, why, _ = strings.Cut(why, ": ")
		text = why
	}
	return errors.New(text)
}

func (g *cluster) undo(n int) error {
	if err := g.sim.Undo(n); err != nil {
		return err
	}
	g.over = false
	g.reset()
	return nil
}

func (g *cluster) show(v *View) {
	for i := range g.members {
		if g.stale[i] {
			g.read(i, true)
		}
	}
	v.Members = slices.Clone(g.members)
	if n := len(g.seen); n > 0 {
		v.Now = g.seen[n-1].At
	}
	g.showPending(v)
	v.Waits = append(v.Waits, g.waits.list(g.members)...)
	v.Costs = g.costs()
	v.Verdict = g.verdict(v)
}
