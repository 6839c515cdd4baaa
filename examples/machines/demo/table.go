package main

import (
	"fmt"
	"io"
	"time"
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
func (t *table) columns() { t.printf("%8s  %-8s %-20s  event\n", "time", "who", "token") }

func (t *table) line(who, token, text string) {
	t.printf("%6.2f s  %-8s %-20s  %s\n", time.Since(t.began).Seconds(), who, token, text)
}

// event tells what happens to a process.
func (t *table) event(who, format string, args ...any) { t.line(who, "", fmt.Sprintf(format, args...)) }

// report tells what a member has said, and what was answered.
func (t *table) report(r report, a answer) {
	token := r.Token.String()
	switch {
	case a.Refused != "":
		t.line(r.From, token, fmt.Sprintf("%s, and is refused: %s", r.Kind, a.Refused))
	case r.Kind == joined:
		t.event(r.From, "joined in %s; pid %d", ms(r.Took), r.PID)
	case r.Kind == left:
		t.event(r.From, "left in %s", ms(r.Took))
	case r.Kind == lost:
		t.line(r.From, token, "its context has ended: "+r.Error)
	case r.Kind == invalid:
		t.line(r.From, token, "its guard was valid, but "+r.Error)
	case r.Kind == reads:
		text := fmt.Sprintf("entered after %s; the counter is %d", ms(r.Took), a.Counter.Fenced)
		if a.Hold == forever {
			text += "; it stays inside"
		}
		t.line(r.From, token, text)
	}
}

// ms is a duration to read.
func ms(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
