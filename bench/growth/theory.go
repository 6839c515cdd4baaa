package main

import (
	"fmt"
	"math"
)

// A formula is a cost in the number of nodes, as lectures and papers have it; without a text there is none.
type formula struct {
	text string
	of   func(n float64) float64
}

// A theory has the formulas of an algorithm, for requests by nodes drawn at random at low
// load, and for all nodes at high load.
type theory struct {
	low, high formula // messages
	response  formula
	delay     formula
}

// theories are those of the algorithms whose costs are known exactly or on average. A
// variant without one of its own has that of the first algorithm of its package.
var theories = map[string]theory{
	"central":                     {times(3, perOther), times(3, perOther), times(2, perOther), two},
	"lamport":                     {times(3, others), times(3, others), two, one},
	"lamport-suppressed":          {times(3, others), formula{"2.5(N-1)", func(n float64) float64 { return 2.5 * (n - 1) }}, two, one},
	"ricartagrawala":              {times(2, others), times(2, others), two, one},
	"ricartagrawala-acknowledged": {times(2, others), atMost(times(4, others)), two, one},
	"roucairolcarvalho":           {others, times(2, others), two, one},

	"majority":    {half(3, nodes), atMost(half(5, nodes)), two, atMost(two)},
	"maekawa":     {times(3, root), atMost(times(5, root)), two, atMost(two)},
	"sanders":     {times(3, root), atMost(times(5, root)), two, atMost(two)},
	"caosinghal":  {times(3, root), atMost(times(6, root)), two, one},
	"intervals":   {times(2, others), times(2, others), two, one},
	"naimitrehel": {low: formula{"H(N-1)", harmonic}, delay: one},

	// If the token is at another node, it is drawn at random.
	"suzukikasami":       {others, nodes, times(2, perOther), one},
	"ricartagrawala1983": {others, nodes, times(2, perOther), one},
	"singhal":            {formula{"(N+1)/2-1/N", func(n float64) float64 { return (n+1)/2 - 1/n }}, nodes, times(2, perOther), one},

	"raymond":        {low: times(2, distance), high: times(4, perOther), response: times(2, distance)},
	"raymond-greedy": alongTheTree, "raymond-lift": alongTheTree, "raymond-merged": alongTheTree,

	"tokenring":  {half(1, nodes), one, half(1, nodes), one},
	"huntedring": {half(3, others), two, others, one},
	"echo": { // the distances are those of the random graph
		low:  formula{"≥ 2E(N-1)/N", func(n float64) float64 { return 2 * sparseLinks(n) * (n - 1) / n }},
		high: formula{"≥ 2E", func(n float64) float64 { return 2 * sparseLinks(n) }},
	},
	"echo-tree": {alongAll, alongAll, times(2, distance), formula{}},
}

var (
	one      = formula{"1", func(float64) float64 { return 1 }}
	two      = formula{"2", func(float64) float64 { return 2 }} // such as a round trip
	nodes    = formula{"N", func(n float64) float64 { return n }}
	others   = formula{"N-1", func(n float64) float64 { return n - 1 }}
	perOther = formula{"(N-1)/N", func(n float64) float64 { return (n - 1) / n }} // the node itself may be drawn
	root     = formula{"√N", math.Sqrt}
	distance = formula{"d", binaryTree}
	alongAll = formula{"N-1+d", func(n float64) float64 { return n - 1 + binaryTree(n) }}

	// alongTheTree is the path to the token and back of a lone request.
	alongTheTree = theory{low: times(2, distance), response: times(2, distance)}
)

func times(k int, f formula) formula {
	if f.text == others.text {
		f.text = "(" + f.text + ")"
	}
	return formula{fmt.Sprint(k, f.text), func(n float64) float64 { return float64(k) * f.of(n) }}
}

func half(k int, f formula) formula {
	if k > 1 {
		f = times(k, f)
	}
	return formula{f.text + "/2", func(n float64) float64 { return f.of(n) / 2 }}
}

func atMost(f formula) formula { return formula{"≤ " + f.text, f.of} }

// sparseLinks is the number of links of the random graph: of a tree, and N/2 more.
func sparseLinks(n float64) float64 { return n - 1 + math.Floor(n/2) }

// harmonic is 1 + 1/2 + … + 1/(N-1).
func harmonic(n float64) (sum float64) {
	for k := 1.0; k < n; k++ {
		sum += 1 / k
	}
	return sum
}

// binaryTree is the mean distance of two nodes of a balanced binary tree, drawn at random,
// which may be the same: each of its edges is between those below it and the others.
func binaryTree(n float64) (sum float64) {
	below := make([]float64, int(n))
	for k := int(n) - 1; k > 0; k-- {
		below[k]++
		below[(k-1)/2] += below[k]
		sum += 2 * below[k] * (n - below[k]) / (n * n)
	}
	return sum
}
