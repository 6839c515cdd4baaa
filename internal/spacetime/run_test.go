package spacetime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/internal/svg"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// ring is an algorithm with a token that circulates forever.
type ring struct {
	start         messaging.Start
	Wants, Inside bool
	Held          int
}

type token struct{}

func (r *ring) Start(out messaging.Out) {
	if r.start.Self == r.start.Holder {
		r.pass(out)
	}
}

func (r *ring) pass(out messaging.Out) {
	out.Send((r.start.Self+1)%messaging.ID(r.start.Nodes), token{})
}
func (r *ring) Request(messaging.Out) { r.Wants = true }

func (r *ring) Release(out messaging.Out) {
	r.Inside = false
	r.pass(out)
}

func (r *ring) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	r.Held++
	if r.Wants {
		r.Wants, r.Inside = false, true
		out.Enter()
		return
	}
	r.pass(out)
}

func newRing(start messaging.Start) messaging.Node { return &ring{start: start} }

func requests(nodes ...messaging.ID) sim.Script {
	var all sim.Script
	for k, i := range nodes {
		all = append(all, sim.Request{Node: i, At: time.Duration(3*k) * sim.T})
	}
	return all
}

// The token is followed in one color: in transit, and where it is held.
func TestToken(t *testing.T) {
	r := simulated("ring", sim.Config{Algorithm: newRing, Nodes: 3, Load: requests(1, 0, 2), Perpetual: true})
	require.Empty(t, r.Failure)
	d := drawn(t, r)
	d.check()
	followed(t, d, "TOKEN")

	// A token that is doubled is none.
	r = simulated("doubled", sim.Config{Algorithm: newRing, Nodes: 3, Load: requests(1, 0, 2), Perpetual: true, Duplication: 1, Seed: 1})
	assert.Empty(t, carried(drawn(t, r)))
}

// carried returns the arrows and lines in the color of the token.
func carried(d drawing) (all []*svg.Shape) {
	for _, s := range d.with("stroke") {
		if s.At["stroke"] == "#C2177A" {
			all = append(all, s)
		}
	}
	return all
}

// followed fails the test unless the path of the token is unbroken, from the first message
// of its kind to the last.
func followed(t *testing.T, d drawing, kind string) {
	t.Helper()
	ends := map[string]int{} // how many parts of the path have an end there
	for _, s := range carried(d) {
		ns := s.Numbers("d")
		if len(ns) == 3 {
			ns = []float64{ns[0], ns[1], ns[2], ns[1]}
		}
		ends[fmt.Sprint(ns[:2])]++
		ends[fmt.Sprint(ns[2:])]++
	}
	for _, a := range d.with("data-message") {
		is := strings.HasPrefix(a.Text, kind)
		assert.Equal(t, is, a.Inside[1].At["stroke"] == "#C2177A", "%s", a.Text)
		if is && a.Number("data-end") > 0 {
			ns := a.Inside[1].Numbers("d")
			assert.Equal(t, 2, ends[fmt.Sprint(ns[2:])], "parts of the path at the end of %s", a.Text)
		}
	}
}

// Where nodes are inside at once that must not be, their lines are framed.
func TestClash(t *testing.T) {
	for name, nodes := range map[string][]string{
		"lamport-unordered": {"0", "1"},
		"maekawa":           nil, "ricartagrawala-acknowledged": nil, // in which a node crashes inside
		"intervals": nil, // in which nodes are inside together that may be
	} {
		assert.ElementsMatch(t, nodes, framed(drawn(t, scenario(t, name))), name)
	}
}

// framed returns the nodes whose lines are framed.
func framed(d drawing) (nodes []string) {
	for _, s := range d.with("data-clash") {
		nodes = append(nodes, s.At["data-clash"])
	}
	return nodes
}

// Nor are they framed if the run is chosen event by event.
func TestTogether(t *testing.T) {
	s, err := sim.ReadScenario("together", strings.NewReader("nodes 3; algorithm intervals; run a0.d1.d3.a2.d4.d5.d2.d8.d6.d7"))
	require.NoError(t, err)
	r, err := spacetime.OfScenario("together", s, catalog.Scenario)
	require.NoError(t, err)
	d := drawn(t, r)
	assert.Len(t, d.with("data-phase"), 4, "two wait, then both are inside")
	assert.Empty(t, d.with("data-clash"))
}

func TestFolded(t *testing.T) {
	for _, test := range []struct {
		nodes int
		users []messaging.ID
		has   []string
	}{
		{5, []messaging.ID{1}, []string{"S1", "S2", "S3–S5, idle"}},
		{4, []messaging.ID{1}, []string{"S1", "S2", "S3", "S4"}},
		{1000, []messaging.ID{1, 500, 999}, []string{"S1", "S2", "S3–S500, idle", "S501", "S502–S999, idle", "S1000"}},
	} {
		a, err := catalog.Protocol("central", test.nodes)
		require.NoError(t, err)
		d := drawn(t, simulated("folded", sim.Config{Algorithm: a, Nodes: test.nodes, Load: requests(test.users...)}))
		var names []string
		for _, s := range d.all {
			if s.Name == "text" && s.At["text-anchor"] == "end" && s.Text != "T" {
				names = append(names, s.Text)
			}
		}
		assert.Equal(t, test.has, names)
	}
}
