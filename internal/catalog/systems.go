package catalog

import (
	"math"
	"time"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/clock/cristian"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/election/changroberts"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/election/firewire"
	"example.org/doorway/messaging/election/heartbeat"
	"example.org/doorway/messaging/election/ring"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast/basic"
	"example.org/doorway/messaging/multicast/causal"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/multicast/total"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/topology"
)

// A System is a message-passing algorithm that is no lock, such as an election, or does something
// else beside, such as snapshots: one row of the third list. It claims no costs but those of its trial.
type System struct {
	Protocol
	Right  string // what its Results are, in words
	Trial  Trial
	Claims Range // messages of the trial
}

// Locks reports whether its nodes are locks, too.
func (s System) Locks() bool {
	_, is := messaging.As[messaging.Exclusion](s.node())
	return is
}

// Systems are all message-passing algorithms that are no locks, and snapshots of one that is.
var Systems = []System{
	tried(onRing(protocol(changroberts.Protocol, "changroberts.New(ring)", "Chang, Roberts 1979", Costs{}), changroberts.New),
		oneLeader, allHold, exactly("3N-1", func(n int) float64 { return float64(3*n - 1) })),
	tried(onRing(protocol(ring.Naive, "ring.NewNaive(ring)", "Mattern 1999", Costs{}), ring.NewNaive),
		oneLeader, allHold, exactly("N²", squared(1))),
	tried(onRing(protocol(ring.Protocol, "ring.New(ring)", "Tanenbaum 1995", Costs{}), ring.New),
		oneLeader, allHold, between("2N..2N²", func(n int) float64 { return float64(2 * n) }, squared(2))),
	tried(timed(protocol(bully.Protocol, "bully.New(answer, coordinator)", "Garcia-Molina 1982", Costs{}), func(t time.Duration) messaging.Algorithm {
		return bully.New(3*t, 6*t)
	}), oneLeader, allHold, exactly("N²-1", func(n int) float64 { return float64(n*n - 1) })),
	tried(timed(protocol(
		heartbeat.Of(bully.Protocol, heartbeat.Config{Period: time.Second, Timeout: 5 * time.Second}),
		"heartbeat.Over(bully.New(answer, coordinator), config)", "Chandra, Toueg 1996", Costs{},
	), func(t time.Duration) messaging.Algorithm {
		return heartbeat.Over(bully.New(3*t, 6*t), heartbeat.Config{Period: 2 * t, Timeout: 6 * t})
	}), oneLeader, beats, exactly("N²-1, and N-1 a period", func(n int) float64 { return float64(n*n - 1 + 6*(n-1)) })),
	tried(over(protocol(firewire.Protocol, "firewire.New(tree, short, long)", "IEEE 1394-1995", Costs{}), paths.CheckTree, func(g topology.Graph) messaging.Algorithm {
		return firewire.New(g, time.Millisecond, 4*time.Millisecond)
	}), oneRoot, allHold, between("2(N-1+r)", times(2), value(math.Inf(1)))),
	tried(over(protocol(firewire.ByID, "firewire.NewByID(tree)", "IEEE 1394-1995", Costs{}), paths.CheckTree, firewire.NewByID),
		oneRoot, allHold, between("2(N-1)..2(N-1)+1", times(2), func(n int) float64 { return 2*float64(n-1) + 1 })),
	tried(onNetwork(protocol(extinction.Plain, "extinction.NewPlain(network, wakeJoins)", "Mattern 1999", Costs{}), extinction.NewPlain),
		"in the end all know the largest candidate", allHold, between("≤ 2EN", value(0), waves(0))),
	tried(onNetwork(protocol(extinction.Protocol, "extinction.New(network, wakeJoins)", "Mattern 1999", Costs{}), extinction.New),
		oneLeader, allHold, between("≤ 2E(N+1)", value(0), waves(1))),
	tried(protocol(basic.Protocol, "basic.New", "Coulouris, Dollimore, Kindberg 2001", Costs{}),
		"each node delivers each message, once", allSend, exactly("N(N-1)", pairs)),
	tried(timed(
		protocol(link.Of(basic.Protocol, link.Config{Timeout: time.Second}), "link.Over(basic.New, config)", "Jacobson, Karels 1988", Costs{}),
		func(t time.Duration) messaging.Algorithm { return link.Over(basic.New, link.Config{Timeout: 3 * t}) },
	), "each node delivers each message, once, though one is lost", lossySend, between("N(N-1)..2N(N-1)", pairs, func(n int) float64 { return 2 * pairs(n) })),
	tried(timed(protocol(reliable.Protocol, "reliable.New(tick, ticks)", "Birman, Joseph 1987", Costs{}), func(t time.Duration) messaging.Algorithm {
		return reliable.New(3*t, 3)
	}), "in each view, its live members deliver the same messages", twoSend, exactly("2N(N-1)", func(n int) float64 { return 2 * pairs(n) })),
	tried(protocol(causal.Protocol, "causal.New", "Birman, Schiper, Stephenson 1991", Costs{}),
		"each node delivers each message, once, in causal order", allSend, exactly("N(N-1)", pairs)),
	tried(protocol(total.Protocol, "total.New", "Lamport 1978", Costs{}),
		"each node delivers each message, once, in the same order", allSend, exactly("N²(N-1)", func(n int) float64 { return float64(n) * pairs(n) })),
	tried(protocol(snapshot.Of(suzukikasami.Protocol, nil), "snapshot.Over(suzukikasami.New, nil)", "Chandy, Lamport 1985", Costs{}),
		"each snapshot is completed, and has one token", allTake, exactly("N²(N-1)", func(n int) float64 { return float64(n) * pairs(n) })),
	tried(timed(protocol(cristian.Protocol, "cristian.New(server, config)", "Cristian 1989", Costs{}), func(t time.Duration) messaging.Algorithm {
		return cristian.New(0, cristian.Config{Tick: t, Every: 10, Drift: 10_000})
	}), "no clock is set back", setClocks, exactly("2(N-1) a round", times(2))),
	tried(timed(protocol(berkeley.Protocol, "berkeley.New(daemon, config)", "Gusella, Zatti 1989", Costs{}), func(t time.Duration) messaging.Algorithm {
		return berkeley.New(0, berkeley.Config{Tick: t, Every: 100, Wait: 20, Apart: time.Hour})
	}), "no clock is set back", setClocks, exactly("3(N-1) a round", times(3))),
}

// tried returns the row of p, with the correct results of a trial, and the messages that it takes.
func tried(p Protocol, right string, t Trial, claims Range) System {
	return System{p, right, t, claims}
}

// onNetwork returns p with Over of an algorithm for any network, on which woken nodes do not join.
func onNetwork(p Protocol, a func(network topology.Graph, wakeJoins bool) messaging.Algorithm) Protocol {
	return over(p, paths.CheckUndirected, func(g topology.Graph) messaging.Algorithm { return a(g, false) })
}

// FindSystem returns the system with that name, and reports whether there is one.
func FindSystem(name string) (System, bool) { return find(name, Systems) }
