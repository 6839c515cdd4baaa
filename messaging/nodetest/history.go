package nodetest

import (
	"fmt"
	"strings"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/repeat"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// note notes an event.
func (w *walk) note(e messaging.Event) {
	if e.Action == action.Passed {
		return
	}
	w.past[w.events%len(w.past)] = e
	w.events++
}

// text returns the acts as sim.Simulation.Do reads them, where what a node draws in an act is before it.
func (w *walk) text() string {
	var all []string
	for k := 0; k < len(w.acts); {
		a := w.acts[k]
		for k++; k < len(w.acts) && w.acts[k].what == 'c'; k++ {
			all = append(all, fmt.Sprintf("c%d", w.acts[k].number))
		}
		all = append(all, fmt.Sprintf("%c%d", a.what, a.number))
	}
	return strings.Join(all, ".")
}

// failure returns the error for a recovered panic with the last events, and with the scenario of the run.
func (w *walk) failure(a messaging.Algorithm, recovered any) error {
	err := history.Caught(recovered)
	if w.Acting != steps.None && w.events > 0 {
		err = history.Panicked(w.Acting, said(w.past[(w.events-1)%len(w.past)]), recovered)
	}
	var past strings.Builder
	first := max(0, w.events-len(w.past))
	if first > 0 {
		past.WriteString("\n...")
	}
	for k := first; k < w.events; k++ {
		past.WriteString("\n" + said(w.past[k%len(w.past)]))
	}
	err = fmt.Errorf("seed %d: %w%s", w.c.Seed, err, past.String())
	if len(w.acts) > repeat.MostChoices || len(w.acts) > 0 && w.acts[0].what == 'c' {
		return err
	}
	text := w.text()
	return repeat.Failure(err, a, w.config(), func(r *sim.Simulation) bool { return text == "" || r.Do(text) == nil })
}

// toItself is the action of a message of a node to itself.
const toItself = "to itself"

// said returns the event in words of a history.
func said(e messaging.Event) string {
	switch e.Action {
	case toItself:
		return fmt.Sprintf("%s gets %s from itself", notation.Node(e.To), notation.Message(e.Message))
	case action.Lost:
		return fmt.Sprintf("%s, which is down, loses %s from %s",
			notation.Node(e.To), notation.Message(e.Message), notation.Node(e.From))
	}
	return notation.Event(e)
}
