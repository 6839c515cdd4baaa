package messaging_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/conflict"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A network is a host of sites that carries the clock of entries, but not on messages that
// forgets names.
type network struct {
	sites   []*messaging.Site
	transit []parcel
	timers  []parcel
	rand    *rand.Rand
	forgets func(messaging.Message) bool
}

type parcel struct {
	from, to messaging.ID
	message  messaging.Message
	entries  uint64
}

func newNetwork(n int, a messaging.Algorithm, seed uint64) *network {
	w := &network{rand: rand.New(rand.NewPCG(seed, 0)), forgets: func(messaging.Message) bool { return false }}
	for i := range messaging.ID(n) {
		w.sites = append(w.sites, messaging.NewSite(a, messaging.Start{Self: i, Nodes: n}, w.rand.IntN))
	}
	for i, site := range w.sites {
		site.Start()
		w.carryOut(messaging.ID(i))
	}
	return w
}

func (w *network) carryOut(i messaging.ID) {
	site := w.sites[i]
	for _, s := range site.Sends {
		p := parcel{i, s.To, s.Message, site.Entries()}
		if w.forgets(s.Message) {
			p.entries = 0
		}
		w.transit = append(w.transit, p)
	}
	for _, t := range site.Timers {
		w.timers = append(w.timers, parcel{i, i, t.Message, 0})
	}
	site.Done()
}

// step has a random message arrive, or the first timer expire if there is none.
func (w *network) step() {
	from := &w.transit
	if len(*from) == 0 {
		from = &w.timers
	}
	k := w.rand.IntN(len(*from))
	for j, p := range (*from)[:k] { // links are FIFO
		if p.from == (*from)[k].from && p.to == (*from)[k].to {
			k = j
			break
		}
	}
	p := (*from)[k]
	*from = slices.Delete(*from, k, k+1)
	w.sites[p.to].Witness(p.entries)
	w.sites[p.to].Receive(p.from, p.message)
	w.carryOut(p.to)
}

// run has the nodes enter so often, and returns an error if a token is not larger than those of
// the entries before it that it excludes.
func (w *network) run(entries int) error {
	graph := conflict.Of(len(w.sites), func(i messaging.ID) messaging.Node { return w.sites[i].Node() })
	latest := make([]messaging.Token, len(w.sites))
	for entries > 0 {
		i := messaging.ID(w.rand.IntN(len(w.sites)))
		site := w.sites[i]
		switch phase := site.Phase(); {
		case phase == messaging.Idle && w.rand.IntN(4) == 0:
			site.Request()
			w.carryOut(i)
		case phase == messaging.Inside && w.rand.IntN(4) == 0:
			for j, token := range latest {
				if j := messaging.ID(j); (i == j || graph.Excludes(i, j)) && !token.Before(site.Token()) {
					return fmt.Errorf("node %d enters with token %v after node %d with %v", i, site.Token(), j, token)
				}
			}
			latest[i] = site.Token()
			entries--
			site.Release()
			w.carryOut(i)
		case len(w.transit)+len(w.timers) > 0:
			w.step()
		}
	}
	return nil
}

// The clock of entries numbers those of every algorithm in their order.
func TestTokensOfSites(t *testing.T) {
	for _, p := range catalog.Protocols {
		for seed := range uint64(tier.Fewer(tier.Pick(20, 200))) {
			require.NoError(t, newNetwork(4, p.New(4), seed).run(20), "%s, seed %d", p.Name, seed)
		}
	}
}

// A clock that replies do not carry gives two entries the same token, with two nodes already.
func TestTokensOfForgetfulHost(t *testing.T) {
	for _, c := range []struct {
		what    string
		forgets func(messaging.Message) bool
	}{
		{"replies", func(m messaging.Message) bool { _, is := m.(ricartagrawala.Reply); return is }},
		{"messages", func(messaging.Message) bool { return true }},
	} {
		found := 0
		for seed := range uint64(20) {
			w := newNetwork(2, ricartagrawala.New, seed)
			w.forgets = c.forgets
			if w.run(20) != nil {
				found++
			}
		}
		assert.Equal(t, 20, found, c.what)
	}
}

func TestTokenOrder(t *testing.T) {
	tokens := []messaging.Token{{}, {Count: 1}, {Count: 2}, {Epoch: 1}, {Epoch: 1, Count: 1}, {Epoch: 2}}
	for i, a := range tokens {
		for j, b := range tokens {
			assert.Equal(t, i < j, a.Before(b), "%v before %v", a, b)
		}
	}
	assert.Equal(t, "2.17", messaging.Token{Epoch: 2, Count: 17}.String())
}
