//go:build doorway_explore

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Nodes whose rules are wrong fail.
func TestWrongNodes(t *testing.T) {
	wrong := rows(t, "naimitrehel", "naimitrehel/next-kept")
	r := RunNodes(wrong)
	assert.Equal(t, "the invariant", r.Fails, "%s: %s", r.Setup, r.Detail)
	assert.Equal(t, "the invariant", ExploreNodes(wrong).Fails)
	assert.NotEmpty(t, RunNodes(rows(t, "caosinghal/eager")).Fails)
}
