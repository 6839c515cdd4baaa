package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging/sim"
)

func newRun() *command {
	c := newCommand("run", "scenario.txt ...", "run scenarios of nodes that pass messages")
	write := c.is("write", "rewrite each file in place to expect its actual outcome")
	save := new(string)
	c.Flags = append(c.Flags, &cli.StringFlag{Name: "save", Usage: "write the scenario to this `file`, with its actual outcome", TakesFile: true, Destination: save})
	spell := c.is("spell", "print each run as a scenario that gives every message its latency")
	machines := c.json()
	c.run = func(ctx context.Context, s streams, operands []string) error {
		first := slices.Index(operands, standardInput)
		switch {
		case len(operands) == 0:
			return c.mistaken("it takes files, such as examples/scenarios/maekawa.txt")
		case first >= 0 && slices.Contains(operands[first+1:], standardInput):
			return c.mistaken("standard input (%s) can be read only once", standardInput)
		case *spell && (*write || *machines || *save != ""):
			return c.mistaken("-spell prints scenarios: it goes with none of -write, -save and -json")
		case first >= 0 && *write:
			return c.mistaken("-write %s: standard input cannot be written", standardInput)
		case *save != "" && (*write || len(operands) > 1):
			return c.mistaken("-save takes one scenario, and not -write")
		}
		s, wrong := s.foresee(ctx, operands)
		switch {
		case wrong != nil:
			return handOn(ctx, s, wrong)
		case *save != "":
			return saveAs(ctx, s, operands[0], *save)
		case *spell:
			return spellAll(ctx, s, operands)
		}
		return runAll(ctx, s, operands, *write, *machines)
	}
	return c
}

// dashes stand between what a scenario says and what it expects.
const dashes = "----\n"

// standardInput is the operand that stands for it.
const standardInput = "-"

// A sceneJSON is what doorway run reports of a file to machines.
type sceneJSON struct {
	File     string  `json:"file"`
	Output   string  `json:"output"`
	Expected *string `json:"expected,omitempty"`
	Failed   bool    `json:"failed"`
	Error    string  `json:"error,omitempty"`
	Written  bool    `json:"written,omitempty"`
}

// runAll runs the scenarios of all files, and returns an error if one cannot be run
// or has an unexpected outcome. Its error is printed before the next begins.
func runAll(ctx context.Context, s streams, files []string, write, machines bool) error {
	failed := false
	for k, file := range files {
		if len(files) > 1 && !machines {
			if _, err := fmt.Fprintf(s.out, "%s== %s\n\n", strings.Repeat("\n", min(k, 1)), file); err != nil {
				return err
			}
		}
		err := show(ctx, s, file, write, machines)
		var bad *badFile
		switch {
		case errors.As(err, &bad):
			if !machines {
				tell(s.err, "doorway run: "+bad.Error())
			}
			failed = true
		case err != nil:
			return err
		}
	}
	if failed {
		return errViolated
	}
	return nil
}

// A badFile is an error that concerns one file, and none of the others.
type badFile struct{ error }

func (b *badFile) Unwrap() error { return b.error }

// show runs the scenario of a file, and prints its outcome. The error is a badFile
// if that cannot be done, or the outcome is unexpected.
func show(ctx context.Context, s streams, file string, write, machines bool) error {
	p, err := runUntil(ctx, s, file)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !machines {
		if _, err := io.WriteString(s.out, p.output); err != nil {
			return err
		}
	}
	written := false
	switch {
	case err != nil:
	case write:
		written, err = rewrite(file, p)
	default:
		err = p.compare(file)
	}
	if machines {
		if err := writeJSON(s.out, p.json(file, written, err)); err != nil {
			return err
		}
	}
	if err != nil {
		return &badFile{err}
	}
	return nil
}

func (p outcome) json(file string, written bool, err error) sceneJSON {
	out := sceneJSON{File: file, Output: p.output, Written: written}
	if p.scenario != nil && p.scenario.Expects {
		out.Expected = &p.scenario.Expected
	}
	if err != nil {
		out.Failed, out.Error = true, err.Error()
	}
	return out
}

// saveAs writes the scenario of a file to another one, a line for each directive, with its
// actual outcome.
func saveAs(ctx context.Context, s streams, file, to string) error {
	p, err := runUntil(ctx, s, file)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		tell(s.err, "doorway run: "+err.Error())
		return errViolated
	}
	var text strings.Builder
	for line := range strings.Lines(p.scenario.Directives) {
		if !strings.Contains(line, "#") { // or a semicolon may be in a comment
			line = onLines.ReplaceAllString(line, "\n")
		}
		text.WriteString(line)
	}
	return os.WriteFile(to, []byte(text.String()+dashes+p.output), 0o666)
}

