package recovery_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
)

// detection is how long nodes take to learn of a crash.
const detection = sim.T

// plain returns the algorithm without recovery, where messages take T.
func plain(p catalog.Protocol, nodes int) messaging.Algorithm {
	if p.Timed != nil {
		return p.Timed(sim.T)
	}
	return p.New(nodes)
}

// recoverable returns the protocols that have a row with recovery.
func recoverable() (all []catalog.Protocol) {
	for _, p := range catalog.Protocols {
		if _, has := catalog.FindProtocol(catalog.Recovery + p.Name); has {
			all = append(all, p)
		}
	}
	return all
}

// When a node crashes at any time, while all others wait, the next epoch has begun everywhere 3T after all are told or,
// if one is inside then, 2T after it leaves. The others' entries stall no longer. A second node that crashes at any time of
// the recovery, also the one that regenerates, delays it by no more than the first.
func TestRegeneration(t *testing.T) {
	sizes := tier.Pick([]int{3, 5}, []int{3, 5, 13})
	for _, p := range recoverable() {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Package())
			t.Parallel()
			regenerates := func(c sim.Config) {
				report, began := observed(t, c)
				where := fmt.Sprintf("%s, of %d nodes crash %v", p.Name, c.Nodes, c.Crashes)
				assert.Len(t, began, c.Nodes-len(c.Crashes), where)
				within(t, report, began, c.Crashes, where)
			}
			for _, nodes := range sizes {
				victims, step := 1, tier.Pick(2*sim.T, sim.T/2)
				if nodes == 13 {
					victims, step = 4, sim.T // 0, the coordinator; 4, an inner node; 8, a leaf; 12, which would lead
				}
				for v := 0; v < nodes; v += victims {
					for at := step; at <= 12*sim.T; at += step {
						regenerates(crashing(p, nodes, messaging.ID(v), at, sim.Constant(detection)))
						regenerates(crashing(p, nodes, messaging.ID(v), at, sim.Uniform(0, detection)))
					}
				}
			}
			const nodes, crash = 5, 4 * sim.T
			for v := range messaging.ID(nodes) {
				for w := range messaging.ID(nodes) {
					for at := crash; v != w && at <= crash+7*sim.T; at += tier.Pick(2*sim.T, sim.T/2) {
						c := crashing(p, nodes, v, crash, sim.Constant(detection))
						c.Crashes = append(c.Crashes, sim.Crash{Node: w, At: at})
						regenerates(c)
					}
				}
			}
		})
	}
}

// Where no node is told, that one has waited for its patience takes the place of the detection, and the election waits
// for the answer of the one that has crashed, 3T, if that has the largest number. The one that regenerates waits for its
// answer for a Silence, and for another one when the others have answered. All have begun T later.
func TestSuspicion(t *testing.T) {
	const patience, answer, silence = 20 * sim.T, 3 * sim.T, 3 * sim.T // those of the catalog
	for _, p := range recoverable() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, nodes := range []int{3, 5} { // of more, the last may lose its patience again
				for v := range messaging.ID(nodes) {
					c := sim.Config{
						Algorithm: catalog.Suspecting(p).Timed(sim.T), Nodes: nodes, Holder: v, Perpetual: p.Perpetual, Order: true,
						Load: alone(v, nodes), Crashes: []sim.Crash{{Node: v, At: asked + 5*sim.T}},
					}
					report, began := observed(t, c)
					want := asked + patience + 2*silence + sim.T
					if v == messaging.ID(nodes-1) {
						want += answer
					}
					begun := slices.Max(slices.Collect(maps.Values(began)))
					assert.Equal(t, want, begun, "node %d of %d crashes: the next epoch begins", v, nodes)
					assert.LessOrEqual(t, report.Order[1].Entered, begun, "node %d of %d crashes: the next entry", v, nodes)
				}
			}
		})
	}
}

// asked is when nodes ask while another is inside.
const asked = 50 * sim.T

// alone is a load in which node v asks first and stays inside, and the others wait.
func alone(v messaging.ID, nodes int) sim.Script {
	all := sim.Script{{Node: v, At: 0, Stay: 200 * sim.T}}
	for i := range messaging.ID(nodes) {
		if i != v {
			all = append(all, sim.Request{Node: i, At: asked})
		}
	}
	return all
}

// crashing is a run in which all nodes ask again and again, and one crashes.
func crashing(p catalog.Protocol, nodes int, v messaging.ID, at time.Duration, told sim.Distribution) sim.Config {
	return sim.Config{
		Algorithm: catalog.Recovered(p).Timed(sim.T), Nodes: nodes, Perpetual: p.Perpetual, Load: sim.HighLoad{}, Entries: 3 * nodes,
		Crashes: []sim.Crash{{Node: v, At: at}}, Detection: told, Order: true, Seed: uint64(at) + uint64(v),
	}
}

