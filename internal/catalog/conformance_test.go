package catalog_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

//go:generate go test -run Protocols/.*/refusals|Transcripts|Page . -update

// conformance is what each algorithm satisfies by its row.
var conformance = []struct {
	name  string
	check func(t *testing.T, p catalog.Protocol)
}{
	{"schedules", randomSchedules},
	{"overtaking", overtaking},
	{"forms", forms},
	{"contract", contract},
	{"refusals", refusals},
	{"explored", explorations},
	{"unbounded", unbounded},
	{"crashes", crashes},
	{"recovered", recovered},
	{"survivors", survivors},
}

func TestProtocols(t *testing.T) {
	for _, p := range catalog.Protocols {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Package())
			t.Parallel()
			for _, c := range conformance {
				t.Run(c.name, func(t *testing.T) { c.check(t, p) })
			}
		})
	}
}

// schedules returns many random schedules of n nodes: with FIFO links and, if p does
// not need them, others; with and without aborted requests.
func schedules(p catalog.Protocol, n, many int) []nodetest.Config {
	var all []nodetest.Config
	for seed := range uint64(many) {
		all = append(all, nodetest.Config{
			Nodes: n, Holder: messaging.ID(int(seed/6) % n), Seed: seed, Unordered: !p.FIFO && seed%2 == 0, Withdraw: float64(seed%3) / 5,
			Perpetual: p.Perpetual, Invariant: p.Invariant, AnyTime: p.Perpetual && seed%4 == 0,
		})
	}
	return all
}

// fewer is a tenth of many in the quick tests and with the race detector: nothing
// runs concurrently in these tests; package stress tests that.
func fewer(many int) int {
	if tier.Race || !tier.Full {
		return many / 10
	}
	return many
}

// randomSchedules satisfy mutual exclusion and progress, thousands of them.
func randomSchedules(t *testing.T, p catalog.Protocol) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 13} {
		for _, c := range schedules(p, n, fewer(200)) {
			require.NoError(t, nodetest.Run(p.New(n), c))
		}
	}
}

// overtaking is what an algorithm needs FIFO links for: without them some schedule fails, and in no
// other way than that two nodes are inside, or one waits forever.
func overtaking(t *testing.T, p catalog.Protocol) {
	if !p.FIFO {
		t.Skip("it needs no FIFO links")
	}
	failed := 0
	for _, c := range schedules(p, 3, 300) {
		c.Unordered, c.Withdraw = true, 0
		if err := nodetest.Run(p.New(3), c); err != nil {
			require.Contains(t, []string{"exclusion", "deadlock", "fencing"}, sim.Failure(err), "%v", err)
			failed++
		}
	}
	require.Positive(t, failed)
}

// forms are those of an algorithm with a network, a tree, quorums or sets that it is given, and does
// not choose.
func forms(t *testing.T, p catalog.Protocol) {
	ran := 0
	run := func(n, many int, a messaging.Algorithm, err error) {
		if err != nil {
			return // it cannot serve it
		}
		ran++
		for _, c := range schedules(p, n, many) {
			require.NoError(t, nodetest.Run(a, c), "%d nodes", n)
		}
	}
	if p.Over != nil {
		for _, g := range networks {
			a, err := p.Over(g)
			run(len(g), fewer(80), a, err)
		}
		require.GreaterOrEqual(t, ran, 6, "networks")
	}
	if p.Given != nil {
		for seed := range uint64(fewer(400)) {
			request, inform := randomSets(rand.New(rand.NewPCG(seed, 1)), p.With == nil)
			a, err := p.Given(request, inform)
			require.NoError(t, err, "%v, %v", request, inform)
			run(len(request), 4, a, err)
		}
		for _, s := range []sanders.Structure{sanders.RicartAgrawala(5), sanders.Central(5, 2), sanders.FourNodes()} {
			if p.With != nil {
				s.Inform = nil
			}
			a, err := p.Given(s.Request, s.Inform)
			run(s.Nodes(), fewer(80), a, err)
		}
	}
	if p.With != nil {
		for n := 2; n <= 9; n++ {
			for _, build := range quorumSystems {
				if s, err := build(n); err == nil { // there are few planes
					run(n, fewer(80), p.With(s), nil)
				}
			}
		}
	}
	if ran == 0 {
		t.Skip("it is given nothing")
	}
}

var networks = []topology.Graph{
	topology.Line(1), topology.Line(2), topology.Line(5), topology.Star(5), topology.Tree(7, 2), topology.Tree(7, 3), topology.Random(8, 7, 5), // trees
	{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}}, topology.Grid(3, 3), topology.Complete(4), topology.Random(7, 11, 3),
}

