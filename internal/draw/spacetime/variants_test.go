//go:build doorway_explore

package spacetime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

func TestWrongAlgorithms(t *testing.T) { drawsAll(t, internal.Names(internal.Printed)) }

// The scenarios of wrong variants have pictures, too, in which lines are framed where two nodes
// are inside.
func TestWrongScenarios(t *testing.T) {
	pictured(t, "testdata/wrong.txt", wrong.MatchString)
	assert.ElementsMatch(t, []string{"0", "1"}, framed(drawn(t, scenario(t, "roucairolcarvalho-naive"))))
	assert.ElementsMatch(t, []string{"1", "2"}, framed(drawn(t, scenario(t, "caosinghal-eager"))))
}

// The failure of a random schedule has its run as text, which is drawn with the violation
// marked. Its states are unknown, and not wrong.
func TestFailure(t *testing.T) {
	a, err := catalog.Protocol("roucairolcarvalho/naive", 2)
	require.NoError(t, err)
	for seed := range uint64(100) {
		err = nodetest.Run(a, nodetest.Config{Nodes: 2, Name: "roucairolcarvalho/naive", Seed: seed, Withdraw: 0.5})
		if sim.Failure(err) == "exclusion" {
			break
		}
	}
	require.Error(t, err)
	_, text, found := strings.Cut(err.Error(), "\nscenario: ")
	require.True(t, found, "%v", err)
	s, err := sim.ReadScenario("failure", strings.NewReader(text))
	require.NoError(t, err)
	r, err := spacetime.OfScenario("failure", s, catalog.Scenario)
	require.NoError(t, err)
	assert.Contains(t, r.Failure, "two nodes are inside")
	assert.Empty(t, r.States)
	d := drawn(t, r)
	d.check()
	assert.Len(t, framed(d), 2)
	assert.Greater(t, d.all[0].Number("width"), 500.0, "its events, which all have one time, are crowded")
}

// framed returns the nodes whose lines are framed.
func framed(d drawing) (nodes []string) {
	for _, s := range d.with("data-clash") {
		nodes = append(nodes, s.At["data-clash"])
	}
	return nodes
}
