package play

import (
	"fmt"
	"slices"
	"strconv"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// The groups of choices.
const (
	next    = "next"    // what happens by itself
	deliver = "deliver" // a message, or a timer, before others
	user    = "user"    // what users do
	fault   = "fault"
)

// showPending shows what is in transit, and what can be done now.
func (g *cluster) showPending(v *View) {
	pending := g.sim.Pending()
	for _, p := range pending {
		g.showTransit(v, p)
	}
	if failure := g.failure(); g.over || failure != "" && failure != "deadlock" {
		return
	}
	g.showNext(v, pending)
	for _, p := range pending {
		if group := groupOfAction[p.Action]; group != "" && p.Behind == 0 {
			v.offer(group, p, fmt.Sprintf("d%d", p.Number), g.happens(v, p))
		}
	}
	for i := range v.Members {
		g.showUser(v, i)
	}
	for _, p := range pending {
		if inTransit(p) {
			v.Choices = append(v.Choices, g.movingOf(p).faults...)
		}
	}
	for i, m := range v.Members {
		if m.Crashed {
			v.offer(fault, at(i), fmt.Sprintf("r%d", i), m.Name+" starts again")
		} else {
			v.offer(fault, at(i), fmt.Sprintf("k%d", i), m.Name+" crashes")
		}
	}
}

// failure is how the run has failed.
func (g *cluster) failure() string { return sim.Failure(g.sim.Err()) }

// at is nothing that is pending, at node i.
func at(i int) sim.Pending { return sim.Pending{To: messaging.ID(i)} }

func inTransit(p sim.Pending) bool { return p.Action == action.Delivered || p.Action == action.Expired }

// offer appends a choice about what is pending, unless it is listed already: what comes next is also a message that can arrive, or
// what a user can do.
func (v *View) offer(group string, p sim.Pending, do, text string) {
	on := 0
	if inTransit(p) {
		on = int(p.Number)
	}
	if !slices.ContainsFunc(v.Choices, func(c Choice) bool { return c.On == on && c.Text == text }) {
		v.Choices = append(v.Choices, Choice{Do: do, Text: text, Group: group, Member: int(p.To), On: on})
	}
}

// showNext shows what happens next by itself. If nothing does, it is what is pending that is due first.
func (g *cluster) showNext(v *View, pending []sim.Pending) {
	if len(pending) == 0 {
		var entries int // of a low load, in which a node asks when nothing is pending
		text, _ := value(g.directives, "low")
		if _, err := fmt.Sscanf(text, "load %d entries", &entries); err == nil && entries > g.tally.entries {
			v.offer(next, at(0), "s1", "the next node asks, as nothing is in transit")
		}
		return
	}
	p, do := pending[0], "s1"
	if g.rests(v, pending) {
		do = fmt.Sprintf("d%d", p.Number)
	}
	v.offer(next, p, do, g.happens(v, p))
}

// rests reports whether the run takes no step by itself although something is pending: a perpetual lock, of which no
// user has anything left to do, or what is pending is a fault.
func (g *cluster) rests(v *View, pending []sim.Pending) bool {
	if slices.ContainsFunc(v.Members, g.waiting) {
		return false
	}
	perpetual := g.locks && has(g.directives, "perpetual")
	return !slices.ContainsFunc(pending, func(p sim.Pending) bool {
		switch p.Action {
		case action.Requested, action.Left, action.Input, action.Restarted:
			return true
		case action.Delivered, action.Expired, action.Told:
			return !perpetual
		}
		return false
	})
}

// waiting reports whether a node has a request.
func (g *cluster) waiting(m Member) bool {
	return !m.Crashed && (m.Phase == phases[messaging.Waiting] || m.Phase == phases[messaging.Absorbing])
}

// happens returns in words what is pending.
func (g *cluster) happens(v *View, p sim.Pending) string {
	switch {
	case p.Action == action.Delivered && v.Members[p.To].Crashed:
		return fmt.Sprintf("%s is lost, as %s has crashed", g.movingOf(p).text, notation.Node(p.To))
	case inTransit(p):
		return g.movingOf(p).arrives
	}
	return notation.Event(messaging.Event{Action: p.Action, From: p.From, To: p.To, Message: p.Message})
}

// showTransit shows a message or a timer, and, if it is behind another message, that it cannot arrive yet.
func (g *cluster) showTransit(v *View, p sim.Pending) {
	if !inTransit(p) {
		return
	}
	t := Transit{
		Number: int(p.Number), Timer: p.Action == action.Expired, From: int(p.From), To: int(p.To), Kind: messaging.Kind(p.Message),
		Text: g.movingOf(p).text, Sent: int(p.Cause), Due: notation.Time(p.Due), Behind: int(p.Behind),
	}
	v.Transit = append(v.Transit, t)
	if p.Behind > 0 {
		v.Blocked = append(v.Blocked, Block{Member: t.To, Why: fmt.Sprintf("%s from %s to %s is behind %s: the link is FIFO",
			t.Text, notation.Node(p.From), notation.Node(p.To), g.moving[p.Behind].text)})
	}
}

// groupOfAction has the groups of what is pending, but for what users can do anyway.
var groupOfAction = map[string]string{
	action.Delivered: deliver, action.Expired: deliver, action.Told: deliver,
	action.Input: user, action.GaveUp: user,
	action.Crashed: fault, action.Restarted: fault,
}

// showUser shows what the user of a node can do.
func (g *cluster) showUser(v *View, i int) {
	m := v.Members[i]
	if m.Crashed || !g.locks {
		return
	}
	switch m.Phase {
	case phases[messaging.Idle], phases[messaging.Absorbing]:
		v.offer(user, at(i), fmt.Sprintf("a%d", i), m.Name+" asks")
	case phases[messaging.Waiting]:
		v.offer(user, at(i), fmt.Sprintf("g%d", i), m.Name+" gives up")
	case phases[messaging.Inside]:
		v.offer(user, at(i), fmt.Sprintf("l%d", i), m.Name+" leaves")
	}
}

// A moving is a message in transit, or a timer, with what does not change while it is.
type moving struct {
	text, arrives string
	faults        []Choice // what else can become of it
}

// movingOf returns what is pending as a message in transit or a timer.
func (g *cluster) movingOf(p sim.Pending) *moving {
	m := g.moving[p.Number]
	if m != nil {
		return m
	}
	text, to, number := notation.Message(p.Message), notation.Node(p.To), strconv.FormatUint(p.Number, 10)
	from := text + " from " + notation.Node(p.From)
	m = &moving{text: text, arrives: from + " arrives at " + to}
	offer := func(do, text string) {
		m.faults = append(m.faults, Choice{Do: do, Text: text, Group: fault, Member: int(p.To), On: int(p.Number)})
	}
	switch p.Action {
	case action.Expired:
		m.arrives = "the timer " + text + " of " + to + " expires"
		offer("w"+number+"+1", "the timer "+text+" of "+to+" is 1 T late")
	case action.Delivered:
		offer("x"+number, from+" to "+to+" is lost")
		offer("y"+number, from+" to "+to+" is duplicated")
		offer("w"+number+"+1", from+" to "+to+" is delayed by 1 T")
	}
	g.moving[p.Number] = m
	return m
}
