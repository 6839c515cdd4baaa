package interleave

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// A Trace is a run of a scenario, operation by operation.
type Trace []Line

// A Line is an operation of one thread.
type Line struct {
	Thread string
	Where  string // file:line, and the one it was called from
	What   string
}

func (t Trace) String() string {
	var thread, where int
	for _, l := range t {
		thread, where = max(thread, len(l.Thread)), max(where, len(l.Where))
	}
	var b strings.Builder
	for _, l := range t {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", thread, l.Thread, where, l.Where, l.What)
	}
	return b.String()
}

// trace returns the run that takes these steps.
func (e *explorer) trace(start state, way []choice) (all Trace) {
	s := &state{}
	s.copy(&start)
	for _, c := range way {
		e.step(s, c.thread, c.answer, func(n *node, answer uint8) {
			all = append(all, Line{e.s.Threads[c.thread].Name, where(n.from), e.what(n, answer)})
		})
	}
	for t, n := range s.at {
		n := &e.nodes[n]
		l := Line{Thread: e.s.Threads[t].Name, Where: where(n.from)}
		switch n.kind {
		case end:
			continue
		case failed:
			l.What = "panic: " + n.failure
		default:
			l.What = "is here: " + e.what(n, 0)
		}
		all = append(all, l)
	}
	return all
}

// what describes an operation.
func (e *explorer) what(n *node, answer uint8) string {
	if n.kind == critical {
		return "critical section"
	}
	x := e.vars[n.x]
	what := verbs[n.kind] + " " + e.world.name(x.x)
	switch n.kind {
	case load:
		return what + " = " + e.value(x.values[answer])
	case store:
		return what + " := " + e.value(x.values[n.v])
	case swap:
		return fmt.Sprintf("%s, from %s to %s", what, e.value(x.values[answer]), e.value(x.values[n.v]))
	case add:
		return fmt.Sprintf("%s, %s to %s", what, e.value(x.values[n.v]), e.value(x.values[answer]))
	case compareAndSwap:
		outcome := "in vain"
		if answer == 1 {
			outcome = "done"
		}
		return fmt.Sprintf("%s, %s to %s: %s", what, e.value(x.values[n.old]), e.value(x.values[n.v]), outcome)
	case receive:
		if n.or >= 0 && answer == 0 {
			return what + ", or give up"
		}
	}
	return what
}

func (e *explorer) value(v any) string {
	if name := e.world.at(v); name != "" {
		return name
	}
	return fmt.Sprint(v)
}

// where returns the place of an operation: the first frame outside the file that has
// the method of the variable.
func where(pcs []uintptr) string {
	var places []string
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "interleave.(*Run).do") {
			break
		}
		file := path.Base(f.File)
		if file != "" && !strings.HasPrefix(file, "sync_") && !strings.HasSuffix(f.File, "/internal/interleave/thread.go") {
			places = append(places, fmt.Sprintf("%s:%d", file, f.Line))
		}
		if !more || len(places) == 2 {
			break
		}
	}
	return strings.Join(places, " < ")
}
