package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
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
		scenes, err := (streams{}).read(t.Context(), []string{file})
		if err != nil {
			continue // the build that has its algorithm spells it
		}
		require.NoError(t, scenes[0].unread)
		text, err := spelled(file, scenes[0].scenario)
		if err != nil {
			assert.ErrorContains(t, err, "cannot repeat")
			continue
		}
		assert.Regexp(t, `\nexpect (no failure|fails .*)\n$`, text, file)
		assert.NotContains(t, text, "run ")
		spells++
	}
	shows(t, "run -spell ../../examples/scenarios/maekawa.txt", 0, "algorithm maekawa", "expect no failure")
	assert.GreaterOrEqual(t, spells, tier.Pick(6, 25))
}
