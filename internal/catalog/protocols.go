package catalog

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/variant"
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
	"example.org/doorway/messaging/sim"
)

// A Protocol is an algorithm that passes messages: one row of the second list.
type Protocol struct {
	Name   string // as the command line and scenarios take it
	Import string // the constructor, as a program writes it
	Source string // author and year
	Kinds  func() []messaging.Message

	// New returns the algorithm for n >= 1 nodes, which chooses the sets itself
	// where it has any.
	New func(n int) messaging.Algorithm

	// Given returns it for given sets: whom each node asks, and whom it informs
	// when it leaves. It is nil where an algorithm has no sets.
	Given func(request, inform [][]messaging.ID) (messaging.Algorithm, error)

	// Timed returns it with timeouts for messages that take about t. It is nil
	// where an algorithm has no timeouts; those of New are for a Cluster.
	Timed func(t time.Duration) messaging.Algorithm

	FIFO  bool // it needs FIFO links
	Costs Costs

	// Broken is how it departs from another one and fails; nil: it does not.
	Broken *variant.Variant
}

// Withdraws says whether a request that waits can be taken back; otherwise it is absorbed.
func (p Protocol) Withdraws() bool {
	_, ok := p.node().(messaging.Withdrawer)
	return ok
}

// Survives says whether the others go on when a node has crashed.
func (p Protocol) Survives() bool {
	_, ok := p.node().(messaging.Survivor)
	return ok
}

func (p Protocol) node() messaging.Exclusion { return p.New(1)(messaging.Start{Nodes: 1}) }

// Costs are what an algorithm is said to cost.
type Costs struct {
	Alone    Range // messages of an entry at low load
	Loaded   Range // messages of an entry at high load
	Delay    Range // T from an exit to the entry of one that waits already
	Response Range // T from a request to the entry at low load
}

// A Range is where a figure lies, in a run in which all nodes enter as often as
// each other.
type Range struct {
	Text string // the formula, in N and K, as the lectures have it
	Of   func(n int) (least, most float64)
}

// exactly is a cost that is the same however nodes get in each other's way.
func exactly(text string, of func(n int) float64) Range {
	return Range{text, func(n int) (least, most float64) { return of(n), of(n) }}
}

func between(text string, least, most func(n int) float64) Range {
	return Range{text, func(n int) (float64, float64) { return least(n), most(n) }}
}

// times is k for each node but one.
func times(k float64) func(n int) float64 { return func(n int) float64 { return k * float64(n-1) } }

// asked is k for each member that a node asks beside itself, the mean over all nodes.
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

// wait is the round trip of whoever has to ask anybody.
func wait(n int) float64 {
	if n == 1 {
		return 0
	}
	return 2
}

func value(v float64) func(int) float64 { return func(int) float64 { return v } }

// must is for what is known to go well.
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

// withQuorums returns New and Given of an algorithm that has quorums.
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

// withStructure returns New and Given of an algorithm that has an information structure.
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

// whatIsMissing is the cost of asking only those whose permission one has not got.
var whatIsMissing = Costs{
	Alone: between("0..2(N-1)", value(0), times(2)), Loaded: between("0..2(N-1)", value(0), times(2)),
	Delay: exactly("T", value(1)), Response: between("0..2T", value(0), wait),
}

// FindProtocol returns the protocol of that name, and whether there is one; the
// broken ones too.
func FindProtocol(name string) (Protocol, bool) {
	for _, p := range slices.Concat(Protocols, Printed) {
		if p.Name == name {
			return p, true
		}
	}
	return Protocol{}, false
}

// Lookup returns the algorithm of a scenario: [sim.Scenario.Run] takes it.
func Lookup(s sim.Setting) (messaging.Algorithm, error) {
	p, ok := FindProtocol(s.Algorithm)
	switch {
	case !ok:
		return nil, fmt.Errorf("no algorithm is called %q", s.Algorithm)
	case p.Given == nil && (s.Request != nil || s.Inform != nil):
		return nil, fmt.Errorf("%s takes no sets", p.Name)
	case s.Request != nil:
		return p.Given(s.Request, s.Inform)
	case s.Inform != nil:
		return nil, fmt.Errorf("%s needs the sets that nodes ask, too", p.Name)
	case p.Timed != nil:
		return p.Timed(sim.T), nil
	default:
		return p.New(s.Nodes), nil
	}
}

