package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// A visit is an element of Report.Order.
type visit = struct {
	Node                     messaging.ID
	Requested, Entered, Left time.Duration
}

// A ledger measures a run a second time, from the events, in the simplest way.
type ledger struct {
	now                          time.Duration
	kinds                        map[string]int
	sent, delivered, lost        int
	duplicated, requests, gaveUp int
	asked                        map[messaging.ID]time.Duration // by node that waits
	from                         map[messaging.ID]time.Duration // by node that has asked
	order                        []visit
	waiting, response, delay     []time.Duration
	pairs                        map[[2]messaging.ID][]time.Duration
	exit                         *messaging.Event // if a request has been pending since
	bypasses, inTransit          int
}

func newLedger() *ledger {
	return &ledger{
		kinds: map[string]int{}, asked: map[messaging.ID]time.Duration{}, from: map[messaging.ID]time.Duration{},
		pairs: map[[2]messaging.ID][]time.Duration{},
	}
}

func (l *ledger) observe(e messaging.Event) {
	if e.At < l.now {
		panic("time goes backwards")
	}
	l.now = e.At
	switch e.Action {
	case "requested":
		l.requests++
		l.asked[e.From], l.from[e.From] = e.At, e.At
	case "entered":
		for i, at := range l.asked {
			if i != e.From && at < l.asked[e.From] {
				l.bypasses++
			}
		}
		if l.exit != nil {
			l.delay = append(l.delay, e.At-l.exit.At)
			pair := [2]messaging.ID{l.exit.From, e.From}
			l.pairs[pair] = append(l.pairs[pair], e.At-l.exit.At)
			l.exit = nil
		}
		l.waiting = append(l.waiting, e.At-l.asked[e.From])
		l.order = append(l.order, visit{Node: e.From, Requested: l.asked[e.From], Entered: e.At, Left: -1})
		delete(l.asked, e.From)
	case "left":
		for k := len(l.order) - 1; ; k-- {
			if l.order[k].Node == e.From {
				l.order[k].Left = e.At
				break
			}
		}
		l.response = append(l.response, e.At-l.from[e.From])
		l.leave(e)
	case "passed":
		l.leave(e)
	case "gave up":
		l.gaveUp++
		l.stop(e.From)
	case "crashed":
		l.stop(e.From)
	case "sent":
		l.sent++
		l.kinds[messaging.Kind(e.Message)]++
		l.inTransit++
	case "delivered":
		l.delivered++
		l.inTransit--
	case "lost":
		l.lost++
		l.inTransit--
	case "duplicated":
		l.duplicated++
		l.inTransit++
	}
}

func (l *ledger) leave(e messaging.Event) {
	l.exit = nil
	if len(l.asked) > 0 {
		l.exit = &e
	}
}

func (l *ledger) stop(i messaging.ID) {
	delete(l.asked, i)
	if len(l.asked) == 0 {
		l.exit = nil
	}
}

func times(all []time.Duration) sim.Times {
	if len(all) == 0 {
		return sim.Times{}
	}
	t := sim.Times{Count: len(all), Shortest: slices.Min(all), Longest: slices.Max(all)}
	for _, d := range all {
		t.Sum += d
	}
	t.Mean = float64(t.Sum) / float64(time.Duration(t.Count)*sim.T)
	return t
}

func (l *ledger) check(t *testing.T, c sim.Config, r sim.Report) {
	t.Helper()
	equal := func(what string, got, want any) {
		t.Helper()
		assert.Equal(t, want, got, "seed %d: %s", c.Seed, what)
	}
	entriesOf := make([]int, c.Nodes)
	for _, v := range l.order {
		entriesOf[v.Node]++
	}
	pairs := map[[2]messaging.ID]sim.Times{}
	for p, all := range l.pairs {
		pairs[p] = times(all)
	}
	equal("messages", r.Messages, l.sent)
	for kind, n := range l.kinds {
		equal(kind, r.Kinds[kind], n)
	}
	equal("kinds", len(r.Kinds), len(l.kinds))
	equal("delivered, lost, duplicated", []int{r.Delivered, r.Lost, r.Duplicated}, []int{l.delivered, l.lost, l.duplicated})
	equal("requests, given up", []int{r.Requests, r.Withdrawn + r.Absorbed}, []int{l.requests, l.gaveUp})
	equal("entries", r.Entries, len(l.order))
	equal("entries of", r.EntriesOf, entriesOf)
	equal("order", r.Order, l.order)
	equal("sync delay", r.SyncDelay, times(l.delay))
	equal("pairs", r.Pairs, pairs)
	equal("waiting", r.Waiting, times(l.waiting))
	equal("response", r.Response, times(l.response))
	equal("bypasses", r.Bypasses, l.bypasses)
}

