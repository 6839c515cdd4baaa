package play

import (
	"slices"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/topology"
)

// successors returns the ring on which the nodes send, if they do.
func (g *cluster) successors() topology.Graph {
	if g.setting.Request != nil {
		return g.setting.Request
	}
	return topology.Ring(g.setting.Nodes)
}

// linked returns the links of a graph, each once; none if all nodes are linked.
func linked(g topology.Graph) (all [][2]int) {
	sum := 0
	for i, of := range g {
		sum += len(of)
		for _, j := range of {
			if i < int(j) || !slices.Contains(g[j], messaging.ID(i)) {
				all = append(all, [2]int{i, int(j)})
			}
		}
	}
	if sum == len(g)*(len(g)-1) {
		return nil
	}
	return all
}

// quorums returns the nodes that each node asks, if the algorithm takes such sets.
func (g *cluster) quorums() (all [][]int) {
	if g.of.Given == nil {
		return nil
	}
	sets := g.setting.Request
	if g.setting.Sets != "" {
		sets, _, _ = catalog.Sets(g.setting.Sets, g.setting.Nodes)
	}
	if sets == nil {
		usual, err := quorum.New(g.setting.Nodes)
		if err != nil {
			return nil
		}
		for i := range messaging.ID(g.setting.Nodes) {
			sets = append(sets, usual.Of(i))
		}
	}
	for _, set := range sets {
		numbers := make([]int, len(set))
		for k, i := range set {
			numbers[k] = int(i)
		}
		all = append(all, numbers)
	}
	return all
}
