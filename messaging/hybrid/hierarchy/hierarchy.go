// Package hierarchy builds an algorithm from two: the nodes form clusters, in each of
// which one algorithm decides, and another decides among the clusters, each of which a
// member represents.
//
// # Source
//
// F. Mattern, Verteilte Algorithmen, 1999/2000, "Klassifikation": hierarchical algorithms,
// with representatives.
//
// # Messages
//
//	Wish{Number}    to the representative: the sender makes its request of that number
//	Own{Number}     the sender has the lock of the cluster, for that request
//	Grant{Number}   the cluster has the lock among the clusters: the member may enter
//	Done{Number}    the sender has left
//	Timer{...}      a timer of one of the two algorithms has expired
//
// and the messages of the two algorithms, as they are: those of a member of the same
// cluster belong to the algorithm within it, those of other clusters to the algorithm among
// them. Both number their nodes from 0, by the order of the members and of the clusters, so
// the numbers of nodes in these messages are theirs. Messages of a representative to
// itself do not count.
//
// Links need to be FIFO if one of the two algorithms needs it.
//
// # State
//
//	Phase      idle, waiting or inside
//	Number     of its latest request
//	Within     the node of the algorithm within the cluster
//	Among      of a representative, the node of the algorithm among the clusters
//	Cluster    of a representative, whether the cluster is idle, waiting or inside
//	Asked      of a representative, by member, the number of its latest request
//	Served     likewise, of its latest request that is over
//	Owner      likewise, the member that has the lock of the cluster, if it was said
//	Next       likewise, the next one, if it was said before Done of the one before
//	Handovers  likewise, how often in a row the lock of the cluster was passed on
//
// # Rules
//
// A member first acquires the lock of its cluster. Its representative then acquires the
// lock among the clusters, unless the cluster has it. A member that leaves hands over
// inside the cluster, if a request of a member has been announced and at most a given
// number of times in a row; otherwise the representative first releases the lock among the
// clusters.
//
// # Properties
//
// Mutual exclusion, if both algorithms have it: a node is inside only while it has the lock
// of its cluster, and the cluster the lock among them. Starvation-free, if both are, since
// hand-overs are bounded. A member that is no representative adds four messages to those
// of the two algorithms. If a representative crashes, its cluster waits.
//
// A request is not withdrawn: it is absorbed.
package hierarchy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	wish  struct{ Number uint64 } // the node counts its requests from 1
	own   struct{ Number uint64 }
	grant struct{ Number uint64 }
	done  struct{ Number uint64 }

	timer struct {
		Among   bool
		Message messaging.Message
	}
)

// New returns the algorithm for these clusters, of which the first member of each is the
// representative. Each node belongs to one cluster. The lock of a cluster is handed over
// within it at most handovers >= 0 times in a row while it has the lock among the clusters.
//
// It returns an error if a cluster has no member, if a node belongs to none or to several,
// if handovers is negative, or if one of the algorithms does not serve that number of nodes,
// is no [messaging.Exclusion], is a [messaging.Sharer], which lets several in at once, or is a
// hierarchy itself.
func New(clusters [][]messaging.ID, within, among messaging.Protocol, handovers int) (messaging.Algorithm, error) {
	if handovers < 0 {
		return nil, fmt.Errorf("hierarchy: the number of hand-overs is %d: it must be at least 0", handovers)
	}
	places, err := placesOf(clusters)
	if err != nil {
		return nil, err
	}
	own := make([][]messaging.ID, len(clusters)) // the caller may change theirs
	for c, members := range clusters {
		own[c] = slices.Clone(members)
	}
	above, err := serving(among, len(clusters))
	if err != nil {
		return nil, err
	}
	below := make([]messaging.Algorithm, len(clusters))
	for c, members := range clusters {
		if below[c], err = serving(within, len(members)); err != nil {
			return nil, err
		}
	}
	return func(start messaging.Start) messaging.Node {
		if start.Nodes != len(places) {
			panic(fmt.Sprintf("hierarchy: %d nodes, but the clusters have %d", start.Nodes, len(places)))
		}
		return newNode(start, own, places, handovers, below, above)
	}, nil
}

