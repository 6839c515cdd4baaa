package wire_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/sim"
)

// A subject is a protocol, and a run in which its nodes send messages.
type subject struct {
	messaging.Protocol
	run func(n int, seed uint64) sim.Config
}

// subjects are all protocols of the catalog, also with recovery and over links.
func subjects() (all []subject) {
	for _, p := range catalog.Protocols {
		all = append(all, locking(p), overLinks(locking(p)))
		if p.Excludes(1) == nil { // recovery is of nodes that do not share
			all = append(all, overLinks(locking(catalog.Suspecting(p))))
		}
	}
	for _, s := range catalog.Systems {
		all = append(all, subject{s.Declared, func(n int, seed uint64) sim.Config {
			c := sim.Config{Algorithm: s.Within(n, sim.T), Nodes: n, Seed: seed, Until: 50 * sim.T, Perpetual: s.Perpetual}
			for i, of := range s.Trial.Inputs(n) {
				c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: of[0]})
			}
			if s.Locks() {
				c.Load, c.Entries = sim.HighLoad{}, 5*n
			}
			return c
		}})
	}
	return all
}

func locking(p catalog.Protocol) subject {
	return subject{p.Declared, func(n int, seed uint64) sim.Config {
		return sim.Config{
			Algorithm: p.Within(n, sim.T), Nodes: n, Seed: seed, Load: sim.HighLoad{}, Entries: 5 * n, Perpetual: p.Perpetual,
			Latency: sim.Exponential(sim.T), Unordered: !p.FIFO, GiveUp: .2,
		}
	}}
}

// overLinks returns a subject over links that lose and duplicate messages, and a node that crashes.
func overLinks(s subject) subject {
	config := link.Config{Timeout: 4 * sim.T}
	return subject{link.Of(s.Protocol, config), func(n int, seed uint64) sim.Config {
		c := s.run(n, seed)
		c.Algorithm, c.Loss, c.Duplication, c.Unordered, c.Until = link.Over(c.Algorithm, config), .1, .1, true, 100*sim.T
		c.Crashes, c.Detection = []sim.Crash{{Node: 0, At: 20 * sim.T, Restart: 30 * sim.T}}, sim.Constant(sim.T)
		return c
	}}
}

func codecOf(tb testing.TB, p messaging.Protocol) *wire.Codec {
	tb.Helper()
	codec, err := wire.New(p)
	require.NoError(tb, err)
	return codec
}

// Every message of every run arrives as it was sent, in a process that has sent none.
func TestMessagesOfRuns(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			sender, receiver := codecOf(t, s.Protocol), codecOf(t, s.Protocol)
			sent := 0
			for seed := range uint64(tier.Fewer(tier.Pick(5, 50))) {
				c := s.run(int((seed+2)%5)+1, seed) // 3 nodes first: one node sends no message
				c.Observe = func(e messaging.Event) {
					if e.Action != "sent" {
						return
					}
					sent++
					data := sender.Append(nil, e.Message)
					m, err := receiver.Decode(data)
					if err != nil || !reflect.DeepEqual(m, e.Message) {
						t.Fatalf("%T %+v was received as %+v: %v", e.Message, e.Message, m, err)
					}
				}
				_, _ = sim.Run(c) // of which some fail, as nodes crash
			}
			assert.NotZero(t, sent)
		})
	}
}
