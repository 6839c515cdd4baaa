package play

import (
	"fmt"
	"strings"

	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/messaging"
)

// The kinds of verdicts.
const (
	going    = "going"
	done     = "done"
	stuck    = "stuck"
	violated = "violated"
	failed   = "failed"
)

// verdict says how the run stands. What v shows is part of it.
func (g *cluster) verdict(v *View) Verdict {
	switch failure := g.failure(); failure {
	case "":
	case "deadlock":
		return Verdict{stuck, g.stuck(v)}
	case "exclusion":
		return Verdict{violated, spelling.Enumerate(g.in(messaging.Inside)) + " are both in the critical section"}
	case "invariant", "results":
		return Verdict{violated, g.why()}
	default:
		return Verdict{failed, g.why()}
	}
	inside, waiting := g.in(messaging.Inside), g.in(messaging.Waiting)
	switch {
	case len(inside) > 0 && len(waiting) > 0:
		return Verdict{going, are(inside, "inside") + ", " + verb(waiting, "waits", "wait")}
	case len(inside) > 0:
		return Verdict{going, are(inside, "inside")}
	case len(waiting) > 0:
		return Verdict{going, verb(waiting, "waits", "wait") + "; " + g.moving(v)}
	case len(v.Transit) > 0 || g.pends(v):
		return Verdict{going, g.moving(v)}
	case g.system != nil:
		return Verdict{done, "nothing is in transit: " + g.system.Right + "; " + g.spent(v)}
	case v.Costs.Entries > 0:
		return Verdict{done, "all served, " + g.spent(v)}
	}
	return Verdict{going, "no node has asked yet"}
}

// pends reports whether something is still to happen by itself.
func (g *cluster) pends(v *View) bool { return len(v.Choices) > 0 && v.Choices[0].Group == next }

// in returns the names of the nodes that are in a phase.
func (g *cluster) in(p messaging.Phase) (names []string) {
	for _, m := range g.members {
		if !m.Crashed && m.Phase == phases[p] {
			names = append(names, m.Name)
		}
	}
	return names
}

func are(names []string, what string) string { return verb(names, "is", "are") + " " + what }

func verb(names []string, one, more string) string {
	if len(names) == 1 {
		more = one
	}
	return spelling.Enumerate(names) + " " + more
}

// moving says what is in transit.
func (g *cluster) moving(v *View) string {
	messages, timers := 0, 0
	for _, t := range v.Transit {
		if t.Timer {
			timers++
		} else {
			messages++
		}
	}
	var parts []string
	if messages > 0 {
		parts = append(parts, count(messages, "message is in transit", "messages are in transit"))
	}
	if timers > 0 {
		parts = append(parts, count(timers, "timer is set", "timers are set"))
	}
	if len(parts) == 0 {
		return "nothing is in transit"
	}
	return strings.Join(parts, ", ")
}

// spent says how many messages there were, and how many each entry took.
func (g *cluster) spent(v *View) string {
	text := count(v.Costs.Messages, "message", "messages")
	switch c := v.Costs; {
	case g.system != nil:
		return fmt.Sprintf("%s, claimed %s", text, c.Claim)
	case c.Claim != "" && c.PerEntry == c.Claimed:
		return text + ": " + c.Claim + " each"
	case c.Claim != "":
		return fmt.Sprintf("%s: %s each, claimed %s", text, c.PerEntry, c.Claim)
	default:
		return fmt.Sprintf("%s: %s each", text, c.PerEntry)
	}
}

// stuck says who waits for whom.
func (g *cluster) stuck(v *View) string {
	waiting := g.in(messaging.Waiting)
	text := "stuck: " + verb(waiting, "waits", "wait")
	var crashed []string
	for _, m := range g.members {
		if m.Crashed {
			crashed = append(crashed, m.Name)
		}
	}
	if len(crashed) > 0 {
		text += " for " + verb(crashed, "which has", "which have") + " crashed"
	}
	return text + "; nothing is in transit"
}

// why returns why the run has failed, with nodes named as the page names them.
func (g *cluster) why() string {
	text, _ := notation.Named(sentence(g.sim.Err()))
	return text
}
