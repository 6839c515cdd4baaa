package play

import (
	"fmt"
	"slices"

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

// A moving is a message in transit, or a timer, with what does not change while it is.
type moving struct {
	Transit
	arrives string   // that it does, in words
	faults  []Choice // what else can become of it
}

// showPending shows what is in transit, and what can be done now.
func (g *cluster) showPending(v *View) {
	pending, ended := g.sim.Pending(), g.ended()
	switch {
	case ended:
	case len(pending) > 0:
		g.showNext(v, pending)
	case g.lowLoad > g.tally.entries:
		v.offer(next, 0, 0, "s1", "the next node asks, as nothing is in transit")
	}
	for _, p := range pending {
		g.showTransit(v, p)
		if !ended && p.Behind == 0 {
			g.showHappening(v, p)
		}
	}
	if ended {
		return
	}
	for i := range g.members {
		g.showUser(v, i)
	}
	for _, p := range pending {
		if inTransit(p) {
			v.Choices = append(v.Choices, g.moving(p).faults...)
		}
	}
	for i, m := range g.members {
		if m.Crashed {
			v.offer(fault, i, 0, fmt.Sprintf("r%d", i), m.Name+" starts again")
		} else {
			v.offer(fault, i, 0, fmt.Sprintf("k%d", i), m.Name+" crashes")
		}
	}
}

// offer appends a choice, unless it is listed already: what comes next is also a message that can arrive, or what a user
// can do.
func (v *View) offer(group string, member, on int, do, text string) {
	if slices.ContainsFunc(v.Choices, func(c Choice) bool { return c.On == on && c.Text == text }) {
		return
	}
	v.Choices = append(v.Choices, Choice{Do: do, Text: text, Group: group, Member: member, On: on})
}

// showNext shows what happens next by itself. If nothing does, it is what is pending that is due first.
func (g *cluster) showNext(v *View, pending []sim.Pending) {
	p, do, on := pending[0], "s1", 0
	if g.rests(pending) {
		do = fmt.Sprintf("d%d", p.Number)
	}
	if inTransit(p) {
		on = int(p.Number)
	}
	v.offer(next, int(p.To), on, do, g.happens(p))
}

// rests reports whether the run takes no step by itself although something is pending: a perpetual lock, of which no
// user has anything left to do, or what is pending is a fault.
func (g *cluster) rests(pending []sim.Pending) bool {
	for _, m := range g.members {
		if !m.Crashed && (m.Phase == phases[messaging.Waiting] || m.Phase == phases[messaging.Absorbing]) {
			return false
		}
	}
	for _, p := range pending {
		switch p.Action {
		case action.Requested, action.Left, action.Input, action.Restarted:
			return false
		case action.Delivered, action.Expired, action.Told:
			if !g.perpetual || !g.locks {
				return false
			}
		}
	}
	return true
}

// ended reports whether no choice can be made any more.
func (g *cluster) ended() bool {
	failure := g.failure()
	return g.over || failure != "" && failure != "deadlock"
}

func (g *cluster) failure() string { return sim.Failure(g.sim.Err()) }

func inTransit(p sim.Pending) bool { return p.Action == action.Delivered || p.Action == action.Expired }

// moving returns what is in transit.
func (g *cluster) moving(p sim.Pending) *moving {
	if m, known := g.inMotion[p.Number]; known {
		return m
	}
	on, to, text := int(p.Number), int(p.To), notation.Message(p.Message)
	m := &moving{Transit: Transit{
		Number: on, Timer: p.Action == action.Expired, From: int(p.From), To: to,
		Kind: messaging.Kind(p.Message), Label: g.labels.of(p.Message), Text: text, Sent: int(p.Cause),
	}}
	offer := func(do, text string) {
		m.faults = append(m.faults, Choice{Do: do, Text: text, Group: fault, Member: to, On: on})
	}
	if m.Timer {
		m.arrives = fmt.Sprintf("the timer %s of %s expires", text, notation.Node(p.To))
		offer(fmt.Sprintf("w%d+1", on), fmt.Sprintf("the timer %s of %s is 1 T late", text, notation.Node(p.To)))
	} else {
		from := text + " from " + notation.Node(p.From)
		what := from + " to " + notation.Node(p.To)
		m.arrives = from + " arrives at " + notation.Node(p.To)
		offer(fmt.Sprintf("x%d", on), what+" is lost")
		offer(fmt.Sprintf("y%d", on), what+" is duplicated")
		offer(fmt.Sprintf("w%d+1", on), what+" is delayed by 1 T")
	}
	g.inMotion[p.Number] = m
	return m
}

// happens returns in words what is pending.
func (g *cluster) happens(p sim.Pending) string {
	switch {
	case p.Action == action.Delivered && g.members[p.To].Crashed:
		return fmt.Sprintf("%s is lost, as %s has crashed", g.moving(p).Text, notation.Node(p.To))
	case inTransit(p):
		return g.moving(p).arrives
	}
	return notation.Event(messaging.Event{Action: p.Action, From: p.From, To: p.To, Message: p.Message})
}

// showTransit shows a message or a timer, and, if it is behind another message, that it cannot arrive yet.
func (g *cluster) showTransit(v *View, p sim.Pending) {
	if !inTransit(p) {
		return
	}
	t := g.moving(p).Transit
	t.Due, t.Behind = notation.Time(p.Due), int(p.Behind)
	v.Transit = append(v.Transit, t)
	if front := g.inMotion[p.Behind]; front != nil {
		v.Blocked = append(v.Blocked, Block{Member: t.To, Why: fmt.Sprintf("%s from %s to %s is behind %s: the link is FIFO",
			t.Text, notation.Node(p.From), notation.Node(p.To), front.Text)})
	}
}

// groupOfAction has the groups of what is pending, but for what users can do anyway.
var groupOfAction = map[string]string{
	action.Delivered: deliver, action.Expired: deliver, action.Told: deliver,
	action.Input: user, action.GaveUp: user,
	action.Crashed: fault, action.Restarted: fault,
}

// showHappening shows that what is pending can happen now.
func (g *cluster) showHappening(v *View, p sim.Pending) {
	group, on := groupOfAction[p.Action], 0
	if inTransit(p) {
		on = int(p.Number)
	}
	if group != "" {
		v.offer(group, int(p.To), on, fmt.Sprintf("d%d", p.Number), g.happens(p))
	}
}

// showUser shows what the user of a node can do.
func (g *cluster) showUser(v *View, i int) {
	m := g.members[i]
	if m.Crashed || !g.locks {
		return
	}
	switch m.Phase {
	case phases[messaging.Idle], phases[messaging.Absorbing]:
		v.offer(user, i, 0, fmt.Sprintf("a%d", i), m.Name+" asks")
	case phases[messaging.Waiting]:
		v.offer(user, i, 0, fmt.Sprintf("g%d", i), m.Name+" gives up")
	case phases[messaging.Inside]:
		v.offer(user, i, 0, fmt.Sprintf("l%d", i), m.Name+" leaves")
	}
}
