package catalog

import (
	"fmt"
	"time"

	eager "example.org/doorway/internal/variant/caosinghal/eager"
	latefailed "example.org/doorway/internal/variant/maekawa/latefailed"
	lockonly "example.org/doorway/internal/variant/maekawa/lockonly"
	nodeadlockhandling "example.org/doorway/internal/variant/maekawa/nodeadlockhandling"
	naive "example.org/doorway/internal/variant/roucairolcarvalho/naive"
	crosswise "example.org/doorway/internal/variant/sanders/printed"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/permission/sanders"
)

// A Protocol is a message-passing algorithm: one row of the second list.
type Protocol struct {
	Entry
	Kinds func() []messaging.Message

	// New returns the algorithm for n >= 1 nodes, with sets of its own choice if it
	// has sets.
	New func(n int) messaging.Algorithm

	// Given returns it for given sets: the nodes that each node asks, and those that
	// it informs on exit. It is nil if the algorithm has no sets.
	Given func(request, inform [][]messaging.ID) (messaging.Algorithm, error)

	// Timed returns it with timeouts for messages that take about t. It is nil if
	// the algorithm has no timeouts; those of New are for a Cluster.
	Timed func(t time.Duration) messaging.Algorithm

	FIFO  bool // it needs FIFO links
	Costs Costs
}

// Withdraws reports whether a waiting request can be withdrawn; otherwise it is absorbed.
func (p Protocol) Withdraws() bool {
	_, ok := p.node().(messaging.Withdrawer)
	return ok
}

// Survives reports whether the other nodes make progress after a node has crashed.
func (p Protocol) Survives() bool {
	_, ok := p.node().(messaging.Survivor)
	return ok
}

func (p Protocol) node() messaging.Node { return p.New(1)(messaging.Start{Nodes: 1}) }

// Costs are the claimed costs of an algorithm.
type Costs struct {
	Alone    Range // messages of an entry at low load
	Loaded   Range // messages of an entry at high load
	Delay    Range // synchronization delay: T from an exit to the entry of a node that waits already
	Response Range // response time: T from a request to the entry at low load
}

// A Range is the range of a figure, in a run in which all nodes enter equally often.
type Range struct {
	Text string // the formula, in N and K, as the lectures have it
	Of   func(n int) (least, most float64)
}

// exactly is a cost that does not depend on contention.
func exactly(text string, of func(n int) float64) Range {
	return Range{text, func(n int) (least, most float64) { return of(n), of(n) }}
}

func between(text string, least, most func(n int) float64) Range {
	return Range{text, func(n int) (float64, float64) { return least(n), most(n) }}
}

// times is k for each node but one.
func times(k float64) func(n int) float64 { return func(n int) float64 { return k * float64(n-1) } }

// asked is k for each member that a node asks besides itself, the mean over all nodes.
func asked(k float64, sets func(n int) (quorum.System, error)) func(n int) float64 {
	return func(n int) float64 {
		s, others := must(sets(n)), 0
		for i := range messaging.ID(n) {
			for _, j := range s.Of(i) {
				if j != i {
					others++
				}
			}
		}
		return k * float64(others) / float64(n)
	}
}

// wait is the round trip of a node that has to ask others.
func wait(n int) float64 {
	if n == 1 {
		return 0
	}
	return 2
}

func value(v float64) func(int) float64 { return func(int) float64 { return v } }

// must panics on an error that cannot happen.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("catalog: %v", err))
	}
	return v
}

// always is an algorithm that has no sets.
func always(a messaging.Algorithm) func(int) messaging.Algorithm {
	return func(int) messaging.Algorithm { return a }
}

// withoutSets returns p with New of an algorithm that has no sets.
func withoutSets(p Protocol, a messaging.Algorithm) Protocol {
	p.New = always(a)
	return p
}

