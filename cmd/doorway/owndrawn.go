package main

import (
	"fmt"
	"time"

	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging"
)

// An ownRun is a run of a protocol of one's own, from the program that checks it.
type ownRun struct {
	Events []struct {
		Number, Cause uint64
		At            time.Duration
		Action        string
		From, To      messaging.ID
		Kind, Message string
	}
	Failure  string
	Excludes [][]bool // by nodes; nil: all exclude each other
}

// drawing returns the run as a picture shows it.
func (o *ownRun) drawing(name string, nodes int) *spacetime.Run {
	r := &spacetime.Run{Title: fmt.Sprintf("%s, %d nodes", name, nodes), Nodes: nodes, Failure: o.Failure}
	for _, e := range o.Events {
		of := messaging.Event{Number: e.Number, Cause: e.Cause, At: e.At, Action: e.Action, From: e.From, To: e.To}
		if e.Kind != "" {
			of.Message = notation.Written{Kind: e.Kind, Text: e.Message}
		}
		r.Events = append(r.Events, of)
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
