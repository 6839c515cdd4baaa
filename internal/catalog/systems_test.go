package catalog_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/election/heartbeat"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/basic"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/topology"
)

// Every system meets the same tests, and a new one by its row.
func TestSystems(t *testing.T) {
	for _, s := range catalog.Systems {
		for name, test := range map[string]func(*testing.T, catalog.System){
			"found": isFound, "schedules": inSchedules, "contract": keepsContract, "refusals": refusesOfSystem, "explored": isExplored, "cluster": inCluster,
		} {
			t.Run(s.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, s)
			})
		}
	}
}

// It has a name that no protocol has.
func isFound(t *testing.T, s catalog.System) {
	t.Helper()
	_, ok := catalog.FindSystem(s.Name)
	require.True(t, ok)
	_, ok = catalog.FindProtocol(s.Name)
	assert.False(t, ok)
}

// It comes to the right results in random schedules, with timeouts and without.
func inSchedules(t *testing.T, s catalog.System) {
	t.Helper()
	for seed := range uint64(tier.Pick(20, 50)) {
		n := int(seed%5) + 1
		c := nodetest.Config{
			Nodes: n, Seed: seed, Unordered: !s.FIFO && seed%3 == 0,
			Results: s.Results, Invariant: s.Invariant, Inputs: make([][]messaging.Message, n),
		}
		if s.Perpetual {
			c.Perpetual, c.Steps = true, 500
		}
		holders := 1 + int(seed/5)%n
		if s.Name == firewire.Protocol.Name || s.Name == firewire.ByID.Name {
			holders = n // as all notice a bus reset
		}
		copy(c.Inputs, s.Trial.Inputs(holders))
		a := s.New(n)
		if seed%2 == 0 {
			a = s.Within(n, sim.T)
		}
		require.NoError(t, nodetest.Run(a, c), "seed %d", seed)
	}
}

// users have what a user does in the schedules of the contract: elsewhere it is what it does in the trial, twice.
var users = map[string][]messaging.Message{
	"berkeley": {clock.Read{}, clock.Set{Time: time.Hour}, clock.Read{}},
	"cristian": {clock.Read{}, clock.Set{Time: time.Hour}, clock.Read{}},
	"reliable": {multicast.Send{Body: "a"}, multicast.Leave{}, multicast.Join{}, multicast.Send{Body: "b"}},
}

// Its nodes and messages keep the contract. If it has timeouts, they may be too short, and a node crashes and starts again: two
// systems do not come to the right results then, as internal/proof/faults shows.
func keepsContract(t *testing.T, s catalog.System) {
	t.Helper()
	kinds := slices.Clone(s.Kinds)
	if s.Name == "link-basic" { // which sends the messages of basic in frames
		kinds = slices.DeleteFunc(kinds, func(m messaging.Message) bool { return messaging.Kind(m) == "DATA" })
	}
	assert.NoError(t, nodetest.Check(s.Within(3, sim.T), kinds, ofContract(s, tier.Pick(12, 100))...))
}

// ofContract returns as many random schedules of three nodes.
func ofContract(s catalog.System, many int) (all []nodetest.Config) {
	does := users[s.Name]
	if does == nil {
		does = []messaging.Message{s.Trial.Input, s.Trial.Input}
	}
	for seed := range uint64(many) {
		c := nodetest.Config{
			Nodes: 3, Seed: seed, Unordered: !s.FIFO && seed%2 == 0, Results: s.Results,
			Inputs: [][]messaging.Message{does, does[:1+seed%uint64(len(does))], does},
		}
		if s.Timed != nil {
			c.Perpetual, c.Steps, c.AnyTime, c.Crashes, c.Restarts = true, 150, seed%3 == 1, 1, 1
			if s.Name == "link-basic" || s.Name == "reliable" {
				c.Results = nil
			}
		}
		all = append(all, c)
	}
	return all
}

// In a Cluster, too, each node but a server of the time emits something.
func inCluster(t *testing.T, s catalog.System) {
	t.Helper()
	const n = 4
	emitted := make(chan messaging.ID, 1000)
	a := s.New(n)
	if s.Perpetual {
		a = s.Timed(10 * time.Millisecond)
	}
	c := cluster.New(n, a, cluster.Observe(func(e messaging.Event) {
		if e.Action == "emitted" {
			select {
			case emitted <- e.From:
			default:
			}
		}
	}))
	defer c.Close()
	for i, of := range s.Trial.Inputs(n) {
		require.NoError(t, c.Input(i, of[0]))
	}
	tooLong := time.After(time.Minute)
	for missing := messaging.SetOf(1, 2, 3); missing.Len() > 0; {
		select {
		case i := <-emitted:
			missing.Remove(i)
		case <-tooLong:
			require.Fail(t, "they emit nothing more", "%v", missing)
		}
	}
}

