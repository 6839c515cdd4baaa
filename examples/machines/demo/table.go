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
}

func newTable(w io.Writer) *table { return &table{w: w, began: time.Now()} }

func (t *table) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.w, format, args...)
	t.wrote = time.Now()
}

// title begins a part.
func (t *table) title(format string, args ...any) { t.printf("\n"+format+"\n", args...) }

// columns names the columns.
func (t *table) columns() { t.printf("%8s  %-8s %-14s  event\n", "time", "who", "token") }

// event tells what a process does.
func (t *table) event(who string, token messaging.Token, format string, args ...any) {
	text := ""
	if token != (messaging.Token{}) {
		text = token.String()
	}
	t.printf("%6.2f s  %-8s %-14s  %s\n", time.Since(t.began).Seconds(), who, text, fmt.Sprintf(format, args...))
}

// report tells what a member has said, and what was answered.
func (t *table) report(r report, a reply) {
	text := ""
	switch r.Kind {
	case joined:
		text = fmt.Sprintf("joined in %s; pid %d", ms(r.Took), r.PID)
	case left:
		text = "left in " + ms(r.Took)
	case lost:
		text = "its context has ended: " + r.Error
	case invalid:
		text = "its guard was valid, but " + r.Error
	case reads:
		text = fmt.Sprintf("entered after %s; the counter is %d", ms(r.Took), a.Counter.Fenced)
		if r.Keeps {
			text += "; it stays inside"
		}
	}
	switch {
	case a.Refused != "":
		t.event(r.From, r.Token, "%s, and is refused: %s", r.Kind, a.Refused)
	case text != "":
		t.event(r.From, r.Token, "%s", text)
	}
}

// ms is a duration to read.
func ms(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
