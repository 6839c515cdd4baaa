package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A record is a run that is spelled out.
type record struct {
	now      int                  // the time, in T: of the step that an event belongs to
	times    map[uint64]int       // of each event
	messages map[uint64]string    // sent, as scenarios name one
	sent     map[string]int       // by kind and link
	arrived  map[uint64]bool      // messages
	entered  map[messaging.ID]int // the nodes inside, and since when
	crashed  map[messaging.ID]bool
	requests map[messaging.ID]*string // the last of each node, among asks
	lines    []string
	asks     []*string // lines, too
}

// kept are the directives that do not depend on what happens in a run.
var kept = []string{"nodes", "algorithm", "holder", "set", "inform", "sets", "topology", "links", "timeouts", "unordered", "perpetual"}

// spelled returns the run of a scenario as a scenario without choices: one of requests, and of
// messages with latencies, in which every step has a time of its own. It fails as the run does,
// and expects that.
func spelled(file string, s *sim.Scenario) (string, error) {
	simulation, err := s.Start(lookup(s))
	if err != nil {
		return "", err
	}
	r := record{
		times: map[uint64]int{}, messages: map[uint64]string{}, sent: map[string]int{}, arrived: map[uint64]bool{},
		entered: map[messaging.ID]int{}, crashed: map[messaging.ID]bool{}, requests: map[messaging.ID]*string{},
	}
	chosen := false
	for line := range strings.Lines(s.Directives) {
		line, _, _ = strings.Cut(line, "#")
		for part := range strings.SplitSeq(line, ";") {
			words := strings.Fields(part)
			switch {
			case len(words) == 0:
			case words[0] == "run":
				chosen = true
			case slices.Contains(kept, words[0]):
				r.lines = append(r.lines, strings.Join(words, " "))
			}
		}
	}
	for more := !chosen; more; {
		more = simulation.Next()
	}
	events := simulation.Events()
	for _, e := range events {
		if err := r.note(e); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, e := range events {
		if e.Action == "sent" && !r.arrived[e.Number] {
			r.lines = append(r.lines, fmt.Sprintf("latency %s %d", r.messages[e.Number], r.now+1-r.times[e.Number]))
		}
	}
	for node, since := range r.entered {
		*r.requests[node] += fmt.Sprintf(" and stays %d", r.now+1-since)
	}
	for _, line := range r.asks {
		r.lines = append(r.lines, *line)
	}
	if kind := sim.Failure(simulation.Err()); kind != "" {
		r.lines = append(r.lines, "expect fails "+kind)
	} else {
		r.lines = append(r.lines, fmt.Sprintf("until %d.5", r.now), "expect no failure")
	}
	text := strings.Join(r.lines, "\n") + "\n"
	return text, repeats(file, text, events)
}

// note adds the lines of an event.
func (r *record) note(e messaging.Event) error {
	node := fmt.Sprintf("S%d", e.From+1)
	tooLate := e.Action == "lost" && r.crashed[e.To]
	if (tooLate || slices.Contains([]string{"requested", "delivered", "left", "gave up", "crashed"}, e.Action)) && e.Number > 1 {
		r.now++
	}
	r.times[e.Number] = r.now
	switch e.Action {
	case "requested":
		line := fmt.Sprintf("at %d %s asks", r.now, node)
		r.requests[e.From] = &line
		r.asks = append(r.asks, &line)
	case "entered":
		r.entered[e.From] = r.now
	case "left":
		if stay := r.now - r.entered[e.From]; stay != 1 {
			*r.requests[e.From] += fmt.Sprintf(" and stays %d", stay)
		}
		delete(r.entered, e.From)
	case "gave up":
		*r.requests[e.From] += fmt.Sprintf(" and gives up at %d", r.now)
	case "crashed":
		if since, inside := r.entered[e.From]; inside { // it must not leave before
			*r.requests[e.From] += fmt.Sprintf(" and stays %d", r.now+1-since)
		}
		delete(r.entered, e.From)
		r.crashed[e.From] = true
		r.lines = append(r.lines, fmt.Sprintf("at %d %s crashes", r.now, node))
	case "sent":
		link := fmt.Sprintf("%s %s->S%d", messaging.Kind(e.Message), node, e.To+1)
		r.sent[link]++
		r.messages[e.Number] = fmt.Sprintf("%s #%d", link, r.sent[link])
	case "delivered", "lost":
		r.arrived[e.Cause] = true
		latency := r.now - r.times[e.Cause]
		switch {
		case e.Action == "lost" && !tooLate:
			r.lines = append(r.lines, "lose "+r.messages[e.Cause])
		case latency != 1:
			r.lines = append(r.lines, fmt.Sprintf("latency %s %d", r.messages[e.Cause], latency))
		}
	case "emitted", "started", "passed":
	default:
		return fmt.Errorf("event %d, %q, is one that times of requests and messages cannot repeat", e.Number, e.Action)
	}
	return nil
}

// repeats returns an error unless the scenario has those events.
func repeats(file, text string, of []messaging.Event) error {
	s, err := sim.ReadScenario(file+", spelled", strings.NewReader(text))
	if err != nil {
		return err
	}
	var events []messaging.Event
	s.Observe = func(e messaging.Event) { events = append(events, e) }
	_, err = s.Run(io.Discard, lookup(s))
	// Of losses only the order is another: a message that a choice loses is lost when it is sent.
	lost := func(e messaging.Event) bool { return e.Action == "lost" }
	events, of = slices.DeleteFunc(events, lost), slices.DeleteFunc(of, lost)
	if !slices.EqualFunc(events, of, func(a, b messaging.Event) bool {
		return a.Action == b.Action && a.From == b.From && a.To == b.To && reflect.DeepEqual(a.Message, b.Message)
	}) {
		return fmt.Errorf("%s: times of requests and messages cannot repeat this run", file)
	}
	return err
}

// spellAll prints the runs of all files, spelled out.
func spellAll(ctx context.Context, s streams, all []*scene) error {
	for _, p := range all {
		if p.unread != nil {
			return p.unread
		}
		text, err := watch(ctx, &progress{}, func(func(string)) (string, error) { return spelled(p.File, p.scenario) })
		if err != nil {
			return err
		}
		s.out.print(text)
	}
	return nil
}
