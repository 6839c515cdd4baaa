package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// acts has the choices of the users of nodes, their crashes and restarts: the events that they are,
// and the phases of the nodes that can do so; nil: any.
var acts = map[byte]struct {
	verb   string
	kind   steps.Kind
	phases []messaging.Phase
}{
	asks:     {"ask", steps.Ask, []messaging.Phase{messaging.Idle, messaging.Absorbing}},
	leaves:   {"leave", steps.Leave, []messaging.Phase{messaging.Inside}},
	givesUp:  {"give up", steps.GiveUp, []messaging.Phase{messaging.Waiting}},
	crashes:  {"crash", steps.Crash, nil},
	restarts: {"start again", steps.Restart, nil},
}

// act makes a choice of acts.
func (r *Simulation) act(c choice) error {
	s, act := r.run, acts[c.do]
	if c.n >= uint64(r.c.Nodes) {
		return fmt.Errorf("expected a node, 0 to %d", r.c.Nodes-1)
	}
	i := messaging.ID(c.n)
	could := func(i messaging.ID) bool {
		return s.Lives[i].Crashed == (c.do == restarts) && (c.do != asks || s.IsLock(i)) &&
			(act.phases == nil || slices.Contains(act.phases, s.Sites[i].Phase()))
	}
	if !could(i) {
		is := s.Sites[i].Phase().String()
		switch {
		case s.Lives[i].Crashed:
			is = "crashed"
		case c.do == restarts:
			is = "up"
		}
		return fmt.Errorf("%s is %s; %s", name(i), is, r.nodesThat(c.do, could))
	}
	if c.do == asks && s.remaining == 0 {
		return fmt.Errorf("all requests have been made that Config.Entries, %d, allows", r.c.Entries)
	}
	scheduled := s.queue.book.Index(func(e *steps.Event) bool {
		return e.Kind == act.kind && e.Kind != steps.GiveUp && e.Kind != steps.Crash && e.To == int32(i) && s.effective(e)
	})
	return r.decide(c, func(s *simulation) bool {
		if scheduled >= 0 {
			s.bringForward(scheduled)
			return true
		}
		n := map[byte]int32{asks: handStep, leaves: s.Lives[i].Crashes, givesUp: s.users[i].requests}[c.do]
		e := steps.At(i, act.kind, n, nil)
		if e.Kind != steps.Leave { // which counted when the node entered
			s.count(e.Kind, 1)
		}
		s.step(&e)
		return true
	})
}

// bringForward handles the nth event of the book now.
func (s *simulation) bringForward(n int) {
	p, e := s.queue.book.Take(n)
	if e.Kind == steps.Expire {
		s.Now = max(s.Now, p.At)
	}
	s.step(e)
}

// onPending makes a choice about what is pending.
func (r *Simulation) onPending(c choice) error {
	s := r.run
	n := s.queue.book.Find(c.n)
	if n < 0 || !s.effective(s.queue.book.Event(n)) {
		return fmt.Errorf("%d is not pending; %s", c.n, r.couldBe())
	}
	e := s.queue.book.Event(n)
	switch {
	case e.Kind != steps.Deliver && (c.do == loses || c.do == doubles):
		return fmt.Errorf("%d is no message, and only messages can be lost or duplicated; %s", c.n, r.couldBe())
	case c.do == happens && e.Kind == steps.Deliver && !s.c.Unordered:
		if front := s.onLink(0, e.From, e.To); front < n {
			return fmt.Errorf("%d is behind %d on the FIFO link from %s to %s; %s",
				c.n, s.queue.book.Pages[front].Number, name(messaging.ID(e.From)), name(messaging.ID(e.To)), r.couldBe())
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
	for ; n < len(s.queue.book.Pages); n++ {
		if e := s.queue.book.Event(n); e.Kind == steps.Deliver && e.From == from && e.To == to {
			break
		}
	}
	return n
}

func (s *simulation) lose(n int) {
	_, e := s.queue.book.Take(n)
	s.count(steps.Deliver, -1)
	s.Lost++
	s.Observe(e.Cause, action.Lost, messaging.ID(e.From), messaging.ID(e.To), e.Message)
	s.Arrive(e.Cause)
	s.hold()
}

func (s *simulation) double(n int, events []messaging.Event) {
	e := s.queue.book.Event(n)
	sent := e.Cause
	if cause := events[sent-1]; cause.Action == action.Duplicated {
		sent = cause.Cause
	}
	from, to := messaging.ID(e.From), messaging.ID(e.To)
	s.measured.Duplicated++
	again := s.Observe(sent, action.Duplicated, from, to, e.Message)
	s.dispatch(again, from, to, e.Message, s.links.copyLatency(from, to, messaging.Kind(e.Message), nil))
	s.hold()
}

// postpone delays the nth event of the book, and the messages that it would let overtake.
func (s *simulation) postpone(n int, by time.Duration) {
	pages := s.queue.book.Pages
	e := s.queue.book.Event(n)
	at := steps.Sum(max(s.Now, pages[n].At), by)
	late := []uint64{pages[n].Number}
	if e.Kind == steps.Deliver && !s.c.Unordered {
		s.links.arrival(messaging.ID(e.From), messaging.ID(e.To), at)
		for n = s.onLink(n+1, e.From, e.To); n < len(pages) && pages[n].At <= at; n = s.onLink(n+1, e.From, e.To) {
			late = append(late, pages[n].Number)
		}
	}
	for _, number := range late {
		s.queue.book.Move(number, at)
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
	return "what can happen now is " + some(10, numbers)
}

// nodesThat lists the nodes that could make a choice, and how to write it.
func (r *Simulation) nodesThat(do byte, could func(i messaging.ID) bool) string {
	var nodes []string
	for i := range messaging.ID(r.c.Nodes) {
		if could(i) {
			nodes = append(nodes, fmt.Sprintf("%s (%c%d)", name(i), do, i))
		}
	}
	if len(nodes) == 0 {
		return "no node can " + acts[do].verb + " now"
	}
	return "nodes that can " + acts[do].verb + " now are " + some(10, nodes)
}

// some lists the first words, and how many there are more.
func some(most int, words []string) string {
	text := strings.Join(words[:min(most, len(words))], ", ")
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