// hold returns the inputs of n nodes, of which those in holders hold an election so many times: bit i is that of node i.
func hold(n, holders, times int) [][]messaging.Message {
	inputs := make([][]messaging.Message, n)
	for i := range inputs {
		if holders>>i&1 == 1 {
			inputs[i] = slices.Repeat([]messaging.Message{election.Hold{}}, times)
		}
	}
	return inputs
}

// send returns inputs by node: as many messages to the group.
func send(messages ...int) [][]messaging.Message {
	inputs := make([][]messaging.Message, len(messages))
	for i, many := range messages {
		for k := range many {
			inputs[i] = append(inputs[i], multicast.Send{Body: string(rune('a' + 3*i + k))})
		}
	}
	return inputs
}

// An exploration is of a system in every schedule.
type exploration = explore.NodesConfig

// An electing group has so many nodes, of which those in holders hold an election, and so many may crash.
type electing struct{ nodes, holders, crashes int }

var seconds = heartbeat.Over(bully.New(time.Second, 2*time.Second), heartbeat.Config{Period: time.Second, Timeout: 2 * time.Second})

// instances are those of systems of which the trial is not enough, which internal/proof explores.
var instances = map[string]func(yield func(exploration)){
	// Whoever holds an election, and whenever, also while another ends, the largest leads.
	"changroberts": func(yield func(exploration)) {
		rings := [][]messaging.ID{{0}, {0, 1}, {0, 1, 2}, {0, 2, 1}} // turning a ring changes nothing
		for _, ring := range append(rings, tier.Pick(nil, [][]messaging.ID{
			{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1},
		})...) {
			n, times := len(ring), 2
			if n > tier.Pick(2, 3) {
				times = 1
			}
			for holders := 1; holders < 1<<n; holders++ {
				yield(exploration{New: changroberts.New(ring), Inputs: hold(n, holders, times), Unordered: true})
			}
		}
	},
	"ring-naive": func(yield func(exploration)) {
		for n := 1; n <= tier.Pick(3, 4); n++ {
			for holders := 1; holders < 1<<n; holders++ {
				yield(exploration{Inputs: hold(n, holders, 1), Unordered: true})
			}
		}
	},
	// With a perfect detector there is one leader at a time, and in the end it is live and all know it: any node may crash, at
	// any time.
	"ring": func(yield func(exploration)) {
		sizes := []electing{{1, 0b1, 0}, {2, 0b11, 1}, {3, 0b1, 1}, {3, 0b101, 2}, {4, 0b1, 1}}
		for _, e := range append(sizes, tier.Pick(nil, []electing{{3, 0b111, 1}, {3, 0b111, 2}, {4, 0b1010, 1}, {4, 0b1, 2}})...) {
			c := exploration{Inputs: hold(e.nodes, e.holders, 1), Crashes: e.crashes, Detected: true, Results: election.OneAtATime}
			yield(c)
			if c.Unordered = e.nodes*max(e.crashes, bits.OnesCount(uint(e.holders))) <= tier.Pick(3, 6); c.Unordered {
				yield(c) // of others, one has 18,813,842 states
			}
		}
	},
	// Likewise with timeouts that are long enough, and the largest live node leads in the end; also if one starts again.
	"bully": func(yield func(exploration)) {
		c := exploration{New: bully.New(time.Second, 2*time.Second), Detected: true, Results: andLargest(election.OneAtATime)}
		sizes := []electing{{1, 0b1, 0}, {2, 0b11, 1}, {3, 0b1, 1}, {3, 0b10, 2}, {3, 0b100, 2}, {4, 0b1000, 1}, {4, 0b100, 1}}
		for _, e := range append(sizes, tier.Pick(nil, []electing{
			{3, 0b1, 2},
			{3, 0b11, 1},
			{4, 0b1000, 2},
			{4, 0b1000, 3},
			{4, 0b10, 1},
			{4, 0b1, 1}, // 9,823,957 states, in a minute and 360 MB
		})...) {
			c.Inputs, c.Crashes = hold(e.nodes, e.holders, 1), e.crashes
			yield(c)
		}
		c.Crashes, c.Restarts, c.Detected, c.Unordered, c.Results = 1, 1, false, tier.Full, andLargest(election.Results)
		for holder := range 3 {
			c.Inputs = hold(3, 1<<holder, 1)
			yield(c)
		}
	},
	// If messages are faster than timers, nodes that crash are the only ones that are suspected, so that there is one leader at
	// a time, whichever nodes crash and when. With nodes that start again, at most one a term.
	"heartbeat-bully": func(yield func(exploration)) {
		type size struct{ nodes, crashes, restarts int }
		sizes := []size{{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 1, 1}, {3, 1, 0}, {3, 2, 0}, {3, 1, 1}}
		for _, s := range append(sizes, tier.Pick(nil, []size{{3, 2, 2}, {4, 1, 0}, {4, 3, 0}})...) {
			c := exploration{New: seconds, Inputs: hold(s.nodes, 0, 0), Crashes: s.crashes, Restarts: s.restarts, Results: election.OneAtATime}
			if s.restarts > 0 {
				c.Results = election.Results
			}
			yield(c)
		}
	},
	"extinction": func(yield func(exploration)) {
		inNetworks(extinction.New, extinction.Protocol.Results, yield)
	},
	"extinction-plain": func(yield func(exploration)) {
		inNetworks(extinction.NewPlain, extinction.Plain.Results, yield)
	},
	// On all trees, whenever which node notices the bus reset, there is one root, and the parents lead to it; and requests
	// cross on one link at most (HAW, slide 12).
	"firewire": func(yield func(exploration)) {
		inTrees(func(tree topology.Graph) messaging.Algorithm { return firewire.New(tree, 1, 2) }, yield)
	},
	"firewire-id": func(yield func(exploration)) { inTrees(firewire.NewByID, yield) },
	"causal": func(yield func(exploration)) {
		sizes := [][]int{{2, 1}, {1, 1, 0}, {1, 1, 1}}
		for _, messages := range append(sizes, tier.Pick(nil, [][]int{{2, 2}, {3, 1}, {2, 1, 0}, {2, 2, 0}, {2, 1, 1}})...) {
			yield(exploration{Inputs: send(messages...), Unordered: true})
		}
	},
	"total": func(yield func(exploration)) {
		sizes := [][]int{{2}, {2, 1}, {1, 1, 0}}
		for _, messages := range append(sizes, tier.Pick(nil, [][]int{{2, 2}, {1, 1, 1}, {2, 1, 0}})...) {
			yield(exploration{Inputs: send(messages...)})
		}
	},
}

