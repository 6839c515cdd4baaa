package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/suzukikasami"
)

// A correct algorithm passes. One with another's costs fails, or which a check cannot even make.
func TestNodes(t *testing.T) {
	right := []messaging.Protocol{naimitrehel.Protocol, suzukikasami.Protocol}
	for _, r := range []Result{RunNodes(right), ExploreNodes(right)} {
		assert.Empty(t, r.Fails, "%s: %s", r.Setup, r.Detail)
		assert.Empty(t, r.Error)
	}
	assert.Len(t, ExploreNodes(right).Graphs, 2*len(instances), "the sizes of the explorations")

	other := suzukikasami.Protocol
	other.Name = "ricartagrawala"
	assert.Contains(t, RunNodes([]messaging.Protocol{other}).Fails, "messages")

	other.New = func(int) (messaging.Algorithm, error) { panic("no such algorithm") }
	r := RunNodes([]messaging.Protocol{other})
	assert.Equal(t, "no node panics", r.Fails)
	assert.Equal(t, "no such algorithm", r.Detail)
}

// Every algorithm of the catalog has its costs checked, by its name.
func TestRowOf(t *testing.T) {
	for _, p := range catalog.Protocols {
		row := rowOf(messaging.Protocol{Name: p.Name, New: func(n int) (messaging.Algorithm, error) { return p.New(n), nil }})
		assert.NotNil(t, row.Costs.Alone.Of, p.Name)
	}
}
