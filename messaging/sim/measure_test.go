package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A visit is an element of Report.Order.
type visit = struct {
	Node                     messaging.ID
	Requested, Entered, Left time.Duration
}

// A ledger measures a run a second time, from the events, in the simplest way: the counts of
// its Report, and what the others follow from.
type ledger struct {
	sim.Report
	asked                    map[messaging.ID]time.Duration // by node that waits
	from                     map[messaging.ID]time.Duration // by node that has asked
	waiting, response, delay []time.Duration
	pairs                    map[[2]messaging.ID][]time.Duration
	exit                     *messaging.Event // if a request has been pending since
	gaveUp, inTransit        int
}

func newLedger(nodes int) *ledger {
	return &ledger{
		Report: sim.Report{Kinds: map[string]int{}, EntriesOf: make([]int, nodes), Pairs: map[[2]messaging.ID]sim.Times{}},
		asked:  map[messaging.ID]time.Duration{}, from: map[messaging.ID]time.Duration{}, pairs: map[[2]messaging.ID][]time.Duration{},
	}
}

func (l *ledger) observe(e messaging.Event) {
	if e.At < l.Time {
		panic("time goes backwards")
	}
	l.Time = e.At
	switch e.Action {
	case "requested":
		l.Requests++
		l.asked[e.From], l.from[e.From] = e.At, e.At
	case "entered":
		for i, at := range l.asked {
			if i != e.From && at < l.asked[e.From] {
				l.Bypasses++
			}
		}
		if l.exit != nil {
			l.delay = append(l.delay, e.At-l.exit.At)
			pair := [2]messaging.ID{l.exit.From, e.From}
			l.pairs[pair] = append(l.pairs[pair], e.At-l.exit.At)
			l.exit = nil
		}
		l.Entries++
		l.EntriesOf[e.From]++
		l.waiting = append(l.waiting, e.At-l.asked[e.From])
		l.Order = append(l.Order, visit{Node: e.From, Requested: l.asked[e.From], Entered: e.At, Left: -1})
		delete(l.asked, e.From)
	case "left":
		for k := range slices.Backward(l.Order) {
			if l.Order[k].Node == e.From {
				l.Order[k].Left = e.At
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
		l.Messages++
		l.Kinds[messaging.Kind(e.Message)]++
		l.inTransit++
	case "delivered":
		l.Delivered++
		l.inTransit--
	case "lost":
		l.Lost++
		l.inTransit--
	case "duplicated":
		l.Duplicated++
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
	for p, all := range l.pairs {
		l.Pairs[p] = times(all)
	}
	want := r // the means of entries and the shares, TestShares has
	want.Messages, want.Kinds, want.Delivered, want.Lost, want.Duplicated = l.Messages, l.Kinds, l.Delivered, l.Lost, l.Duplicated
	want.Requests, want.Entries, want.EntriesOf, want.Order, want.Bypasses = l.Requests, l.Entries, l.EntriesOf, l.Order, l.Bypasses
	want.SyncDelay, want.Waiting, want.Response, want.Pairs = times(l.delay), times(l.waiting), times(l.response), l.Pairs
	assert.Equal(t, want, r, "seed %d", c.Seed)
	assert.Equal(t, l.gaveUp, r.Withdrawn+r.Absorbed, "seed %d: given up", c.Seed)
}

// TestMeasures runs many configs and measures each a second time.
func TestMeasures(t *testing.T) {
	withdrawn, absorbed, bypasses, crashes, whole := 0, 0, 0, 0, 0
	for seed := range uint64(tier.Pick(120, 400)) {
		c := stepConfigs(seed)
		if c.Load == nil {
			c.Load, c.Entries, c.GiveUp = sim.HighLoad{Think: sim.Uniform(0, 9*sim.T)}, 60, float64(seed%4)/5
		}
		l := newLedger(c.Nodes)
		c.Observe, c.Order, c.Pairs, c.Patience = l.observe, true, true, 1000*sim.T
		r, err := sim.Run(c)
		l.check(t, c, r)
		if err == nil && c.Entries > 0 {
			whole++
			assert.Equal(t, c.Entries, r.Entries, "seed %d: entries", seed)
			assert.True(t, c.Perpetual || l.inTransit == 0, "seed %d: messages in transit at the end", seed)
		}
		withdrawn, absorbed, bypasses, crashes = withdrawn+r.Withdrawn, absorbed+r.Absorbed, bypasses+r.Bypasses, crashes+len(c.Crashes)
	}
	for _, n := range []int{withdrawn, absorbed, bypasses, crashes, whole} {
		assert.Greater(t, n, 10, "the configs lack variety")
	}
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r
}
