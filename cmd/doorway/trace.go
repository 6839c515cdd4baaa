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
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging/sim"
)

// A tracing is a call of doorway trace.
type tracing struct {
	*command
	n, entries, seed *int
	from             *float64
	svg              *string
}

// unseeded is what -seed is if it is not given.
const unseeded = -1

func newTrace() *command {
	c := newCommand("trace", "scenario.txt | algorithm", "show every event of a run, as text or as a picture")
	unset := -1.0
	from := &limited[float64]{&unset, 0, 1_000_000, parseTime, "it is a time from 0 to 1000000 T, such as 2.5"}
	t := &tracing{
		command: c,
		n:       c.whole("n", 0, 1, 1000, "of an algorithm: `number` of nodes, 1 to 1000 (default 3)"),
		entries: c.whole("entries", 0, 1, 10_000, "of an algorithm: `number` of entries, 1 to 10000 (default: one a node)"),
		seed: c.whole("seed", unseeded, 0, math.MaxInt32, "of an algorithm: draw the latencies of messages from 0.5 to 1.5 T, by this `number` "+
			"(default: each is T)"),
		from: from.value,
		svg:  new(string),
	}
	c.add("from", "leave out what happens before this `time`, in T (default: that of the scenario)", from)
	c.Flags = append(c.Flags, &cli.StringFlag{Name: "svg", Usage: `draw the run to this ` + "`file`" + `; "-" is standard output`, TakesFile: true, Destination: t.svg})
	c.words = algorithms
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
	switch {
	case len(operands) == 0:
		return t.mistaken("it takes a scenario, such as examples/scenarios/maekawa.txt, or an algorithm; doorway list shows the algorithms")
	case len(operands) > 1:
		return t.mistaken("it takes one scenario or algorithm, not %d", len(operands))
	}
	what := operands[0]
	if err := t.check(what); err != nil {
		return err
	}
	if isAlgorithm(what) {
		p, _ := internal.FindProtocol(what)
		if err := p.Lacking(); err != nil {
			return err
		}
	} else if there, wrong := s.foresee(ctx, operands); wrong != nil {
		return handOn(ctx, there, wrong)
	} else {
		s = there
	}
	stdin := s.input()
	r, err := watch(ctx, newProgress(s.err), func(func(string)) (*spacetime.Run, error) { return t.trace(what, stdin) })
	if err != nil {
		return err
	}
	if *t.from >= 0 {
		r.From = time.Duration(math.Round(*t.from * float64(sim.T)))
	}
	if *t.svg == "" {
		return write(s.out, r)
	}
	return draw(s.out, *t.svg, r)
}

// check returns an error unless what is an algorithm, or a scenario to which the flags
// apply.
func (t *tracing) check(what string) error {
	_, system := internal.FindSystem(what)
	switch {
	case system && *t.entries != 0:
		return t.mistaken("-entries is for a lock, and %s is none", what)
	case isAlgorithm(what):
		return nil
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"-n", *t.n != 0}, {"-entries", *t.entries != 0}, {"-seed", *t.seed != unseeded}} {
		if f.given {
			return t.mistaken("%s is for an algorithm, and %s is a scenario, which says that itself", f.name, what)
		}
	}
	_, err := os.Stat(what)
	if _, other := place(what); other != "" {
		err = fs.ErrNotExist // what is there is the package of a lock
	}
	if what != standardInput && filepath.Ext(what) == "" && errors.Is(err, fs.ErrNotExist) {
		return t.unknown("scenario or algorithm", what, algorithms(), "doorway list shows the algorithms")
	}
	return nil
}

func isProtocol(name string) bool {
	_, is := internal.FindProtocol(name)
	return is
}

func isAlgorithm(name string) bool { return isProtocol(name) || slices.Contains(algorithms(), name) }

// algorithms returns the names of those for message passing.
func algorithms() []string {
	return slices.Concat(catalog.Protocols(), internal.Names(internal.Systems))
}

// trace runs the scenario of a file, or that of an algorithm.
func (t *tracing) trace(what string, stdin io.Reader) (*spacetime.Run, error) {
	if isAlgorithm(what) {
		return traced("", what, strings.NewReader(t.scenario(what)))
	}
	if what == standardInput {
		return traced("", "standard input", stdin)
	}
	f, err := os.Open(what)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return traced(strings.TrimSuffix(filepath.Base(what), filepath.Ext(what)), what, f)
}

// scenario returns the scenario in which every node of a protocol always asks, or the trial of a
// system.
func (t *tracing) scenario(algorithm string) string {
	n := cmp.Or(*t.n, 3)
	text := fmt.Sprintf("nodes %d\nalgorithm %s\nhigh load %d entries\n", n, algorithm, cmp.Or(*t.entries, n))
	p, _ := internal.FindProtocol(algorithm)
	if system, is := internal.FindSystem(algorithm); is {
		text = scenarioOf(system, n)
	}
	if p.Perpetual {
		text += "perpetual\n"
	}
	if *t.seed != unseeded {
		text += fmt.Sprintf("latency 0.5..1.5\nseed %d\n", *t.seed)
	}
	return text
}

// traced runs a scenario from a file.
func traced(name, file string, text io.Reader) (*spacetime.Run, error) {
	s, err := sim.ReadScenario(file, text)
	if err != nil {
		return nil, err
	}
	return spacetime.OfScenario(name, s, lookup(s))
}

// write writes every event as a line, and how the run failed, if it did.
func write(w io.Writer, r *spacetime.Run) error {
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
	_, err := io.WriteString(w, b.String())
	return err
}

// draw draws a run to a file, or to standard output.
func draw(out io.Writer, file string, r *spacetime.Run) error {
	if file == standardInput {
		return r.WriteSVG(out)
	}
	return picture(file, r)
}

// picture draws something to a file.
func picture(file string, of interface{ WriteSVG(w io.Writer) error }) error {
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(of.WriteSVG(w), w.Close())
}
