package spacetime

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// mostLines is how many lines a picture has at most.
const mostLines = 40

// A line stands for a node, or for several that are folded.
type line struct {
	nodes []messaging.ID
	idle  bool // they do nothing
	y     int
}

// folded reports whether the line stands for several nodes.
func (l line) folded() bool { return len(l.nodes) > 1 }

// name returns what the line is called.
func (l line) name() string {
	first, last := l.nodes[0], l.nodes[len(l.nodes)-1]
	switch {
	case !l.folded():
		return notation.Node(first)
	case !l.idle:
		return fmt.Sprintf("%d nodes", len(l.nodes))
	case int(last-first) == len(l.nodes)-1:
		return fmt.Sprintf("%s–%s, idle", notation.Node(first), notation.Node(last))
	}
	return fmt.Sprintf("%d nodes, idle", len(l.nodes))
}

// lines gives each of n nodes a line, or folds it into one. acts counts what each does,
// and has no others. Nodes that do nothing are
// folded with their neighbors; if the lines are too many, all of them into one, and then
// those that act the least.
func lines(n int, acts map[messaging.ID]int) []line {
	all := foldIdle(n, acts)
	if len(all) <= mostLines {
		return all
	}
	var nodes []messaging.ID // who acts most comes first
	for i := range messaging.ID(n) {
		nodes = append(nodes, i)
	}
	slices.SortStableFunc(nodes, func(i, j messaging.ID) int { return cmp.Compare(acts[j], acts[i]) })
	busy, idle := nodes[:len(acts)], nodes[len(acts):]
	room := mostLines
	if len(idle) > 0 {
		room--
	}
	if len(busy) > room {
		room--
	}
	busy, rest := busy[:min(room, len(busy))], busy[min(room, len(busy)):]
	slices.Sort(busy)
	slices.Sort(rest)
	all = nil
	for _, i := range busy {
		all = append(all, line{nodes: []messaging.ID{i}})
	}
	return slices.DeleteFunc(append(all, line{nodes: rest}, line{nodes: idle, idle: true}), func(l line) bool { return len(l.nodes) == 0 })
}

// activity counts the events of the nodes that do more than start. Who asks counts more
// than who answers.
func activity(events []messaging.Event) map[messaging.ID]int {
	acts := map[messaging.ID]int{}
	for _, e := range events {
		weight := 1
		switch e.Action {
		case action.Started:
			continue
		case action.Entered, action.Requested:
			weight = 10
		}
		acts[causality.At(e)] += weight
		acts[e.To]++
	}
	return acts
}

// foldIdle folds neighbors that do nothing, if there are three or more.
func foldIdle(n int, acts map[messaging.ID]int) (all []line) {
	for i := range messaging.ID(n) {
		idle := acts[i] == 0
		switch last := len(all) - 1; {
		case !idle || last < 0 || !all[last].idle:
		case all[last].folded():
			all[last].nodes = append(all[last].nodes, i)
			continue
		case last > 0 && all[last-1].idle:
			all = append(all[:last-1], line{nodes: []messaging.ID{i - 2, i - 1, i}, idle: true})
			continue
		}
		all = append(all, line{nodes: []messaging.ID{i}, idle: idle})
	}
	return all
}
