package main

import (
	"math"

	"example.org/doorway/internal/measure/costs"
)

// A formula is a cost in the number of nodes, as lectures and papers have it.
type formula struct {
	text string
	of   func(n float64) float64
}

// A theory has the formulas of an algorithm, for requests by nodes drawn at random at low
// load, and for all nodes at high load.
type theory struct {
	messages, delay map[costs.Load]formula
}

// theories are those of the algorithms whose costs are known exactly or on average. A
// variant without one of its own has that of the first algorithm of its package.
var theories = map[string]theory{
	"central": {
		each("3(N-1)/N", func(n float64) float64 { return 3 * (n - 1) / n }),
		lowHigh("2(N-1)/N", func(n float64) float64 { return 2 * (n - 1) / n }, "2", number(2)),
	},
	"lamport":                     {each("3(N-1)", others(3)), twoOne},
	"lamport-suppressed":          {lowHigh("3(N-1)", others(3), "2.5(N-1)", others(2.5)), twoOne},
	"ricartagrawala":              {each("2(N-1)", others(2)), twoOne},
	"ricartagrawala-acknowledged": {lowHigh("2(N-1)", others(2), "≤ 4(N-1)", others(4)), twoOne},
	"roucairolcarvalho":           {lowHigh("N-1", others(1), "2(N-1)", others(2)), twoOne},

	"majority":    {lowHigh("3N/2", times(1.5), "≤ 5N/2", times(2.5)), lowHigh("2", number(2), "≤ 2", number(2))},
	"maekawa":     {lowHigh("3√N", roots(3), "≤ 5√N", roots(5)), lowHigh("2", number(2), "≤ 2", number(2))},
	"sanders":     {lowHigh("3√N", roots(3), "≤ 5√N", roots(5)), lowHigh("2", number(2), "≤ 2", number(2))},
	"caosinghal":  {lowHigh("3√N", roots(3), "≤ 6√N", roots(6)), twoOne},
	"intervals":   {each("2(N-1)", others(2)), twoOne},
	"naimitrehel": {atLow("H(N-1)", harmonic), atHigh("1", number(1))},

	"suzukikasami":       {lowHigh("N-1", others(1), "N", times(1)), elsewhere},
	"ricartagrawala1983": {lowHigh("N-1", others(1), "N", times(1)), elsewhere},
	"singhal": {
		lowHigh("(N+1)/2-1/N", func(n float64) float64 { return (n+1)/2 - 1/n }, "N", times(1)),
		elsewhere,
	},

	"raymond": {
		lowHigh("2d", func(n float64) float64 { return 2 * binaryTree(n) }, "4(N-1)/N", func(n float64) float64 { return 4 * (n - 1) / n }),
		thereAndBack,
	},
	"raymond-greedy": alongTheTree, "raymond-lift": alongTheTree, "raymond-merged": alongTheTree,

	"tokenring":  {lowHigh("N/2", times(0.5), "1", number(1)), lowHigh("N/2", times(0.5), "1", number(1))},
	"huntedring": {lowHigh("3(N-1)/2", others(1.5), "2", number(2)), lowHigh("N-1", others(1), "1", number(1))},
	"echo": {
		lowHigh("≥ 2E(N-1)/N", func(n float64) float64 { return 2 * sparseLinks(n) * (n - 1) / n }, "≥ 2E", func(n float64) float64 { return 2 * sparseLinks(n) }),
		nil, // the distances are those of the random graph
	},
	"echo-tree": {
		each("N-1+d", func(n float64) float64 { return n - 1 + binaryTree(n) }),
		thereAndBack,
	},
}

var (
	// twoOne is a round trip before an entry, and one message after an exit.
	twoOne = lowHigh("2", number(2), "1", number(1))

	// thereAndBack is the path to the token and back of a lone request.
	thereAndBack = atLow("2d", func(n float64) float64 { return 2 * binaryTree(n) })
	alongTheTree = theory{thereAndBack, thereAndBack}

	// elsewhere is the same if the token is at another node, which is drawn at random.
	elsewhere = lowHigh("2(N-1)/N", func(n float64) float64 { return 2 * (n - 1) / n }, "1", number(1))
)

func each(text string, of func(n float64) float64) map[costs.Load]formula {
	return lowHigh(text, of, text, of)
}

func lowHigh(lowText string, l func(n float64) float64, highText string, h func(n float64) float64) map[costs.Load]formula {
	return map[costs.Load]formula{costs.Low: {lowText, l}, costs.High: {highText, h}}
}

func atLow(text string, of func(n float64) float64) map[costs.Load]formula {
	return map[costs.Load]formula{costs.Low: {text, of}}
}

func atHigh(text string, of func(n float64) float64) map[costs.Load]formula {
	return map[costs.Load]formula{costs.High: {text, of}}
}

func number(v float64) func(float64) float64 { return func(float64) float64 { return v } }
func times(k float64) func(float64) float64  { return func(n float64) float64 { return k * n } }
func others(k float64) func(float64) float64 { return func(n float64) float64 { return k * (n - 1) } }

func roots(k float64) func(float64) float64 {
	return func(n float64) float64 { return k * math.Sqrt(n) }
}

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
