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

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func newRun() *command {
	c := newCommand("run", "scenario.txt ...", "run scenarios of nodes that pass messages")
	var write, spell, machines bool
	var save string
	c.is(&write, "write", "rewrite each file in place to expect its actual outcome")
	c.file(&save, "save", "write the scenario to this `file`, with its actual outcome")
	c.is(&spell, "spell", "print each run as a scenario that gives every message its latency")
	c.json(&machines)
	c.run = func(ctx context.Context, s streams, operands []string) error {
		first := slices.Index(operands, standardInput)
		switch {
		case len(operands) == 0:
			return c.mistaken("it takes files, such as examples/scenarios/maekawa.txt")
		case first >= 0 && slices.Contains(operands[first+1:], standardInput):
			return c.mistaken("standard input (%s) can be read only once", standardInput)
		case spell && (write || machines || save != ""):
			return c.mistaken("-spell prints scenarios: it goes with none of -write, -save and -json")
		case first >= 0 && write:
			return c.mistaken("-write %s: standard input cannot be written", standardInput)
		case save != "" && (write || len(operands) > 1):
			return c.mistaken("-save takes one scenario, and not -write")
		}
		s, wrong := s.foresee(ctx, operands)
		switch {
		case wrong != nil:
			return handOn(ctx, s, wrong)
		case save != "":
			return saveAs(ctx, s, operands[0], save)
		case spell:
			return spellAll(ctx, s, operands)
		}
		return runAll(ctx, s, operands, write, machines)
	}
	return c
}

// dashes stand between what a scenario says and what it expects.
const dashes = "----\n"

// standardInput is the operand that stands for it.
const standardInput = "-"

// A scene is a scenario and what came of it, as doorway run reports it to machines.
type scene struct {
	text     []byte // of the file
	scenario *sim.Scenario

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
			s.out.print(fmt.Sprintf("%s== %s\n\n", strings.Repeat("\n", min(k, 1)), file))
		}
		p, bad := runUntil(ctx, s, file)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !machines {
			s.out.print(p.Output)
		}
		switch {
		case s.out.failure != nil:
			return s.out.failure
		case bad != nil:
		case write:
			p.Written, bad = p.rewrite()
		default:
			bad = p.compare()
		}
		if bad != nil {
			failed, p.Failed, p.Error = true, true, bad.Error()
		}
		if machines {
			s.out.json(p)
		} else if bad != nil {
			tell(s.err, "doorway run: "+p.Error)
		}
	}
	if failed {
		return errViolated
	}
	return nil
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
	return os.WriteFile(to, []byte(text.String()+dashes+p.Output), 0o666)
}

// onLines is what is between two directives on a line.
var onLines = regexp.MustCompile(`[ \t]*;[ \t]*`)

// runUntil reads and runs the scenario of a file. It returns without it if ctx ends
// before, and then nothing waits for the run or the reading any more.
func runUntil(ctx context.Context, s streams, file string) (scene, error) {
	stdin := s.input()
	return watch(ctx, &progress{}, func(func(string)) (scene, error) { return runFile(file, stdin) })
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
func (s streams) foresee(ctx context.Context, files []string) (_ streams, wrong *catalog.LackingError) {
	for _, file := range files {
		if catalog.Variants || wrong != nil {
			break
		}
		stdin := s.input()
		p, err := watch(ctx, &progress{}, func(func(string)) (scene, error) { return readScenario(file, stdin) })
		if file == standardInput {
			s.in = append([]byte{}, p.text...)
		}
		if err != nil {
			continue // the run reports it
		}
		_, _ = p.scenario.Start(func(of sim.Setting) (messaging.Algorithm, error) {
			named, _ := catalog.FindProtocol(of.Algorithm)
			errors.As(named.Lacking(), &wrong)
			return nil, errors.New("it is not to run yet")
		})
	}
	return s, wrong
}

// readScenario returns the scenario of a file that has not been run.
func readScenario(file string, stdin io.Reader) (p scene, err error) {
	p.File = file
	if file == standardInput {
		file = "standard input"
		p.text, err = io.ReadAll(stdin)
	} else {
		p.text, err = os.ReadFile(file)
	}
	if err == nil {
		p.scenario, err = sim.ReadScenario(file, bytes.NewReader(p.text))
	}
	return p, err
}

func runFile(file string, stdin io.Reader) (p scene, err error) {
	if p, err = readScenario(file, stdin); err != nil {
		return p, err
	}
	if p.scenario.Expects {
		p.Expected = &p.scenario.Expected
	}
	var out strings.Builder
	_, err = p.scenario.Run(&out, lookup(p.scenario))
	p.Output = out.String()
	return p, err
}

// compare returns an error if the file expects something else.
func (p scene) compare() error {
	if p.Expected == nil || *p.Expected == p.Output {
		return nil
	}
	n, want, got := differing(*p.Expected, p.Output)
	line := n + strings.Count(p.scenario.Directives+dashes, "\n") // what stands before it in the file
	file, hint := p.File, " (-write accepts it)"
	if file == standardInput {
		file, hint = "standard input", ""
	}
	return fmt.Errorf("%s:%d: expected %q, found %q%s", file, line, want, got, hint)
}

// rewrite writes the outcome to the file, unless the file expects it already. What stands before it
// stays as it is, and lines end as the first does.
func (p scene) rewrite() (written bool, err error) {
	if p.Expected != nil && *p.Expected == p.Output {
		return false, nil
	}
	n, end := strings.Count(p.scenario.Directives, "\n"), "\n"
	lines := strings.SplitAfterN(string(p.text), "\n", n+1)
	if strings.HasSuffix(lines[0], "\r\n") {
		end = "\r\n"
	}
	text := strings.Join(lines[:n], "")
	if !strings.HasSuffix(text, "\n") {
		text += end
	}
	err = os.WriteFile(p.File, []byte(text+strings.ReplaceAll(dashes+p.Output, "\n", end)), 0o666)
	return err == nil, err
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
