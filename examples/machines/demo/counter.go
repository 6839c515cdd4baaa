package main

import (
	"fmt"

	"example.org/doorway/messaging"
)

// A counter has two values: the fenced one, and one that is written without a check of tokens, to compare.
type counter struct{ Fenced, Unfenced int }

func (c counter) add(n int) counter { return counter{c.Fenced + n, c.Unfenced + n} }

// A resource is what the lock protects: a counter, and its fence.
type resource struct {
	counter
	token  messaging.Token // the largest that it has seen,
	owner  string          // and whose
	writes counter         // how many were acknowledged
}

// read returns the counter, and from then on refuses smaller tokens: a fence must be told before the first read.
func (r *resource) read(from string, t messaging.Token) reply {
	if why := r.refusal(from, t); why != "" {
		return reply{Refused: why}
	}
	r.token, r.owner = t, from
	return reply{Counter: r.counter}
}

// write replaces the counter.
func (r *resource) write(from string, t messaging.Token, c counter) reply {
	r.Unfenced = c.Unfenced
	r.writes.Unfenced++
	if why := r.refusal(from, t); why != "" {
		return reply{Refused: why}
	}
	r.Fenced = c.Fenced
	r.writes.Fenced++
	return reply{Counter: r.counter}
}

// refusal returns why a request is refused: it has a smaller token, or that of another.
func (r *resource) refusal(from string, t messaging.Token) string {
	switch {
	case t.Before(r.token):
		return fmt.Sprintf("token %v is smaller than %v", t, r.token)
	case t == r.token && from != r.owner:
		return fmt.Sprintf("token %v is that of %s", t, r.owner)
	}
	return ""
}