// serving returns the algorithm of a level with n nodes.
func serving(p messaging.Protocol, n int) (messaging.Algorithm, error) {
	if err := layer.HasNew("hierarchy", p); err != nil {
		return nil, err
	}
	a, err := p.New(n)
	if err != nil {
		return nil, fmt.Errorf("hierarchy: a level of %d nodes: %w", n, err)
	}
	if a == nil {
		return nil, fmt.Errorf("hierarchy: a level of %d nodes: New of %s returned nil", n, p.Name)
	}
	sample := a(messaging.Start{Nodes: n})
	if _, ok := sample.(interface{ inner() *node }); ok {
		return nil, fmt.Errorf("hierarchy: %s is a hierarchy: its messages would be taken for those of the level above", p.Name)
	}
	if _, ok := messaging.As[messaging.Sharer](sample); ok {
		return nil, fmt.Errorf("hierarchy: %s lets several nodes in at the same time: a level of a hierarchy excludes all", p.Name)
	}
	if _, ok := messaging.As[messaging.Exclusion](sample); !ok {
		return nil, fmt.Errorf("hierarchy: the nodes of %s are no Exclusion: both levels are algorithms for mutual exclusion", p.Name)
	}
	return a, nil
}

// A place is the cluster of a node, and its position in it.
type place struct {
	cluster  int
	position messaging.ID
}

// placesOf returns the place of each node.
func placesOf(clusters [][]messaging.ID) ([]place, error) {
	n := 0
	for c, members := range clusters {
		if len(members) == 0 {
			return nil, fmt.Errorf("hierarchy: cluster %d has no member", c)
		}
		n += len(members)
	}
	if n == 0 {
		return nil, errors.New("hierarchy: there is no cluster")
	}
	places := make([]place, n)
	for i := range places {
		places[i].cluster = -1
	}
	for c, members := range clusters {
		for k, i := range members {
			switch {
			case i < 0 || int(i) >= n:
				return nil, fmt.Errorf("hierarchy: node %d is in cluster %d, but the clusters have %d members: the nodes are 0 to %d, each in one cluster", i, c, n, n-1)
			case places[i].cluster >= 0:
				return nil, fmt.Errorf("hierarchy: node %d is in clusters %d and %d: each node belongs to one", i, places[i].cluster, c)
			}
			places[i] = place{c, messaging.ID(k)}
		}
	}
	return places, nil
}

// Of returns the protocol that has within in clusters, and among between them: n nodes
// form ⌈√n⌉ clusters of consecutive nodes, and a cluster hands over as often as the largest
// has members. Its Kinds do not include Timer, which is sent only if a level has timers.
func Of(within, among messaging.Protocol) messaging.Protocol {
	return messaging.Protocol{
		Name: "hierarchy-" + within.Name + "-" + among.Name,
		New: func(n int) (messaging.Algorithm, error) {
			if n < 1 {
				return nil, fmt.Errorf("hierarchy: %d nodes: there must be at least 1", n)
			}
			clusters := consecutive(n)
			return New(clusters, within, among, len(clusters[0]))
		},
		Kinds:     kinds(within, among),
		FIFO:      within.FIFO || among.FIFO,
		Perpetual: within.Perpetual || among.Perpetual,
		Invariant: invariant(within.Invariant, among.Invariant),
	}
}

// consecutive returns clusters of n nodes, the largest first.
func consecutive(n int) (clusters [][]messaging.ID) {
	many := int(math.Ceil(math.Sqrt(float64(n))))
	for c, i := 0, 0; c < many; c++ {
		size := (n - i + many - c - 1) / (many - c)
		var members []messaging.ID
		for range size {
			members = append(members, messaging.ID(i))
			i++
		}
		clusters = append(clusters, members)
	}
	return clusters
}

// kinds returns the kinds of messages of both levels and between them.
func kinds(within, among messaging.Protocol) []messaging.Message {
	all := []messaging.Message{wish{}, own{}, grant{}, done{}}
	for _, m := range slices.Concat(within.Kinds, among.Kinds) {
		if !slices.ContainsFunc(all, func(k messaging.Message) bool { return fmt.Sprintf("%T", k) == fmt.Sprintf("%T", m) }) {
			all = append(all, m)
		}
	}
	return all
}
