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
	"example.org/doorway/messaging"
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
	if slices.ContainsFunc(directives, isLock) {
		return checkLock(directives, progress)
	}
	o, err := openNodes(without(directives, "version", "rules", "run"))
	g, is := o.game.(*cluster)
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
		New: g.algorithm, Name: g.of.Name, Nodes: n, Holder: g.setting.Holder, Unordered: g.unordered, Perpetual: g.of.Perpetual,
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

// properties returns what was found out. What was not, for example because two nodes were inside, is left out.
func (g *cluster) properties(r *explore.NodesReport) (all []Property) {
	const never = "not promised"
	for _, p := range []struct {
		name string
		explore.NodesVerdict
		note string // if it fails
	}{
		{"mutual exclusion", r.MutualExclusion, ""},
		{"fencing", r.Fencing, ""},
		{"no panic", r.NoPanic, ""},
		{"invariant", r.Invariant, ""},
		{"results", r.Results, ""},
		{"deadlock-free", r.DeadlockFree, ""},
		{"starvation-free", r.StarvationFree, ""},
		{"comes to rest", r.Quiescent, ""},
		{"FIFO", r.FIFO, never},
		{"by stamp", r.ByStamp, never},
		{"happened-before", r.HappenedBefore, never},
	} {
		found := Property{Name: p.name, Status: p.Status, Note: p.Note}
		switch {
		case p.Status == explore.Unknown:
			continue
		case p.History != nil:
			found.Note, found.Text = strings.TrimPrefix(p.History.Title, p.name+" fails: "), g.given(p.History.Scenario)
			if p.History.Loop < 0 && p.note != never { // an order that fails has a run that is shortest only for who waits
				found.Shortest = p.History.Length
			}
			if p.note != "" {
				found.Note += "; " + p.note
			}
		case p.Status == explore.Undecided:
			found.Status = explore.Unknown
		}
		all = append(all, found)
	}
	return all
}

// structural are the directives that say what a counterexample does not: the sets, the links and the timeouts.
var structural = []string{"set", "inform", "sets", "topology", "links", "timeouts"}

// checks returns those of the directives of a run on which its check depends. A cap is not among them, as a check has
// one of its own where a run has none.
func checks(directives string) string {
	all := slices.DeleteFunc(strings.Split(directives, "; "), func(d string) bool {
		word, _, _ := strings.Cut(d, " ")
		return !slices.Contains(structural, word) &&
			!slices.Contains([]string{"nodes", "algorithm", "holder", "unordered", "processes", "lock", "give"}, word)
	})
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// given returns the scenario of a counterexample with the sets, links and timeouts of the run.
func (g *cluster) given(scenario string) string {
	var more []string
	for _, d := range g.directives {
		if word, _, _ := strings.Cut(d, " "); slices.Contains(structural, word) {
			more = append(more, d)
		}
	}
	if scenario == "" || len(more) == 0 {
		return scenario
	}
	all, err := read(scenario)
	k := slices.Index(all, "algorithm "+g.of.Name)
	if err != nil || k < 0 {
		return ""
	}
	return strings.Join(slices.Insert(all, k+1, more...), "; ")
}

// onLinks returns the algorithm of the run on its links, as package sim has it.
func (g *cluster) onLinks(a messaging.Algorithm) messaging.Algorithm {
	if g.setting.Links == nil {
		return a
	}
	return messaging.On(g.setting.Links, a)
}
