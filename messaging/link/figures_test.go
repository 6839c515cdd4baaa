package link_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/sim"
)

// With one message outstanding, one of ten lost, and a timeout of 3 T, a message takes 1.6 T at
// most in the mean. It would be 1 + 3/9 T if the timeout were exact.
func TestDelay(t *testing.T) {
	const apart = 100 * sim.T // far longer than any message takes here
	words := tier.Pick(5_000, 100_000)
	c := sim.Config{
		Algorithm: link.Over(talk, link.Config{Timeout: 3 * sim.T}), Nodes: 2, Loss: 0.1,
		Results: func(messaging.Outcome) error { return nil },
	}
	for k := range words {
		c.Inputs = append(c.Inputs, sim.Input{At: time.Duration(k) * apart, Message: Say{k}})
	}
	delays, heard := time.Duration(0), 0
	c.Observe = func(e messaging.Event) {
		if h, ok := e.Message.(Heard); ok {
			delays += e.At - time.Duration(h.Word)*apart
			heard++
		}
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	require.Equal(t, words, heard)
	mean := float64(delays) / float64(words) / float64(sim.T)
	t.Logf("%d words: %.3f T, %.3f messages a word", words, mean, float64(r.Messages)/float64(words))
	assert.LessOrEqual(t, mean, 1.6)
	assert.GreaterOrEqual(t, mean, 1.3, "it was hardly ever lost")
}

// Without loss, the link adds at most an acknowledgement for each message, and hardly ever sends
// one again, also if they overtake each other.
func TestMessages(t *testing.T) {
	most := 0.0
	for _, p := range catalog.Protocols {
		if p.Perpetual {
			continue // the number depends on how long the run is
		}
		const n = 7
		for _, latency := range []sim.Distribution{sim.Constant(sim.T), sim.Uniform(sim.T/2, 3*sim.T/2)} {
			c := sim.Config{Algorithm: p.New(n), Nodes: n, Load: sim.HighLoad{}, Entries: 20 * n, Latency: latency}
			bare, err := sim.Run(c)
			require.NoError(t, err, p.Name)
			c.Algorithm = link.Over(p.New(n), link.Config{Timeout: 4 * sim.T})
			c.Unordered = true
			over, err := sim.Run(c)
			require.NoError(t, err, p.Name)
			factor := over.PerEntry / bare.PerEntry
			assert.LessOrEqual(t, factor, 2.2, p.Name)
			most = max(most, factor)
			t.Logf("%s: %.2f", p.Name, factor)
		}
	}
	t.Logf("at most %.2f times the messages", most)
}

// An acknowledgement waits for Delay, in ticks, unless a message carries it.
func TestAcknowledgementWaits(t *testing.T) {
	for _, c := range []struct {
		link.Config
		ticks int
	}{
		{link.Config{Timeout: 12}, 1},
		{link.Config{Timeout: 12, Delay: 1}, 1},
		{link.Config{Timeout: 12, Tick: 2, Delay: 5}, 3},
	} {
		var nodes [2]*host.Site
		for i := range nodes {
			nodes[i] = host.NewSite(link.Over(talk, c.Config), messaging.Start{Self: messaging.ID(i), Nodes: 2}, nil)
			nodes[i].Start()
		}
		nodes[0].Receive(0, Say{1})
		nodes[1].Receive(0, nodes[0].Sends[0].Message)
		for tick := 1; len(nodes[1].Sends) == 0; tick++ {
			require.Len(t, nodes[1].Timers, 1, "%+v, tick %d", c, tick)
			nodes[1].Done()
			nodes[1].Receive(1, link.Tick{})
			assert.Equal(t, tick == c.ticks, len(nodes[1].Sends) > 0, "%+v, tick %d", c, tick)
		}
		assert.IsType(t, link.Ack{}, nodes[1].Sends[0].Message)
		assert.Empty(t, nodes[1].Timers, "%+v: it goes on", c)
	}
}

// If all round trips take less than a tick, as on a fast network, what is lost is sent again in the third tick:
// the timeout falls to two, of which the first is never a whole one.
func TestSteadyRoundTrip(t *testing.T) {
	n := host.NewSite(link.Over(talk, link.Config{Timeout: 60, Tick: 1}), messaging.Start{Self: 0, Nodes: 2}, nil)
	n.Start()
	for k := range uint64(20) {
		n.Receive(0, Say{1})
		n.Done()
		n.Receive(1, link.Ack{Of: 1, To: 1, Seen: k + 1})
	}
	n.Receive(0, Say{1})
	n.Done()
	ticks := 0
	for ; len(n.Sends) == 0; ticks++ {
		n.Receive(0, link.Tick{})
	}
	assert.Equal(t, 3, ticks)
}

// The timeout follows the round trip, up if it is longer than the timeout that was given, and down if it is
// shorter.
func TestRoundTrip(t *testing.T) {
	words := func(many int, latency sim.Distribution, loss float64, timeout time.Duration) (frames, delay float64) {
		c := sim.Config{
			Algorithm: link.Over(talk, link.Config{Timeout: timeout, Tick: sim.T / 4}), Nodes: 2, Latency: latency, Loss: loss,
			Observe: func(e messaging.Event) {
				if h, ok := e.Message.(Heard); ok {
					delay += float64(e.At-time.Duration(h.Word)*200*sim.T) / float64(sim.T) / float64(many)
				}
			},
		}
		for k := range many {
			c.Inputs = append(c.Inputs, sim.Input{At: time.Duration(k) * 200 * sim.T, Message: Say{k}})
		}
		r, err := sim.Run(c)
		require.NoError(t, err)
		return float64(r.Kinds["FRAME"]) / float64(many), delay
	}
	frames, _ := words(200, sim.Constant(10*sim.T), 0, 4*sim.T)
	assert.LessOrEqual(t, frames, 1.1, "a round trip of 20 T, and a timeout of 4 T")
	frames, _ = words(200, sim.Constant(10*sim.T), 0, 18*sim.T)
	assert.LessOrEqual(t, frames, 1.1, "a round trip of 20 T, and a timeout of 18 T: which of two frames is acknowledged is not known")
	_, delay := words(2000, sim.Constant(sim.T), 0.1, 100*sim.T)
	assert.LessOrEqual(t, delay, 1.7, "a round trip of 2 T, and a timeout of 100 T")
}

// What is lost before something else arrives is asked for, long before it would be sent again.
func TestGap(t *testing.T) {
	last := time.Duration(0)
	c := sim.Config{
		Algorithm: link.Over(talk, link.Config{Timeout: 100 * sim.T, Tick: sim.T / 4}), Nodes: 2,
		Except: []sim.Exception{{Kind: "FRAME", Ordinal: 2, Lose: true}, {Kind: "FRAME", Ordinal: 3, Lose: true}, {Kind: "FRAME", Ordinal: 5, Lose: true}},
		Observe: func(e messaging.Event) {
			if _, ok := e.Message.(Heard); ok {
				last = e.At
			}
		},
		Results: heard,
	}
	for k := range 6 {
		c.Inputs = append(c.Inputs, sim.Input{Message: Say{k + 1}})
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	assert.LessOrEqual(t, r.Kinds["FRAME"], 6+3+1, "only what was lost is sent again, and the last, which waits for all of it")
	assert.LessOrEqual(t, last, 7*sim.T, "two gaps, of 3 T each")
}

// A pair are two sites that exchange frames.
type pair struct{ sites [2]*host.Site }

func newPair(a messaging.Algorithm) *pair {
	p := new(pair)
	for i := range p.sites {
		p.sites[i] = host.NewSite(a, messaging.Start{Self: messaging.ID(i), Nodes: 2}, nil)
		p.sites[i].Start()
	}
	return p
}

// exchange delivers what both send until neither does, and returns how many messages that were.
func (p *pair) exchange() (messages int) {
	for quiet := false; !quiet; {
		quiet = true
		for i, s := range p.sites {
			for _, sent := range s.Sends {
				p.sites[1-i].Receive(messaging.ID(i), sent.Message)
				messages++
				quiet = false
			}
			s.Done()
		}
	}
	return messages
}

// A ball is sent back as it came, until it has been over the link a number of times.
type ball struct{ Left int }

// again are the messages of players, so that none is allocated.
var again = [...]messaging.Message{ball{0}, ball{1}, ball{2}, ball{3}, ball{4}, ball{5}, ball{6}, ball{7}}

type player struct{ start messaging.Start }

func play(start messaging.Start) messaging.Node { return &player{start} }

func (n *player) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if left := m.(ball).Left; left > 0 {
		out.Send(1-n.start.Self, again[left-1])
	}
}

// A frame is one allocation, and handling it is none.
func TestAllocations(t *testing.T) {
	p := newPair(link.Over(play, link.Config{Timeout: time.Second}))
	frames := 0
	allocations := testing.AllocsPerRun(1000, func() {
		p.sites[0].Receive(0, again[7])
		frames = p.exchange()
	})
	require.Equal(t, 7, frames)
	assert.LessOrEqual(t, allocations/7, 1.0)
}

func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name string
		a    messaging.Algorithm
	}{{"link=none", play}, {"link=reliable", link.Over(play, link.Config{Timeout: time.Second})}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			p := newPair(c.a)
			frames := 0
			for b.Loop() {
				p.sites[0].Receive(0, again[7])
				frames += p.exchange()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frames), "ns/frame")
		})
	}
}
