package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// A choice is one of the caller of a Simulation.
type choice struct {
	do byte
	n  uint64        // the number of a node or of what is pending, a result, or how often
	by time.Duration // of postpone
}

// The choices.
const (
	asks      = 'a'
	leaves    = 'l'
	givesUp   = 'g'
	crashes   = 'k'
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
	text := string(c.do) + strconv.FormatUint(c.n, 10)
	if c.do == postpones {
		text += "+" + inT(c.by)
	}
	return text
}

// count returns how many choices it is: each step is one, and a result of Choose is part
// of the choice that follows.
func (c choice) count() int {
	switch c.do {
	case step:
		return int(c.n)
	case chooses:
		return 0
	}
	return 1
}

// Do makes choices: a list in which points separate them. For example, a0.a2.s5.d9 has
// nodes 0 and 2 ask, then takes five steps, and then lets 9 happen, which is the
// Number of a [Pending].
//
//	a0        node 0 asks for the critical section
//	l0        node 0 leaves it
//	g0        node 0 gives up its request
//	k0        node 0 crashes
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
	for at, k := 0, 1; at < len(choices); k++ {
		c, length, err := parseChoice(choices[at:])
		word := choices[at : at+length]
		if err == nil {
			err = r.make(c)
		}
		if err == nil && at+length == len(choices)-1 {
			at, length, word, err = at+length, 1, ".", errors.New("expected a choice after it, found the end")
		}
		if err != nil {
			return fmt.Errorf("choice %d, %q at offset %d: %w", k, word, at, err)
		}
		at += length + 1
	}
	if len(r.results) > 0 {
		return r.withoutResults(fmt.Errorf("the last choice, c%d: expected a choice that it is for, found the end", r.results[len(r.results)-1]))
	}
	return nil
}

