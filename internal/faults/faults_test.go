package faults_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/faults"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
)

const (
	docs      = "../../docs/faults.md"
	histories = "testdata/histories.txt"
	again     = "go test -tags doorway_full ./internal/faults -update"
)

// The quick tests compute the rows of these, which have every verdict between them but that
// of an exploration that does not end.
var quick = []string{"central", "lamport", "ricartagrawala", "tokenring", "suzukikasami"}

// The tables of docs/faults.md and the histories are what is computed.
func TestMatrix(t *testing.T) {
	var told strings.Builder
	computed := table(t, "faults", faults.All, &told) + table(t, "detectors", faults.Detectors, &told)
	require.NotEmpty(t, computed)
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

// table computes a table, or some of its rows, compares it with the page, and appends the
// histories.
func table(t *testing.T, name string, of []faults.Fault, told *strings.Builder) string {
	t.Helper()
	rows := ""
	for _, p := range catalog.Protocols {
		if !tier.Full && !slices.Contains(quick, p.Name) {
			continue
		}
		if !slices.ContainsFunc(of, func(f faults.Fault) bool { return f.Applies(p) }) {
			continue
		}
		var row []faults.Cell
		for _, f := range of {
			c, err := faults.Of(p, f)
			require.NoError(t, err)
			row = append(row, c)
		}
		rows += faults.Row(row)
		told.WriteString(faults.Histories(row))
	}
	if tier.Full {
		page.Generated(t, docs, name, again, faults.Heading(of)+rows)
		return rows
	}
	part := page.Part(t, docs, name, again)
	for row := range strings.Lines(rows) {
		assert.Contains(t, part, strings.TrimSpace(row), "the %s in %s are stale: run %s", name, docs, again)
	}
	return rows
}

// What the lectures say of faults is what is computed, but where the page says that it is not.
func TestSentences(t *testing.T) {
	if tier.Race {
		t.Skip("explores faults, as TestMatrix does")
	}
	rows := "| lecture | it says | of | computed | |\n| --- | --- | --- | --- | --- |\n"
	for _, s := range faults.Sentences {
		row, agrees, err := s.Row()
		require.NoError(t, err)
		assert.Equal(t, s.But == "", agrees, "%s: %s\n%s", s.Lecture, s.Says, row)
		rows += row
	}
	page.Generated(t, docs, "sentences", "go test ./internal/faults -update", rows)
}

// The faults are what their names say: a crash in one phase is no crash in another, and a
// detector is asked.
func TestFaults(t *testing.T) {
	for name, want := range map[string]string{
		"crash, idle": "0 blocks 1 2", "crash, waiting": "blocks all", "crash, inside": "blocks all",
		"loss": "blocks all", "duplicate": "survives", "overtaking": "survives",
	} {
		c, err := faults.Find("central", name)
		require.NoError(t, err)
		assert.Equal(t, want, c.Verdict, name)
	}
	c, err := faults.Find("ricartagrawala-acknowledged", "wrong suspicion")
	require.NoError(t, err)
	assert.Equal(t, "two inside", c.Verdict)
	assert.Contains(t, c.History, "is told that node")
}
