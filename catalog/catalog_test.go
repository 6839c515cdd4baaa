package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	internal "example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
)

// Every listed name is found, and a process can enter and leave. Those that are wrong have a
// slash, and this build lacks them.
func TestNames(t *testing.T) {
	enterable(t, func(name string) bool { return !strings.Contains(name, "/") })
	if internal.Variants {
		return
	}
	const lacking = "is wrong on purpose: a patch that the library does not have"
	_, err := catalog.Lock("bakery/maxpos", 3)
	assert.ErrorContains(t, err, "catalog: bakery/maxpos "+lacking)
	_, err = catalog.Protocol("maekawa/late-failed", 3)
	assert.ErrorContains(t, err, "catalog: maekawa/late-failed "+lacking)
	_, err = catalog.Scenario(sim.Setting{Algorithm: "maekawa/late-failed", Nodes: 3, Request: [][]messaging.ID{{0}, {0}, {0}}})
	assert.ErrorContains(t, err, "maekawa/late-failed "+lacking)
}

func enterable(t *testing.T, which func(name string) bool) {
	t.Helper()
	seen := map[string]bool{}
	goThrough := func(name string, m mutex.Mutex) {
		assert.False(t, seen[name], "%s is listed twice", name)
		seen[name] = true
		assert.Equal(t, 2, m.Processes(), name)
		m.Lock(1)
		m.Unlock(1)
	}
	for _, name := range catalog.Locks() {
		if !which(name) {
			continue
		}
		l, err := catalog.Lock(name, 2)
		require.NoError(t, err)
		goThrough(name, l)
	}
	for _, name := range catalog.Protocols() {
		if !which(name) {
			continue
		}
		a, err := catalog.Protocol(name, 2)
		require.NoError(t, err)
		c := cluster.New(2, a)
		goThrough(name, c)
		c.Close()
	}
}

// Unknown names and numbers out of range are errors, which suggest similar names.
func TestUnknown(t *testing.T) {
	_, err := catalog.Lock("maekawa", 2)
	assert.ErrorContains(t, err, `catalog: no lock "maekawa": the locks are peterson, tournament, `)
	_, err = catalog.Protocol("maekawa/late", 2)
	assert.EqualError(t, err, `catalog: no protocol "maekawa/late": did you mean maekawa/late-failed?`)
	_, err = catalog.Scenario(sim.Setting{Algorithm: "maekaw", Nodes: 2})
	assert.EqualError(t, err, `no algorithm "maekaw": did you mean maekawa?`)
	for _, n := range []int{-1, 0, 1<<20 + 1} {
		for _, name := range catalog.Locks() {
			_, err = catalog.Lock(name, n)
			assert.ErrorContains(t, err, "does not serve", "%s, %d processes", name, n)
		}
		for _, name := range catalog.Protocols() {
			_, err = catalog.Protocol(name, n)
			assert.ErrorContains(t, err, "does not serve", "%s, %d nodes", name, n)
			_, err := catalog.Scenario(sim.Setting{Algorithm: name, Nodes: n})
			assert.ErrorContains(t, err, "does not serve", "%s, %d nodes", name, n)
		}
	}
	_, err = catalog.Scenario(sim.Setting{Algorithm: "maekawa", Nodes: 3, Request: [][]messaging.ID{{0, 1}, {0, 1}}})
	assert.ErrorContains(t, err, "there must be one set of each kind for every node")
}

// Sets are only for algorithms that have them, and must be complete.
func TestScenarioSets(t *testing.T) {
	sets := [][]messaging.ID{{0, 1}, {0, 1}}
	for _, c := range []struct {
		algorithm       string
		request, inform [][]messaging.ID
		want            string
	}{
		{"maekawa", sets, nil, ""},
		{"sanders", sets, sets, ""},
		{"central", nil, nil, ""},
		{"ricartagrawala-acknowledged", nil, nil, ""},
		{"central", sets, nil, "central takes no sets"},
		{"maekawa", nil, sets, "maekawa also needs the sets of nodes to ask"},
		{"maekawa", sets, sets, "maekawa informs those that it asks"},
	} {
		a, err := catalog.Scenario(sim.Setting{Algorithm: c.algorithm, Nodes: 2, Request: c.request, Inform: c.inform})
		if c.want == "" {
			require.NoError(t, err, c.algorithm)
			assert.NotNil(t, a, c.algorithm)
		} else {
			require.Error(t, err, c.algorithm)
			assert.True(t, strings.HasPrefix(err.Error(), c.want), "%v, want %s", err, c.want)
		}
	}
}
