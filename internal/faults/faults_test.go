package faults_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/faults"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

const (
	docs      = "../../docs/faults.md"
	histories = "testdata/histories.txt"
	again     = "go test -tags doorway_full ./internal/faults -update"
)

// The quick tests compute the rows of these.
var quick = []string{"central", "raymond", "tokenring", "recovery-naimitrehel", "basic", "reliable"}

// The tables of docs/faults.md and the histories are what is computed.
func TestMatrix(t *testing.T) {
	var told strings.Builder
	for _, table := range faults.Tables() {
		compare(t, table, &told)
	}
	text, err := os.ReadFile(histories)
	if page.Updating() && tier.Full {
		require.NoError(t, os.WriteFile(histories, []byte(told.String()), 0o644))
		return
	}
	require.NoError(t, err)
	for section := range strings.SplitSeq(strings.TrimPrefix(told.String(), "## "), "\n## ") {
		assert.Contains(t, string(text), strings.TrimSpace(section), "%s is stale: run %s", histories, again)
	}
	if tier.Full {
		assert.Equal(t, told.String(), string(text))
	}
}

// compare computes a table, or some of its rows, compares it with the page, and appends the
// histories.
func compare(t *testing.T, table faults.Table, told *strings.Builder) {
	t.Helper()
	rows := ""
	for _, s := range table.Of {
		if !tier.Full && !slices.Contains(quick, s.Name) {
			continue
		}
		var row []faults.Cell
		for _, f := range table.Faults {
			c, err := faults.Of(s, f)
			require.NoError(t, err)
			row = append(row, c)
		}
		rows += table.Row(row)
		told.WriteString(faults.Histories(row))
	}
	require.NotEmpty(t, rows)
	if tier.Full {
		page.Generated(t, docs, table.Name, again, table.Heading()+rows)
		return
	}
	part := page.Part(t, docs, table.Name, again)
	for row := range strings.Lines(rows) {
		assert.Contains(t, part, strings.TrimSpace(row), "the %s in %s are stale: run %s", table.Name, docs, again)
	}
}

// verdicts returns those of the page.
func verdicts(t *testing.T) faults.Verdicts {
	t.Helper()
	v := faults.Verdicts{}
	for _, table := range faults.Tables() {
		v.Read(page.Part(t, docs, table.Name, again))
	}
	return v
}

// No cell is empty: every algorithm of the catalog has met every fault.
func TestComplete(t *testing.T) {
	known := verdicts(t)
	for _, table := range faults.Tables() {
		for _, s := range table.Of {
			for _, f := range table.Faults {
				assert.Regexp(t, `^[a-z0-9 ,]+$`, known[[2]string{s.Name, f.Name}], "%s, %s", s.Name, f.Name)
			}
		}
	}
	for _, p := range catalog.Protocols {
		assert.NotEmpty(t, known[[2]string{p.Name, "loss"}], p.Name)
	}
	for _, s := range catalog.Systems {
		assert.NotEmpty(t, known[[2]string{s.Name, "loss"}], s.Name)
	}
}

// What the lectures say of faults is what is computed, but where the page says that it is not.
func TestSentences(t *testing.T) {
	known := verdicts(t)
	rows := "| slide | it says | of | computed | |\n| --- | --- | --- | --- | --- |\n"
	for _, s := range faults.Sentences {
		row, agrees, err := s.Row(known)
		require.NoError(t, err, "%s %s: %s", s.Lecture, s.Slide, s.Says)
		assert.Equal(t, s.But == "", agrees, "%s %s: %s\n%s", s.Lecture, s.Slide, s.Says, row)
		rows += row
	}
	page.Generated(t, docs, "sentences", "go test ./internal/faults -update", rows)
	_, _, err := faults.Sentence{Of: "central", Faults: []string{"flood"}}.Row(known)
	assert.EqualError(t, err, "there is no cell of central, flood")
}

// Each scenario of the histories fails as they say, when it is read again. There is none if a
// detector is wrong, as none is in package sim.
func TestHistories(t *testing.T) {
	text, err := os.ReadFile(histories)
	require.NoError(t, err)
	for k, section := range strings.Split(strings.TrimPrefix(string(text), "## "), "\n## ") {
		if !tier.Full && k%16 != 0 {
			continue
		}
		title, history, _ := strings.Cut(section, "\n")
		_, line, found := strings.Cut(strings.TrimSpace(history), " version 1")
		if !found {
			assert.Contains(t, section, ", which it has not", title)
			continue
		}
		_, verdict, _ := strings.Cut(title, ": ")
		s, err := sim.ReadScenario(title, strings.NewReader("version 1"+line))
		require.NoError(t, err, title)
		run, err := s.Start(func(setting sim.Setting) (messaging.Algorithm, error) {
			if system, is := catalog.FindSystem(setting.Algorithm); is {
				s.Invariant, s.Kinds, s.Results = system.Protocol.Invariant, system.Protocol.Kinds, system.Protocol.Results
			}
			return named.Scenario(setting)
		})
		require.NoError(t, err, title)
		failure := sim.Failure(run.Err())
		switch {
		case verdict == "two inside":
			assert.Equal(t, "exclusion", failure, title)
		case verdict == "refuses":
			assert.Equal(t, "panic", failure, title)
		case strings.Contains(verdict, "blocks"):
			assert.Equal(t, "deadlock", failure, title)
		case verdict == "endless":
			assert.Empty(t, failure, "%s: it only begins", title)
		case failure == "":
			assert.Regexp(t, `\br\d+$`, line, "%s: a node restarts last, and results are held when there are more of them", title)
		default:
			assert.Contains(t, []string{"results", "invariant"}, failure, title)
		}
	}
}

// A node that panics for another reason than a message that is impossible is no cell, nor is
// what there is no word for.
func TestErrors(t *testing.T) {
	p, _ := catalog.FindProtocol("central")
	p.New = func(int) messaging.Algorithm { return func(messaging.Start) messaging.Node { return new(broken) } }
	_, err := faults.Of(faults.Lock(p), faults.Tables()[0].Faults[0])
	assert.ErrorContains(t, err, "central, crash, idle: a node panicked: out of paper")
	s, _ := catalog.FindSystem("basic")
	s.Protocol.Results = func(messaging.Outcome) error { return errors.New("it rains") }
	_, err = faults.Of(faults.System(s), faults.Tables()[0].Faults[0])
	assert.ErrorContains(t, err, "there is no word for this: the results are wrong: it rains")
	s.Name, s.Trial.Nodes = "endless", 0
	assert.PanicsWithValue(t, "faults: the states of endless grow forever", func() { faults.System(s) })
}

type broken struct{}

func (*broken) Request(messaging.Out) { panic("out of paper") }
func (*broken) Release(messaging.Out) {}

func (*broken) Receive(messaging.ID, messaging.Message, messaging.Out) {}
