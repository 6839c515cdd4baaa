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
	"strconv"
	"strings"
	"time"

	public "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/own"
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
		limited(&t.from, 0, 1_000_000, parseTime, "it is a time from 0 to 1000000 T, such as 2.5"))
	c.file(&t.svg, "svg", "draw the run to this `file`; \"-\" is standard output")
	c.words = func() []string { return catalog.Names(algorithms()) }
	c.run = t.run
	return c
}

// parseTime reads a time in T, with at most six digits after the point.
func parseTime(s string) (float64, error) {
	if _, digits, _ := strings.Cut(s, "."); len(digits) > 6 {
		return 0, errors.New("no time")
	}
	return strconv.ParseFloat(s, 64)
}

func (t *tracing) run(ctx context.Context, s streams, operands []string) error {
	what, err := t.operand(s, operands, "scenario or algorithm",
		"a scenario, such as examples/scenarios/maekawa.txt, or an algorithm; doorway list shows the algorithms")
	if err != nil {
		return err
	}
	if c, is := exportedOwn(what); is {
		return t.runOwn(ctx, s, c)
	}
	p, err := t.scene(ctx, s, what)
	if err != nil {
		return err
	}
	r, err := watch(ctx, newProgress(s.err), func(func(string)) (*spacetime.Run, error) { return p.trace() })
	if err != nil {
		return err
	}
	return t.show(s, r)
}

// scene returns the scenario that an operand is, or that of an algorithm.
func (t *tracing) scene(ctx context.Context, s streams, what string) (*scene, error) {
	of, is := algorithm(what)
	switch given := t.given([]string{"n", "entries", "seed"}); {
	case of.kind == system && t.entries != 0:
		return nil, t.mistaken("-entries is for a lock, and %s is none", what)
	case is:
		return newScene(what, []byte(t.scenario(of)), nil), of.Lacking()
	case len(given) > 0:
		return nil, t.mistaken("-%s is for an algorithm, and %s is a scenario, which says that itself", given[0], what)
	case isName(what):
		return nil, t.unknown("scenario or algorithm", what, "doorway list shows the algorithms")
	}
	scenes, err := s.read(ctx, []string{what})
	if err != nil {
		return nil, err
	}
	return scenes[0], nil
}

// show writes the events of a run, or draws it.
func (t *tracing) show(s streams, r *spacetime.Run) error {
	if t.from >= 0 {
		r.From = t.begins()
	}
	if t.svg == "" {
		return r.WriteText(s.out)
	}
	return s.draw(t.svg, r, fmt.Sprintf("%s shows %s.\n", t.svg, r.Title))
}

// begins returns the time before which all is left out.
func (t *tracing) begins() time.Duration {
	return time.Duration(math.Round(max(0, t.from) * float64(sim.T)))
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
	if p, is := catalog.FindProtocol(name); is {
		return protocol(p), true
	}
	return find(algorithms(), name)
}

// trace runs the scenario.
func (p *scene) trace() (*spacetime.Run, error) {
	if p.unread != nil {
		return nil, p.unread
	}
	return spacetime.OfScenario(p.title, p.scenario, lookup(p.scenario))
}

// scenario returns the scenario in which every node of a protocol always asks, or the trial of a
// system.
func (t *tracing) scenario(of subject) string {
	n := cmp.Or(t.n, 3)
	var b strings.Builder
	fmt.Fprintf(&b, "nodes %d\nalgorithm %s\n", n, of.Name)
	if of.kind == system {
		of.trial(&b, n)
	} else {
		fmt.Fprintf(&b, "high load %d entries\n", cmp.Or(t.entries, n))
		if of.protocol.Perpetual {
			b.WriteString("perpetual\n")
		}
	}
	if t.seed != unset {
		fmt.Fprintf(&b, "latency 0.5..1.5\nseed %d\n", t.seed)
	}
	return b.String()
}

// trial writes what happens in the trial of a system. Nodes that are locks ask, too.
func (s subject) trial(b *strings.Builder, n int) {
	if round := s.system.Trial.Round; round > 0 {
		fmt.Fprintf(b, "until %d\n", round)
	}
	for i := range n {
		fmt.Fprintf(b, "at 0 S%d gets %s\n", i+1, notation.Message(s.system.Trial.Input))
		if s.system.Locks() {
			fmt.Fprintf(b, "at 0 S%d asks\n", i+1)
		}
	}
}

// lookup returns the function that looks up the algorithm of s. The run checks its
// invariant and its results.
func lookup(s *sim.Scenario) func(sim.Setting) (messaging.Algorithm, error) {
	return func(setting sim.Setting) (messaging.Algorithm, error) {
		of, _ := algorithm(setting.Algorithm)
		s.Invariant, s.Kinds, s.Results = of.protocol.Invariant, of.protocol.Kinds, of.protocol.Results
		return public.Scenario(setting)
	}
}

type drawable interface{ WriteSVG(w io.Writer) error }

// A picture was drawn by another program.
type picture string

func (p picture) WriteSVG(w io.Writer) error {
	_, err := io.WriteString(w, string(p))
	return err
}

// draw draws a run to a file, and says so; or to standard output.
func (s streams) draw(file string, r drawable, says string) error {
	if file == standardInput {
		return r.WriteSVG(s.out)
	}
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	err = errors.Join(r.WriteSVG(w), w.Close())
	if err == nil {
		s.say(says)
	}
	return err
}

// runOwn traces a protocol of one's own.
func (t *tracing) runOwn(ctx context.Context, s streams, c constructor) error {
	code, err := c.load(ctx)
	if err != nil {
		return err
	}
	n := cmp.Or(t.n, 3)
	scenario := t.scenario(subject{kind: foreign, Entry: catalog.Entry{Name: c.function}})
	m, err := t.ask(ctx, s, code, own.Request{Processes: n, Scenario: scenario, Draw: t.svg != "", From: t.begins()})
	switch {
	case err != nil:
		return err
	case t.svg == "":
		s.out.print(m.Run)
		return nil
	}
	return s.draw(t.svg, picture(m.Run), fmt.Sprintf("%s shows %s.\n", t.svg, own.Title(code.subject().Name, n)))
}
