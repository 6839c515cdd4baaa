package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A tracing is a call of doorway trace.
type tracing struct {
	*command
	n, entries, seed int
	from             float64
	svg              string
}

// unset is what -seed and -from are if they are not given.
const unset = -1

func newTrace() *command {
	c := newCommand("trace", "scenario.txt | algorithm | package.constructor", "show every event of a run, as text or as a picture")
	t := &tracing{command: c, seed: unset, from: unset}
	c.whole(&t.n, "n", 1, 1000, "of an algorithm: `number` of nodes, 1 to 1000 (default 3)")
	c.whole(&t.entries, "entries", 1, 10_000, "of an algorithm: `number` of entries, 1 to 10000 (default: one a node)")
	c.whole(&t.seed, "seed", 0, math.MaxInt32, "of an algorithm: draw the latencies of messages from 0.5 to 1.5 T, by this `number` "+
		"(default: each is T)")
	c.add("from", "leave out what happens before this `time`, in T (default: that of the scenario)",
		&limited[float64]{&t.from, 0, 1_000_000, parseTime, "it is a time from 0 to 1000000 T, such as 2.5"})
	c.file(&t.svg, "svg", "draw the run to this `file`; \"-\" is standard output")
	c.words = func() []string { return internal.Names(algorithms()) }
	c.run = t.run
	return c
}

// parseTime reads a time in T, with at most six digits after the point.
func parseTime(s string) (float64, error) {
	_, digits, _ := strings.Cut(s, ".")
	var v float64
	var rest string
	if n, _ := fmt.Sscanf(s, "%f%s", &v, &rest); n != 1 || len(digits) > 6 {
		return 0, errors.New("no time")
	}
	return v, nil
}

func (t *tracing) run(ctx context.Context, s streams, operands []string) error {
	what, err := t.operand(s, operands, "scenario or algorithm",
		"a scenario, such as examples/scenarios/maekawa.txt, or an algorithm; doorway list shows the algorithms")
	if err != nil {
		return err
	}
	of, is := algorithm(what)
	if isOwn(what) {
		return t.runOwn(ctx, s, what)
	}
	run := func() (*spacetime.Run, error) { return traced(what, t.scenario(of)) }
	switch given := t.given([]string{"n", "entries", "seed"}); {
	case of.kind == system && t.entries != 0:
		return t.mistaken("-entries is for a lock, and %s is none", what)
	case is && of.Lacking() != nil:
		return of.Lacking()
	case is:
	case len(given) > 0:
		return t.mistaken("-%s is for an algorithm, and %s is a scenario, which says that itself", given[0], what)
	case isName(what):
		return t.unknown("scenario or algorithm", what, "doorway list shows the algorithms")
	default:
		scenes, err := s.read(ctx, operands)
		if err != nil {
			return err
		}
		run = scenes[0].trace
	}
	r, err := watch(ctx, newProgress(s.err), func(func(string)) (*spacetime.Run, error) { return run() })
	if err != nil {
		return err
	}
	return t.show(s, r)
}

// show writes the events of a run, or draws it.
func (t *tracing) show(s streams, r *spacetime.Run) error {
	if t.from >= 0 {
		r.From = time.Duration(math.Round(t.from * float64(sim.T)))
	}
	if t.svg == "" {
		s.out.print(told(r))
		return nil
	}
	err := draw(s.out, t.svg, r)
	if err == nil && t.svg != standardInput {
		s.out.print(fmt.Sprintf("%s shows %s.\n", t.svg, r.Title))
	}
	return err
}

// isName reports whether a scenario is none, but the name of something else.
func isName(file string) bool {
	_, err := os.Stat(file)
	if _, other := place(file); other != "" {
		err = fs.ErrNotExist // what is there is the package of a lock
	}
	return file != standardInput && filepath.Ext(file) == "" && errors.Is(err, fs.ErrNotExist)
}

// algorithms returns those for message passing.
func algorithms() []subject { return subjects(passing, printed, system) }

// algorithm returns the algorithm for message passing of that name.
func algorithm(name string) (subject, bool) {
	if p, is := internal.FindProtocol(name); is {
		return protocol(p), true
	}
	return find(algorithms(), name)
}

// trace runs the scenario of a file.
func (p *scene) trace() (*spacetime.Run, error) {
	if p.unread != nil {
		return nil, p.unread
	}
	name := ""
	if p.File != standardInput {
		name = strings.TrimSuffix(filepath.Base(p.File), filepath.Ext(p.File))
	}
	return spacetime.OfScenario(name, p.scenario, lookup(p.scenario))
}

// scenario returns the scenario in which every node of a protocol always asks, or the trial of a
// system. Nodes of a system that are locks ask, too.
func (t *tracing) scenario(of subject) string {
	n := cmp.Or(t.n, 3)
	var b strings.Builder
	fmt.Fprintf(&b, "nodes %d\nalgorithm %s\n", n, of.Name)
	if of.kind != system {
		fmt.Fprintf(&b, "high load %d entries\n", cmp.Or(t.entries, n))
	} else if round := of.system.Trial.Round; round > 0 {
		fmt.Fprintf(&b, "until %d\n", round)
	}
	for i := range n {
		if of.kind == system {
			fmt.Fprintf(&b, "at 0 S%d gets %s\n", i+1, notation.Message(of.system.Trial.Input))
			if of.system.Locks() {
				fmt.Fprintf(&b, "at 0 S%d asks\n", i+1)
			}
		}
	}
	if of.protocol.Perpetual {
		b.WriteString("perpetual\n")
	}
	if t.seed != unset {
		fmt.Fprintf(&b, "latency 0.5..1.5\nseed %d\n", t.seed)
	}
	return b.String()
}

// lookup returns the function that looks up the algorithm of s. The run checks its
// invariant and its results.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		of, _ := algorithm(setting.Algorithm)
		s.Invariant, s.Kinds = of.protocol.Invariant, of.protocol.Kinds
		if p := of.system.Protocol; of.kind == system {
			s.Invariant, s.Kinds, s.Results = p.Invariant, p.Kinds, p.Results
		}
		return catalog.Scenario(setting)
	}
}

// traced runs a scenario that is in no file.
func traced(what, scenario string) (*spacetime.Run, error) {
	s, err := sim.ReadScenario(what, strings.NewReader(scenario))
	if err != nil {
		return nil, err
	}
	return spacetime.OfScenario("", s, lookup(s))
}

// told returns every event as a line, and how the run failed, if it did.
func told(r *spacetime.Run) string {
	var b strings.Builder
	line := sim.Trace(&b)
	for _, e := range r.Events {
		if e.At >= r.From {
			line(e)
		}
	}
	if r.Failure != "" {
		b.WriteString("\n" + r.Failure + "\n")
	}
	return b.String()
}

// draw draws a run to a file, or to standard output.
func draw(out io.Writer, file string, r drawable) error {
	if file == standardInput {
		return r.WriteSVG(out)
	}
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(r.WriteSVG(w), w.Close())
}
