package faults

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/spelling"
)

// A table is one of docs/faults.md, with a row for each algorithm.
type table struct {
	name   string // of the part of the page
	of     []subject
	faults []fault
	marks  []mark
}

// A mark is a column that says something of an algorithm.
type mark struct {
	name string
	of   func(row []cell) string
}

// tables are all.
func tables() []table {
	all := []fault{none, crash, detected, restart, suspicion, loss, duplicate, overtaking, early}
	nodes := mark{"n", func(row []cell) string { return strconv.Itoa(row[0].of.config.Nodes) }}
	told := mark{"told", func(row []cell) string { return whether(row[0].of.canBeTold()) }}
	timers := mark{"timers", func(row []cell) string { return whether(timed(row)) }}
	return []table{
		{"crashes", locks(), slices.Concat(crash.byPhase(), restart.byPhase()), nil},
		{"detectors", locks(), append(detected.byPhase(), suspicion), []mark{told}},
		{"links", locks(), []fault{none, loss, duplicate, overtaking, early}, []mark{timers}},
		{"recoveries", recoveries(), all, nil},
		{"systems", systems(), all, []mark{nodes, told, timers}},
	}
}

func whether(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// timed reports whether the nodes of a row set timers: then there are other states if one
// of them may expire early.
func timed(row []cell) bool {
	without, with := row[0], row[len(row)-1]
	return with.verdict != without.verdict || with.states != without.states
}

// heading returns the heading of the table.
func (t table) heading() string {
	names := []any{"algorithm"}
	for _, m := range t.marks {
		names = append(names, m.name)
	}
	for _, f := range t.faults {
		names = append(names, f.name)
	}
	return spelling.Row(names...) + "|" + strings.Repeat(" --- |", len(names)) + "\n"
}

// row returns the row of an algorithm, with a cell for each fault.
func (t table) row(cells []cell) string {
	texts := []any{"`" + cells[0].of.name + "`"}
	for _, m := range t.marks {
		texts = append(texts, m.of(cells))
	}
	for _, c := range cells {
		text := c.verdict
		if text == survives {
			text += fmt.Sprintf(": %d", c.states)
		}
		texts = append(texts, text)
	}
	return spelling.Row(texts...)
}

// states matches the number of states in a row.
var states = regexp.MustCompile(`: \d+ \|`)

// few is how many algorithms a row names at most.
const few = 8

// page returns the table with one row for all algorithms that have the same cells, without the
// numbers of states. The last row is that of most of them, if these are not few.
func (t table) page(rows []string) string {
	text, others, most := t.heading(), "", few
	for k, row := range rows {
		rows[k] = states.ReplaceAllString(row, " |")
	}
	merged, names := spelling.Merged(rows)
	for _, all := range names {
		most = max(most, len(all))
	}
	for k, row := range merged {
		if most > few && len(names[k]) == most {
			others = "| the others | " + strings.TrimPrefix(row, "| "+strings.Join(names[k], ", ")+" | ")
		} else {
			text += row
		}
	}
	return text + others
}

// histories returns, under the name of each cell that does not survive, a digest of its history
// and the scenario that repeats it; or the history itself, if none does.
func histories(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		if c.history == "" {
			continue
		}
		fmt.Fprintf(&b, "## %s, %s: %s: ", c.of.name, c.fault.name, c.verdict)
		if _, scenario, repeats := strings.Cut(c.history, "\nscenario: "); repeats {
			fmt.Fprintf(&b, "%.4x %s", sha256.Sum256([]byte(c.history)), scenario)
		} else {
			b.WriteString("\n" + c.history)
		}
	}
	return b.String()
}
