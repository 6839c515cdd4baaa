package lecture_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

// stamps runs c, and returns the stamps of the requests in the order of entry, read
// from the nodes as they enter.
func stamps(t *testing.T, c sim.Config) []messaging.Stamp {
	t.Helper()
	nodes, a := make([]messaging.Node, c.Nodes), c.Algorithm
	c.Algorithm = func(start messaging.Start) messaging.Node {
		nodes[start.Self] = a(start)
		return nodes[start.Self]
	}
	var entered []messaging.Stamp
	c.Observe = func(e messaging.Event) {
		if e.Action == "entered" {
			mine := reflect.ValueOf(nodes[e.From]).Elem().FieldByName("Mine")
			entered = append(entered, mine.Interface().(messaging.Stamp))
		}
	}
	run(t, c)
	return entered
}

// Reiser 2002, slide 5.4: fair is what admits "in the order of requests"; Mattern,
// "Kriterien", has degrees of that. By the order of stamps, in which Lamport, and
// Ricart and Agrawala enter without exception (slides 5.7 and 5.9); with quorums, or
// with permissions that are kept, nodes do so mostly.
func TestReiser5_7EntryInOrderOfStamps(t *testing.T) {
	for _, c := range []struct {
		name   string
		strict bool
	}{
		{"lamport", true},
		{"lamport-suppressed", true},
		{"ricartagrawala", true},
		{"ricartagrawala-acknowledged", true},
		{"roucairolcarvalho", false},
		{"maekawa", false},
		{"majority", false},
		{"caosinghal", false},
	} {
		p, younger, entries := protocol(t, c.name), 0, 0
		for seed := range uint64(tier.Pick(40, 100)) {
			got := stamps(t, sim.Config{
				Algorithm: p.New(7), Nodes: 7, Load: sim.HighLoad{Think: sim.Uniform(0, 10*T)}, Entries: 60, Seed: seed,
				Latency: sim.Exponential(T), Unordered: !p.FIFO,
			})
			entries += len(got)
			for k := range got[1:] {
				if got[k+1].Before(got[k]) {
					younger++
				}
			}
		}
		t.Logf("%s: of %d entries %d were followed by that of an older request", c.name, entries, younger)
		assert.Equal(t, c.strict, younger == 0, "%s: %d entries were followed by that of an older request", c.name, younger)
	}
}

// relay has node i of five ask at time 0 and tell node j, which asks as soon as it knows: the
// one request has happened before the other. The links of Config.Except are slow.
func relay(t *testing.T, a messaging.Algorithm, i, j messaging.ID, slow ...sim.Exception) []messaging.ID {
	t.Helper()
	return enterers(run(t, sim.Config{
		Algorithm: a, Nodes: 5, Load: sim.Script{{Node: i}, {Node: j, At: T + 1}}, Except: slow, Order: true,
	}))
}

func slowLink(from, to messaging.ID) sim.Exception {
	return sim.Exception{From: []messaging.ID{from}, To: []messaging.ID{to}, Latency: sim.Constant(20 * T)}
}

// HAW Hamburg, slide 15, defines order: a node that asks, and then sends a message
// to another that asks thereupon, enters first. Slide 18: with a coordinator that
// is "not guaranteed". The request of the first may be longer in transit to it.
func TestHAW18CoordinatorBreaksHappenedBefore(t *testing.T) {
	for _, i := range without(5, 0) {
		for _, j := range without(5, 0, i) {
			assert.Equal(t, []messaging.ID{i, j}, relay(t, central.New, i, j), "entries on equal links")
			assert.Equal(t, []messaging.ID{j, i}, relay(t, central.New, i, j, slowLink(i, 0)), "entries on a slow link from %d to the coordinator", i)
		}
	}
}

// HAW Hamburg, slide 23: with the algorithm of Ricart and Agrawala all three
// conditions hold, order among them. Lamport's has it too. A slow link to another
// node does not change that.
func TestHAW23RicartAgrawalaKeepsHappenedBefore(t *testing.T) {
	for _, name := range []string{"lamport", "lamport-suppressed", "ricartagrawala", "ricartagrawala-acknowledged"} {
		for _, i := range all(5) {
			for _, j := range without(5, i) {
				for _, k := range without(5, i, j) {
					for _, links := range [][]sim.Exception{nil, {slowLink(i, k)}, {slowLink(j, k)}, {slowLink(k, i)}, {slowLink(i, k), slowLink(k, j)}} {
						assert.Equal(t, []messaging.ID{i, j}, relay(t, protocol(t, name).New(5), i, j, links...), "%s, slow links %v: entries", name, links)
					}
				}
			}
		}
	}
}

// That holds, on condition that the message from the one to the other has a stamp
// as well, or does not overtake the request. Here a user tells another outside the
// algorithm: its request arrives later, and the other has a smaller number. Then
// Ricart and Agrawala guarantee no more than a coordinator.
func TestHAW23OrderNeedsStampsOnAllMessages(t *testing.T) {
	for _, name := range []string{"lamport", "ricartagrawala"} {
		for _, i := range all(5) {
			for _, j := range without(5, i) {
				want := []messaging.ID{i, j}
				if j < i {
					want = []messaging.ID{j, i}
				}
				assert.Equal(t, want, relay(t, protocol(t, name).New(5), i, j, slowLink(i, j)), "%s, the request from %d to %d is overtaken: entries", name, i, j)
			}
		}
	}
}

// A chain of the algorithm's own messages is what the stamps are about: node 2
// asks, its request reaches 1, which asks, whose request reaches 0, which asks,
// while the request of 2 is still in transit to 0. They enter in that order,
// against that of their numbers.
func TestHAW15ChainOfRequests(t *testing.T) {
	for _, name := range []string{"lamport", "lamport-suppressed", "ricartagrawala", "ricartagrawala-acknowledged"} {
		c := sim.Config{
			Algorithm: protocol(t, name).New(3), Nodes: 3, Order: true, Except: []sim.Exception{slowLink(2, 0)},
			Load: sim.Script{{Node: 2}, {Node: 1, At: T + 1}, {Node: 0, At: 2*T + 2}},
		}
		assert.Equal(t, []messaging.ID{2, 1, 0}, enterers(run(t, c)), "%s: entries", name)
	}
}

// With the permissions that Prabhakaran, slide 14, has nodes keep, one that has
// them all enters without asking, although an older request is in transit to it:
// they cost the order of stamps. In the algorithm of Ricart and Agrawala nodes
// learn of all stamps.
func TestPrabhakaran14IdlePermissionsIgnoreStamps(t *testing.T) {
	script := sim.Script{{Node: 0}, {Node: 0, At: long}, {Node: 0, At: 2 * long}, {Node: 1, At: 3 * long}, {Node: 0, At: 3*long + T/2}}
	for _, c := range []struct {
		a    messaging.Algorithm
		last []messaging.Stamp
	}{
		{roucairolcarvalho.New, []messaging.Stamp{{Time: 4, ID: 0}, {Time: 2, ID: 1}}},
		{ricartagrawala.New, []messaging.Stamp{{Time: 4, ID: 0}, {Time: 4, ID: 1}}},
	} {
		got := stamps(t, sim.Config{Algorithm: c.a, Nodes: 3, Load: script})
		assert.Equal(t, c.last, got[3:], "the stamps with which the last two enter")
	}
}
