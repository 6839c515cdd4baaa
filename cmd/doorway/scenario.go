package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
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
something else came of it, the exit status is 1. With -write the file is written
anew with what came of it.

The algorithms are those that "doorway list" lists as passing messages, those that
fail included. "go doc example.org/doorway/messaging/scenario" explains all that
can be said in a file, and examples/scenarios has many, among them those of lectures.
`

func newRun() *command {
	c := newCommand("run", "scenario.txt ...", "run scenarios of nodes that pass messages", scenarioText)
	write := c.flags.Bool("write", false, "write what came of it into the file")
	c.run = func(_ context.Context, s streams, operands []string) error {
		if len(operands) == 0 {
			return c.mistaken("it takes files, such as examples/scenarios/maekawa.txt")
		}
		differs := false
		for k, file := range operands {
			if len(operands) > 1 {
				if _, err := fmt.Fprintf(s.out, "%s== %s\n\n", strings.Repeat("\n", min(k, 1)), file); err != nil {
					return err
				}
			}
			same, err := play(s, file, *write)
			if err != nil {
				return err
			}
			differs = differs || !same
		}
		if differs {
			return errViolated
		}
		return nil
	}
	return c
}

// play runs the scenario of a file, and says whether it came out as expected.
func play(s streams, file string, write bool) (same bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	scene, err := scenario.Read(file, bytes.NewReader(text))
	if err != nil {
		return false, err
	}
	var out strings.Builder
	if _, err := scene.Run(&out, lookup); err != nil {
		return false, err
	}
	if _, err := fmt.Fprint(s.out, out.String()); err != nil {
		return false, err
	}
	expected, ok := scene.Expected()
	switch {
	case write:
		return true, os.WriteFile(file, []byte(scene.Expecting(out.String())), 0o666)
	case ok && expected != out.String():
		n, want, got := differing(expected, out.String())
		n += strings.Count(scene.Expecting(""), "\n") // what stands before it in the file
		tell(s.err, fmt.Sprintf("doorway run: %s:%d: expected %q, found %q (-write accepts it)", file, n, want, got))
		return false, nil
	}
	return true, nil
}

// lookup is that of the catalog, and says which algorithm may be meant.
func lookup(s scenario.Setting) (messaging.Algorithm, error) {
	if _, ok := catalog.FindProtocol(s.Algorithm); ok {
		return catalog.Lookup(s)
	}
	names := names(slices.Concat(protocols(catalog.Protocols), protocols(catalog.Printed)))
	return nil, fmt.Errorf("no algorithm %q: %s", s.Algorithm, choices("the algorithms are", s.Algorithm, names))
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
