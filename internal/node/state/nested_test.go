package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A pair is a node of two nodes, of which the second may be missing.
type pair struct{ Left, Right messaging.Node }

func (*pair) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// A bad node has a state that is no plain data.
type bad struct{ M map[int]int }

func (*bad) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// A wrapping message encloses another.
type wrapping struct{ Message messaging.Message }

func asked(times int) messaging.Node {
	s := host.NewSite(ricartagrawala.New, messaging.Start{Nodes: 3, Self: 1}, nil)
	for range times {
		s.Request()
		s.Withdraw()
	}
	return s.Node()
}

func TestNested(t *testing.T) {
	from, to := &pair{Left: asked(3)}, &pair{Left: asked(1)}
	left := to.Left
	data := state.Append(nil, from)
	require.NoError(t, state.Restore(to, data))
	assert.True(t, state.Equal(from, to))
	assert.True(t, state.Equal(asked(3), to.Left), state.Format(to.Left, nil))
	assert.True(t, state.Equal(asked(1), left), "the memory of the former state")
	assert.Equal(t, asked(3), to.Left, "with its unexported fields")

	assert.EqualError(t, state.Restore(&pair{}, data), "state: not the encoding of a state_test.pair: Left: a node, but there is none to restore")
	assert.EqualError(t, state.Restore(&pair{Left: asked(0), Right: asked(0)}, data),
		"state: not the encoding of a state_test.pair: Right: no node, but there is a *ricartagrawala.node")
	loop := &chain{}
	loop.Next, loop.Other = loop, loop
	assert.Less(t, len(state.Format(loop, nil)), 1<<20, "what contains itself is written in part")
	assert.Equal(t, "Left: {Phase: idle, Highest: 3, Mine: none, Replies: 0, Deferred: [0 0 0]}, Right: none", state.Format(from, slides))
}

// What a slice or a pointer refers to is not there before a state is restored, so that no node can be restored in it.
func TestNestedBehindSlices(t *testing.T) {
	type (
		of     struct{ Node messaging.Node }
		slices struct {
			First messaging.Node
			Parts []messaging.Node
		}
		pointers struct{ Of [2]*of }
		arrays   struct{ Parts [2]of }
	)
	rule := " is a messaging.Node behind a slice or pointer, which is made anew with the state: a node within a node must be a field of it, or in an array"
	assert.EqualError(t, state.Check(&slices{}), "state: state_test.slices.Parts[]"+rule)
	assert.EqualError(t, state.Check(&pointers{}), "state: state_test.pointers.Of[].Node"+rule)
	assert.NoError(t, state.Check(&arrays{}))
}

func TestEnclosed(t *testing.T) {
	for _, m := range []messaging.Message{
		wrapping{}, wrapping{ricartagrawala.Request{Of: messaging.Stamp{Time: 2, ID: 1}}}, wrapping{wrapping{ricartagrawala.Reply{}}},
	} {
		again, err := state.Decode[wrapping](state.Append(nil, m))
		require.NoError(t, err)
		assert.Equal(t, m, again)
	}
	assert.Equal(t, "wrapping{Message: Request{Of: (2, S2)}}", state.Format(wrapping{ricartagrawala.Request{Of: messaging.Stamp{Time: 2, ID: 1}}}, slides))
	assert.Equal(t, "wrapping{Message: none}", state.Format(wrapping{}, slides))
	_, err := state.Decode[wrapping]([]byte("\x03abc"))
	assert.EqualError(t, err, `state: not the encoding of a state_test.wrapping: Message: a message of the unknown kind "abc"`)

	type Twin struct{ Number int }
	first := messaging.Message(Twin{})
	assert.NotEmpty(t, state.Append(nil, wrapping{first}))
	func() {
		type Twin struct{ Word string }
		for _, m := range []wrapping{{Twin{"two"}}, {first}, {struct{ A int }{1}}, {struct{ B bool }{true}}} {
			again, err := state.Decode[wrapping](state.Append(nil, m))
			require.NoError(t, err)
			assert.Equal(t, m, again, "types of one name are told apart")
		}
	}()
}

// A chain may be without end.
type chain struct{ Next, Other *chain }