// andLargest is results, and that the largest live node leads in the end.
func andLargest(results messaging.Results) messaging.Results {
	return func(o messaging.Outcome) error {
		if err := results(o); err != nil || !o.Over {
			return err
		}
		for i, of := range slices.Backward(o.Emitted) {
			if id := messaging.ID(i); !o.Down.Has(id) {
				if len(of) > 0 && of[len(of)-1].(election.Elected).Leader != id {
					return fmt.Errorf("node %d is the largest, and does not lead", id)
				}
				return nil
			}
		}
		return nil
	}
}

// It comes to the right results in every schedule, and to rest.
func isExplored(t *testing.T, s catalog.System) {
	t.Helper()
	of := instances[s.Name]
	if of == nil {
		t.Skip("internal/proof explores its trial")
	}
	of(func(c exploration) {
		c.Nodes, c.Invariant, c.Perpetual = len(c.Inputs), s.Invariant, s.Perpetual
		if c.New == nil {
			c.New = s.New(c.Nodes)
		}
		if c.Results == nil {
			c.Results = s.Results
		}
		r, err := explore.CheckNodes(c)
		require.NoError(t, err, "%v, %d crashes", c.Inputs, c.Crashes)
		require.NoError(t, r.Err(), "%v, %d crashes", c.Inputs, c.Crashes)
		t.Logf("%v, %d crashes: %d states", c.Inputs, c.Crashes, r.States)
		require.Equal(t, !c.Perpetual, r.Quiescent.Status == explore.Holds)
		require.Equal(t, c.Invariant != nil, r.Invariant.Status == explore.Holds)
	})
}

