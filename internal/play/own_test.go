package play

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// TestOwnKinds: the kinds of messages of an algorithm of one's own are known from the beginning, in the order in which they are sent.
func TestOwnKinds(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("mine.New", ricartagrawala.New))
	v := Open("nodes 3; algorithm mine.New").View(0)
	assert.Equal(t, []string{"REQUEST", "REPLY"}, v.Run.Kinds)
	assert.Zero(t, v.Total)
	assert.Equal(t, Open("nodes 3; algorithm ricartagrawala").View(0).Members, v.Members, "nothing has happened yet")
}

// TestOwnThatPanics: a check says what the constructor of a node says.
func TestOwnThatPanics(t *testing.T) {
	t.Cleanup(func() { owns = nil })
	require.NoError(t, Add("mine.Many", func(s messaging.Start) messaging.Node {
		if s.Nodes < 100 {
			panic("want 100 nodes or more")
		}
		return ricartagrawala.New(s)
	}))
	p := Open("nodes 3; algorithm mine.Many")
	v := p.View(0)
	assert.Contains(t, v.Verdict.Text, "want 100 nodes or more")
	assert.Empty(t, v.Refused)
	for _, text := range []string{"nodes 3; algorithm mine.Many", p.Text()} {
		assert.Equal(t, "the algorithm panicked when it was to make S1: want 100 nodes or more", Check(text, silent).Error, text)
	}
}
