package main

import (
	"cmp"
	"context"
	"fmt"

	"example.org/doorway/cmd/doorway/internal/own"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging"
)

// drawing returns a run of a protocol of one's own as a picture shows it.
func drawing(o *own.Run, name string, nodes int) *spacetime.Run {
	r := &spacetime.Run{Title: fmt.Sprintf("%s, %d nodes", name, nodes), Nodes: nodes, Failure: o.Failure}
	for _, e := range o.Events {
		if e.Kind != "" {
			e.Message = notation.Written{Kind: e.Kind, Text: e.Text}
		}
		r.Events = append(r.Events, e.Event)
	}
	if o.Excludes != nil {
		a := r.Watch(func(start messaging.Start) messaging.Node { return absent{o.Excludes[start.Self]} })
		for i := range nodes {
			a(messaging.Start{Self: messaging.ID(i), Nodes: nodes})
		}
	}
	return r
}

// An absent node is in another program, and only tells which others it excludes.
type absent struct{ excludes []bool }

func (absent) Request(messaging.Out)                                  {}
func (absent) Release(messaging.Out)                                  {}
func (absent) Receive(messaging.ID, messaging.Message, messaging.Out) {}
func (n absent) Excludes(other messaging.ID) bool                     { return n.excludes[other] }

// runOwn traces a protocol of one's own.
func (t *tracing) runOwn(ctx context.Context, s streams, what string) error {
	c, _ := ownLock(what)
	n := cmp.Or(t.n, 3)
	scenario := t.scenario(subject{kind: foreign, Entry: catalog.Entry{Name: c.name}})
	a, err := t.ask(ctx, s, c, own.Request{Processes: n, Scenario: scenario})
	if err != nil {
		return err
	}
	return t.show(s, drawing(a.Run, a.subject.Name, n))
}
