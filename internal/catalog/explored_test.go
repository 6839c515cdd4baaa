package catalog_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
)

// An instance has the number of requests of each node, and of those that abort.
type instance struct {
	requests    []int
	withdrawals int
}

// largest has the largest instances of a protocol whose exploration takes a second
// or two. Links that need not keep the order of messages may keep it: those of fifo are
// not among those of unordered, unless nodes choose.
type largest struct {
	fifo, unordered []instance
}

// Several algorithms have the same.
var (
	inOrder = largest{
		fifo: []instance{{[]int{1, 1, 1}, 0}, {[]int{4, 4}, 0}, {[]int{2, 2}, 2}},
	}
	askingAll = largest{
		fifo:      []instance{{[]int{2, 2, 1}, 1}, {[]int{1, 1, 1, 0}, 1}},
		unordered: []instance{{[]int{3, 3, 3}, 0}, {[]int{2, 1, 1}, 1}, {[]int{1, 1, 1}, 3}},
	}
	overQuorums = largest{
		fifo:      []instance{{[]int{2, 2, 2}, 1}, {[]int{1, 1, 1, 0}, 1}, {[]int{1, 1, 1, 0, 0, 0, 0}, 1}},
		unordered: []instance{{[]int{2, 2, 2}, 0}, {[]int{2, 1, 1}, 2}, {[]int{1, 1, 1, 0, 0, 0, 0}, 0}},
	}
	passingOver = largest{
		unordered: []instance{{[]int{3, 3, 2, 2}, 0}, {[]int{2, 2, 2, 2}, 1}, {[]int{1, 1, 1, 1, 1, 1, 0}, 0}},
	}
	tokenOfAll = largest{
		fifo:      []instance{{[]int{3, 3, 3}, 0}, {[]int{3, 2, 2}, 2}},
		unordered: []instance{{[]int{3, 2, 2}, 1}, {[]int{2, 2, 2}, 3}, {[]int{1, 1, 1, 1}, 1}},
	}
)