// withQuorums returns p with New and Given of an algorithm that has quorums.
func withQuorums(p Protocol, a func(quorum.System) messaging.Algorithm) Protocol {
	p.New = func(n int) messaging.Algorithm { return a(must(quorum.New(n))) }
	p.Given = func(request, inform [][]messaging.ID) (messaging.Algorithm, error) {
		if inform != nil {
			return nil, fmt.Errorf("%s informs those that it asks: it takes no other sets to inform", p.Name)
		}
		s, err := quorum.Sets(request)
		if err != nil {
			return nil, err
		}
		return a(s), nil
	}
	return p
}

// withStructure returns p with New and Given of an algorithm that has an information structure.
func withStructure(p Protocol, a func(sanders.Structure) messaging.Algorithm) Protocol {
	p.New = func(n int) messaging.Algorithm { return a(structure(n)) }
	p.Given = func(request, inform [][]messaging.ID) (messaging.Algorithm, error) {
		s := sanders.Structure{Request: request, Inform: inform}
		if inform == nil {
			s.Inform = request
		}
		if err := s.Check(); err != nil {
			return nil, err
		}
		return a(s), nil
	}
	return p
}

// structure is the information structure of Maekawa's algorithm for n nodes.
func structure(n int) sanders.Structure {
	q := must(quorum.New(n))
	sets := make([][]messaging.ID, n)
	for i := range sets {
		sets[i] = q.Of(messaging.ID(i))
	}
	return sanders.Maekawa(sets)
}

// ofQuorums is the cost of Maekawa's rules.
func ofQuorums(sets func(n int) (quorum.System, error)) Costs {
	return Costs{
		Alone: exactly("3(K-1)", asked(3, sets)), Loaded: between("3..5(K-1)", asked(3, sets), asked(5, sets)),
		Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", wait),
	}
}

// whatIsMissing is the cost of asking only nodes whose permission is missing.
var whatIsMissing = Costs{
	Alone: between("0..2(N-1)", value(0), times(2)), Loaded: between("0..2(N-1)", value(0), times(2)),
	Delay: exactly("T", value(1)), Response: between("0..2T", value(0), wait),
}

// FindProtocol returns the protocol with that name, broken ones included, and
// reports whether there is one.
func FindProtocol(name string) (Protocol, bool) {
	return find(name, Protocols, Printed)
}

