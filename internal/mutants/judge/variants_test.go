//go:build doorway_explore

package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/naimitrehel"
)

// Nodes whose rules are wrong fail.
func TestWrongNodes(t *testing.T) {
	declared := func(name string) messaging.Protocol {
		p, ok := catalog.FindProtocol(name)
		require.True(t, ok, name)
		return p.Declared
	}
	wrong := []messaging.Protocol{naimitrehel.Protocol, declared("naimitrehel/next-kept")}
	r := RunNodes(wrong)
	assert.Equal(t, "the invariant", r.Fails, "%s: %s", r.Setup, r.Detail)
	assert.Equal(t, "the invariant", ExploreNodes(wrong).Fails)
	assert.NotEmpty(t, RunNodes([]messaging.Protocol{declared("caosinghal/eager")}).Fails)
}
