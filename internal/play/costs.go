package play

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// A tally counts events.
type tally struct {
	messages, requests, entries, transit int
	kinds                                []Amount
}

func (t *tally) count(e messaging.Event) {
	switch e.Action {
	case action.Requested:
		t.requests++
	case action.Entered:
		t.entries++
	case action.Delivered, action.Lost:
		t.transit--
	case action.Duplicated:
		t.transit++
	case action.Sent:
		t.messages++
		t.transit++
		kind := messaging.Kind(e.Message)
		k := slices.IndexFunc(t.kinds, func(a Amount) bool { return a.Kind == kind })
		if k < 0 {
			k = len(t.kinds)
			t.kinds = append(t.kinds, Amount{Kind: kind})
		}
		t.kinds[k].Sent++
	}
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
