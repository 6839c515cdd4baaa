package catalog

import (
	"fmt"
	"math"
	"time"

	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/hybrid/hierarchy"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/token/huntedring"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/ricartagrawala1983"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
	"example.org/doorway/messaging/topology"
)

// A Protocol is a message-passing algorithm: one row of the second list.
type Protocol struct {
	Entry
	Kinds []messaging.Message

	// New returns the algorithm for n >= 1 nodes, with sets of its own choice if it
	// has sets.
	New func(n int) messaging.Algorithm

	// Given returns it for given sets: the nodes that each node asks, and those that
	// it informs on exit. It is nil if the algorithm has no sets.
	Given func(request, inform [][]messaging.ID) (messaging.Algorithm, error)

	// First returns it for the node to which each node sends first, alone in its set: its successor
	// on a ring, or its father in a tree. It is nil if the algorithm chooses that itself.
	First func(sets [][]messaging.ID) (messaging.Algorithm, error)

	// With returns it with a quorum system. It is nil if the algorithm has no quorums.
	With func(s quorum.System) messaging.Algorithm

	// Over returns it for a given topology, on whose links it runs. It is nil if the
	// algorithm has no topology of its own; then messaging.On puts it on any.
	Over func(g topology.Graph) (messaging.Algorithm, error)

	// Timed returns it with timeouts for messages that take about t. It is nil if
	// the algorithm has no timeouts; those of New are for a Cluster.
	Timed func(t time.Duration) messaging.Algorithm

	Ring      bool // it sends on a ring: that of First, if it is given, or else in the order of the nodes
	FIFO      bool // it needs FIFO links
	Perpetual bool // it never comes to rest
	Invariant messaging.Invariant
	Results   messaging.Results // nil for a lock
	Costs     Costs

	Declared messaging.Protocol // as its package has it
}

// Within returns it for n nodes, with timeouts, if it has any, for messages that take about t.
func (p Protocol) Within(n int, t time.Duration) messaging.Algorithm {
	if p.Timed != nil {
		return p.Timed(t)
	}
	return p.New(n)
}

// Withdraws reports whether a waiting request can be withdrawn; otherwise it is absorbed.
func (p Protocol) Withdraws() bool {
	_, ok := messaging.As[messaging.Withdrawer](p.node())
	return ok
}

// Survives reports whether the other nodes make progress after a node has crashed.
func (p Protocol) Survives() bool {
	_, ok := messaging.As[messaging.Survivor](p.node())
	return ok
}

