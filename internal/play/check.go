package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
)

// memory is what a check of nodes takes at most, in bytes, of the 4 GiB that WebAssembly has.
const memory = 2 << 30

// Check checks every schedule of an algorithm as text opens it, and calls progress about once a second. It blocks until it is over.
func Check(text string, progress func(doing string, states int)) Checked {
	start := time.Now()
	c, err := check(text, progress)
	if c.Verdicts == nil {
		c.Verdicts = []Property{}
	}
	if err != nil {
		c.Error = sentence(err)
	}
	c.Seconds = time.Since(start).Seconds()
	return c
}

func check(text string, progress func(doing string, states int)) (Checked, error) {
	directives, err := read(text)
	if err == nil {
		directives, err = new(Play).begin(directives)
	}
	if err != nil {
		return Checked{}, err
	}
	directives = without(directives, "version", "rules", "run")
	if isLock(directives) {
		return checkLock(directives, progress)
	}
	opened, err := openNodes(directives)
	g, is := opened.(*cluster)
	if err != nil || !is {
		return Checked{}, err
	}
	return g.check(progress)
}

// check checks every schedule in which users do what those of the catalog do: each asks once, or does what the trial of
// a system says.
func (g *cluster) check(progress func(doing string, states int)) (c Checked, err error) {
	n := g.setting.Nodes
	config := explore.NodesConfig{
		New: g.algorithm, Name: g.of.Name, Nodes: n, Holder: g.setting.Holder, Unordered: has(g.directives, "unordered"), Perpetual: g.of.Perpetual,
		Invariant: g.of.Invariant, Results: g.of.Results, Memory: memory, Workers: 1,
		Progress: func(doing string, states int, _ int64) {
			progress(cmp.Or(phasesOfCheck[doing], doing), states)
		},
	}
	users := "each asks once"
	switch broken := g.of.Broken; {
	case g.system != nil:
		trial := g.system.Trial
		if trial.Nodes == 0 {
			return c, fmt.Errorf("the states of %s grow forever: not every schedule can be visited", g.of.Name)
		}
		config.Inputs, config.Losses, users = trial.Inputs(n), trial.Losses, "the users of all "+trial.Text
	case broken != nil && len(broken.Requests) == n:
		config.Requests, config.Withdrawals = broken.Requests, broken.Withdrawals
		users = "they ask " + spelling.Enumerate(broken.Requests) + " times at most"
	}
	c.Covers = fmt.Sprintf("every schedule of %s: %s, %s", count(n, "node", "nodes"), users, config.Faults())
	r, err := explore.CheckNodes(config)
	if errors.Is(err, explore.ErrMemory) {
		config.SafetyOnly = true // which takes less
		r, err = explore.CheckNodes(config)
	}
	if broke, is := g.contract(err); is {
		c.Verdicts = append(c.Verdicts, broke)
		return c, nil
	}
	if err != nil {
		text, _ := notation.Named(sentence(err))
		return c, errors.New(text)
	}
	c.States, c.Verdicts = r.States, g.properties(r)
	return c, nil
}

// phasesOfCheck says what explore.CheckNodes is doing.
var phasesOfCheck = map[string]string{
	"states":   "so far",
	"verdicts": "no state violates anything, and infinite runs are judged",
}

// contract returns an error of a check as the property that nodes keep their contract, if it is one.
func (g *cluster) contract(err error) (p Property, is bool) {
	var broke *history.Repeatable
	if !errors.As(err, &broke) || history.Kind(err) == "" {
		return Property{}, false
	}
	why, _, _ := strings.Cut(sentence(err), "\n")
	return Property{Name: "contract of a node", Status: explore.Fails, Note: why, Text: g.given(broke.Scenario())}, true
}

// in returns a property that fails in a run with that title. The run is the shortest of so many choices; 0: that is not known.
func (p Property) in(title, text string, shortest int, promised bool) Property {
	p.Note, p.Text, p.Shortest = strings.TrimPrefix(title, p.Name+" fails: "), text, shortest
	if !promised {
		p.Note += "; not promised"
	}
	return p
}

// known returns the properties of which there is a verdict. Of others there is none, for example because two nodes were inside.
func known(all ...Property) []Property {
	return slices.DeleteFunc(all, func(p Property) bool { return p.Status == explore.Unknown })
}

// properties returns what was found out.
func (g *cluster) properties(r *explore.NodesReport) []Property {
	return known(
		g.property("mutual exclusion", r.MutualExclusion, true),
		g.property("fencing", r.Fencing, true),
		g.property("no panic", r.NoPanic, true),
		g.property("invariant", r.Invariant, true),
		g.property("results", r.Results, true),
		g.property("deadlock-free", r.DeadlockFree, true),
		g.property("starvation-free", r.StarvationFree, true),
		g.property("comes to rest", r.Quiescent, true),
		g.property("FIFO", r.FIFO, false),
		g.property("by stamp", r.ByStamp, false),
		g.property("happened-before", r.HappenedBefore, false),
	)
}

