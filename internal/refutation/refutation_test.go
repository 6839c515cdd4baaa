//go:build doorway_explore

package refutation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/refutation"
	"example.org/doorway/messaging/sim"
)

const (
	docs      = "../../docs/checker.md"
	histories = "testdata/histories.txt"
	again     = "go run ./internal/explored ./internal/refutation -update"
)

//go:generate go run -C ../.. ./internal/explored ./internal/refutation -update

// The table and the histories are what is computed.
func TestPage(t *testing.T) {
	table, told, err := computed()
	require.NoError(t, err)
	page.Generated(t, docs, "wrong protocols", again, table)
	page.Golden(t, histories, again, told)
}

// Each scenario of the histories fails as they say, when it is read again.
func TestScenarios(t *testing.T) {
	sections := strings.Split(strings.TrimPrefix(page.Read(t, histories), "## "), "\n## ")
	require.Len(t, sections, len(refutation.All))
	kinds := map[string]string{refutation.Exclusion: "exclusion", refutation.Deadlock: "deadlock", refutation.Refusal: "panic"}
	for k, r := range refutation.All {
		_, line, found := strings.Cut(sections[k], "\nscenario: ")
		require.True(t, found, r.Protocol)
		s, err := sim.ReadScenario(r.Protocol, strings.NewReader(line))
		require.NoError(t, err, r.Protocol)
		run, err := s.Start(named.Scenario)
		require.NoError(t, err, r.Protocol)
		assert.Equal(t, kinds[r.Violates], sim.Failure(run.Err()), "%s: %v", r.Protocol, run.Err())
	}
}

// Every wrong variant has a refutation.
func TestOf(t *testing.T) {
	for _, p := range catalog.Printed {
		_, ok := refutation.Of(p.Name)
		assert.True(t, ok, "%s: no instance is known to refute it: look for one", p.Name)
	}
	_, ok := refutation.Of("lamport")
	assert.False(t, ok, "it is right with FIFO links")
}
