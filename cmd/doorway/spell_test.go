package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// Each example is spelled out, and then has the same events, or the reason why it cannot be.
func TestSpellExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/scenarios/*.txt")
	require.NoError(t, err)
	spells := 0
	for k, file := range files {
		if !tier.Full && k%4 > 0 {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if _, wrong := (streams{}).foresee(t.Context(), []string{file}); wrong != nil {
			continue // the build that has it spells it
		}
		s, err := sim.ReadScenario(file, bytes.NewReader(text))
		require.NoError(t, err)
		if _, err := spelled(file, s); err != nil {
			assert.ErrorContains(t, err, "cannot repeat")
			t.Log(err)
			continue
		}
		spells++
	}
	shows(t, "run -spell ../../examples/scenarios/maekawa.txt", 0, "algorithm maekawa", "expect no failure")
	assert.GreaterOrEqual(t, spells, tier.Pick(6, 25))
}

// A failure of a random schedule becomes a scenario of latencies, which fails, too.
func TestSpellFailures(t *testing.T) {
	withWrong(t)
	for _, name := range []string{"maekawa/no-deadlock-handling", "roucairolcarvalho/naive"} {
		a, err := catalog.Protocol(name, 3)
		require.NoError(t, err)
		failures := 0
		for seed := uint64(0); seed < 300 && failures < 5; seed++ {
			err := nodetest.Run(a, nodetest.Config{Nodes: 3, Entries: 12, Seed: seed, Withdraw: 0.2, Name: name})
			run := nodetest.Scenario(err)
			if run == "" {
				continue
			}
			s, readErr := sim.ReadScenario("failure", strings.NewReader(run))
			require.NoError(t, readErr, run)
			text, spellErr := spelled("failure", s)
			require.NoError(t, spellErr, run)
			if kind := nodetest.Failure(err); kind == "fencing" { // another schedule fails
				assert.Contains(t, text, "\nexpect no failure\n")
			} else {
				assert.Contains(t, text, "\nexpect fails "+kind+"\n")
				failures++
			}
			assert.NotContains(t, text, "run ")
			s, readErr = sim.ReadScenario("spelled", strings.NewReader(text))
			require.NoError(t, readErr, text)
			_, runErr := s.Run(io.Discard, catalog.Scenario)
			assert.NoError(t, runErr, text)
		}
		assert.Positive(t, failures, name)
	}
}