// onLines is what is between two directives on a line.
var onLines = regexp.MustCompile(`[ \t]*;[ \t]*`)

// An outcome is what came of a scenario.
type outcome struct {
	text     []byte // of the file
	scenario *sim.Scenario
	output   string
}

// runUntil reads and runs the scenario of a file. It returns without it if ctx ends
// before, and then nothing waits for the run or the reading any more.
func runUntil(ctx context.Context, s streams, file string) (outcome, error) {
	stdin := s.input()
	return watch(ctx, &progress{}, func(func(string)) (outcome, error) { return runFile(file, stdin) })
}

// input returns standard input.
func (s streams) input() io.Reader {
	if s.in != nil {
		return bytes.NewReader(s.in)
	}
	return os.Stdin
}

// foresee reports whether one of the scenarios in files has an algorithm that is wrong, and that
// this build lacks. It reads standard input if it is among them.
func (s streams) foresee(ctx context.Context, files []string) (streams, *catalog.LackingError) {
	for _, file := range files {
		if catalog.Variants || ctx.Err() != nil {
			break
		}
		var text []byte
		if file == standardInput {
			read, stdin := make(chan []byte, 1), s.input()
			go func() {
				text, _ := io.ReadAll(stdin)
				read <- append([]byte{}, text...)
			}()
			select {
			case s.in = <-read:
			case <-ctx.Done():
			}
			text = s.in
		} else {
			text, _ = os.ReadFile(file)
		}
		for _, named := range naming.FindAllSubmatch(text, -1) {
			p, _ := catalog.FindProtocol(string(named[1]))
			if wrong := new(catalog.LackingError); errors.As(p.Lacking(), &wrong) {
				return s, wrong
			}
		}
	}
	return s, nil
}

// naming is the directive with the algorithm of a scenario.
var naming = regexp.MustCompile(`(?m)(?:^|;)[ \t]*algorithm[ \t]+([^\s;#]+)`)

func runFile(file string, stdin io.Reader) (p outcome, err error) {
	if file == standardInput {
		file = "standard input"
		p.text, err = io.ReadAll(stdin)
	} else {
		p.text, err = os.ReadFile(file)
	}
	if err != nil {
		return p, err
	}
	if p.scenario, err = sim.ReadScenario(file, bytes.NewReader(p.text)); err != nil {
		return p, err
	}
	var out strings.Builder
	_, err = p.scenario.Run(&out, lookup(p.scenario))
	p.output = out.String()
	return p, err
}

// compare returns an error if the file expects something else.
func (p outcome) compare(file string) error {
	if !p.scenario.Expects || p.scenario.Expected == p.output {
		return nil
	}
	n, want, got := differing(p.scenario.Expected, p.output)
	n += strings.Count(p.scenario.Directives+dashes, "\n") // what stands before it in the file
	hint := " (-write accepts it)"
	if file == standardInput {
		file, hint = "standard input", ""
	}
	return fmt.Errorf("%s:%d: expected %q, found %q%s", file, n, want, got, hint)
}

// rewrite writes the outcome to the file, unless the file expects it already.
func rewrite(file string, p outcome) (written bool, err error) {
	if p.scenario.Expects && p.scenario.Expected == p.output {
		return false, nil
	}
	text := asBefore(string(p.text), p.scenario.Directives+dashes+p.output)
	err = os.WriteFile(file, []byte(text), 0o666)
	return err == nil, err
}

// asBefore returns the new text with the lines of the old one as they were, with
// what stands at their ends, as far as they begin both; the ends of the others are
// as that of the first.
func asBefore(old, text string) string {
	const byteOrderMark, carriageReturn = "\ufeff", "\r"
	end := "\n"
	if first, _, _ := strings.Cut(old, "\n"); strings.HasSuffix(first, carriageReturn) {
		end = carriageReturn + end
	}
	var b strings.Builder
	same := true
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		before, rest, ended := strings.Cut(old, "\n")
		old = rest
		bare := strings.TrimSuffix(strings.TrimPrefix(before, byteOrderMark), carriageReturn)
		if same = same && ended && bare == line; same {
			b.WriteString(before + "\n")
		} else {
			b.WriteString(line + end)
		}
	}
	return b.String()
}

// differing returns the number of the first line in which a and b differ, from 1,
// and the lines; behind the end there are empty ones.
func differing(a, b string) (n int, inA, inB string) {
	for n = 1; a != "" || b != ""; n++ {
		inA, a, _ = strings.Cut(a, "\n")
		inB, b, _ = strings.Cut(b, "\n")
		if inA != inB {
			break
		}
	}
	return n, inA, inB
}