func (g *cluster) property(name string, v explore.NodesVerdict, promised bool) Property {
	p := Property{Name: name, Status: v.Status, Note: v.Note}
	if h := v.History; h != nil {
		shortest := h.Length
		if h.Loop >= 0 || !promised { // an order that fails has a run that is shortest only for who waits
			shortest = 0
		}
		return p.in(h.Title, g.given(h.Scenario), shortest, promised)
	}
	return p
}

// structural are the directives that say what a counterexample does not: the sets, the links and the timeouts.
var structural = []string{"set", "inform", "sets", "topology", "links", "timeouts"}

// checks returns those of the directives of a run on which its check depends. A cap is not among them, as a check has
// one of its own where a run has none.
func checks(directives string) string {
	all := slices.DeleteFunc(strings.Split(directives, "; "), func(d string) bool {
		return !isStructural(d) && !slices.Contains([]string{"nodes", "algorithm", "holder", "unordered", "processes", "lock", "give"}, wordOf(d))
	})
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func isStructural(directive string) bool { return slices.Contains(structural, wordOf(directive)) }

// given returns the scenario of a counterexample with the sets, links and timeouts of the run.
func (g *cluster) given(scenario string) string {
	with := []string{"algorithm " + g.of.Name}
	for _, d := range g.directives {
		if isStructural(d) {
			with = append(with, d)
		}
	}
	return strings.Replace(scenario, with[0]+";", strings.Join(with, "; ")+";", 1)
}

// checkLock checks every schedule of a lock.
func checkLock(directives []string, progress func(doing string, states int)) (Checked, error) {
	l, err := newLock(directives)
	if err != nil {
		return Checked{}, err
	}
	var r *explore.Report
	err = l.bounded(func(config explore.Config) error {
		config.Memory, config.Progress = memory, func(doing string, states int, _ int64) { progress(doing, states) }
		r, err = explore.Check(config)
		if errors.Is(err, explore.ErrMemory) {
			config.Only.MutualExclusion = true // which takes the least
			r, err = explore.Check(config)
		}
		return err
	})
	c := Checked{Covers: l.covers()}
	if broke := (*explore.LockError)(nil); errors.As(err, &broke) && broke.Trace != nil {
		c.Verdicts = []Property{{Name: "contract of a lock", Status: explore.Fails, Note: broke.What, Text: l.shows(broke.Trace)}}
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if r.Cut > 0 {
		c.Covers += fmt.Sprintf("; %d stores above it were not followed", r.Cut)
	}
	c.States, c.Verdicts = r.States, l.properties(r)
	return c, nil
}

// covers says what a check visits.
func (l *lock) covers() string {
	text := fmt.Sprintf("every interleaving of %s that enter any number of times", count(l.processes, "process", "processes"))
	if l.giveUp {
		text += " and give up at any time"
	}
	if l.cap > 0 {
		text += fmt.Sprintf(", as long as no register exceeds %d", l.cap)
	}
	return text
}

// properties returns what was found out.
func (l *lock) properties(r *explore.Report) []Property {
	claims := l.of.Claims
	unclaimed := l.of.New == nil || l.of.Broken != nil
	return known(
		l.property("mutual exclusion", r.MutualExclusion, true, true),
		l.property("deadlock-free", r.DeadlockFree, true, false),
		l.property("starvation-free", r.StarvationFree, unclaimed || claims.StarvationFree, false),
		l.property("starvation-free despite aborts", r.StarvationFreeDespiteAborts, false, false),
		l.property("FIFO", r.FIFO, unclaimed || claims.FIFO, true),
		l.property("race-free", r.RaceFree, true, true),
		l.property("tolerates safe registers", r.SafeRegisters, !unclaimed && claims.SafeRegisters, true),
	)
}

func (l *lock) property(name string, v explore.Verdict, promised, shortest bool) Property {
	p := Property{Name: name, Status: v.Status}
	if t := v.Trace; t != nil {
		steps := len(t.Schedule)
		if !shortest {
			steps = 0
		}
		return p.in(t.Title, l.shows(t), steps, promised)
	}
	return p
}

// shows returns the text of a counterexample; "": it is no run of whole steps.
func (l *lock) shows(t *explore.Trace) string {
	if len(t.Schedule) == 0 || len(t.Schedule) > mostChoices {
		return ""
	}
	return fmt.Sprintf("version 1; %v; run %s", l, choices(t.Schedule))
}
