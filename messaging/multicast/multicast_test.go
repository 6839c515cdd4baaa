package multicast_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

type (
	s = multicast.Sent
	d = multicast.Delivered
	v = multicast.View
)

// Each rule, by the smallest outcome that breaks it, and one that does not.
func TestResults(t *testing.T) {
	a, b := d{0, 1, "a"}, d{1, 1, "b"}
	both := v{1, []messaging.ID{0, 1}}
	for _, test := range []struct {
		rule    messaging.Results
		wrong   string
		emitted [][]any
		down    messaging.Set
		begun   bool // it is not over
	}{
		{multicast.Reliable, "", [][]any{nil, nil}, nil, false},
		{multicast.Reliable, "", [][]any{{s{1, "a"}, a, b}, {s{1, "b"}, b, "other", a}}, nil, false},
		{multicast.Reliable, "node 1 delivers message 1 of node 0, which was not sent", [][]any{nil, {a}}, nil, true},
		{multicast.Reliable, "node 1 delivers message 0 of node 0, which was not sent", [][]any{{s{1, "a"}}, {d{0, 0, "a"}}}, nil, true},
		{multicast.Reliable, "node 1 delivers message 1 of node 2, which was not sent", [][]any{nil, {d{2, 1, "a"}}}, nil, true},
		{multicast.FIFO, "node 1 delivers message 1 of node -1, which was not sent", [][]any{nil, {d{-1, 1, "a"}}}, nil, true},
		{multicast.Causal, "node 1 delivers message 1 of node 2, which was not sent", [][]any{nil, {d{2, 1, "a"}}}, nil, true},
		{multicast.Total, "node 1 delivers message 1 of node 2, which was not sent", [][]any{nil, {d{2, 1, "a"}}}, nil, true},
		{multicast.Reliable, `node 1 delivers message 1 of node 0 as "b", and "a" was sent`, [][]any{{s{1, "a"}}, {d{0, 1, "b"}}}, nil, true},
		{multicast.Reliable, "node 1 delivers message 1 of node 0 twice", [][]any{{s{1, "a"}}, {a, a}}, nil, true},
		{multicast.Reliable, "", [][]any{{s{1, "a"}}, nil}, nil, true},
		{multicast.Reliable, "node 0 has not delivered message 1 of node 0, which node 0 has sent", [][]any{{s{1, "a"}}, nil}, nil, false},
		{multicast.Reliable, "node 1 has not delivered message 1 of node 0, which node 0 has sent", [][]any{{s{1, "a"}, a}, nil}, nil, false},
		{multicast.Reliable, "", [][]any{{s{1, "a"}, a}, nil}, messaging.SetOf(0), false},
		{multicast.Reliable, "", [][]any{{s{1, "a"}, a}, nil}, messaging.SetOf(1), false},
		{multicast.Reliable, "node 2 has not delivered message 1 of node 0, which node 1 has delivered", [][]any{{s{1, "a"}}, {a}, nil}, messaging.SetOf(0), false},

		{multicast.FIFO, "", [][]any{{s{1, "a"}, s{2, "c"}}, {a, d{0, 2, "c"}}}, nil, true},
		{multicast.FIFO, "node 1 delivers message 2 of node 0 before message 1", [][]any{{s{1, "a"}, s{2, "c"}}, {d{0, 2, "c"}}}, nil, true},
		{multicast.FIFO, "node 1 delivers message 1 of node 0 twice", [][]any{{s{1, "a"}}, {a, a}}, nil, true},

		{multicast.Causal, "", [][]any{{s{1, "a"}, a}, {a, s{1, "b"}}, {a, b}}, nil, true},
		{multicast.Causal, "", [][]any{{s{1, "a"}, a}, {s{1, "b"}, a}, {b, a}}, nil, true},
		{multicast.Causal, "node 2 delivers message 1 of node 1 before message 1 of node 0, which node 1 had delivered when it sent it", [][]any{{s{1, "a"}, a}, {a, s{1, "b"}}, {b}}, nil, true},
		{multicast.Causal, "node 1 delivers message 2 of node 0 before message 1", [][]any{{s{1, "a"}, s{2, "c"}}, {d{0, 2, "c"}}}, nil, true},

		{multicast.Total, "", [][]any{{s{1, "a"}, a, b}, {s{1, "b"}, a}, nil}, nil, true},
		{multicast.Total, "node 0 delivers message 1 of node 0 where node 1 delivers message 1 of node 1", [][]any{{s{1, "a"}, a, b}, {s{1, "b"}, b}}, nil, true},
		{multicast.Total, "node 0 delivers message 1 of node 0 where node 1 delivers message 1 of node 1", [][]any{{s{1, "a"}, a}, {s{1, "b"}, b}}, messaging.SetOf(1), true},
		{multicast.Total, "node 1 delivers message 1 of node 0 where node 2 delivers message 1 of node 1", [][]any{{s{1, "a"}, a}, {s{1, "b"}, a, b}, {b}}, nil, true},
		{multicast.Total, "node 1 has not delivered message 1 of node 0, which node 0 has sent", [][]any{{s{1, "a"}, a}, nil}, nil, false},

		{multicast.Synchronous, "", [][]any{{both, s{1, "a"}, a, v{2, both.Members}}, {both, a, v{2, both.Members}}}, nil, false},
		{multicast.Synchronous, "node 1 delivers message 1 of node 2, which was not sent", [][]any{nil, {both, d{2, 1, "a"}}}, nil, true},
		{multicast.Synchronous, "node 0 goes from view 1 to view 3", [][]any{{both, v{3, both.Members}}, nil}, nil, true},
		{multicast.Synchronous, "node 0 goes from view 1 to view 1", [][]any{{both, both}, nil}, nil, true},
		{multicast.Synchronous, "", [][]any{{both, v{2, both.Members[1:]}, v{4, both.Members}}, nil}, nil, true},
		{multicast.Synchronous, "node 1 delivers message 2 of node 0 after message 0", [][]any{{both, s{1, "a"}, s{2, "c"}}, {both, d{0, 2, "c"}}}, messaging.SetOf(0), false},
		{multicast.Synchronous, "", [][]any{{both, s{1, "a"}, s{2, "c"}}, {v{2, both.Members}, d{0, 2, "c"}}}, nil, true},
		{multicast.Synchronous, "node 1 delivers message 1 of node 0, and is no member", [][]any{{both, s{1, "a"}}, {v{1, both.Members[:1]}, a}}, nil, true},
		{multicast.Synchronous, "node 1 removes node 0, which is live", [][]any{nil, {both, messaging.Removed{Node: 0}}}, nil, true},
		{multicast.Synchronous, "view 1 is [0 1] at node 0, and [1] at node 1", [][]any{{both}, {v{1, both.Members[1:]}}}, nil, true},
		{multicast.Synchronous, "nodes 0 and 1 have not delivered the same in view 1", [][]any{{both, s{1, "a"}, a}, {both}}, nil, false},
		{multicast.Synchronous, "node 0 remains in view 1, and node 1 is in view 2", [][]any{{both}, {both, v{2, both.Members}}}, nil, false},
		{multicast.Synchronous, "node 1 is down, and in view 1 of node 0", [][]any{{both}, {both}}, messaging.SetOf(1), false},
		{multicast.Synchronous, "node 0 has sent 1 messages, and delivered 0 of them", [][]any{{both, s{1, "a"}}, {both}}, nil, false},
	} {
		err := test.rule(messaging.Outcome{Emitted: test.emitted, Down: test.down, Over: !test.begun})
		if test.wrong == "" {
			assert.NoError(t, err, "%+v", test.emitted)
		} else {
			assert.EqualError(t, err, test.wrong, "%+v", test.emitted)
		}
	}
}
