package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A table is text in columns as wide as their widest cells.
type table struct {
	columns []column   // of which those at the end may be missing
	indent  int        // of all lines
	limit   int        // of the width; 0: 80
	rows    [][]string // with a cell for each column; a row without cells is an empty line
}

type column struct {
	right bool // its cells are aligned to the right
	extra bool // it is left out if the table would be too wide
	gap   int  // spaces before it; 0: two; none before the first
}

func (t *table) add(cells ...string) {
	t.rows = append(t.rows, cells)
	t.columns = append(t.columns, make([]column, max(0, len(cells)-len(t.columns)))...)
}

// fit leaves out extra columns, from the last on, until the table is within its
// limit, and reports whether it left out any.
func (t *table) fit() (less bool) {
	for k := len(t.columns) - 1; k > 0; k-- {
		if t.fits() || !t.columns[k].extra {
			continue
		}
		less = true
		t.columns = slices.Delete(t.columns, k, k+1)
		for r, row := range t.rows {
			t.rows[r] = slices.Delete(row, min(k, len(row)), min(k+1, len(row)))
		}
	}
	return less
}

// fits reports whether the table is within its limit.
func (t *table) fits() bool {
	_, width := t.at(len(t.columns) - 1)
	return width <= t.room()
}

// String returns the rows. Of the last column it breaks lines at the limit.
func (t *table) String() string {
	var b strings.Builder
	widths, last := t.widths(), len(t.columns)-1
	begins, _ := t.at(last)
	for _, row := range t.rows {
		if len(row) == 0 {
			b.WriteString("\n")
			continue
		}
		cells := slices.Clone(row)
		for _, line := range fill(row[last], t.room()-begins) {
			cells[last] = line
			b.WriteString(t.line(cells, widths))
			cells = make([]string, len(row))
		}
	}
	return b.String()
}

// concluded returns the table with a conclusion below, and why what it is about is broken, if it is.
func (t *table) concluded(conclusion, why string) string {
	text := t.String() + "\n" + paragraph(0, conclusion)
	if why != "" {
		text += "How it is broken:\n" + paragraph(2, why)
	}
	return text
}

// line returns a row in columns of those widths, without spaces at its end.
func (t *table) line(row []string, widths []int) string {
	var line strings.Builder
	line.WriteString(strings.Repeat(" ", t.indent))
	for k, cell := range row {
		width := -widths[k]
		if t.columns[k].right {
			width = -width
		}
		fmt.Fprintf(&line, "%*s%*s", t.gap(k), "", width, cell)
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}

func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for _, row := range t.rows {
		for k, cell := range row {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// at returns where column c begins, and where it ends.
func (t *table) at(c int) (begins, ends int) {
	ends = t.indent
	for k, width := range t.widths()[:c+1] {
		begins = ends + t.gap(k)
		ends = begins + width
	}
	return begins, ends
}

func (t *table) gap(k int) int {
	if k == 0 {
		return 0
	}
	return cmp.Or(t.columns[k].gap, 2)
}

func (t *table) room() int { return max(t.limit, columns) }

// fill breaks text at spaces into lines of at most width runes, where words are no
// longer.
func fill(text string, width int) (lines []string) {
	for k, word := range strings.Split(text, " ") {
		if last := len(lines) - 1; k > 0 && utf8.RuneCountInString(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// paragraph returns text in lines of at most 80 columns that begin with spaces.
func paragraph(indent int, text string) string {
	t := table{indent: indent}
	t.add(text)
	return t.String()
}