var quorumSystems = []func(n int) (quorum.System, error){
	quorum.Plane, quorum.Folded, quorum.Grid, quorum.Majority, quorum.Tree,
	func(n int) (quorum.System, error) { return quorum.Sets(slices.Repeat([][]messaging.ID{ids(n)}, n)) },
	func(n int) (quorum.System, error) { return quorum.Sets(slices.Repeat([][]messaging.ID{{0}}, n)) },
}

// ids returns the numbers of n nodes.
func ids(n int) (all []messaging.ID) {
	for i := range messaging.ID(n) {
		all = append(all, i)
	}
	return all
}

// randomSets returns irregular sets that just intersect. If two nodes may ask each other instead, a
// node is in its own sets, and informs no more nodes than it must.
func randomSets(r *rand.Rand, ask bool) (request, inform [][]messaging.ID) {
	n := 1 + r.IntN(7)
	asked, informed := make([]messaging.Set, n), make([]messaging.Set, n)
	for i := range messaging.ID(n) {
		informed[i].Add(messaging.ID(r.IntN(n)))
		if ask {
			informed[i] = messaging.SetOf(i)
		}
		for j := range i {
			if k := messaging.ID(r.IntN(n)); ask && r.IntN(2) == 0 {
				asked[i].Add(j)
				asked[j].Add(i)
			} else {
				informed[i].Add(k)
				informed[j].Add(k)
			}
		}
	}
	for i := range n {
		inform = append(inform, slices.Collect(informed[i].All()))
		for k := range informed[i].All() {
			asked[i].Add(k)
		}
		request = append(request, slices.Collect(asked[i].All()))
	}
	if !ask {
		return request, nil
	}
	return request, inform
}

// contract has every node keep the contract of nodes.
func contract(t *testing.T, p catalog.Protocol) {
	n := tier.Pick(3, 7)
	all := schedules(p, n, fewer(60))
	if p.Survives() && p.Timed != nil {
		all[0].Crashes, all[1].Crashes = 1, 2
	}
	require.NoError(t, nodetest.Check(p.New(n), p.Kinds, all...))
}

// crashes are survived by the algorithms that have timeouts, in thousands of random schedules, in
// which tokens go on growing.
func crashes(t *testing.T, p catalog.Protocol) {
	if !p.Survives() || p.Timed == nil {
		t.Skip("it has no timeouts")
	}
	for _, n := range []int{2, 3, 5} {
		for _, c := range schedules(p, n, fewer(2000)) {
			c.Crashes = 1 + int(c.Seed)%(n-1)
			require.NoError(t, nodetest.Run(p.New(n), c))
		}
	}
}

// recovered keeps its promises in random schedules in which nodes crash. With recovery, each algorithm
// does so if nodes are told of crashes, and start again; or if they suspect them, and timers take
// long enough. Over links, tokens grow as well. There is no recovery of one whose nodes share.
func recovered(t *testing.T, p catalog.Protocol) {
	for _, suffix := range []string{"", catalog.Timeouts} {
		r, is := catalog.FindProtocol(catalog.Recovery + p.Name + suffix)
		require.Equal(t, p.Excludes(1) == nil, is, "it has recovery")
		if !is {
			t.Skip("nodes share")
		}
		require.Equal(t, catalog.Recovery+p.Name+suffix, r.Name)
		for seed := range uint64(tier.Pick(40, 1000)) {
			c := afterCrashes(r, 3+int(seed%3), seed)
			if suffix == "" {
				c.Nodes = 2 + int(seed%4)
				c.Restarts, c.Detected = c.Crashes, true
				if seed%3 == 0 {
					c.Crashes, c.Restarts = 1, 0
				}
			}
			require.NoError(t, nodetest.Run(r.New(c.Nodes), c))
			if suffix == "" {
				c.Unordered, c.Invariant = true, nil
				require.NoError(t, nodetest.Run(link.Over(r.New(c.Nodes), link.Config{Timeout: 1}), c), "over links")
			}
		}
	}
}

// survivors are told of crashes, and go on after one.
func survivors(t *testing.T, p catalog.Protocol) {
	if !p.Survives() {
		t.Skip("it waits for the crashed")
	}
	for seed := range uint64(tier.Pick(100, 1000)) {
		n := 3 + int(seed%3)
		c := afterCrashes(p, n, seed)
		c.Crashes, c.Detected = 1, true
		require.NoError(t, nodetest.Run(p.New(n), c))
	}
}

// afterCrashes returns a schedule with one or two crashes.
func afterCrashes(p catalog.Protocol, n int, seed uint64) nodetest.Config {
	return nodetest.Config{
		Name: p.Name, Nodes: n, Seed: seed, Entries: 12, Withdraw: 0.1, Unordered: !p.FIFO, Perpetual: p.Perpetual, Invariant: p.Invariant,
		Crashes: 1 + int(seed%2),
	}
}