// observed runs c, and returns when each node that is left began the last epoch.
func observed(t *testing.T, c sim.Config) (report sim.Report, began map[messaging.ID]time.Duration) {
	t.Helper()
	began = map[messaging.ID]time.Duration{}
	c.Observe = func(e messaging.Event) {
		if _, is := e.Message.(recovery.Began); is && !slices.ContainsFunc(c.Crashes, func(x sim.Crash) bool { return x.Node == e.From }) {
			began[e.From] = e.At
		}
	}
	report, err := sim.Run(c)
	require.NoError(t, err)
	return report, began
}

// within holds the times of the report to the bounds of TestRegeneration, from the last crash on.
func within(t *testing.T, report sim.Report, began map[messaging.ID]time.Duration, crashes []sim.Crash, where string) {
	t.Helper()
	begun := slices.Max(slices.Collect(maps.Values(began)))
	crash := crashes[len(crashes)-1].At
	left, old := time.Duration(0), time.Duration(0) // when a node that is left was inside last, and before the epoch began
	for _, o := range report.Order {
		if since := max(left, crash); o.Entered > crash && since <= begun { // later it stalls as the algorithm does
			assert.LessOrEqual(t, o.Entered-since, detection+3*sim.T, "%s: node %d enters at %v", where, o.Node, o.Entered)
		}
		if !slices.ContainsFunc(crashes, func(x sim.Crash) bool { return x.Node == o.Node }) {
			left = max(left, o.Left)
			if left < begun {
				old = left
			}
		}
	}
	assert.LessOrEqual(t, begun, max(crash+detection+3*sim.T, old+2*sim.T), "%s: an epoch begins", where)
}

// Without faults each message is one of the algorithm without recovery, and at the same time.
func TestWithoutFaults(t *testing.T) {
	for _, p := range recoverable() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, nodes := range []int{1, 2, 5, 13} {
				for _, load := range []sim.Load{sim.HighLoad{}, sim.LowLoad{}} {
					c := sim.Config{Algorithm: plain(p, nodes), Nodes: nodes, Perpetual: p.Perpetual, Load: load, Entries: 4 * nodes, Order: true}
					without, err := sim.Run(c)
					require.NoError(t, err)
					c.Algorithm = catalog.Recovered(p).Timed(sim.T)
					with, err := sim.Run(c)
					require.NoError(t, err)
					assert.Equal(t, without.Kinds, with.Kinds, "%d nodes: messages", nodes)
					assert.Equal(t, without.Order, with.Order, "%d nodes: entries", nodes)
					if without.Waiting.Count > 0 && without.Waiting.Longest < 20*sim.T { // none waits for longer than it is patient
						c.Algorithm = catalog.Suspecting(p).Timed(sim.T)
						with, err = sim.Run(c)
						require.NoError(t, err)
						assert.Equal(t, without.Kinds, with.Kinds, "%d nodes with timeouts: messages", nodes)
						assert.Equal(t, without.Waiting, with.Waiting, "%d nodes with timeouts: waiting", nodes)
					}
				}
			}
		})
	}
}

// Without faults an entry in a Cluster allocates no more than without recovery.
func TestAllocationsWithoutFaults(t *testing.T) {
	if tier.Race {
		t.Skip("the race detector allocates")
	}
	for _, name := range []string{"central", "suzukikasami", "ricartagrawala"} {
		p, _ := catalog.FindProtocol(name)
		entry := func(a messaging.Algorithm) float64 {
			c := cluster.New(3, a)
			defer c.Close()
			return testing.AllocsPerRun(tier.Pick(100, 1000), func() {
				for i := range 3 {
					c.Lock(i)
					c.Unlock(i)
				}
			})
		}
		without, with := entry(plain(p, 3)), entry(catalog.Recovered(p).Timed(sim.T))
		t.Logf("%s: %v without recovery, %v with", name, without, with)
		assert.LessOrEqual(t, with, without, name)
	}
}

//go:generate go test -run Docs . -update

// The tables of docs/systems.md are what is measured. To write them anew:
//
//	go test ./messaging/recovery -run Docs -update
func TestDocs(t *testing.T) {
	for name, table := range map[string]func(t *testing.T) string{"times": times, "costs": costs} {
		page.Generated(t, "../../docs/systems.md", name, "go test ./messaging/recovery -run Docs -update", table(t))
	}
}