// parseChoice reads a choice up to a point between two choices or the end, and returns its
// length, also if it is wrong.
func parseChoice(text string) (c choice, length int, err error) {
	length = len(text)
	for k := 0; k+1 < len(text); k++ {
		if text[k] == '.' && (text[k+1] < '0' || text[k+1] > '9') {
			length = k
			break
		}
	}
	if length == len(text) && length > 1 && text[length-1] == '.' {
		length--
	}
	text = text[:length]
	if text == "" || !strings.Contains("algkdxywcs", text[:1]) {
		return c, length, errors.New("expected one of a l g k d x y w c s, and a number")
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

// make makes a choice, or returns why it cannot be made.
func (r *Simulation) make(c choice) error {
	if err := r.ended(); err != nil {
		return err
	}
	switch c.do {
	case asks, leaves, givesUp, crashes:
		return r.act(c)
	case chooses:
		if c.n > 1<<31-1 {
			return errors.New("expected a result of at most 2147483647")
		}
		r.results = append(r.results, int(c.n))
		r.choices = append(r.choices, c)
		return nil
	case step:
		return r.steps(c.n)
	}
	return r.onPending(c)
}

func (r *Simulation) steps(n uint64) error {
	if n < 1 || n > mostSteps {
		return fmt.Errorf("expected 1 to %d steps", mostSteps)
	}
	for k := range n {
		switch done, err := r.step(); {
		case err != nil:
			return err
		case done:
		case r.ended() != nil:
			return fmt.Errorf("after %d steps %w", k, r.ended())
		default:
			return r.withoutResults(fmt.Errorf("after %d steps nothing is left to do by itself; %s", k, r.couldBe()))
		}
	}
	return nil
}

// decide makes c by do, which reports whether anything was done.
func (r *Simulation) decide(c choice, do func(s *simulation) bool) error {
	s, given, done := r.run, len(r.results), false
	s.chosen, r.results = r.results, nil
	s.idle = false
	s.guard(func() { done = do(s) })
	switch {
	case s.misfit != nil:
		return r.takeBack(s.misfit)
	case len(s.chosen) > 0 && s.err == nil:
		return r.takeBack(fmt.Errorf("%d results of Choose are given, and it asks for %d", given, given-len(s.chosen)))
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

func (r *Simulation) record(c choice) {
	if last := len(r.choices) - 1; last >= 0 && c.do == step && r.choices[last].do == step && r.choices[last].n < mostSteps {
		r.choices[last].n++
		return
	}
	r.choices = append(r.choices, c)
}

// takeBack undoes a choice that is not recorded, because the results of Choose that were
// given for it are wrong.
func (r *Simulation) takeBack(err error) error {
	return cmp.Or(r.keep(r.made()), err)
}

// made returns how many choices were made.
func (r *Simulation) made() (n int) {
	for _, c := range r.choices {
		n += c.count()
	}
	return n
}

// withoutResults drops the results of Choose that no choice followed.
func (r *Simulation) withoutResults(err error) error {
	r.choices = r.choices[:len(r.choices)-len(r.results)]
	r.results = nil
	return err
}

// handle handles an event that was not scheduled.
func (s *simulation) handle(e event) {
	s.slot = s.queue.store(e)
	s.queue.free = append(s.queue.free, s.slot)
	s.step()
}

// act makes a choice of the user of a node, or its crash.
func (r *Simulation) act(c choice) error {
	s := r.run
	if c.n >= uint64(r.c.Nodes) {
		return r.withoutResults(fmt.Errorf("expected a node, 0 to %d", r.c.Nodes-1))
	}
	u, phase := &s.users[c.n], s.sites[c.n].Phase()
	could := func(i int) bool { return !s.users[i].crashed && possible(c.do, s.sites[i].Phase()) }
	if !could(int(c.n)) {
		is := phase.String()
		if u.crashed {
			is = "crashed"
		}
		return r.withoutResults(fmt.Errorf("node %d is %s; %s", c.n, is, r.nodesThat(c.do, could)))
	}
	kind := map[byte]eventKind{asks: ask, leaves: leave, givesUp: giveUp, crashes: crash}[c.do]
	scheduled := slices.IndexFunc(s.queue.book.pages, func(p booking) bool {
		e := &s.queue.events[p.slot]
		return e.kind == kind && kind != giveUp && kind != crash && e.to == int32(c.n)
	})
	if scheduled < 0 && c.do == asks && s.left == 0 {
		return r.withoutResults(fmt.Errorf("all requests have been made that Config.Entries, %d, allows", r.c.Entries))
	}
	return r.decide(c, func(s *simulation) bool {
		if scheduled >= 0 {
			s.bringForward(scheduled)
			return true
		}
		e := event{kind: kind, to: int32(c.n), n: u.requests}
		if c.do == asks {
			e.n = handStep
			s.pending++
			s.upcoming++
		}
		s.handle(e)
		return true
	})
}

func possible(do byte, p messaging.Phase) bool {
	switch do {
	case asks:
		return p == messaging.Idle || p == messaging.Absorbing
	case leaves:
		return p == messaging.Inside
	case givesUp:
		return p == messaging.Waiting
	}
	return true
}

// bringForward handles the nth event of the book now.
func (s *simulation) bringForward(n int) {
	k := s.queue.book.pages[n].key
	if s.queue.events[k.slot].kind == expire {
		s.now = max(s.now, k.at)
	}
	s.slot = k.slot
	s.queue.take(k)
	s.step()
}

// onPending makes a choice about what is pending.
func (r *Simulation) onPending(c choice) error {
	s := r.run
	n, found := s.queue.book.find(c.n)
	if !found || !s.effective(&s.queue.events[s.queue.book.pages[n].slot]) {
		return r.withoutResults(fmt.Errorf("%d is not pending; %s", c.n, r.couldBe()))
	}
	e := &s.queue.events[s.queue.book.pages[n].slot]
	switch {
	case e.kind != deliver && (c.do == loses || c.do == doubles):
		return r.withoutResults(fmt.Errorf("%d is %v, and only messages can be lost or duplicated; %s", c.n, e.kind, r.couldBe()))
	case c.do == happens && e.kind == deliver && !s.c.Unordered:
		if front := s.onLink(0, e.from, e.to); front < n {
			return r.withoutResults(fmt.Errorf("%d is behind %d on the FIFO link from node %d to node %d; %s",
				c.n, s.queue.book.pages[front].number, e.from, e.to, r.couldBe()))
		}
	}
	return r.decide(c, func(s *simulation) bool {
		switch c.do {
		case happens:
			s.bringForward(n)
		case loses:
			s.lose(n)
		case doubles:
			s.double(n, r.events)
		case postpones:
			s.postpone(n, c.by)
		}
		return true
	})
}

// onLink returns the index in the book of the first message of a link, from n on, or the
// length of the book.
func (s *simulation) onLink(n int, from, to int32) int {
	for ; n < len(s.queue.book.pages); n++ {
		if e := &s.queue.events[s.queue.book.pages[n].slot]; e.kind == deliver && e.from == from && e.to == to {
			break
		}
	}
	return n
}

func (s *simulation) lose(n int) {
	k := s.queue.book.pages[n].key
	e := s.queue.events[k.slot]
	s.queue.take(k)
	s.pending--
	s.measured.Lost++
	s.observe(e.cause, action.Lost, messaging.ID(e.from), messaging.ID(e.to), e.message)
}

func (s *simulation) double(n int, events []messaging.Event) {
	e := s.queue.events[s.queue.book.pages[n].slot]
	sent := e.cause
	if of := events[sent-1]; of.Action == action.Duplicated {
		sent = of.Cause
	}
	from, to := messaging.ID(e.from), messaging.ID(e.to)
	s.measured.Duplicated++
	again := s.observe(sent, action.Duplicated, from, to, e.message)
	latency, _ := s.links.latency(from, to, messaging.Kind(e.message))
	s.dispatch(again, from, to, e.message, latency)
}

// postpone delays the nth event of the book, and the messages that it would let overtake.
func (s *simulation) postpone(n int, by time.Duration) {
	at := sum(max(s.now, s.queue.book.pages[n].at), by)
	e := s.queue.events[s.queue.book.pages[n].slot]
	s.queue.move(n, at)
	if e.kind != deliver || s.c.Unordered {
		return
	}
	s.links.arrival(messaging.ID(e.from), messaging.ID(e.to), at)
	for n = s.onLink(n+1, e.from, e.to); n < len(s.queue.book.pages); n = s.onLink(n+1, e.from, e.to) {
		if s.queue.book.pages[n].at <= at {
			s.queue.move(n, at)
		}
	}
}

// couldBe lists what could happen now.
func (r *Simulation) couldBe() string {
	var numbers []string
	for _, p := range r.Pending() {
		if p.Behind == 0 {
			numbers = append(numbers, strconv.FormatUint(p.Number, 10))
		}
	}
	if len(numbers) == 0 {
		return "nothing is pending"
	}
	return "what can happen now is " + some(numbers)
}

// nodesThat lists the nodes that could make a choice.
func (r *Simulation) nodesThat(do byte, could func(i int) bool) string {
	var numbers []string
	for i := range r.c.Nodes {
		if could(i) {
			numbers = append(numbers, strconv.Itoa(i))
		}
	}
	what := map[byte]string{asks: "ask", leaves: "leave", givesUp: "give up", crashes: "crash"}[do]
	if len(numbers) == 0 {
		return "no node can " + what + " now"
	}
	return "nodes that can " + what + " now are " + some(numbers)
}

// some lists at most ten numbers.
func some(numbers []string) string {
	const most = 10
	text := strings.Join(numbers[:min(most, len(numbers))], ", ")
	if more := len(numbers) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
