package play

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/action"
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
		return Verdict{violated, are(v.those(isInside), "inside at the same time")}
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
	timers := 0
	for _, t := range v.Transit {
		if t.Timer {
			timers++
		}
	}
	var parts []string
	if messages := len(v.Transit) - timers; messages > 0 {
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

// A tally counts.
type tally struct {
	messages, requests, entries, transit int
	kinds                                []Amount
}

// sent counts a message.
func (t *tally) sent(kind string) {
	t.messages++
	t.transit++
	k := slices.IndexFunc(t.kinds, func(a Amount) bool { return a.Kind == kind })
	if k < 0 {
		k = len(t.kinds)
		t.kinds = append(t.kinds, Amount{Kind: kind})
	}
	t.kinds[k].Sent++
}

// costs returns the messages so far, beside what the algorithm claims.
func (g *cluster) costs() Costs {
	c := Costs{Messages: g.tally.messages, Entries: g.tally.entries, Kinds: append([]Amount{}, g.tally.kinds...)}
	if c.Entries > 0 {
		c.PerEntry = rounded(float64(c.Messages) / float64(c.Entries))
	}
	if g.system != nil {
		c.Claim, c.Claimed = claim(g.system.Claims, g.setting.Nodes)
		c.Claim += " if all " + g.system.Trial.Text
		c.Claimed += " messages"
		return c
	}
	c.Claim, c.Claimed = claim(g.of.Costs.Alone, g.setting.Nodes)
	if c.Claim == "" {
		return c
	}
	c.Claimed += " an entry"
	if loaded, of := claim(g.of.Costs.Loaded, g.setting.Nodes); loaded != c.Claim {
		c.Claim, c.Claimed = c.Claim+" at low load, "+loaded+" at high load", c.Claimed+" at low load, "+of+" at high load"
	}
	if !ofAnyEntry.MatchString(g.of.Costs.Alone.Text + g.of.Costs.Loaded.Text) {
		c.Claimed += " if all nodes enter equally often"
	}
	return c
}

// ofAnyEntry matches formulas in the number of nodes alone, which hold for any entry. Others are about the node that enters: its
// quorum, its distance from the token, or that it is a client.
var ofAnyEntry = regexp.MustCompile(`^[N0-9²∞().+-]*$`)

// claim returns a formula, and its value for n nodes.
func claim(r catalog.Range, n int) (text, value string) {
	if r.Of == nil {
		return "", ""
	}
	least, most := r.Of(n)
	switch {
	case least >= most: // the bounds of a mean, which a single node does not need
		value = rounded(most)
	case most >= math.MaxFloat64:
		value = "at least " + rounded(least)
	default:
		value = rounded(least) + " to " + rounded(most)
	}
	return r.Text, value
}

func rounded(f float64) string { return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64) }

// count returns a number of things in words.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// waits says for whom nodes wait, by their messages and whatever the algorithm: a node that waits has sent to another since its
// request, and nothing has come back which that one sent after it had got it. What a node sends at once to the sender of
// what it gets is an answer, for which nothing has to come back.
type waits struct {
	asked [][]asked // by the node that waits, and the other
	got   got       // the delivery that was observed last
}

// An asked is the last message without an answer.
type asked struct {
	sent   uint64 // the number of the event; 0: there is none
	at     uint64 // the number of its delivery; 0: it has not arrived
	answer uint64 // the number of the event by which an answer was sent last; 0: none was
	text   string
	how    string // what became of it
	lost   string // the message that was lost, it or the answer; "": none was
}

type got struct {
	number uint64
	from   messaging.ID
}

func newWaits(n int) waits {
	w := waits{asked: make([][]asked, n)}
	for i := range w.asked {
		w.asked[i] = make([]asked, n)
	}
	return w
}

func (w *waits) observe(e messaging.Event) {
	out, back := &w.asked[e.From][e.To], &w.asked[e.To][e.From]
	switch e.Action {
	case action.Requested, action.Restarted:
		clear(w.asked[e.From])
	case action.Sent:
		if back.at > 0 {
			back.answer, back.how = e.Number, "has an answer, which is in transit"
		}
		if e.Cause != w.got.number || e.To != w.got.from {
			*out = asked{sent: e.Number, text: notation.Message(e.Message), how: "is in transit"}
		}
	case action.Lost:
		lost := notation.Message(e.Message) + " to " + notation.Node(e.To)
		switch e.Cause {
		case out.sent:
			out.how, out.lost = "was lost", lost
		case back.answer:
			back.how, back.lost = "has an answer, which was lost", lost
		}
	case action.Delivered:
		w.got = got{e.Number, e.From}
		if back.at > 0 && e.Cause > back.at {
			*back = asked{}
		}
		if out.sent == e.Cause {
			out.at, out.how = e.Number, "has no answer"
		}
	}
}

// list returns for whom nodes wait, of those that do.
func (w *waits) list(members []Member) (all []Wait) {
	for i, m := range members {
		if m.Crashed || !isWaiting(m) {
			continue
		}
		for j, a := range w.asked[i] {
			if a.sent != 0 {
				all = append(all, Wait{i, j, fmt.Sprintf("%s to %s %s", a.text, members[j].Name, a.how), a.lost})
			}
		}
	}
	return all
}
