package sim

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A choice is one of the caller of a Simulation.
type choice struct {
	do byte
	n  uint64        // the number of a node or of what is pending, a result, or how often
	by time.Duration // of postpones

	results []int // the results of Choose in it
}

// The choices.
const (
	asks      = 'a'
	leaves    = 'l'
	givesUp   = 'g'
	crashes   = 'k'
	restarts  = 'r'
	happens   = 'd'
	loses     = 'x'
	doubles   = 'y'
	postpones = 'w'
	chooses   = 'c'
	step      = 's'
)

// mostSteps is how many steps one choice can be, so that a short text cannot take forever.
const mostSteps = 1_000_000

func (c choice) String() string {
	var b strings.Builder
	for _, k := range c.results {
		fmt.Fprintf(&b, "%c%d.", chooses, k)
	}
	fmt.Fprintf(&b, "%c%d", c.do, c.n)
	if c.do == postpones {
		b.WriteString("+" + inT(c.by))
	}
	return b.String()
}

// count returns how many choices it is: each step is one.
func (c choice) count() int {
	if c.do == step {
		return int(c.n)
	}
	return 1
}

// Do makes choices: a list in which points separate them. For example, a0.a2.s5.d9 has
// nodes 0 and 2 ask, then takes five steps, and then lets 9 happen, which is the
// Number of a [Pending].
//
//	a0        node 0 asks for the critical section, by the request that is pending if there is one
//	l0        node 0 leaves it
//	g0        node 0 gives up its request
//	k0        node 0 crashes
//	r0        node 0, which has crashed, starts again
//	d9        9 happens now, although it is not due, or others are due before it; a
//	          timer never fires early, so that the clock goes on to the time of it
//	x9        9, a message, is lost
//	y9        9, a message, is duplicated; the copy has a latency of its own
//	w9+2.5    9 is due 2.5 T later than now planned, and so are messages behind it, if
//	          the link is FIFO and they would overtake it
//	c2        2 is the next result of [messaging.Out.Choose], in the choice that follows
//	s5        five times Next
//
// If a choice cannot be made, Do returns an error that names it, its place in the text
// and what could have been instead. The choices before it are made, and the run goes on. A
// choice on which the run fails is made; [Simulation.Err] says how it failed.
func (r *Simulation) Do(choices string) error {
	if err := r.do(choices); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return nil
}

func (r *Simulation) do(choices string) error {
	var results []int // for the choice that follows
	for at, k := 0, 1; at < len(choices) || at > 0 && at == len(choices); k++ {
		c, length, err := parseChoice(choices[at:])
		switch {
		case err != nil:
		case c.do != chooses:
			c.results = results
			results, err = nil, r.make(c)
		default:
			if err = r.ended(); err == nil && c.n > 1<<31-1 {
				err = errors.New("expected a result of at most 2147483647")
			}
			results = append(results, int(c.n))
		}
		if err != nil {
			return fmt.Errorf("choice %d, %q at offset %d: %w", k, choices[at:at+length], at, err)
		}
		at += length + 1
	}
	if len(results) > 0 {
		return fmt.Errorf("the last choice, c%d: expected a choice that it is for, found the end", results[len(results)-1])
	}
	return nil
}

// parseChoice reads a choice up to a point between two choices or the end, and returns its
// length, also if it is wrong.
func parseChoice(text string) (c choice, length int, err error) {
	text = oneChoice.FindString(text)
	length = len(text)
	if text == "" || !strings.Contains("algkrdxywcs", text[:1]) {
		return c, length, errors.New("expected one of a l g k r d x y w c s, and a number")
	}
	c.do = text[0]
	number, by, delays := strings.Cut(text[1:], "+")
	if c.n, err = strconv.ParseUint(number, 10, 63); err != nil || delays != (c.do == postpones) {
		return c, length, fmt.Errorf("expected a whole number after %c%s", c.do, map[bool]string{true: ", and a delay such as +2.5"}[c.do == postpones])
	}
	if delays {
		var ok bool
		if c.by, ok = parseTime(by); !ok {
			return c, length, errors.New("expected " + aTime + " after +")
		}
	}
	return c, length, nil
}

// oneChoice is the first choice of a text. A point ends it, but for one in a delay, before a digit.
var oneChoice = regexp.MustCompile(`^(?:[^.]*\+[^.]*\.[0-9][^.]*|[^.]*)`)

// make makes a choice, or returns why it cannot be made.
func (r *Simulation) make(c choice) error {
	if err := r.ended(); err != nil {
		return err
	}
	switch c.do {
	case step:
		return r.steps(c)
	case happens, loses, doubles, postpones:
		return r.onPending(c)
	}
	return r.act(c)
}

func (r *Simulation) steps(c choice) error {
	if c.n < 1 || c.n > mostSteps {
		return fmt.Errorf("expected 1 to %d steps", mostSteps)
	}
	for k := range c.n {
		done, err := r.step(c.results)
		if err != nil {
			return err
		}
		if done {
			c.results = nil
			continue
		}
		if err = r.ended(); err == nil {
			err = errors.New("nothing is left to do by itself; " + r.couldBe())
		}
		if k > 0 {
			err = fmt.Errorf("after step %d %w", k, err)
		}
		return err
	}
	return nil
}

// decide makes c by do, which reports whether anything was done. If the results of Choose that are given for it are
// wrong, it is undone.
func (r *Simulation) decide(c choice, do func(s *simulation) bool) error {
	s, done := r.run, false
	s.chosen, s.idle = c.results, false
	s.guard(func() { done = do(s) })
	err := s.misfit
	if err == nil && len(s.chosen) > 0 && s.err == nil {
		err = fmt.Errorf("%d results of Choose are given, and it asks for %d", len(c.results), len(c.results)-len(s.chosen))
	}
	if err != nil {
		return cmp.Or(r.keep(r.made()), err)
	}
	if done || s.err != nil {
		r.record(c)
	}
	r.show()
	return nil
}

// show passes the events that the observer does not have yet to it.
func (r *Simulation) show() {
	if r.c.Observe == nil {
		return
	}
	for ; r.observed < len(r.events); r.observed++ {
		r.c.Observe(r.events[r.observed])
	}
}

// record records a choice. Steps that follow each other are one.
func (r *Simulation) record(c choice) {
	if n := len(r.choices); n > 0 && c.do == step && c.results == nil {
		if last := &r.choices[n-1]; last.do == step && last.n < mostSteps {
			last.n++
			return
		}
	}
	r.choices = append(r.choices, c)
}

// made returns how many choices were made.
func (r *Simulation) made() (n int) {
	for _, c := range r.choices {
		n += c.count()
	}
	return n
}