var explorable = map[string]largest{
	"central": {
		fifo:      []instance{{[]int{3, 3, 3, 3}, 0}, {[]int{2, 2, 2, 2}, 2}},
		unordered: []instance{{[]int{2, 2, 2, 2}, 0}, {[]int{3, 3, 3}, 1}, {[]int{2, 2, 2}, 3}},
	},
	"lamport":            inOrder,
	"lamport-suppressed": inOrder,
	"ricartagrawala":     askingAll,
	"ricartagrawala-acknowledged": {
		fifo:      []instance{{[]int{2, 2, 2}, 0}, {[]int{2, 1, 1}, 1}},
		unordered: []instance{{[]int{2, 1, 1}, 0}, {[]int{1, 1, 1}, 1}},
	},
	"intervals": askingAll,
	"roucairolcarvalho": {
		fifo:      []instance{{[]int{2, 2, 2}, 2}},
		unordered: []instance{{[]int{3, 3, 3}, 0}, {[]int{2, 2, 2}, 1}},
	},
	"roucairolcarvalho-triangle": {
		fifo:      []instance{{[]int{1, 1, 1, 1}, 1}},
		unordered: []instance{{[]int{1, 1, 1, 1}, 0}, {[]int{2, 2, 2}, 2}},
	},
	"roucairolcarvalho-withdrawing": {
		fifo:      []instance{{[]int{2, 2, 2}, 1}, {[]int{2, 1, 1}, 2}},
		unordered: []instance{{[]int{3, 3, 3}, 0}, {[]int{2, 1, 1}, 1}, {[]int{1, 1, 1}, 3}},
	},
	"majority": {
		fifo:      []instance{{[]int{3, 2, 2}, 0}, {[]int{2, 2, 2}, 1}, {[]int{1, 1, 1, 0}, 1}},
		unordered: []instance{{[]int{2, 2, 2}, 0}, {[]int{2, 1, 1}, 2}, {[]int{1, 1, 1, 0, 0}, 0}},
	},
	"majority-choosing": {
		fifo:      []instance{{[]int{2, 1, 1}, 1}, {[]int{1, 1, 1, 0}, 0}, {[]int{1, 1, 1}, 3}},
		unordered: []instance{{[]int{2, 1, 1}, 0}, {[]int{1, 1, 1}, 3}},
	},
	"maekawa": overQuorums,
	"sanders": overQuorums,
	"hierarchy-suzukikasami-ricartagrawala": {
		fifo:      []instance{{[]int{2, 2, 2}, 0}, {[]int{2, 1, 1}, 1}},
		unordered: []instance{{[]int{2, 1, 1}, 0}, {[]int{1, 1, 1}, 2}, {[]int{1, 1, 1, 1}, 0}},
	},
	"caosinghal": {
		fifo:      []instance{{[]int{2, 2, 2}, 0}, {[]int{2, 1, 1}, 1}},
		unordered: []instance{{[]int{2, 1, 1}, 0}, {[]int{1, 1, 1}, 2}, {[]int{1, 1, 1, 0}, 0}},
	},
	"raymond": {
		unordered: []instance{{[]int{3, 3, 3, 3}, 0}, {[]int{2, 2, 2, 2, 2}, 0}, {[]int{2, 2, 2, 2}, 3}, {[]int{1, 1, 1, 1, 1, 1, 0}, 1}},
	},
	"raymond-greedy": passingOver,
	"raymond-lift":   passingOver,
	"raymond-merged": {
		unordered: []instance{{[]int{3, 3, 3, 3}, 0}, {[]int{2, 2, 2, 2}, 3}, {[]int{1, 1, 1, 1, 1, 1, 0}, 0}},
	},
	"suzukikasami": tokenOfAll,
	"echo": {
		fifo:      []instance{{[]int{1, 1, 1}, 1}, {[]int{0, 2, 2}, 2}},
		unordered: []instance{{[]int{1, 1, 1}, 0}, {[]int{0, 2, 2}, 1}, {[]int{0, 1, 1, 0}, 0}},
	},
	"echo-tree":          tokenOfAll,
	"ricartagrawala1983": tokenOfAll,
	"naimitrehel": {
		fifo:      []instance{{[]int{3, 3, 3, 2}, 0}},
		unordered: []instance{{[]int{3, 3, 2, 2}, 0}, {[]int{5, 5, 5}, 2}, {[]int{2, 1, 1, 1, 1}, 1}},
	},
	"snepscheut": {
		unordered: []instance{{[]int{3, 2, 2}, 1}, {[]int{2, 1, 1, 1}, 2}, {[]int{1, 1, 1, 1, 1}, 0}, {[]int{2, 0, 1, 2, 0, 1}, 0}},
	},
	"singhal": {
		fifo:      []instance{{[]int{3, 3, 3}, 0}, {[]int{1, 2, 1, 2}, 0}, {[]int{0, 1, 1, 1, 1}, 0}},
		unordered: []instance{{[]int{2, 2, 2}, 2}, {[]int{1, 1, 1, 1}, 1}, {[]int{1, 1, 1, 2}, 0}},
	},
	"tokenring": {
		fifo:      []instance{{[]int{2, 2, 2, 2}, 2}},
		unordered: []instance{{[]int{3, 3, 3}, 3}, {[]int{1, 1, 1, 1, 1}, 2}},
	},
	"huntedring": {
		fifo: []instance{{[]int{3, 3, 3}, 3}, {[]int{2, 2, 2, 2}, 0}, {[]int{1, 1, 1, 1, 1}, 2}},
	},
}

// small returns, for the quick tests, one instance with two nodes, and a withdrawal if any has one.
func small(all []instance) []instance {
	if len(all) == 0 {
		return nil
	}
	few := instance{requests: []int{2, 1}}
	for _, in := range all {
		few.withdrawals = max(few.withdrawals, min(in.withdrawals, 1))
	}
	return []instance{few}
}

// explorations visits every schedule of small instances: each satisfies mutual exclusion and progress.
func explorations(t *testing.T, p catalog.Protocol) {
	of := explorable[p.Name]
	if tier.Race || !tier.Full {
		of = largest{small(of.fifo), small(of.unordered)}
	}
	require.NotEmpty(t, slices.Concat(of.fifo, of.unordered), "it has no instances: choose some")
	require.Equal(t, p.FIFO, len(of.unordered) == 0, "it has no instances: choose some")
	for _, in := range of.fifo {
		explored(t, p, in, false)
	}
	for _, in := range of.unordered {
		explored(t, p, in, true)
	}
}

func explored(t *testing.T, p catalog.Protocol, in instance, unordered bool) {
	t.Helper()
	n, start := len(in.requests), time.Now()
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: p.New(n), Nodes: n, Requests: in.requests, Withdrawals: in.withdrawals, Unordered: unordered,
		Perpetual: p.Perpetual, Invariant: p.Invariant,
	})
	require.NoError(t, err, "%+v, unordered %t", in, unordered)
	assert.NoError(t, r.Err(), "%+v, unordered %t", in, unordered)
	assert.True(t, r.Ends > 0 || p.Perpetual, "%+v, unordered %t: it has no end", in, unordered)
	t.Logf("%+v, unordered %t: %d states, %d events, depth %d, %v", in, unordered, r.States, r.Events, r.Depth, time.Since(start).Round(time.Millisecond))
}
