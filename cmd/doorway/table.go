package main

import (
	"strings"
	"unicode/utf8"
)

// A table is text in columns that are as wide as what is in them.
type table struct {
	title   string // a line above, as it stands
	columns []column
	indent  int
	rows    [][]string // of one cell a column; an empty row is an empty line
}

// A column is one of a table.
type column struct {
	right bool // its cells stand to the right
	gap   int  // how many spaces stand before it; 0: two
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// at returns where column c begins, and the column behind it.
func (t *table) at(c int) (begins, ends int) {
	begins = t.indent
	for k, width := range t.widths() {
		if k > 0 {
			begins += t.columns[k].space()
		}
		if k == c {
			return begins, begins + width
		}
		begins += width
	}
	return begins, begins
}

func (c column) space() int {
	if c.gap == 0 {
		return 2
	}
	return c.gap
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

// write writes the rows, without spaces at their ends.
func (t *table) write(b *strings.Builder) {
	if t.title != "" {
		b.WriteString(t.title + "\n")
	}
	widths := t.widths()
	for _, row := range t.rows {
		t.writeRow(b, row, widths)
	}
}

func (t *table) writeRow(b *strings.Builder, row []string, widths []int) {
	blank := t.indent // spaces that are due before the next letter
	for k, cell := range row {
		if k > 0 {
			blank += t.columns[k].space()
		}
		fill := widths[k] - utf8.RuneCountInString(cell)
		if t.columns[k].right {
			blank, fill = blank+fill, 0
		}
		if cell != "" {
			b.WriteString(strings.Repeat(" ", blank) + cell)
			blank = 0
		}
		blank += fill
	}
	b.WriteString("\n")
}

// A rolling table is written row by row, before all rows are known.
type rolling struct {
	table
	least []int // how wide the columns are at least
}

// widest says what the widest cells to come may be.
func (t *rolling) widest(cells ...string) {
	wide := table{columns: t.columns, rows: [][]string{cells}}
	t.least = atLeast(wide.widths(), t.least)
}

// line returns row k as it is written.
func (t *rolling) line(k int) string {
	var b strings.Builder
	t.writeRow(&b, t.rows[k], atLeast(t.widths(), t.least))
	return b.String()
}

// atLeast returns widths, where they are less than least that.
func atLeast(widths, least []int) []int {
	for k := range least {
		widths[k] = max(widths[k], least[k])
	}
	return widths
}
