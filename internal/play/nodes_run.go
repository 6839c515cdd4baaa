package play

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/draw/network"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/topology"
)

// begin finds out what does not change in the run.
func (g *cluster) begin() {
	r := Run{Kind: "nodes", Algorithm: g.of.Name, Source: g.of.Source, Quorums: g.quorums()}
	for i := range g.setting.Nodes {
		r.Names = append(r.Names, notation.Node(messaging.ID(i)))
	}
	for _, k := range g.of.Kinds {
		r.Kinds = append(r.Kinds, messaging.Kind(k))
	}
	if len(g.of.Kinds) == 0 {
		r.Kinds = g.found()
	}
	switch {
	case g.of.Ring && g.setting.Request != nil:
		g.links = g.setting.Request // the successors
	case g.of.Ring:
		g.links = topology.Ring(g.setting.Nodes)
	}
	for _, at := range network.Layout(g.links) {
		r.Points = append(r.Points, Point(at))
	}
	r.Links = linked(g.links)
	g.describe = r
	g.reset()
}

// found returns the kinds of messages that a fixed run sends, in which each node asks; it is taken back.
func (g *cluster) found() (kinds []string) {
	made := 0
	for k := range g.setting.Nodes + ruleSteps {
		do := "s1"
		if k < g.setting.Nodes {
			do = fmt.Sprintf("a%d", k)
		}
		if g.sim.Do(do) == nil {
			made++
		}
	}
	for _, e := range g.sim.Events() {
		if kind := messaging.Kind(e.Message); e.Message != nil && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if err := g.sim.Undo(made); err != nil {
		panic(err) // it has made them
	}
	return kinds
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
