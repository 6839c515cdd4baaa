// Package history describes what happened in a run of nodes, and how it failed.
package history

import (
	"errors"
	"fmt"
	"strings"

	"example.org/doorway/internal/node/loopback"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/refusal"
	"example.org/doorway/messaging"
)

// A Failure is a kind for programs and a text for people.
type Failure struct{ kind, text string }

func (f *Failure) Error() string { return f.text }

// Kind returns the kind of the failure that err is, or "".
func Kind(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.kind
	}
	return ""
}

// A Breach is the panic value of a node that violates its contract.
type Breach struct{ Err error }

// Fail panics with a Breach.
func Fail(kind error, format string, args ...any) {
	panic(Breach{fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))})
}

// Caught returns the error for a recovered panic of a node.
func Caught(r any) error {
	switch r := r.(type) {
	case Breach:
		return r.Err
	case loopback.Endless:
		text, _ := notation.Named(strings.TrimPrefix(fmt.Sprint(r), "messaging: "))
		return fmt.Errorf("%w: %s", Endless, text)
	}
	return fmt.Errorf("%w: %v", Panic, r)
}

// Panicked is [Caught] of node i in an event, and says what the node did: "S1 leaves", or "S1 gets REPLY from S2".
func Panicked(i messaging.ID, event string, r any) error {
	if _, is := r.(loopback.Endless); is {
		r = loopback.Endless(i) // a node within a layer may have another number there
	}
	err, text := Caught(r), fmt.Sprint(r)
	if !errors.Is(err, Panic) || errors.As(err, new(*Worded)) {
		return err
	}
	prefix, refused := fmt.Sprintf("messaging: node %d ", i), new(refusal.Error)
	switch cause, _ := r.(error); {
	case errors.As(cause, &refused) && strings.Contains(event, " gets "):
		text = strings.Replace(event, " gets ", " refused ", 1) + ": " + refused.Why
	case strings.HasPrefix(text, prefix): // of an Out
		text = notation.Node(i) + " " + strings.TrimPrefix(text, prefix)
	default:
		text = event + ", and panics: " + text
	}
	text, _ = notation.Named(text)
	return &Worded{Panic, text}
}

// Named returns err with nodes named as in runs.
func Named(err error) error {
	text, _ := notation.Named(err.Error())
	return &Worded{err, text}
}

// A Worded error is of a kind, and has a text of its own.
type Worded struct {
	Kind error
	Text string
}

func (t *Worded) Error() string { return t.Text }
func (t *Worded) Unwrap() error { return t.Kind }

// Made is deferred while a node is made. A panic then becomes a Breach that says that it is of the
// algorithm, and of no node.
func Made(i *messaging.ID) {
	r := recover()
	why, missing := strings.CutPrefix(fmt.Sprint(r), "messaging: ")
	switch _, breach := r.(Breach); {
	case r == nil:
	case breach:
		panic(r)
	case missing: // it is nil, or wraps nil
		panic(Breach{&Worded{Panic, why}})
	default:
		panic(Breach{&Worded{Panic, fmt.Sprintf("the algorithm panicked when it was to make node %d: %v", *i, r)}})
	}
}

// The failures.
var (
	Exclusion = &Failure{"exclusion", "two nodes are inside"}
	Fencing   = &Failure{"fencing", "the token of an entry is not larger than that of an earlier one"}
	Stuck     = &Failure{"deadlock", "deadlock: a request is pending and no message is in transit"}
	Endless   = &Failure{"endless", "the schedule does not end"}
	Unending  = &Failure{"endless", "the run does not end"}
	Overflow  = &Failure{"overflow", "times are too large"}
	Panic     = &Failure{"panic", "a node panicked"}
	Invariant = &Failure{"invariant", "the invariant is violated"}
	Results   = &Failure{"results", "the results are wrong"}

	State            = &Failure{"state", "the state of a node is not plain data"}
	Fixed            = &Failure{"unexported", "an unexported field of a node has changed"}
	Shared           = &Failure{"shared", "the state of a node changed outside its handlers"}
	Nondeterministic = &Failure{"nondeterministic", "a handler behaves differently in equal states"}
	OfNoKind         = &Failure{"kind", "a message is not of a listed kind, or is not plain data"}
	Refusal          = &Failure{"refusal", "an impossible message was not rejected correctly"}
	Excludes         = &Failure{"excludes", "Excludes of a Sharer is not symmetric, or it changes"}
	Optional         = &Failure{"optional", "a node has other optional interfaces than at first"}
	Late             = &Failure{"late", "an Out was used after its handler had returned"}
	NotSent          = &Failure{"unsent", "a listed kind of message was never sent"}
)

// A Repeatable is a failure with the scenario that repeats it, which is made when it is
// asked for.
type Repeatable struct {
	Err      error
	Scenario func() string // on one line; "" if package sim does not repeat it
}

func (f *Repeatable) Unwrap() error { return f.Err }

func (f *Repeatable) Error() string {
	const most = 2000
	text := f.Scenario()
	if text == "" || len(text) > most {
		return f.Err.Error()
	}
	return f.Err.Error() + "\nscenario: " + text
}