// times measures the crash of node 0, which is the coordinator or has had the token first, while it is inside and all others wait.
func times(t *testing.T) string {
	t.Helper()
	rows, those := map[string][]string{}, recoverable()
	for _, p := range those {
		five, thirteen := inside(t, p, 5), inside(t, p, 13)
		require.Equal(t, [3]time.Duration{five.detection, five.election, five.agreement}, [3]time.Duration{thirteen.detection, thirteen.election, thirteen.agreement}, p.Name)
		own := inT(five.own)
		if five.own != thirteen.own {
			own += " or " + inT(thirteen.own)
		}
		row := fmt.Sprintf("%s | %s | %s | %s | %s | %s", inT(five.detection), inT(five.election), inT(five.agreement), own, inT(five.together()), inT(thirteen.together()))
		rows[row] = append(rows[row], "`"+p.Name+"`")
	}
	var b strings.Builder
	b.WriteString("| algorithm | detection | election | agreement | first entry after that | together, of 5 nodes | of 13 |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		names := strings.Join(rows[row], ", ")
		if len(rows[row]) == len(those) {
			names = fmt.Sprintf("each of the %d", len(those))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", names, row)
	}
	return b.String()
}

// An outage is how long it takes from a crash until the next entry, in parts.
type outage struct{ detection, election, agreement, own time.Duration }

func (o outage) together() time.Duration { return o.detection + o.election + o.agreement + o.own }

// inside measures the outage when node 0 crashes inside.
func inside(t *testing.T, p catalog.Protocol, nodes int) outage {
	t.Helper()
	const crash = 40 * sim.T
	all := sim.Script{{Node: 0, Stay: 100 * sim.T}}
	for i := 1; i < nodes; i++ {
		all = append(all, sim.Request{Node: messaging.ID(i), At: 20 * sim.T})
	}
	var told, elected, begun time.Duration
	report, err := sim.Run(sim.Config{
		Algorithm: catalog.Recovered(p).Timed(sim.T), Nodes: nodes, Perpetual: p.Perpetual, Load: all, Order: true,
		Crashes: []sim.Crash{{Node: 0, At: crash}}, Detection: sim.Constant(detection),
		Observe: func(e messaging.Event) {
			switch m := e.Message.(type) {
			case election.Elected:
				if m.Leader == e.From {
					elected = e.At
				}
			case messaging.Removed:
				told = e.At
			case recovery.Began:
				begun = e.At
			}
		},
	})
	require.NoError(t, err)
	require.Equal(t, messaging.ID(0), report.Order[0].Node, "%s: who is inside", p.Name)
	require.Len(t, report.Order, nodes, "%s: entries", p.Name)
	return outage{told - crash, elected - told, begun - elected, report.Order[1].Entered - begun}
}

// costs measures messages of the recovery, by what happens.
func costs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| what happens | nodes | election | recovery | together |\n|---|---:|---:|---:|---:|\n")
	ask := func(i messaging.ID, at, stay time.Duration) sim.Request {
		return sim.Request{Node: i, At: at, Stay: stay}
	}
	p, _ := catalog.FindProtocol("suzukikasami")
	for _, what := range []struct {
		name  string
		row   catalog.Protocol
		load  sim.Script
		crash []sim.Crash
		since time.Duration
	}{
		{"node 0 crashes inside", catalog.Recovered(p), sim.Script{ask(0, 0, 9*sim.T), ask(1, sim.T, 0)}, []sim.Crash{{Node: 0, At: 5 * sim.T}}, 0},
		{"it starts again, and is taken in", catalog.Recovered(p), sim.Script{ask(0, 0, 9*sim.T), ask(1, sim.T, 0)}, []sim.Crash{{Node: 0, At: 5 * sim.T, Restart: 30 * sim.T}}, 29 * sim.T},
		{"node 1 suspects after 20 T, and node 0 leaves after 22 T", catalog.Suspecting(p), sim.Script{ask(0, 0, 22*sim.T), ask(1, 0, 0)}, nil, 0},
		{"it leaves after 25 T", catalog.Suspecting(p), sim.Script{ask(0, 0, 25*sim.T), ask(1, 0, 0)}, nil, 0},
	} {
		for _, nodes := range []int{5, 13} {
			kinds := map[string]int{}
			_, err := sim.Run(sim.Config{
				Algorithm: what.row.Timed(sim.T), Nodes: nodes, Load: what.load, Crashes: what.crash, Detection: sim.Constant(detection),
				Observe: func(e messaging.Event) {
					if e.Action == "sent" && e.At >= what.since {
						kinds[messaging.Kind(e.Message)]++
					}
				},
			})
			require.NoError(t, err)
			elections := kinds["ELECTION"] + kinds["ANSWER"] + kinds["COORDINATOR"]
			others := kinds["SUSPECT"] + kinds["FREEZE"] + kinds["STATUS"] + kinds["BEGIN"] + kinds["PROBE"] + kinds["ALIVE"] + kinds["LATER"]
			if what.since == 0 && what.crash != nil {
				require.Equal(t, 3*(nodes-2), others, "3(m-1) messages between the m nodes that are left")
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", what.name, nodes, elections, others, elections+others)
		}
	}
	return b.String()
}

// inT returns a duration in T.
func inT(d time.Duration) string { return fmt.Sprint(float64(d) / float64(sim.T)) }
