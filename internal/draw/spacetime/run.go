// Package spacetime draws the space-time diagram of a run: a line for each node, time to
// the right, and an arrow from the sending of each message to its delivery. A light bar on
// a line is a node that waits, a strong bar one that is in the critical section. The
// diagrams of Lamport's paper of 1978 have time upwards; textbooks turn them.
//
// It is handed events, and knows no algorithm.
package spacetime

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A Run is what is drawn. Nodes and Events are required.
type Run struct {
	Title  string
	About  string // what happens, in a sentence; "": not known
	Nodes  int
	Events []messaging.Event // from the first on, in order, numbered from 1

	// States has, by event, the state of its node when it had handled the event; fewer
	// states than events, or an empty one: it is not known.
	States []string

	// Failure says how the run failed; "" if it did not. The picture then shows the end of
	// a run that is too long, instead of its beginning.
	Failure string

	// Success says what held in the run; "" if that is not known.
	Success string

	// Links are drawn beside the title, unless they are nil.
	Links [][]messaging.ID

	// From leaves out the events before that time.
	From time.Duration

	nodes map[messaging.ID]messaging.Node // nil: not known
}

// WriteSVG draws the run, at most 880 pixels wide and 40 lines high, in rows if it is long. What finds no room
// is left out, and the picture says so. It is self-contained and deterministic, and follows
// the reader's light or dark color scheme. WriteSVG returns the error of w.
func (r *Run) WriteSVG(w io.Writer) error {
	_, err := w.Write(newDiagram(r).draw())
	return err
}

// WriteText writes every event as a line, and how the run failed, if it did. WriteText returns the error of w.
func (r *Run) WriteText(w io.Writer) error {
	var text strings.Builder
	line := sim.Trace(&text)
	for _, e := range r.Events {
		if e.At >= r.From {
			line(e)
		}
	}
	if r.Failure != "" {
		text.WriteString("\n" + r.Failure + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Watch returns an algorithm whose nodes are those of a, and notes their states in States.
func (r *Run) Watch(a messaging.Algorithm) messaging.Algorithm {
	r.nodes = map[messaging.ID]messaging.Node{}
	return func(start messaging.Start) messaging.Node {
		node := a(start)
		r.nodes[start.Self] = node
		return node
	}
}

// graph tells which nodes exclude each other: if the nodes are not known, all do.
func (r *Run) graph() conflict.Graph {
	if len(r.nodes) < r.Nodes {
		return conflict.Graph{}
	}
	return conflict.Of(r.Nodes, func(i messaging.ID) messaging.Node { return r.nodes[i] })
}

// Observe adds an event to the run. A host calls it before the node has handled the event,
// so the state after it is known when the next one comes.
func (r *Run) Observe(e messaging.Event) {
	r.Settle()
	r.Events = append(r.Events, e)
}

// kept is how many states are kept of the beginning of a run, and of its end: more than a
// picture has room for.
const kept = 4000

// Settle notes the state after the last event, once the run is over.
func (r *Run) Settle() {
	n := len(r.Events)
	if n == 0 || r.nodes == nil || len(r.States) == n {
		return
	}
	r.States = append(r.States, state.Format(r.nodes[causality.At(r.Events[n-1])], notation.Node))
	if n > 2*kept {
		r.States[n-kept] = ""
	}
}

// choices is the line of a scenario whose events are chosen one by one.
var choices = regexp.MustCompile(`(?m)(^|;)\s*run\s`)

// OfScenario runs a scenario, and returns its run, from where the scenario shows it on. The
// title has the name, unless that is empty or the algorithm. OfScenario returns the error of
// [sim.Scenario.Run]; that the algorithm fails is none.
func OfScenario(name string, s *sim.Scenario, lookup func(sim.Setting) (messaging.Algorithm, error)) (*Run, error) {
	r := &Run{From: s.From, About: sentence(s.Directives)}
	s.Observe = r.Observe
	var output strings.Builder
	asked := "" // the sets of the nodes: {S1 S2} {S2 S3}
	_, err := s.Run(&output, func(setting sim.Setting) (messaging.Algorithm, error) {
		a, err := lookup(setting)
		if setting.Links != nil && setting.Nodes <= mostLinked {
			r.Links = setting.Links
		}
		if setting.Request != nil && setting.Nodes <= mostSets {
			asked = ", which ask"
			for _, set := range setting.Request {
				asked += " " + notation.Set(set)
			}
		}
		if err != nil {
			return nil, err
		}
		r.Title, r.Nodes = fmt.Sprintf("%s, %d nodes", setting.Algorithm, setting.Nodes), setting.Nodes
		if name != "" && name != setting.Algorithm {
			r.Title = name + ": " + r.Title
		}
		return r.Watch(a), nil
	})
	r.Settle()
	if choices.MatchString(s.Directives) {
		r.States = nil // nodes have handled more than an event when it is observed
	}
	r.Title += asked
	if _, failure, fails := strings.Cut("\n"+output.String(), "\nfails at "); fails {
		r.Failure = "fails at " + strings.TrimSpace(failure)
	} else if r.served() {
		r.Success = "mutual exclusion holds, and each request is served"
	}
	return r, err
}

// mostSets is how many nodes have their sets named at most.
const mostSets = 4

// mostLinked is how many nodes a drawn network has at most.
const mostLinked = 16

// served reports whether the run is one of a lock, and all nodes that wait have entered, or have given up.
func (r *Run) served() bool {
	entered := func(e messaging.Event) bool { return e.Action == action.Entered }
	input := func(e messaging.Event) bool { return e.Action == action.Input }
	waits := func(s span) bool { return s.open(r.Events) && s.phase == waiting }
	return slices.ContainsFunc(r.Events, entered) && !slices.ContainsFunc(r.Events, input) && !slices.ContainsFunc(spans(r.Events), waits)
}

var (
	opening = regexp.MustCompile(`\A(?:# .*\n)+`)              // of a scenario
	first   = regexp.MustCompile(`^.*?(?:[^A-Z]|[A-Z]{2})\. `) // sentence, which does not end behind an initial
)

// sentence returns the first sentence of the comment at the top of a scenario.
func sentence(scenario string) string {
	text := strings.Join(strings.Fields(strings.ReplaceAll(opening.FindString(scenario), "# ", "")), " ")
	return cmp.Or(strings.TrimSpace(first.FindString(text)), text)
}
