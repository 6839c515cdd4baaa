//go:build doorway_explore && doorway_variants

package play

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/examples/scenarios"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
)

var update = flag.Bool("update", false, "write what the checker finds, and what the openings show")

// The counterexamples are those that the checker finds. If an algorithm or the checker has changed:
//
//	go run ./internal/explored ./internal/play -run 'Counterexamples|Openings' -update
//
// and see whether the captions still hold.
func TestCounterexamples(t *testing.T) {
	var b strings.Builder
	for _, o := range leads()["opening"] {
		if o.Of == "" {
			continue
		}
		line := found(t, o.Of)
		fmt.Fprintln(&b, line)
		if !*update {
			directives, choices := counterexample(o.Of)
			assert.Equal(t, line, directives+"; run "+choices, "%s: the checker finds another run: -update writes it to counterexamples.txt", o.Of)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("counterexamples.txt", []byte(b.String()), 0o666))
	}
}

// found returns the counterexample that the checker finds for an algorithm.
func found(t *testing.T, of string) string {
	t.Helper()
	if a, is := catalog.Find(of); is {
		return foundInLock(t, a)
	}
	wrong, _ := proof.RefutationOf(of)
	a, err := wrong.Algorithm()
	require.NoError(t, err)
	report, err := explore.CheckNodes(explore.NodesConfig{
		New: a, Name: of, Nodes: len(wrong.Requests), Requests: wrong.Requests, Withdrawals: wrong.Withdrawals, Workers: 1,
	})
	require.NoError(t, err)
	require.NotNil(t, report.MutualExclusion.History, of)
	text := strings.TrimPrefix(report.MutualExclusion.History.Scenario, "version 1; ")
	directives, run, _ := strings.Cut(text, "; rules ")
	_, choices, _ := strings.Cut(run, "; run ")
	return directives + "; run " + choices
}

func foundInLock(t *testing.T, a catalog.Algorithm) string {
	t.Helper()
	size := catalog.Size{Processes: 2}
	if a.Broken != nil {
		size.Processes = a.Broken.Fewest
	}
	if a.Number != nil {
		size.Numbers = map[int]uint64{2: 4, 3: 2}[size.Processes] // as many as a page plays
	}
	c := proof.Config(a, size)
	c.Workers, c.Unexamined = 1, true
	report, err := explore.Check(c)
	require.NoError(t, err)
	trace := report.MutualExclusion.Trace
	if trace == nil {
		trace = report.StarvationFree.Trace
	}
	require.NotNil(t, trace, a.Name)
	most := ""
	if c.Cap > 0 {
		most = fmt.Sprintf("; cap %d", c.Cap)
	}
	choices := strings.Trim(strings.ReplaceAll(fmt.Sprint(trace.Schedule), " ", "."), "[]")
	return fmt.Sprintf("processes %d; lock %s%s; run %s", size.Processes, a.Name, most, choices)
}

// Each opening is as testdata/openings.txt shows it: what it says, how the run stands where it opens, and how it ends if
// it goes on as it does by itself.
func TestOpenings(t *testing.T) {
	var b strings.Builder
	for _, o := range List().Openings {
		p := Open(o.Text)
		v := p.View(0)
		assert.Empty(t, v.Refused, o.Name)
		assert.Equal(t, []string{o.Title, o.Caption}, []string{v.Run.Title, v.Run.Caption})
		fmt.Fprintf(&b, "%s, %s: %s\n  %s\n  at %d: %s\n", o.Group, o.Name, o.Title, o.Caption, v.Made, v.Verdict.Text)
		p.To(v.Made + v.Kept)
		for goesOn(p) {
			p.Choose("s1")
		}
		v = p.View(0)
		fmt.Fprintf(&b, "  at %d: %s\n\n", v.Made, v.Verdict.Text)
	}
	const golden = "testdata/openings.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "if that is right, -update writes it")
}

// goesOn reports whether a run of nodes goes on by itself. One that never comes to rest is followed for a while.
func goesOn(p *Play) bool {
	v := p.View(0)
	return v.Run.Kind == "nodes" && v.Made < 300 && len(v.Choices) > 0 && v.Choices[0].Do == "s1"
}

// Of the scenarios, those are embedded that are openings.
func TestEmbedded(t *testing.T) {
	files, err := scenarios.Files.ReadDir(".")
	require.NoError(t, err)
	var embedded, used []string
	for _, f := range files {
		embedded = append(embedded, strings.TrimSuffix(f.Name(), ".txt"))
	}
	for _, e := range leads()["opening"] {
		if e.Of == "" {
			used = append(used, e.Name)
		}
	}
	assert.ElementsMatch(t, embedded, used)
}

// No run of three nodes that enter once each takes more messages than the challenge asks for.
func TestDearest(t *testing.T) {
	a, err := named.Protocol("maekawa", 3)
	require.NoError(t, err)
	report, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 3})
	require.NoError(t, err)
	assert.Equal(t, []int{dearest, 3}, []int{report.Messages, report.Entries})
	assert.Contains(t, Open("challenge dearest").View(0).Goal.Text, fmt.Sprintf("and %d messages were sent", dearest))
}

// What the checker finds solves the challenge that is about the same run.
func TestCheckerSolves(t *testing.T) {
	solved := 0
	for _, c := range leads()["challenge"] {
		for _, e := range leads()["opening"] {
			if e.Of == "" {
				continue
			}
			directives, choices := e.run()
			if directives != c.Run {
				continue
			}
			g := Open(c.Text + " " + choices).View(0).Goal
			assert.True(t, g.Solved, "%s: %s", c.Name, g.Why)
			solved++
		}
	}
	assert.Equal(t, 5, solved)
}
