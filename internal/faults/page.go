package faults

import (
	"fmt"
	"strings"
)

// Row returns the row of an algorithm, with a cell for each fault.
func Row(cells []Cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| `%s` |", cells[0].Protocol.Name)
	for _, c := range cells {
		b.WriteString(" " + c.Verdict)
		if c.Survives() {
			fmt.Fprintf(&b, ": %d", c.States)
		}
		b.WriteString(" |")
	}
	return b.String() + "\n"
}

// Heading returns the heading of a table of faults.
func Heading(faults []Fault) string {
	var b strings.Builder
	b.WriteString("| algorithm |")
	for _, f := range faults {
		b.WriteString(" " + f.Name + " |")
	}
	return b.String() + "\n|" + strings.Repeat(" --- |", 1+len(faults)) + "\n"
}

// Histories returns the histories of cells, under the name of each.
func Histories(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		if c.History != "" {
			fmt.Fprintf(&b, "## %s, %s: %s\n\n%s\n", c.Protocol.Name, c.Fault.Name, c.Verdict, c.History)
		}
	}
	return b.String()
}