// Protocols are all algorithms that pass messages.
var Protocols = []Protocol{
	{
		Name: "central", Import: "central.New", Source: "coordinator",
		New: always(central.New), Kinds: central.Kinds,
		Costs: Costs{
			Alone:    exactly("3 a client", func(n int) float64 { return 3 * float64(n-1) / float64(n) }),
			Loaded:   exactly("3 a client", func(n int) float64 { return 3 * float64(n-1) / float64(n) }),
			Delay:    between("1..2T", value(1), value(2)),
			Response: exactly("2T", func(n int) float64 { return 2 * float64(n-1) / float64(n) }),
		},
	},
	{
		Name: "lamport", Import: "lamport.New", Source: "Lamport 1978", FIFO: true,
		New: always(lamport.New), Kinds: lamport.Kinds,
		Costs: Costs{
			Alone: exactly("3(N-1)", times(3)), Loaded: exactly("3(N-1)", times(3)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Name: "lamport-suppressed", Import: "lamport.NewSuppressed", Source: "Lamport 1978, fewer replies", FIFO: true,
		New: always(lamport.NewSuppressed), Kinds: lamport.Kinds,
		Costs: Costs{
			Alone: exactly("3(N-1)", times(3)), Loaded: between("2..3(N-1)", times(2), times(3)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Name: "ricartagrawala", Import: "ricartagrawala.New", Source: "Ricart, Agrawala 1981",
		New: always(ricartagrawala.New), Kinds: ricartagrawala.Kinds,
		Costs: Costs{
			Alone: exactly("2(N-1)", times(2)), Loaded: exactly("2(N-1)", times(2)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Name: "ricartagrawala-acknowledged", Import: "ricartagrawala.NewAcknowledged(retransmit, failure)", Source: "Ricart, Agrawala 1981, answered",
		New: always(ricartagrawala.NewAcknowledged(time.Second, time.Minute)), Kinds: ricartagrawala.AcknowledgedKinds,
		Timed: func(t time.Duration) messaging.Algorithm { return ricartagrawala.NewAcknowledged(5*t, 20*t) },
		Costs: Costs{
			Alone: exactly("2(N-1)", times(2)), Loaded: between("2..4(N-1)", times(2), times(4)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	},
	{
		Name: "roucairolcarvalho", Import: "roucairolcarvalho.New", Source: "Carvalho, Roucairol 1983",
		New: always(roucairolcarvalho.New), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Name: "roucairolcarvalho-triangle", Import: "roucairolcarvalho.NewTriangle", Source: "Carvalho, Roucairol 1983",
		New: always(roucairolcarvalho.NewTriangle), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Name: "roucairolcarvalho-withdrawing", Import: "roucairolcarvalho.NewWithdrawing", Source: "Carvalho, Roucairol 1983",
		New: always(roucairolcarvalho.NewWithdrawing), Kinds: roucairolcarvalho.Kinds,
		Costs: whatIsMissing,
	},
	{
		Name: "majority", Import: "majority.New", Source: "Thomas 1979, Maekawa 1985",
		New: always(majority.New), Kinds: majority.Kinds,
		Costs: ofQuorums(quorum.Majority),
	},
	{
		Name: "majority-choosing", Import: "majority.NewChoosing", Source: "Thomas 1979, Maekawa 1985",
		New: always(majority.NewChoosing), Kinds: majority.Kinds,
		Costs: ofQuorums(quorum.Majority),
	},
	withQuorums(Protocol{
		Name: "maekawa", Import: "maekawa.New(quorums)", Source: "Maekawa 1985, corrected", Kinds: maekawa.Kinds,
		Costs: ofQuorums(quorum.New),
	}, maekawa.New),
	withStructure(Protocol{
		Name: "sanders", Import: "sanders.New(structure)", Source: "Sanders 1987", Kinds: sanders.Kinds,
		Costs: Costs{
			Alone: exactly("2R+I", asked(3, quorum.New)), Loaded: between("2R+I..2R+I+D", asked(3, quorum.New), most),
			Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", wait),
		},
	}, sanders.New),
	withQuorums(Protocol{
		Name: "caosinghal", Import: "caosinghal.New(quorums)", Source: "Cao, Singhal 2001", Kinds: caosinghal.Kinds,
		Costs: Costs{
			Alone: exactly("3(K-1)", asked(3, quorum.New)), Loaded: between("3..6(K-1)", asked(3, quorum.New), asked(6, quorum.New)),
			Delay: exactly("T", value(1)), Response: exactly("2T", wait),
		},
	}, caosinghal.New),
}

// most is the most messages that an entry takes by Sanders' bound, the mean over all nodes.
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
	printed("roucairolcarvalho/naive", Protocol{New: always(naive.NewWithdrawing), Kinds: naive.Kinds}),
	printed("maekawa/no-deadlock-handling", withQuorums(Protocol{Kinds: nodeadlockhandling.Kinds}, nodeadlockhandling.New)),
	printed("maekawa/late-failed", withQuorums(Protocol{Kinds: latefailed.Kinds}, latefailed.New)),
	printed("maekawa/lock-only", withQuorums(Protocol{Kinds: lockonly.Kinds}, lockonly.New)),
	printed("sanders/printed", withStructure(Protocol{Kinds: crosswise.Kinds}, func(s sanders.Structure) messaging.Algorithm {
		return crosswise.New(crosswise.Structure(s))
	})),
	printed("caosinghal/eager", withQuorums(Protocol{Kinds: eager.Kinds}, eager.New)),
}

// printed returns p as the variant of that name.
func printed(name string, p Protocol) Protocol {
	v := find(name)
	p.Name, p.Import, p.Source, p.Broken = name, fmt.Sprintf("catalog.Protocol(%q, n)", name), v.Source, &v
	return p
}
