package nodetest

import (
	"fmt"
	"strings"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/history"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/repeat"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// note notes an event. It is formatted only if the walk fails, since failures are rare.
func (w *walk) note(e messaging.Event) {
	switch e.Action {
	case action.Sent:
		return
	case action.Delivered, action.Expired, action.Input:
		w.outside = true
	case action.Entered:
		w.entered = e.To
	case action.Passed:
		w.entered = e.To
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

// failure returns err with the last events, and with the scenario of the run.
func (w *walk) failure(a messaging.Algorithm, err error) error {
	var past strings.Builder
	first := max(0, w.events-len(w.past))
	if first > 0 {
		past.WriteString("\n...")
	}
	for k := first; k < w.events; k++ {
		past.WriteString("\n" + told(w.past[k%len(w.past)]).String())
	}
	err = fmt.Errorf("seed %d: %w%s", w.c.Seed, err, past.String())
	if len(w.acts) > repeat.MostChoices || len(w.acts) > 0 && w.acts[0].what == 'c' || w.alone > mostAlone {
		return err
	}
	text := w.text()
	return repeat.Failure(err, a, w.config(), func(r *sim.Simulation) bool { return text == "" || r.Do(text) == nil })
}

// toItself is the action of a message of a node to itself.
const toItself = "to itself"

// told returns an event in words of a history.
func told(e messaging.Event) history.Event {
	h := history.Event{Node: e.To, What: doing[e.Action], Message: e.Message, From: e.From}
	h.Own = e.Action == toItself
	h.Input = e.Action == action.Input || e.Action == action.Missed
	if e.Action == action.Told {
		h.What = "learns of the crash of " + notation.Node(e.From)
	}
	return h
}

// doing has what a node does in an event, unless it gets a message.
var doing = map[string]string{
	action.Started: "starts", action.Requested: "asks", action.Entered: "enters", action.Left: "leaves",
	action.GaveUp: "gives up", action.Crashed: "crashes", action.Restarted: "starts again", action.Lost: "loses", action.Missed: "loses", action.Emitted: "emits",
}