// Protocols are all message-passing algorithms.
var Protocols = []Protocol{
	{
		Entry: Entry{Name: "central", Import: "central.New", Source: "coordinator"},
		New:   always(central.New), Kinds: central.Kinds,
		Costs: Costs{
			Alone:    exactly("3 a client", func(n int) float64 { return 3 * float64(n-1) / float64(n) }),
			Loaded:   exactly("3 a client", func(n int) float64 { return 3 * float64(n-1) / float64(n) }),
			Delay:    between("1..2T", value(1), value(2)),
			Response: exactly("2T", func(n int) float64 { return 2 * float64(n-1) / float64(n) }),
		},
	},
	{
		Entry: Entry{Name: "lamport", Import: "lamport.New", Source: "Lamport 1978"}, FIFO: true,
		New: always(lamport.New), Kinds: lamport.Kinds,
		Costs: Costs{
			Alone: exactly("3(N-1)", times(3)), Loaded: exactly("3(N-1)", times(3)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Entry: Entry{Name: "lamport-suppressed", Import: "lamport.NewSuppressed", Source: "Lamport 1978, fewer replies"}, FIFO: true,
		New: always(lamport.NewSuppressed), Kinds: lamport.Kinds,
		Costs: Costs{
			Alone: exactly("3(N-1)", times(3)), Loaded: between("2..3(N-1)", times(2), times(3)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Entry: Entry{Name: "ricartagrawala", Import: "ricartagrawala.New", Source: "Ricart, Agrawala 1981"},
		New:   always(ricartagrawala.New), Kinds: ricartagrawala.Kinds,
		Costs: Costs{
			Alone: exactly("2(N-1)", times(2)), Loaded: exactly("2(N-1)", times(2)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Entry: Entry{Name: "ricartagrawala-acknowledged", Import: "ricartagrawala.NewAcknowledged(retransmit, failure)", Source: "Ricart, Agrawala 1981, answered"},
		New:   always(ricartagrawala.NewAcknowledged(time.Second, time.Minute)), Kinds: ricartagrawala.AcknowledgedKinds,
		Timed: func(t time.Duration) messaging.Algorithm { return ricartagrawala.NewAcknowledged(5*t, 20*t) },
		Costs: Costs{
			Alone: exactly("2(N-1)", times(2)), Loaded: between("2..4(N-1)", times(2), times(4)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Entry: Entry{Name: "roucairolcarvalho", Import: "roucairolcarvalho.New", Source: "Carvalho, Roucairol 1983"},
		New:   always(roucairolcarvalho.New), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Entry: Entry{Name: "roucairolcarvalho-triangle", Import: "roucairolcarvalho.NewTriangle", Source: "Carvalho, Roucairol 1983"},
		New:   always(roucairolcarvalho.NewTriangle), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Entry: Entry{Name: "roucairolcarvalho-withdrawing", Import: "roucairolcarvalho.NewWithdrawing", Source: "Carvalho, Roucairol 1983"},
		New:   always(roucairolcarvalho.NewWithdrawing), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Entry: Entry{Name: "majority", Import: "majority.New", Source: "Thomas 1979, Maekawa 1985"},
		New:   always(majority.New), Kinds: majority.Kinds,
		Costs: ofQuorums(quorum.Majority),
	},
	{
		Entry: Entry{Name: "majority-choosing", Import: "majority.NewChoosing", Source: "Thomas 1979, Maekawa 1985"},
		New:   always(majority.NewChoosing), Kinds: majority.Kinds,
		Costs: ofQuorums(quorum.Majority),
	},
	withQuorums(Protocol{
		Entry: Entry{Name: "maekawa", Import: "maekawa.New(quorums)", Source: "Maekawa 1985, corrected"}, Kinds: maekawa.Kinds,
		Costs: ofQuorums(quorum.New),
	}, maekawa.New),
	withStructure(Protocol{
		Entry: Entry{Name: "sanders", Import: "sanders.New(structure)", Source: "Sanders 1987"}, Kinds: sanders.Kinds,
		Costs: Costs{
			Alone: exactly("2R+I", asked(3, quorum.New)), Loaded: between("2R+I..2R+I+D", asked(3, quorum.New), most),
			Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", wait),
		},
	}, sanders.New),
	withQuorums(Protocol{
		Entry: Entry{Name: "caosinghal", Import: "caosinghal.New(quorums)", Source: "Cao, Singhal 2001"}, Kinds: caosinghal.Kinds,
		Costs: Costs{
			Alone: exactly("3(K-1)", asked(3, quorum.New)), Loaded: between("3..6(K-1)", asked(3, quorum.New), asked(6, quorum.New)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	}, caosinghal.New),
}

// most is Sanders' bound on the messages of an entry, the mean over all nodes.
func most(n int) float64 {
	s, sum := structure(n), 0
	for i := range messaging.ID(n) {
		_, most := s.Messages(i)
		sum += most
	}
	return float64(sum) / float64(n)
}

// Printed are rules as lectures print them, and tempting variants, that fail.
var Printed = []Protocol{
	withoutSets(printed("roucairolcarvalho/naive", naive.Kinds), naive.NewWithdrawing),
	withQuorums(printed("maekawa/no-deadlock-handling", nodeadlockhandling.Kinds), nodeadlockhandling.New),
	withQuorums(printed("maekawa/late-failed", latefailed.Kinds), latefailed.New),
	withQuorums(printed("maekawa/lock-only", lockonly.Kinds), lockonly.New),
	withStructure(printed("sanders/printed", crosswise.Kinds), func(s sanders.Structure) messaging.Algorithm {
		return crosswise.New(crosswise.Structure(s))
	}),
	withQuorums(printed("caosinghal/eager", eager.Kinds), eager.New),
}

// printed returns the row of the variant with that name, without its constructors.
func printed(name string, kinds func() []messaging.Message) Protocol {
	v := patch(name)
	return Protocol{Entry: Entry{name, fmt.Sprintf("catalog.Protocol(%q, n)", name), v.Source, &v}, Kinds: kinds}
}
