package snapshot_test

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// graphs are the topologies of the protocols that have one.
var graphs = map[string]func(n int) topology.Graph{
	"echo":       echo.Graph,
	"snepscheut": snepscheut.Graph,
	"tokenring":  topology.Ring,
}

// graph returns the channels of a protocol of the catalog; nil: all.
func graph(p catalog.Protocol) func(n int) topology.Graph {
	of, there := graphs[p.Name]
	if !there && p.Over != nil {
		return func(n int) topology.Graph { return topology.Tree(n, 2) }
	}
	return of
}

// protocol returns a row of the catalog as a protocol, whose invariant is that of the row and mutual
// exclusion. If its nodes pass a token, there is also exactly one: with one more in transit, the
// invariant of the row does not hold.
func protocol(row catalog.Protocol) messaging.Protocol {
	rules := []messaging.Invariant{exclusion}
	if row.Invariant != nil {
		rules = append(rules, row.Invariant)
	}
	k := slices.IndexFunc(row.Kinds, func(m messaging.Message) bool { return messaging.Kind(m) == "TOKEN" })
	if k >= 0 && !strings.HasPrefix(row.Name, "hierarchy") { // which has a token in each cluster
		rules = append(rules, func(nodes []messaging.Node, transit []messaging.Event) error {
			another := messaging.Event{From: 0, To: messaging.ID(len(nodes) - 1), Message: row.Kinds[k]}
			if row.Invariant(nodes, append(slices.Clone(transit), another)) == nil {
				return errors.New("there is no token")
			}
			return nil
		})
	}
	return messaging.Protocol{
		Name: row.Name, Kinds: row.Kinds, Perpetual: row.Perpetual, Invariant: all(rules...),
		New: func(n int) (messaging.Algorithm, error) { return row.New(n), nil },
	}
}

func all(rules ...messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		for _, rule := range rules {
			if err := rule(nodes, transit); err != nil {
				return err
			}
		}
		return nil
	}
}

// exclusion is that no two nodes are inside that exclude each other.
func exclusion(nodes []messaging.Node, _ []messaging.Event) error {
	for i := range nodes {
		for j := range i {
			sharer, shares := nodes[i].(messaging.Sharer)
			if inside(nodes[i]) && inside(nodes[j]) && (!shares || sharer.Excludes(messaging.ID(j))) {
				return fmt.Errorf("nodes %d and %d are inside", j, i)
			}
		}
	}
	return nil
}

// inside reports whether a node is, which most have in a field.
func inside(n messaging.Node) bool {
	phase := reflect.ValueOf(n).Elem().FieldByName("Phase")
	return phase.IsValid() && phase.Interface() == messaging.Inside
}

// In each cut of a run of any algorithm, the invariant of the algorithm holds, and there is one token
// if it has one. Snapshots change nothing else.
func TestInvariantsHoldInCuts(t *testing.T) {
	for _, row := range catalog.Protocols {
		p := protocol(row)
		over := snapshot.Of(p, graph(row))
		transit := 0
		for seed := range uint64(tier.Pick(5, 500)) {
			n := 1 + int(seed+3)%6
			var latest messaging.Outcome
			a, err := over.New(n)
			require.NoError(t, err)
			c := nodetest.Config{
				Nodes: n, Seed: seed, Perpetual: p.Perpetual, AnyTime: seed%2 > 0, Withdraw: float64(seed%3) / 4,
				Holder: messaging.ID(seed % uint64(n)), Entries: 2 * n, Inputs: make(inputs, n), Invariant: over.Invariant,
				Results: func(o messaging.Outcome) error {
					latest = o
					return over.Results(o)
				},
			}
			for i := range n {
				c.Inputs[i] = inputs{{take, take}, {take}, {}}[i%3]
			}
			require.NoError(t, nodetest.Run(a, c), "%s, seed %d", p.Name, seed)
			transit += recorded(latest)
		}
		assert.Positive(t, transit, p.Name)
		t.Logf("%s: %d messages in transit in the cuts", p.Name, transit)
	}
}

// recorded returns how many messages have been recorded.
func recorded(o messaging.Outcome) (messages int) {
	for _, values := range o.Emitted {
		for _, v := range values {
			if part, ok := v.(snapshot.Part); ok {
				for _, c := range part.Channels {
					messages += len(c.Messages)
				}
			}
		}
	}
	return messages
}

// Each cut is a state in which the algorithm can be without snapshots, in every schedule with users and a
// snapshot.
func TestCutsAreReachable(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes int
	}{{"suzukikasami", 2}, {"huntedring", 2}, {"ricartagrawala", 2}, {"suzukikasami", 3}, {"huntedring", 3}, {"maekawa", 2}} {
		if c.nodes == 3 && !tier.Full {
			continue
		}
		row, _ := catalog.FindProtocol(c.name)
		reachable, cuts := map[string]bool{}, map[string]bool{}
		collect := func(into map[string]bool) messaging.Invariant {
			return func(nodes []messaging.Node, transit []messaging.Event) error {
				into[text(nodes, transit)] = true
				return nil
			}
		}
		alone := explore.NodesConfig{New: row.New(c.nodes), Nodes: c.nodes, Invariant: collect(reachable)}
		r, err := explore.CheckNodes(alone)
		require.NoError(t, err)
		require.NoError(t, r.Err())

		p := protocol(row)
		p.Invariant = all(p.Invariant, collect(cuts), func(nodes []messaging.Node, transit []messaging.Event) error {
			if !reachable[text(nodes, transit)] {
				return errors.New("the nodes cannot be in that state")
			}
			return nil
		})
		over := snapshot.Of(p, nil)
		a, err := over.New(c.nodes)
		require.NoError(t, err)
		r, err = explore.CheckNodes(explore.NodesConfig{
			New: a, Nodes: c.nodes, Inputs: append(inputs{{take}}, make(inputs, c.nodes-1)...), Results: over.Results, Memory: 3 << 30,
		})
		require.NoError(t, err)
		assert.NoError(t, r.Err(), c.name)
		t.Logf("%s: %d states alone, %d of them in cuts; %v", c.name, len(reachable), len(cuts), r)
	}
}

// text returns a global state as text, in one way only.
func text(nodes []messaging.Node, transit []messaging.Event) string {
	transit = slices.Clone(transit)
	slices.SortStableFunc(transit, func(a, b messaging.Event) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	return snapshot.Cut{Nodes: nodes, Transit: transit}.String()
}
