package catalog_test

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/nodevet"
)

// Where a token or a permission exists once, the catalog has the invariant that says so, and
// these tests hold it.
func TestProtocolsHaveTheirInvariants(t *testing.T) {
	many := 0
	for _, p := range catalog.Protocols {
		pkg := reflect.TypeOf(p.Kinds[0]).PkgPath()
		if strings.Contains(pkg, "/token/") || strings.Contains(pkg, "/hybrid/") || path.Base(pkg) == "roucairolcarvalho" {
			assert.NotNil(t, p.Invariant, p.Name)
			many++
		}
	}
	assert.GreaterOrEqual(t, many, 16)
}

// An entry allocates no more than its messages: those that are sent, and the few of
// a node to itself. A broadcast message is allocated once; but one with memory, such as a slice, is
// copied for each receiver.
func TestProtocolsAllocateMessagesOnly(t *testing.T) {
	const entries = 500
	for _, p := range catalog.Protocols {
		if p.Perpetual {
			continue // it sends without entries, too
		}
		for _, n := range []int{2, 5, 13} {
			sent, i := 0, 0
			enter := func(c *cluster.Cluster) {
				c.Lock(i % n)
				c.Unlock(i % n)
				i++
			}
			observed := cluster.New(n, p.New(n), cluster.Observe(func(e messaging.Event) {
				if e.Action == "sent" {
					sent++
					if memory := reflect.TypeOf(e.Message); slices.ContainsFunc(reflect.VisibleFields(memory), func(f reflect.StructField) bool {
						return f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Interface
					}) {
						sent += 3 // the message, its slice, and room for them
					}
				}
			}))
			for range entries {
				enter(observed)
			}
			observed.Close()
			c := cluster.New(n, p.New(n))
			i = 0
			got := testing.AllocsPerRun(entries, func() { enter(c) })
			c.Close() // and no token circulates any more
			few := 4  // to itself, or the quorum that is chosen for the request
			if strings.HasPrefix(p.Name, "hierarchy") {
				few += 4 // an Out for each level that acts
			}
			assert.LessOrEqual(t, got, float64(sent)/float64(entries)+float64(few), "%s with %d nodes: allocations an entry, and messages", p.Name, n)
		}
	}
}

// No package of nodes uses anything that differs from run to run.
func TestArePure(t *testing.T) {
	tier.NeedsFull(t, "lists the packages of the nodes with the go command")
	var packages []string
	for _, p := range catalog.Protocols {
		packages = append(packages, p.Package())
	}
	for _, s := range catalog.Systems {
		packages = append(packages, s.Package())
	}
	dirs := map[string]bool{}
	for _, pkg := range packages {
		above, err := filepath.Glob("../../messaging/" + pkg)
		require.NoError(t, err)
		found, err := filepath.Glob("../../messaging/*/" + pkg)
		require.NoError(t, err)
		found = append(found, above...)
		require.Len(t, found, 1, "the directory of %s", pkg)
		dirs[found[0]] = true
	}
	assert.NoError(t, nodevet.Check(slices.Sorted(maps.Keys(dirs))...))
}

// Invalid sets are rejected with an error.
func TestGiven(t *testing.T) { rejectsSets(t, catalog.Protocols) }

func rejectsSets(t *testing.T, all []catalog.Protocol) {
	t.Helper()
	apart := [][]messaging.ID{{0}, {1}}
	for _, p := range all {
		if p.Given == nil {
			continue
		}
		_, err := p.Given(apart, nil)
		assert.Error(t, err, "%s takes the sets %v", p.Name, apart)
		_, err = p.Given([][]messaging.ID{{0, 1}, {0, 1}}, nil)
		assert.NoError(t, err, p.Name)
	}
}