// TestMeasures runs many configs and measures each a second time.
func TestMeasures(t *testing.T) {
	withdrawn, absorbed, bypasses, crashes := 0, 0, 0, 0
	for seed := range uint64(tier.Fewer(400)) {
		l := newLedger()
		c := variety(seed)
		c.Observe = l.observe
		r, err := sim.Run(c)
		if len(c.Crashes) == 0 {
			require.NoError(t, err, "seed %d", seed)
		}
		l.check(t, c, r)
		if err == nil && len(c.Crashes) == 0 {
			assert.Equal(t, c.Entries, r.Entries, "seed %d: entries", seed)
			assert.Zero(t, l.inTransit, "seed %d: messages in transit at the end", seed)
		}
		withdrawn, absorbed, bypasses, crashes = withdrawn+r.Withdrawn, absorbed+r.Absorbed, bypasses+r.Bypasses, crashes+len(c.Crashes)
	}
	if withdrawn == 0 || absorbed == 0 || bypasses == 0 || crashes == 0 {
		t.Errorf("%d withdrawn, %d absorbed, %d bypasses, %d crashes: the configs lack variety", withdrawn, absorbed, bypasses, crashes)
	}
}

func variety(seed uint64) sim.Config {
	c := sim.Config{
		Algorithm: []messaging.Algorithm{ricartagrawala.New, fair, newestFirst}[seed%3],
		Nodes:     1 + int(seed%7),
		Load:      sim.HighLoad{Think: sim.Uniform(0, 9*sim.T)},
		Latency:   sim.Uniform(sim.T/2, 2*sim.T),
		Unordered: seed%2 == 0,
		Entries:   60,
		GiveUp:    float64(seed%4) / 5,
		Seed:      seed,
		Order:     true,
		Pairs:     true,
	}
	switch seed % 5 {
	case 1:
		c.Load = sim.LowLoad{Random: true}
	case 2:
		c.Load = sim.HighLoad{}
		c.Stay = sim.Exponential(sim.T)
	case 3:
		c.Latency = sim.Constant(sim.T) // so that much happens at the same time
	}
	if seed%8 == 7 {
		c.Crashes = []sim.Crash{{Node: messaging.ID(c.Nodes - 1), At: 50 * sim.T}}
	}
	return c
}

// TestLectures compares the measures with the closed formulas, exactly.
func TestLectures(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 50} {
		for _, e := range []int{1, 2, 7} {
			c := sim.Config{Nodes: n, Entries: 3 * n, Stay: sim.Constant(time.Duration(e) * sim.T)}
			for _, tt := range []struct {
				algorithm     messaging.Algorithm
				remote, local int // messages per entry, of a node and of the coordinator
				delay         int // T
			}{
				{ricartagrawala.New, 2 * (n - 1), 2 * (n - 1), 1},
				{fair, 3, 0, 2},
			} {
				c.Algorithm = tt.algorithm
				c.Load = sim.LowLoad{Users: ids(messaging.ID(n - 1))}
				low := run(t, c)
				if n > 1 {
					assert.Equal(t, float64(tt.remote), low.PerEntry, "messages per entry")
					assert.Equal(t, float64(2+e), low.Response.Mean, "response")
					assert.Equal(t, time.Duration(2+e)*sim.T, low.Response.Longest, "longest response")
					assert.Equal(t, 0, low.SyncDelay.Count, "delays")
				}
				c.Load = sim.HighLoad{}
				high := run(t, c)
				assert.Equal(t, 3*(tt.remote*(n-1)+tt.local), high.Messages, "messages")
				if n > 2 {
					assert.Equal(t, time.Duration(tt.delay)*sim.T, high.SyncDelay.Longest, "longest delay")
				}
				assert.Equal(t, 1.0, high.Jain, "Jain")
			}
			if n > 1 {
				c.Algorithm, c.Load = ricartagrawala.New, sim.HighLoad{}
				assert.Equal(t, 1/float64(1+e), run(t, c).Throughput, "throughput") // 1/(sd+E)
			}
		}
	}
}

// TestPairs checks the coordinator's delays: T if it is one of the two nodes, else
// 2T.
func TestPairs(t *testing.T) {
	for _, pair := range [][2]messaging.ID{{0, 1}, {1, 0}, {1, 2}, {2, 1}} {
		script := sim.Script{{Node: pair[0], Stay: 10 * sim.T}, {Node: pair[1], At: 5 * sim.T}}
		r := run(t, sim.Config{Algorithm: fair, Nodes: 3, Load: script, Pairs: true})
		d := 2 * sim.T
		if pair[0] == 0 || pair[1] == 0 {
			d = sim.T
		}
		assert.Equal(t, sim.Times{Count: 1, Sum: d, Shortest: d, Longest: d, Mean: float64(d / sim.T)}, r.Pairs[pair], fmt.Sprint(pair))
		assert.Equal(t, 1, len(r.Pairs), "pairs")
	}
}

// TestBypasses compares a coordinator that serves the newest request first with a
// FIFO one, under which a request bypasses only requests made at most T before it.
func TestBypasses(t *testing.T) {
	c := sim.Config{Nodes: 10, Load: sim.HighLoad{Think: sim.Uniform(0, 5*sim.T)}, Entries: 2000}
	c.Algorithm = fair
	few := run(t, c)
	c.Algorithm = newestFirst
	many := run(t, c)
	if few.Bypasses*10 > many.Bypasses {
		t.Errorf("%d bypasses if fair, %d if not", few.Bypasses, many.Bypasses)
	}
	assert.Less(t, few.Waiting.Longest, many.Waiting.Longest, "the longest wait, if fair and if not")
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r
}
