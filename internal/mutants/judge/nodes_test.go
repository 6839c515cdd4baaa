package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
)

// rows returns rows of the catalog; those of wrong variants have no invariant of their own.
func rows(t *testing.T, names ...string) (all []catalog.Protocol) {
	t.Helper()
	for _, name := range names {
		p, ok := catalog.FindProtocol(name)
		require.True(t, ok, name)
		p.Invariant = p.Declared.Invariant
		all = append(all, p)
	}
	return all
}

// A correct algorithm passes. One with another's costs fails, or which a check cannot even make.
func TestNodes(t *testing.T) {
	right := rows(t, "naimitrehel", "suzukikasami")
	for _, r := range []Result{RunNodes(right), ExploreNodes(right)} {
		assert.Empty(t, r.Fails, "%s: %s", r.Setup, r.Detail)
		assert.Empty(t, r.Error)
	}
	assert.Len(t, ExploreNodes(right).Graphs, 2*len(instances), "the sizes of the explorations")

	other := rows(t, "suzukikasami", "ricartagrawala")
	other[0].Costs = other[1].Costs
	assert.Contains(t, RunNodes(other[:1]).Fails, "messages")

	other[0].New = func(int) messaging.Algorithm { panic("no such algorithm") }
	r := RunNodes(other[:1])
	assert.Equal(t, "no node panics", r.Fails)
	assert.Equal(t, "no such algorithm", r.Detail)
}
