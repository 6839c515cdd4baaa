package main

import (
	"fmt"

	"example.org/doorway/messaging"
)

// A counter has two values: the fenced one, and one that is written without a check of tokens, to compare.
type counter struct{ Fenced, Unfenced int }

// A resource is what the lock protects: a counter, and its fence.
type resource struct {
	counter
	acknowledged counter         // writes
	token        messaging.Token // the largest that it has seen,
	owner        string          // and whose
}

// read returns the counter, and from then on refuses smaller tokens: a fence must be told before the first read.
func (r *resource) read(from string, t messaging.Token) answer {
	return answer{Refused: r.refuse(from, t), Counter: r.counter}
}

// write replaces the counter.
func (r *resource) write(from string, t messaging.Token, c counter) answer {
	r.Unfenced = c.Unfenced
	r.acknowledged.Unfenced++
	refused := r.refuse(from, t)
	if refused == "" {
		r.Fenced = c.Fenced
		r.acknowledged.Fenced++
	}
	return answer{Refused: refused}
}

// refuse is the fence: it returns why a token is refused, or notes it.
func (r *resource) refuse(from string, t messaging.Token) (why string) {
	switch {
	case t.Before(r.token):
		return fmt.Sprintf("token %v is smaller than %v", t, r.token)
	case t == r.token && from != r.owner:
		return fmt.Sprintf("token %v is that of %s", t, r.owner)
	}
	r.token, r.owner = t, from
	return ""
}
