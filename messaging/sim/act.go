package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// handle handles an event that was not scheduled.
func (s *simulation) handle(e event) {
	if e.kind != leave { // which counted when the node entered
		s.count(e.kind, 1)
	}
	s.slot = s.queue.store(e)
	s.queue.free = append(s.queue.free, s.slot)
	s.step()
}

// acts has the choices of the users of nodes, their crashes and restarts: the events that they are,
// and the phases of the nodes that can do so; nil: any.
var acts = map[byte]struct {
	verb   string
	kind   eventKind
	phases []messaging.Phase
}{
	asks:     {"ask", ask, []messaging.Phase{messaging.Idle, messaging.Absorbing}},
	leaves:   {"leave", leave, []messaging.Phase{messaging.Inside}},
	givesUp:  {"give up", giveUp, []messaging.Phase{messaging.Waiting}},
	crashes:  {"crash", crash, nil},
	restarts: {"start again", restart, nil},
}

// act makes a choice of acts.
func (r *Simulation) act(c choice) error {
	s, of := r.run, acts[c.do]
	if c.n >= uint64(r.c.Nodes) {
		return fmt.Errorf("expected a node, 0 to %d", r.c.Nodes-1)
	}
	could := func(i int) bool {
		return s.users[i].crashed == (c.do == restarts) && (c.do != asks || s.isLock(messaging.ID(i))) &&
			(of.phases == nil || slices.Contains(of.phases, s.sites[i].Phase()))
	}
	u := &s.users[c.n]
	if !could(int(c.n)) {
		is := s.sites[c.n].Phase().String()
		switch {
		case u.crashed:
			is = "crashed"
		case c.do == restarts:
			is = "up"
		}
		return fmt.Errorf("node %d is %s; %s", c.n, is, r.nodesThat(of.verb, could))
	}
	if c.do == asks && s.left == 0 {
		return fmt.Errorf("all requests have been made that Config.Entries, %d, allows", r.c.Entries)
	}
	scheduled := slices.IndexFunc(s.queue.book.pages, func(p booking) bool {
		e := &s.queue.events[p.slot]
		return e.kind == of.kind && e.kind != giveUp && e.kind != crash && e.to == int32(c.n) && s.effective(e)
	})
	return r.decide(c, func(s *simulation) bool {
		if scheduled >= 0 {
			s.bringForward(scheduled)
			return true
		}
		s.handle(s.chosenAct(c.do, int32(c.n)))
		return true
	})
}

// chosenAct returns the event that a choice of acts is at node i.
func (s *simulation) chosenAct(do byte, i int32) event {
	e := event{kind: acts[do].kind, to: i, n: s.users[i].requests}
	switch do {
	case asks:
		e.n = handStep
	case leaves:
		e.n = s.users[i].life
	}
	return e
}

// bringForward handles the nth event of the book now.
func (s *simulation) bringForward(n int) {
	k := s.queue.take(n)
	if s.queue.events[k.slot].kind == expire {
		s.now = max(s.now, k.at)
	}
	s.slot = k.slot
	s.step()
}

// onPending makes a choice about what is pending.
func (r *Simulation) onPending(c choice) error {
	s := r.run
	n := s.queue.book.find(c.n)
	if n < 0 || !s.effective(&s.queue.events[s.queue.book.pages[n].slot]) {
		return fmt.Errorf("%d is not pending; %s", c.n, r.couldBe())
	}
	e := &s.queue.events[s.queue.book.pages[n].slot]
	switch {
	case e.kind != deliver && (c.do == loses || c.do == doubles):
		return fmt.Errorf("%d is %s, and only messages can be lost or duplicated; %s", c.n, kinds[e.kind].text, r.couldBe())
	case c.do == happens && e.kind == deliver && !s.c.Unordered:
		if front := s.onLink(0, e.from, e.to); front < n {
			return fmt.Errorf("%d is behind %d on the FIFO link from node %d to node %d; %s",
				c.n, s.queue.book.pages[front].number, e.from, e.to, r.couldBe())
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
	e := s.queue.events[s.queue.take(n).slot]
	s.count(deliver, -1)
	s.measured.Lost++
	s.observe(e.cause, action.Lost, messaging.ID(e.from), messaging.ID(e.to), e.message)
	if s.view != nil {
		s.view.arrives(e.cause)
		s.hold()
	}
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
	s.dispatch(again, from, to, e.message, s.links.copyLatency(from, to, messaging.Kind(e.message), nil))
	if s.view != nil {
		s.hold()
	}
}

// postpone delays the nth event of the book, and the messages that it would let overtake.
func (s *simulation) postpone(n int, by time.Duration) {
	pages := s.queue.book.pages
	at := sum(max(s.now, pages[n].at), by)
	e := s.queue.events[pages[n].slot]
	late := []uint64{pages[n].number}
	if e.kind == deliver && !s.c.Unordered {
		s.links.arrival(messaging.ID(e.from), messaging.ID(e.to), at)
		for n = s.onLink(n+1, e.from, e.to); n < len(pages) && pages[n].at <= at; n = s.onLink(n+1, e.from, e.to) {
			late = append(late, pages[n].number)
		}
	}
	for _, number := range late {
		s.queue.book.move(number, at)
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

// nodesThat lists the nodes that could make a choice.
func (r *Simulation) nodesThat(verb string, could func(i int) bool) string {
	var numbers []string
	for i := range r.c.Nodes {
		if could(i) {
			numbers = append(numbers, strconv.Itoa(i))
		}
	}
	if len(numbers) == 0 {
		return "no node can " + verb + " now"
	}
	return "nodes that can " + verb + " now are " + some(10, numbers)
}

// some lists the first words, and how many there are more.
func some(most int, words []string) string {
	text := strings.Join(words[:min(most, len(words))], ", ")
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
