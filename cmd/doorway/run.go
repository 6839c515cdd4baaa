package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func newRun() *command {
	c := newCommand("run", "scenario.txt ...", "run scenarios of nodes that pass messages")
	var write bool
	var save string
	c.is(&write, "write", "rewrite each file in place to expect its actual outcome")
	c.file(&save, "save", "write the scenario to this `file`, with its actual outcome")
	c.json()
	c.run = func(ctx context.Context, s streams, operands []string) error {
		first := slices.Index(operands, standardInput)
		switch {
		case len(operands) == 0:
			return c.mistaken("it takes files, such as examples/scenarios/maekawa.txt")
		case first >= 0 && slices.Contains(operands[first+1:], standardInput):
			return c.mistaken("standard input (%s) can be read only once", standardInput)
		case first >= 0 && write:
			return c.mistaken("-write %s: standard input cannot be written", standardInput)
		case save != "" && (write || len(operands) > 1):
			return c.mistaken("-save takes one scenario, and not -write")
		}
		scenes, err := s.read(ctx, operands)
		if err == nil && save != "" {
			return saveAs(ctx, s, scenes[0], save)
		}
		if err != nil {
			return err
		}
		return runAll(ctx, s, scenes, write)
	}
	return c
}

// dashes stand between what a scenario says and what it expects.
const dashes = "----\n"

// standardInput is the operand that stands for it.
const standardInput = "-"

// A scene is a scenario and what came of it, as doorway run reports it to machines.
type scene struct {
	title    string // of its run; "": the algorithm
	text     []byte
	scenario *sim.Scenario
	unread   error // why there is no scenario

	File     string  `json:"file"`
	Output   string  `json:"output"`
	Expected *string `json:"expected,omitempty"`
	Failed   bool    `json:"failed"`
	Error    string  `json:"error,omitempty"`
	Written  bool    `json:"written,omitempty"`
}

// read reads scenarios. It returns a [catalog.LackingError] if one of them has an algorithm that is wrong, and
// that this build lacks.
func (s streams) read(ctx context.Context, files []string) (all []*scene, lacking error) {
	for _, file := range files {
		p, err := watch(ctx, &progress{}, func(func(string)) (*scene, error) { return s.readScenario(file), nil })
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		if p.unread == nil {
			_, _ = p.scenario.Start(func(of sim.Setting) (messaging.Algorithm, error) {
				named, _ := catalog.FindProtocol(of.Algorithm)
				lacking = cmp.Or(lacking, named.Lacking())
				return nil, errors.New("it is not to run yet")
			})
		}
	}
	return all, lacking
}

func (s streams) readScenario(file string) *scene {
	if file != standardInput {
		text, err := os.ReadFile(file)
		p := newScene(file, text, err)
		p.title = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		return p
	}
	var err error
	if *s.in == nil {
		*s.in, err = io.ReadAll(os.Stdin)
	}
	p := newScene("standard input", *s.in, err)
	p.File = file
	return p
}

// newScene returns the scenario of a text, or the error why there is no text.
func newScene(name string, text []byte, err error) *scene {
	p := &scene{File: name, text: text, unread: err}
	if err == nil {
		p.scenario, p.unread = sim.ReadScenario(name, bytes.NewReader(text))
	}
	return p
}

// run runs the scenario. It returns without an outcome if ctx ends before, and then nothing waits for the
// run any more.
func (p *scene) run(ctx context.Context) (err error) {
	if p.unread != nil {
		return p.unread
	}
	if p.scenario.Expects {
		p.Expected = &p.scenario.Expected
	}
	p.Output, err = watch(ctx, &progress{}, func(func(string)) (string, error) {
		var out strings.Builder
		_, err := p.scenario.Run(&out, lookup(p.scenario))
		return out.String(), err
	})
	return err
}

// runAll runs scenarios, and returns an error if one cannot be run
// or has an unexpected outcome. Its error is printed before the next begins.
func runAll(ctx context.Context, s streams, all []*scene, write bool) error {
	failed := false
	for k, p := range all {
		if len(all) > 1 {
			s.say(fmt.Sprintf("%s== %s\n\n", strings.Repeat("\n", min(k, 1)), p.File))
		}
		bad := p.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.say(p.Output)
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
		if s.json {
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

// saveAs writes a scenario to another file, a line for each directive, with its
// actual outcome.
func saveAs(ctx context.Context, s streams, p *scene, to string) error {
	err := p.run(ctx)
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

// compare returns an error with the first line in which the file expects something else; behind the end there
// are empty ones.
func (p scene) compare() error {
	if p.Expected == nil || *p.Expected == p.Output {
		return nil
	}
	want, got, expected, output := "", "", *p.Expected, p.Output
	line := strings.Count(p.scenario.Directives+dashes, "\n") // what stands before it in the file
	for want == got && (expected != "" || output != "") {
		want, expected, _ = strings.Cut(expected, "\n")
		got, output, _ = strings.Cut(output, "\n")
		line++
	}
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