// connected returns all connected networks of nodes 0 to n-1.
func connected(n int) (all []topology.Graph) {
	var pairs [][2]messaging.ID
	for i, of := range topology.Complete(n) {
		for _, j := range of[i:] { // those above i
			pairs = append(pairs, [2]messaging.ID{messaging.ID(i), j})
		}
	}
	for links := range 1 << len(pairs) {
		g := make(topology.Graph, n)
		for k, p := range pairs {
			if links>>k&1 == 1 {
				g[p[0]], g[p[1]] = append(g[p[0]], p[1]), append(g[p[1]], p[0])
			}
		}
		if paths.Check(g) == nil {
			all = append(all, g)
		}
	}
	return all
}

// inTrees yields the elections of all nodes of all trees.
func inTrees(a func(tree topology.Graph) messaging.Algorithm, yield func(exploration)) {
	for n := 1; n <= tier.Pick(4, 5); n++ {
		for _, g := range connected(n) {
			if paths.CheckTree(g) == nil {
				yield(exploration{New: a(g), Inputs: hold(n, 1<<n-1, 1), Unordered: true})
			}
		}
	}
}

// inNetworks yields elections in all connected networks, whichever nodes hold them, and whether or not woken nodes join.
// There is one leader that all know, one of those that hold it; if woken nodes join, the largest. Without echoes, all know
// the largest in the end.
func inNetworks(a func(network topology.Graph, joins bool) messaging.Algorithm, results messaging.Results, yield func(exploration)) {
	for n := 1; n <= tier.Pick(3, 4); n++ {
		for _, g := range connected(n) {
			links := 0
			for _, of := range g {
				links += len(of)
			}
			for holders := 1; holders < 1<<n; holders++ {
				for _, joins := range []bool{false, true} {
					candidates := holders
					if joins {
						candidates = 1<<n - 1
					}
					if links/2+bits.OnesCount(uint(candidates)) <= 8 { // others have 32 million states, which have been visited once
						yield(exploration{
							New: a(g, joins), Inputs: hold(n, holders, 1), Unordered: n < 4, Results: winners(results, candidates, joins),
						})
					}
				}
			}
		}
	}
}

// winners is which nodes may lead, besides what results say: of the candidates any, or if woken nodes join, the largest.
func winners(results messaging.Results, candidates int, joins bool) messaging.Results {
	largest := messaging.ID(bits.Len(uint(candidates)) - 1)
	return func(o messaging.Outcome) error {
		for _, of := range o.Emitted {
			for k, v := range of {
				e, ok := v.(election.Elected)
				if ok && (joins && e.Leader != largest || candidates>>e.Leader&1 == 0) {
					return fmt.Errorf("node %d leads", e.Leader)
				}
				m, ok := v.(extinction.Largest)
				if ok && o.Over && k == len(of)-1 && m.ID != largest {
					return fmt.Errorf("node %d is the largest known", m.ID)
				}
			}
		}
		return results(o)
	}
}

// There are as many networks and trees as there should be.
func TestNetworks(t *testing.T) {
	for k, want := range []struct{ networks, trees int }{{1, 1}, {1, 1}, {4, 3}, {38, 16}} { // n^(n-2) trees
		n := k + 1
		all := connected(n)
		assert.Len(t, slices.DeleteFunc(slices.Clone(all), func(g topology.Graph) bool { return paths.CheckTree(g) != nil }), want.trees, n)
		assert.Len(t, all, want.networks, n)
	}
}

// A node of a lock with snapshots is what it is without. Over a link it is, too, and always a Starter and a Survivor.
func TestWrappedNodes(t *testing.T) {
	type is struct{ lock, withdraws, shares, starts, survives bool }
	what := func(a messaging.Algorithm) (i is) {
		n := a(messaging.Start{Nodes: 3})
		_, i.lock = messaging.As[messaging.Exclusion](n)
		_, i.withdraws = messaging.As[messaging.Withdrawer](n)
		_, i.shares = messaging.As[messaging.Sharer](n)
		_, i.starts = messaging.As[messaging.Starter](n)
		_, i.survives = messaging.As[messaging.Survivor](n)
		return i
	}
	seen := map[is]bool{}
	locks := []messaging.Algorithm{basic.New} // which is none
	for _, p := range catalog.Protocols {
		locks = append(locks, p.New(3))
	}
	for _, a := range locks {
		want := what(a)
		seen[want] = true
		assert.Equal(t, want, what(snapshot.Over(a, nil)))
		want.starts, want.survives = true, true
		assert.Equal(t, want, what(link.Over(a, link.Config{Timeout: 1})))
	}
	assert.Greater(t, len(seen), 4, "%v", seen)
}