// Excludes returns a function that reports whether nodes i and j of n must not be inside at
// the same time, or nil if all exclude each other.
func (p Protocol) Excludes(n int) func(i, j int) bool {
	if _, ok := messaging.As[messaging.Sharer](p.node()); !ok {
		return nil
	}
	a := p.New(n)
	g := conflict.Of(n, func(i messaging.ID) messaging.Node { return a(messaging.Start{Self: i, Nodes: n}) })
	return func(i, j int) bool { return g.Excludes(messaging.ID(i), messaging.ID(j)) }
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

// ofAll is the mean over all nodes of k for each but one.
func ofAll(k float64) func(n int) float64 {
	return func(n int) float64 { return k * float64(n-1) / float64(n) }
}

// asked is k for each of the others that a node asks.
func asked(k float64, others func(n int) float64) func(n int) float64 {
	return func(n int) float64 { return k * others(n) }
}

// half is how many others a node of a majority asks.
func half(n int) float64 { return float64(n / 2) }

// members is how many others a node asks that asks a quorum, the mean over all nodes.
func members(n int) float64 {
	others := 0
	for i, set := range setsOf(must(quorum.New(n))) {
		for _, j := range set {
			if j != messaging.ID(i) {
				others++
			}
		}
	}
	return float64(others) / float64(n)
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

// protocol returns the row of a protocol.
func protocol(p messaging.Protocol, constructor, source string, c Costs) Protocol {
	return Protocol{
		Entry: Entry{Name: p.Name, Import: constructor, Source: source}, Kinds: p.Kinds, Costs: c,
		FIFO: p.FIFO, Perpetual: p.Perpetual, Invariant: p.Invariant, Results: p.Results, Declared: p,
		New: func(n int) messaging.Algorithm { return must(p.New(n)) },
	}
}

func timed(p Protocol, timed func(t time.Duration) messaging.Algorithm) Protocol {
	p.Timed = timed
	return p
}

// withQuorums returns p with Given and With of an algorithm that has quorums.
func withQuorums(p Protocol, a func(quorum.System) messaging.Algorithm) Protocol {
	p.With = a
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

// withStructure returns p with Given of an algorithm that has an information structure.
func withStructure(p Protocol, a func(sanders.Structure) messaging.Algorithm) Protocol {
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

// over returns p with Over of an algorithm that needs a topology as check has it.
func over(p Protocol, check func([][]messaging.ID) error, a func(topology.Graph) messaging.Algorithm) Protocol {
	p.Over = func(g topology.Graph) (messaging.Algorithm, error) {
		if err := check(g); err != nil {
			return nil, err
		}
		return a(g), nil
	}
	return p
}

// structure is the information structure of Maekawa's algorithm for n nodes.
func structure(n int) sanders.Structure { return sanders.Maekawa(setsOf(must(quorum.New(n)))) }

// onAGraph is a path through all nodes, which is taken twice, and the E links, of which those
// that are not on it may be inverted.
func onAGraph(n int) float64 {
	return float64(n - 1 + links(snepscheut.Graph(n)))
}

// ofQuorums is the cost of Maekawa's rules.
func ofQuorums(others func(n int) float64) Costs {
	return Costs{
		Alone: exactly("3(K-1)", asked(3, others)), Loaded: between("3..5(K-1)", asked(3, others), asked(5, others)),
		Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", wait),
	}
}

// asking is the cost of asking others, and waiting until the last has answered.
func asking(alone, loaded Range) Costs {
	return Costs{Alone: alone, Loaded: loaded, Delay: exactly("T", value(1)), Response: exactly("2T", wait)}
}

// whatIsMissing is the cost of asking only nodes whose permission is missing.
var whatIsMissing = Costs{
	Alone: between("0..2(N-1)", value(0), times(2)), Loaded: between("0..2(N-1)", value(0), times(2)),
	Delay: exactly("T", value(1)), Response: between("0..2T", value(0), wait),
}

// FindProtocol returns the protocol with that name, broken ones included, and
// reports whether there is one.
func FindProtocol(name string) (Protocol, bool) {
	if p, is := findRecovered(name); is {
		return p, true
	}
	return find(name, Protocols, Printed)
}

// Protocols are all message-passing algorithms.
var Protocols = []Protocol{
	protocol(central.Protocol, "central.New", "coordinator", Costs{
		Alone: exactly("3 a client", ofAll(3)), Loaded: exactly("3 a client", ofAll(3)),
		Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", ofAll(2)),
	}),
	protocol(lamport.Protocol, "lamport.New", "Lamport 1978", asking(exactly("3(N-1)", times(3)), exactly("3(N-1)", times(3)))),
	protocol(lamport.Suppressed, "lamport.NewSuppressed", "Lamport 1978, fewer replies",
		asking(exactly("3(N-1)", times(3)), between("2..3(N-1)", times(2), times(3)))),
	protocol(ricartagrawala.Protocol, "ricartagrawala.New", "Ricart, Agrawala 1981",
		asking(exactly("2(N-1)", times(2)), exactly("2(N-1)", times(2)))),
	timed(protocol(ricartagrawala.Acknowledged, "ricartagrawala.NewAcknowledged(retransmit, failure)", "Ricart, Agrawala 1981, answered",
		asking(exactly("2(N-1)", times(2)), between("2..4(N-1)", times(2), times(4)))),
		func(t time.Duration) messaging.Algorithm { return ricartagrawala.NewAcknowledged(5*t, 20*t) }),
	protocol(intervals.Protocol, "intervals.New(needs)", "Ricart, Agrawala 1981, intervals",
		asking(exactly("2(N-1)", times(2)), exactly("2(N-1)", times(2)))),
	protocol(roucairolcarvalho.Protocol, "roucairolcarvalho.New", "Carvalho, Roucairol 1983", whatIsMissing),
	protocol(roucairolcarvalho.Triangle, "roucairolcarvalho.NewTriangle", "Carvalho, Roucairol 1983", whatIsMissing),
	protocol(roucairolcarvalho.Withdrawing, "roucairolcarvalho.NewWithdrawing", "Carvalho, Roucairol 1983", whatIsMissing),
	protocol(majority.Protocol, "majority.New", "Thomas 1979, Maekawa 1985", ofQuorums(half)),
	protocol(majority.Choosing, "majority.NewChoosing", "Thomas 1979, Maekawa 1985", ofQuorums(half)),
	withQuorums(protocol(maekawa.Protocol, "maekawa.New(quorums)", "Maekawa 1985, corrected", ofQuorums(members)), maekawa.New),
	withStructure(protocol(sanders.Protocol, "sanders.New(structure)", "Sanders 1987", Costs{
		Alone: exactly("2R+I", asked(3, members)), Loaded: between("2R+I..2R+I+D", asked(3, members), most),
		Delay: between("1..2T", value(1), value(2)), Response: exactly("2T", wait),
	}), sanders.New),
	withQuorums(protocol(caosinghal.Protocol, "caosinghal.New(quorums)", "Cao, Singhal 2001",
		asking(exactly("3(K-1)", asked(3, members)), between("3..6(K-1)", asked(3, members), asked(6, members)))), caosinghal.New),

	// Token-based algorithms: on rings, by broadcast, by search, on trees and graphs, by paths.
	timed(byNumber(protocol(tokenring.Protocol, "tokenring.New(pause)", "Le Lann 1977", Costs{
		Alone: between("1..∞", value(1), value(math.MaxFloat64)), Loaded: exactly("1", value(1)),
		Delay: exactly("NT/2", halfRound), Response: between("≤ NT+pause", value(0), roundAndPause),
	})), func(t time.Duration) messaging.Algorithm { return tokenring.New(10 * t) }),
	byNumber(protocol(huntedring.Protocol, "huntedring.New", "Mattern 1999", Costs{
		Alone: exactly("0 or N+d", times(1.5)), Loaded: between("2", value(1.9), value(2)), // at the beginning the token is there
		Delay: exactly("NT/2", halfRound), Response: exactly("0 or NT", times(1)),
	})),
	protocol(suzukikasami.Protocol, "suzukikasami.New", "Suzuki, Kasami 1985", askingAll),
	protocol(ricartagrawala1983.Protocol, "ricartagrawala1983.New", "Ricart, Agrawala 1983", askingAll),
	over(protocol(echo.Protocol, "echo.New(network)", "Chang 1982", searching("2E", echo.Graph, func(g topology.Graph) int { return 2 * links(g) })),
		paths.CheckUndirected, echo.New),
	over(protocol(echo.Tree, "echo.NewTree(tree)", "Mattern 1999", searching("N-1", binary, links)), paths.CheckTree, echo.NewTree),
	over(protocol(raymond.Protocol, "raymond.New(tree)", "Raymond 1989", // in the last round the token need not come back
		inBinaryTree(between("4(N-1)/N", ofAll(3.9), ofAll(4)))), paths.CheckTree, raymond.New),
	over(protocol(raymond.Merged, "raymond.NewMerged(tree)", "Mattern 1999, merged",
		inBinaryTree(between("2..4(N-1)/N", ofAll(1.9), ofAll(4)))), paths.CheckTree, raymond.NewMerged),
	over(protocol(raymond.Greedy, "raymond.NewGreedy(tree, bound)", "Mattern 1999, greedy", passingOver),
		paths.CheckTree, func(g topology.Graph) messaging.Algorithm { return raymond.NewGreedy(g, 2) }),
	over(protocol(raymond.Lift, "raymond.NewLift(tree, bound)", "Mattern 1999, as a lift", passingOver),
		paths.CheckTree, func(g topology.Graph) messaging.Algorithm { return raymond.NewLift(g, 2) }),
	over(protocol(snepscheut.Protocol, "snepscheut.New(graph)", "van de Snepscheut 1987", Costs{
		Alone: between("0..N-1+E", value(0), onAGraph), Loaded: between("0..N-1+E", value(0), onAGraph),
		Delay: between("1..(N-1)T", value(1), times(1)), Response: between("0..2(N-1)T", value(0), times(2)),
	}), paths.CheckUndirected, snepscheut.New),
	inTree(protocol(naimitrehel.Protocol, "naimitrehel.New", "Naimi, Trehel 1987", alongPaths(between("0..NT", value(0), size))), naimitrehel.NewTree),
	protocol(singhal.Protocol, "singhal.New", "Singhal 1989", alongPaths(between("0..2T", value(0), wait))),

	// Hierarchies.
	protocol(hierarchy.Of(suzukikasami.Protocol, ricartagrawala.Protocol), "hierarchy.Of(suzukikasami.Protocol, ricartagrawala.Protocol)", "Mattern 1999", inClusters),
}

// passingOver is the cost of Raymond's algorithm if nodes on the way of the token enter first.
// Then more of them enter while the token goes over each edge twice, up to one each time that
// it arrives.
var passingOver = inBinaryTree(between("2..4(N-1)/N", value(1.9), ofAll(4)))

// inBinaryTree is the cost of Raymond's algorithm, and variants of it.
func inBinaryTree(loaded Range) Costs {
	return Costs{
		Alone: between("2d", value(0), roundTrip), Loaded: loaded,
		Delay: exactly("dT", distance), Response: between("2dT", value(0), roundTrip),
	}
}

// alongPaths is the cost of asking nodes until one knows where the token is.
func alongPaths(response Range) Costs {
	each := between("0..N", value(0), size)
	return Costs{Alone: each, Loaded: each, Delay: exactly("T", value(1)), Response: response}
}

// roundTrip is twice the diameter of a balanced binary tree.
func roundTrip(n int) float64 { return 2 * diameter(binary(n)) }

// distance is the mean distance of two nodes of a balanced binary tree.
func distance(n int) float64 { return meanDistance(binary(n)) }

// roundAndPause is the longest wait for a token that may pause just before the request: all
// hops of a round, and 10T.
func roundAndPause(n int) float64 { return float64(n) + 10 }

// halfRound is the mean distance of two nodes on a unidirectional ring.
func halfRound(n int) float64 { return float64(n) / 2 }

// askingAll is the cost of asking all others for a token.
var askingAll = Costs{
	Alone: between("0 or N", butTheFirst(size), size), Loaded: between("0 or N", butTheFirst(size), size),
	Delay: exactly("T", value(1)), Response: between("0 or 2T", butTheFirst(wait), wait),
}

// inClusters is the cost of asking all others for a token in one of √N clusters, and of
// Ricart and Agrawala's algorithm among the clusters: K members, the messages between the
// levels, and C clusters.
var inClusters = Costs{
	Alone:    between("≤ K+2C+2", amongClusters, clustered),
	Loaded:   between("≤ K+2C+2", value(0), clustered),
	Delay:    between("T..3T", value(1), value(3)),
	Response: between("2..6T", value(2), value(6)),
}

// amongClusters is 2(C-1).
func amongClusters(n int) float64 { return 2 * (math.Ceil(math.Sqrt(float64(n))) - 1) }

// clustered is K+2C+2: K to ask in a cluster, 4 between the levels, 2(C-1) among the clusters.
func clustered(n int) float64 {
	clusters := math.Ceil(math.Sqrt(float64(n)))
	return math.Ceil(float64(n)/clusters) + 4 + amongClusters(n)
}

func size(n int) float64 { return float64(n) }

// butTheFirst is the least mean of a cost that an entry does not have if the token is at the
// node: in a run of 3n entries or more that is so for the first.
func butTheFirst(cost func(n int) float64) func(n int) float64 {
	return func(n int) float64 { return cost(n) * (1 - 1/float64(3*n)) }
}

// searching is the cost of sending a wave through a network, and the token back: d messages, the
// distance of the two nodes, at most the diameter.
func searching(wave string, network func(n int) topology.Graph, messages func(topology.Graph) int) Costs {
	entry := func(n int, d float64) float64 { return float64(messages(network(n))) + d }
	least := butTheFirst(func(n int) float64 { return entry(n, 1) })
	most := func(n int) float64 { return entry(n, diameter(network(n))) }
	each := between("0 or "+wave+"+d", least, most)
	return Costs{
		Alone: each, Loaded: each,
		Delay:    exactly("dT", func(n int) float64 { return meanDistance(network(n)) }),
		Response: between("0 or 2dT", butTheFirst(wait), func(n int) float64 { return 2 * diameter(network(n)) }),
	}
}

// binary is the tree that algorithms on trees choose.
func binary(n int) topology.Graph { return topology.Tree(n, 2) }

func meanDistance(g topology.Graph) float64 {
	_, mean := paths.Distances(g)
	return mean
}

func diameter(g topology.Graph) float64 {
	d, _ := paths.Distances(g)
	return float64(d)
}

// links is the number of pairs of nodes with a link.
func links(g topology.Graph) int {
	sum := 0
	for _, of := range g {
		sum += len(of)
	}
	return sum / 2
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

// Printed are rules as lectures print them, and tempting variants, that fail. Their costs are
// not claimed, and what refutes an invariant comes later than other failures.
var Printed = rowsOf(variant.Nodes, printed)

// printed returns the row of the variant. A build without the variants has the row of the
// algorithm from which it departs, with a constructor that panics.
func printed(v variant.Variant) Protocol {
	row, built := find(v.Name, wrongProtocols)
	if !built {
		row, _ = find(v.Of, Protocols)
	}
	row.Entry = Entry{v.Name, fmt.Sprintf("catalog.Protocol(%q, n)", v.Name), v.Source, &v}
	row.Costs, row.Invariant = Costs{}, nil
	if !built {
		lacking := func() messaging.Algorithm { panic("catalog: " + row.Lacking().Error()) }
		row.New = func(int) messaging.Algorithm { return lacking() }
		row.With = func(quorum.System) messaging.Algorithm { return lacking() }
		row.Given = func(_, _ [][]messaging.ID) (messaging.Algorithm, error) { return nil, row.Lacking() }
		row.Over = func(topology.Graph) (messaging.Algorithm, error) { return nil, row.Lacking() }
		row.Declared.New = func(int) (messaging.Algorithm, error) { return nil, row.Lacking() }
	}
	return row
}
