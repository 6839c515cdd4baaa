package main

import (
	"fmt"
	"io"
	"time"

	"example.org/doorway/messaging"
)

// A table is the output: a line an event.
type table struct {
	w     io.Writer
	began time.Time
	wrote time.Time
	err   error // after one, nothing is printed
}

func newTable(w io.Writer) *table { return &table{w: w, began: time.Now()} }

func (t *table) printf(format string, args ...any) {
	if t.err == nil {
		_, _ = fmt.Fprintf(t.w, format, args...)
	}
	t.wrote = time.Now()
}

// title begins a part.
func (t *table) title(format string, args ...any) { t.printf("\n"+format+"\n", args...) }

// columns names the columns.
func (t *table) columns() { t.printf("%8s  %-8s %-20s  event\n", "time", "who", "token") }

func (t *table) line(who string, token messaging.Token, text string) {
	column := ""
	if token != (messaging.Token{}) {
		column = token.String()
	}
	t.printf("%6.2f s  %-8s %-20s  %s\n", time.Since(t.began).Seconds(), who, column, text)
}

// event tells what happens to a process.
func (t *table) event(who, format string, args ...any) {
	t.line(who, messaging.Token{}, fmt.Sprintf(format, args...))
}

// report tells what a member has said, and what was answered.
func (t *table) report(r report, a answer) {
	switch {
	case a.Refused != "":
		r.Text += ", and is refused: " + a.Refused
	case r.Kind == writes:
		return
	case r.Kind == reads:
		r.Text += fmt.Sprintf("; the counter is %d", a.Counter.Fenced)
		if a.Hold == forever {
			r.Text += "; it stays inside"
		}
	}
	t.line(r.From, r.Token, r.Text)
}

// rounded is a duration to read.
func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
