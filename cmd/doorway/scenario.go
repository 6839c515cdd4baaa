package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/doorway/catalog"
	"example.org/doorway/messaging/scenario"
)

const scenarioText = `
A scenario is a text file that says which nodes there are, what algorithm they
run, how long messages take, and who asks for the critical section when:

	nodes 3
	algorithm ricartagrawala
	at 0 S1 asks
	at 0.5 S3 asks and stays 2
	show events entries messages

It runs in virtual time, by the code that programs import. What comes of it is
printed; and if the file says what is expected, behind a line of four dashes, and
something else came of it, the exit status is 1. So it is if a file cannot be run;
the files after it are run all the same. With -write a file is written anew with
what came of it, if that is not what it has. The file - is standard input.

The algorithms are those that "doorway list" lists as passing messages, those that
fail included. "go doc example.org/doorway/messaging/scenario" explains all that
can be said in a file, and examples/scenarios has many, among them those of lectures.
`

func newRun() *command {
	c := newCommand("run", "scenario.txt ...", "run scenarios of nodes that pass messages", scenarioText)
	write := c.flags.Bool("write", false, "write what came of it into the file")
	c.run = func(ctx context.Context, s streams, operands []string) error {
		switch n := count(operands, standardInput); {
		case len(operands) == 0:
			return c.mistaken("it takes files, such as examples/scenarios/maekawa.txt")
		case n > 1:
			return c.mistaken("standard input (%s) can be read only once", standardInput)
		case n > 0 && *write:
			return c.mistaken("-write %s: standard input cannot be written", standardInput)
		}
		return playAll(ctx, s, operands, *write)
	}
	return c
}

// standardInput is the operand that stands for it.
const standardInput = "-"

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// playAll runs the scenarios of all files, and returns an error if one is bad or did
// not come out as expected. What is wrong with one is said before the next begins.
func playAll(ctx context.Context, s streams, files []string, write bool) error {
	failed := false
	for k, file := range files {
		if len(files) > 1 {
			if _, err := fmt.Fprintf(s.out, "%s== %s\n\n", strings.Repeat("\n", min(k, 1)), file); err != nil {
				return err
			}
		}
		err := play(ctx, s, file, write)
		var bad *badFile
		switch {
		case errors.As(err, &bad):
			tell(s.err, "doorway run: "+bad.Error())
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

// play runs the scenario of a file. It is a bad one if that cannot be done or does
// not come out as expected.
func play(ctx context.Context, s streams, file string, write bool) error {
	p, err := perform(ctx, file)
	if p.output != "" {
		if _, err := io.WriteString(s.out, p.output); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &badFile{err}
	case write:
		if err := rewrite(file, p); err != nil {
			return &badFile{err}
		}
		return nil
	}
	if err := p.compare(file); err != nil {
		return &badFile{err}
	}
	return nil
}

// A performance is what came of a scenario.
type performance struct {
	text   []byte // of the file
	scene  *scenario.Scenario
	output string
}

// perform reads and runs the scenario of a file. It returns without it if ctx ends
// before, and then nothing waits for the run or the reading any more.
func perform(ctx context.Context, file string) (performance, error) {
	type result struct {
		performance
		err error
	}
	done, stdin := make(chan result, 1), os.Stdin
	go func() {
		var r result
		r.performance, r.err = performNow(file, stdin)
		done <- r
	}()
	select {
	case r := <-done:
		return r.performance, r.err
	case <-ctx.Done():
		return performance{}, ctx.Err()
	}
}

func performNow(file string, stdin io.Reader) (p performance, err error) {
	if file == standardInput {
		file = "standard input"
		p.text, err = io.ReadAll(stdin)
	} else {
		p.text, err = os.ReadFile(file)
	}
	if err != nil {
		return p, err
	}
	if p.scene, err = scenario.Read(file, bytes.NewReader(p.text)); err != nil {
		return p, err
	}
	var out strings.Builder
	_, err = p.scene.Run(&out, catalog.Scenario)
	p.output = out.String()
	return p, err
}

// compare returns an error if the file expects something else.
func (p performance) compare(file string) error {
	expected, ok := p.scene.Expected()
	if !ok || expected == p.output {
		return nil
	}
	n, want, got := differing(expected, p.output)
	n += strings.Count(p.scene.Expecting(""), "\n") // what stands before it in the file
	hint := " (-write accepts it)"
	if file == standardInput {
		file, hint = "standard input", ""
	}
	return fmt.Errorf("%s:%d: expected %q, found %q%s", file, n, want, got, hint)
}

// rewrite has the file expect what came of it.
func rewrite(file string, p performance) error {
	if expected, ok := p.scene.Expected(); ok && expected == p.output {
		return nil
	}
	text := asBefore(string(p.text), p.scene.Expecting(p.output))
	return os.WriteFile(file, []byte(text), 0o666)
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
