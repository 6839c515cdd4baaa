package conflict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func of(n int, a messaging.Algorithm) conflict.Graph {
	return conflict.Of(n, func(i messaging.ID) messaging.Node { return a(messaging.Start{Self: i, Nodes: n}) })
}

// chain is the graph in which a node excludes those before and after it.
func chain(t *testing.T, n int) conflict.Graph {
	t.Helper()
	a, err := intervals.Protocol.New(n)
	assert.NoError(t, err)
	return of(n, a)
}

func TestExcludes(t *testing.T) {
	all, some := of(4, ricartagrawala.New), chain(t, 4)
	assert.True(t, all.Complete())
	assert.False(t, some.Complete())
	for i := range messaging.ID(4) {
		for j := range messaging.ID(4) {
			if i != j {
				assert.True(t, all.Excludes(i, j), "%d and %d", i, j)
				assert.Equal(t, i-j == 1 || j-i == 1, some.Excludes(i, j), "%d and %d", i, j)
			}
		}
	}
}

// A node that is no Sharer excludes all, whatever the others say.
func TestMixed(t *testing.T) {
	a, err := intervals.Protocol.New(3)
	assert.NoError(t, err)
	g := of(3, func(s messaging.Start) messaging.Node {
		if s.Self == 2 {
			return ricartagrawala.New(s)
		}
		return a(s)
	})
	assert.True(t, g.Excludes(0, 2))
	assert.True(t, g.Excludes(2, 0))
}

func TestIdle(t *testing.T) {
	all, some := of(5, ricartagrawala.New), chain(t, 5)
	for _, c := range []struct {
		waiting, inside []messaging.ID
		all, some       bool
	}{
		{nil, nil, false, false},
		{nil, []messaging.ID{1}, false, false},
		{[]messaging.ID{0}, nil, true, true},
		{[]messaging.ID{0}, []messaging.ID{1}, false, false},
		{[]messaging.ID{0}, []messaging.ID{2}, false, true},
		{[]messaging.ID{0, 1}, []messaging.ID{2}, false, false}, // 0 waits for 1
		{[]messaging.ID{0, 1, 4}, []messaging.ID{2}, false, true},
		{[]messaging.ID{0, 1, 3, 4}, []messaging.ID{2}, false, false},
	} {
		assert.Equal(t, c.all, all.Idle(c.waiting, c.inside), "all exclude each other: %+v", c)
		assert.Equal(t, c.some, some.Idle(c.waiting, c.inside), "%+v", c)
	}
}
