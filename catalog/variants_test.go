//go:build doorway_explore

package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func TestWrongNames(t *testing.T) {
	enterable(t, func(name string) bool { return strings.Contains(name, "/") })
	sets := [][]messaging.ID{{0, 1}, {0, 1}}
	for _, c := range []struct {
		algorithm string
		inform    [][]messaging.ID
		want      string
	}{
		{"maekawa/late-failed", nil, ""},
		{"sanders/printed", sets, ""},
		{"maekawa/late-failed", sets, "maekawa/late-failed informs those that it asks: it takes no other sets to inform"},
	} {
		if _, err := catalog.Scenario(sim.Setting{Algorithm: c.algorithm, Nodes: 2, Request: sets, Inform: c.inform}); c.want != "" {
			assert.EqualError(t, err, c.want)
		} else {
			assert.NoError(t, err, c.algorithm)
		}
	}
}
