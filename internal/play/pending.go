package play

import (
	"fmt"

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

// groupOfAction has the groups of what is pending, but not in transit.
var groupOfAction = map[string]string{
	action.Told: deliver, action.Input: user, action.GaveUp: user, action.Crashed: fault, action.Restarted: fault,
}

// showPending shows what is in transit, and what can be done now.
func (g *cluster) showPending(v *View) {
	pending := g.sim.Pending()
	g.showNext(v, pending)
	text := map[uint64]string{0: ""}
	for _, p := range pending {
		text[p.Number] = notation.Message(p.Message)
		g.showDelivery(v, p, text[p.Behind])
	}
	for i := range g.members {
		g.showUser(v, i)
	}
	if g.ended() {
		return
	}
	for _, p := range pending {
		showFaults(v, p)
	}
	for i, m := range g.members {
		if m.Crashed {
			v.offer(fault, i, 0, fmt.Sprintf("r%d", i), m.Name+" starts again")
		} else {
			v.offer(fault, i, 0, fmt.Sprintf("k%d", i), m.Name+" crashes")
		}
	}
}

// offer appends a choice.
func (v *View) offer(group string, member, on int, do, text string) {
	v.Choices = append(v.Choices, Choice{Do: do, Text: text, Group: group, Member: member, On: on})
}

// showNext shows what happens next by itself, if anything does.
func (g *cluster) showNext(v *View, pending []sim.Pending) {
	if len(pending) == 0 || g.ended() {
		return
	}
	p, do := pending[0], "s1"
	if g.rests(pending) {
		do = fmt.Sprintf("d%d", p.Number)
	}
	on := 0
	if inTransit(p) {
		on = int(p.Number)
	}
	v.offer(next, int(p.To), on, do, g.happens(p))
}

// rests reports whether the run takes no step by itself although something is pending: a perpetual lock, of which no
// user has anything left to do, or what is pending is a fault.
func (g *cluster) rests(pending []sim.Pending) bool {
	busy := false
	for _, m := range g.members {
		busy = busy || !m.Crashed && (m.Phase == phases[messaging.Waiting] || m.Phase == phases[messaging.Absorbing])
	}
	for _, p := range pending {
		switch p.Action {
		case action.Requested, action.Left, action.Input, action.Restarted:
			busy = true
		case action.Delivered, action.Expired, action.Told:
			busy = busy || !g.perpetual || !g.locks
		}
	}
	return !busy
}

// ended reports whether no choice can be made any more.
func (g *cluster) ended() bool {
	failure := g.failure()
	return g.over || failure != "" && failure != "deadlock"
}

func (g *cluster) failure() string { return sim.Failure(g.sim.Err()) }

func inTransit(p sim.Pending) bool { return p.Action == action.Delivered || p.Action == action.Expired }

// happens returns in words what is pending.
func (g *cluster) happens(p sim.Pending) string {
	switch {
	case p.Action == action.Delivered && g.members[p.To].Crashed:
		return fmt.Sprintf("%s is lost, as %s has crashed", notation.Message(p.Message), notation.Node(p.To))
	case p.Action == action.Delivered:
		return fmt.Sprintf("%s from %s arrives at %s", notation.Message(p.Message), notation.Node(p.From), notation.Node(p.To))
	case p.Action == action.Expired:
		return fmt.Sprintf("the timer %s of %s expires", notation.Message(p.Message), notation.Node(p.To))
	}
	return notation.Event(messaging.Event{Action: p.Action, From: p.From, To: p.To, Message: p.Message})
}

// showDelivery shows what is in transit, and that it can happen now, or that it is behind another message.
func (g *cluster) showDelivery(v *View, p sim.Pending, behind string) {
	text, do, on := g.happens(p), fmt.Sprintf("d%d", p.Number), 0
	if inTransit(p) {
		on = int(p.Number)
		v.Transit = append(v.Transit, Transit{
			Number: on, Timer: p.Action == action.Expired, From: int(p.From), To: int(p.To),
			Kind: messaging.Kind(p.Message), Label: g.labels.of(p.Message), Text: notation.Message(p.Message),
			Sent: int(p.Cause), Due: notation.Time(p.Due), Behind: int(p.Behind),
		})
	}
	switch {
	case p.Behind != 0:
		v.Blocked = append(v.Blocked, Block{int(p.To), fmt.Sprintf("%s from %s to %s is behind %s: the link is FIFO",
			notation.Message(p.Message), notation.Node(p.From), notation.Node(p.To), behind)})
	case g.ended() || p.Action == action.Requested || p.Action == action.Left:
		// The user can ask, or leave, anyway.
	case on == 0:
		v.offer(groupOfAction[p.Action], int(p.To), 0, do, text)
	default:
		v.offer(deliver, int(p.To), on, do, text)
	}
}

// showUser shows what the user of a node can do.
func (g *cluster) showUser(v *View, i int) {
	m := g.members[i]
	if m.Crashed || !g.locks || g.ended() {
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

// showFaults shows what can become of a message or a timer.
func showFaults(v *View, p sim.Pending) {
	if !inTransit(p) {
		return
	}
	on, to := int(p.Number), int(p.To)
	what := fmt.Sprintf("%s from %s to %s", notation.Message(p.Message), notation.Node(p.From), notation.Node(p.To))
	if p.Action == action.Expired {
		v.offer(fault, to, on, fmt.Sprintf("w%d+1", on), fmt.Sprintf("the timer %s of %s is 1 T late", notation.Message(p.Message), notation.Node(p.To)))
		return
	}
	v.offer(fault, to, on, fmt.Sprintf("x%d", on), what+" is lost")
	v.offer(fault, to, on, fmt.Sprintf("y%d", on), what+" is duplicated")
	v.offer(fault, to, on, fmt.Sprintf("w%d+1", on), what+" is delayed by 1 T")
}
