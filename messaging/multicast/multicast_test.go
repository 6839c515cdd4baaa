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
)

// Each rule, by the smallest outcome that breaks it, and one that does not.
func TestResults(t *testing.T) {
	a, b := d{0, 1, "a"}, d{1, 1, "b"}
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
	} {
		err := test.rule(messaging.Outcome{Emitted: test.emitted, Down: test.down, Over: !test.begun})
		if test.wrong == "" {
			assert.NoError(t, err, "%+v", test.emitted)
		} else {
			assert.EqualError(t, err, test.wrong, "%+v", test.emitted)
		}
	}
}
