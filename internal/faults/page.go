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

// A Table is one of docs/faults.md, with a row for each algorithm.
type Table struct {
	Name   string // of the part of the page
	Of     []Subject
	Faults []Fault
	marks  []mark
}

// A mark is a column that says something of an algorithm.
type mark struct {
	name string
	of   func(row []Cell) string
}

// Tables are all.
func Tables() []Table {
	all := []Fault{none, crash, detected, restart, suspicion, loss, duplicate, overtaking, early}
	nodes := mark{"n", func(row []Cell) string { return strconv.Itoa(row[0].Subject.config.Nodes) }}
	told := mark{"told", func(row []Cell) string { return whether(row[0].Subject.Told()) }}
	timers := mark{"timers", func(row []Cell) string { return whether(timed(row)) }}
	return []Table{
		{"crashes", Locks(), slices.Concat(crash.byPhase(), restart.byPhase()), nil},
		{"detectors", Locks(), append(detected.byPhase(), suspicion), []mark{told}},
		{"links", Locks(), []Fault{none, loss, duplicate, overtaking, early}, []mark{timers}},
		{"recoveries", Recoveries(), all, nil},
		{"systems", Systems(), all, []mark{nodes, told, timers}},
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
func timed(row []Cell) bool {
	without, with := row[0], row[len(row)-1]
	return with.Verdict != without.Verdict || with.States != without.States
}

// Heading returns the heading of the table.
func (t Table) Heading() string {
	names := []string{"algorithm"}
	for _, m := range t.marks {
		names = append(names, m.name)
	}
	for _, f := range t.Faults {
		names = append(names, f.Name)
	}
	return line(names) + "|" + strings.Repeat(" --- |", len(names)) + "\n"
}

// Row returns the row of an algorithm, with a cell for each fault.
func (t Table) Row(cells []Cell) string {
	texts := []string{"`" + cells[0].Subject.Name + "`"}
	for _, m := range t.marks {
		texts = append(texts, m.of(cells))
	}
	for _, c := range cells {
		text := c.Verdict
		if c.Survives() {
			text += fmt.Sprintf(": %d", c.States)
		}
		texts = append(texts, text)
	}
	return line(texts)
}

// states matches the number of states in a row.
var states = regexp.MustCompile(`: \d+ \|`)

// few is how many algorithms a row names at most.
const few = 8

// Page returns the table with one row for all algorithms that have the same cells, without the numbers of states. The last row is that of
// most of them, if these are not few.
func (t Table) Page(rows []string) string {
	text, others, most := t.Heading(), "", few
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

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// Histories returns, under the name of each cell that does not survive, a digest of its history and
// the scenario that repeats it; or the history itself, if none does.
func Histories(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		if c.History == "" {
			continue
		}
		fmt.Fprintf(&b, "## %s, %s: %s: ", c.Subject.Name, c.Fault.Name, c.Verdict)
		if _, scenario, repeats := strings.Cut(c.History, "\nscenario: "); repeats {
			fmt.Fprintf(&b, "%.4x %s", sha256.Sum256([]byte(c.History)), scenario)
		} else {
			b.WriteString("\n" + c.History)
		}
	}
	return b.String()
}

// Verdicts are those of tables, by algorithm and fault.
type Verdicts map[[2]string]string

// Read adds the verdicts of a table with a row for each algorithm, without the numbers of states.
func (v Verdicts) Read(table string) {
	var names []string
	for l := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(l), "| "), " | ")
		if names == nil {
			names = cells
		}
		for k, c := range cells {
			verdict, _, _ := strings.Cut(c, ":")
			if k > 0 && k < len(names) {
				v[[2]string{strings.Trim(cells[0], "`"), names[k]}] = verdict
			}
		}
	}
}
