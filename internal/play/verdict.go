package play

import (
	"errors"
	"fmt"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/internal/spelling"
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
		return Verdict{violated, g.twoInside(v)}
	case "invariant", "results":
		return Verdict{violated, g.why()}
	default:
		return Verdict{failed, g.why()}
	}
	if g.over {
		return Verdict{done, "the run ends at " + v.Now + " T, as its text says; " + g.spent(v)}
	}
	inside, waiting := v.those(isInside), v.those(isWaiting)
	switch {
	case len(inside) > 0 && len(waiting) > 0:
		return Verdict{going, are(inside, "inside") + ", " + verb(waiting, "waits", "wait")}
	case len(inside) > 0:
		return Verdict{going, are(inside, "inside")}
	case len(waiting) > 0:
		return Verdict{going, verb(waiting, "waits", "wait") + "; " + underwayIn(v)}
	case len(v.Transit) > 0 || pends(v):
		return Verdict{going, underwayIn(v)}
	case g.system != nil:
		return Verdict{done, "nothing is in transit any more. The result is right: " + g.system.Right + "; " + g.spent(v)}
	case g.tally.requests == 0:
		return Verdict{going, "no node has asked yet"}
	case len(v.names(isLost)) > 0:
		return Verdict{done, verb(v.names(isLost), "has", "have") + " crashed before an entry, and no other node waits: " + g.spent(v)}
	case g.tally.requests > g.tally.entries:
		return Verdict{done, "no node waits any more: " + g.spent(v)}
	}
	return Verdict{done, "all served: " + g.spent(v)}
}

// twoInside names the nodes that violate mutual exclusion.
func (g *cluster) twoInside(v *View) string {
	var two steps.Violation
	if !errors.As(g.sim.Err(), &two) {
		return g.why()
	}
	first, second := min(two.Inside, two.Entered), max(two.Inside, two.Entered)
	return fmt.Sprintf("%s and %s are inside at the same time", v.Members[first].Name, v.Members[second].Name)
}

// pends reports whether something is still to happen by itself.
func pends(v *View) bool { return len(v.Choices) > 0 && v.Choices[0].Group == next }

// names returns those of the members for which is holds.
func (v *View) names(is func(Member) bool) (names []string) {
	for _, m := range v.Members {
		if is(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// those is names but for members that have crashed.
func (v *View) those(is func(Member) bool) []string {
	return v.names(func(m Member) bool { return is(m) && !m.Crashed })
}

func isInside(m Member) bool  { return m.Phase == "inside" }
func isWaiting(m Member) bool { return m.Phase == "waiting" }
func isLost(m Member) bool    { return isWaiting(m) && m.Crashed } // its request is

func are(names []string, what string) string { return verb(names, "is", "are") + " " + what }

func verb(names []string, one, more string) string {
	if len(names) == 1 {
		more = one
	}
	return spelling.Enumerate(names) + " " + more
}

// underwayIn says what is in transit.
func underwayIn(v *View) string {
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
	switch {
	case len(parts) > 0:
	case pends(v):
		return "nothing is in transit; next: " + v.Choices[0].Text
	default:
		return "nothing is in transit"
	}
	return strings.Join(parts, ", ")
}

// spent says how many messages there were, and how many each entry took.
func (g *cluster) spent(v *View) string {
	text, c := count(v.Costs.Messages, "message", "messages"), v.Costs
	for _, r := range []catalog.Range{g.of.Costs.Alone, g.of.Costs.Loaded} {
		if formula, value := claim(r, g.setting.Nodes); formula != "" && value == c.PerEntry {
			return text + ", " + formula + " an entry"
		}
	}
	switch {
	case g.system != nil:
		return fmt.Sprintf("%s, claimed: %s", text, c.Claim)
	case c.PerEntry == "":
		return text
	case c.Claim != "":
		return fmt.Sprintf("%s, %s an entry, claimed: %s", text, c.PerEntry, c.Claim)
	default:
		return fmt.Sprintf("%s, %s an entry", text, c.PerEntry)
	}
}

// stuck says who waits for whom.
func (g *cluster) stuck(v *View) string {
	forWhom := map[string][]string{} // by the names of those for whom they wait
	var order, lost []string
	whom := map[int]bool{}
	for i, m := range v.Members {
		if !g.waiting(m) {
			continue
		}
		var others []string
		for _, w := range v.Waits {
			if w.Member == i {
				others, whom[w.For] = append(others, v.Members[w.For].Name), true
				if w.lost != "" && !v.Members[w.For].Crashed {
					lost = append(lost, w.lost)
				}
			}
		}
		key := spelling.Enumerate(others)
		if forWhom[key] == nil {
			order = append(order, key)
		}
		forWhom[key] = append(forWhom[key], m.Name)
	}
	parts := make([]string, len(order))
	for k, others := range order {
		parts[k] = verb(forWhom[others], "waits", "wait")
		if others != "" {
			parts[k] += " for " + others
		}
	}
	text := "stuck: " + strings.Join(parts, ", ")
	var down []string
	for i, m := range v.Members {
		if whom[i] && m.Crashed {
			down = append(down, m.Name)
		}
	}
	switch {
	case len(down) == 0:
	case len(order) == 1 && len(whom) == 1:
		text += ", which has crashed"
	default:
		text += "; " + verb(down, "has", "have") + " crashed"
	}
	if len(lost) > 0 {
		text += "; " + verb(lost, "was lost", "were lost")
	}
	return text + "; nothing is in transit"
}

// why returns why the run has failed, with nodes named as the page names them.
func (g *cluster) why() string {
	text, _ := notation.Named(sentence(g.sim.Err()))
	return text
}
