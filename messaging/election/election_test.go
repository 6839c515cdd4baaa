package election_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// One leader a term, and in the end all know the same. One at a time: a leader leads until it learns of another.
func TestResults(t *testing.T) {
	type e = election.Elected
	for _, test := range []struct {
		wrong   string
		emitted [][]any
		down    messaging.Set
		begun   bool // it is not over
		once    bool // one at a time
	}{
		{"", [][]any{{e{1, 0}}, {e{1, 0}}}, nil, false, false},
		{"", [][]any{{e{1, 0}, e{0, 1}}, {"other"}}, messaging.SetOf(1), false, false},
		{"", [][]any{nil, nil}, messaging.SetOf(1), false, false},
		{"", [][]any{nil, {e{1, 0}}}, nil, true, false},
		{"no leader is elected", [][]any{nil, nil}, nil, false, false},
		{"nodes 0 and 1 lead in term 2", [][]any{{e{1, 2}}, {e{0, 2}}}, nil, true, false},
		{"nodes 0 and 1 lead in term 2", [][]any{{e{1, 2}}, {e{0, 2}}}, messaging.SetOf(0), true, false},
		{"node 1 has learned of term 2, and then of 1", [][]any{nil, {e{1, 2}, e{1, 1}}}, nil, true, false},
		{"node 1 knows no leader, and node 0 leads", [][]any{{e{0, 0}}, nil}, nil, false, false},
		{"node 0 follows node 0 in term 1, and node 1 follows node 1 in term 2", [][]any{{e{0, 1}}, {e{1, 2}}}, nil, false, false},
		{"node 1, which leads, is down", [][]any{{e{1, 0}}, {e{1, 0}}}, messaging.SetOf(1), false, false},

		{"", [][]any{{e{1, 1}}, {e{1, 1}}}, nil, true, true},
		{"", [][]any{{e{0, 2}, e{1, 3}}, {e{1, 3}}}, nil, true, true},
		{"", [][]any{{e{0, 2}}, {e{1, 1}}}, messaging.SetOf(1), true, true},
		{"nodes 0 and 1 lead at the same time", [][]any{{e{0, 2}}, {e{0, 2}, e{1, 3}}}, nil, true, true},
		{"nodes 0 and 1 lead in term 1", [][]any{{e{1, 1}}, {e{0, 1}}}, nil, true, true},
	} {
		results := election.Results
		if test.once {
			results = election.OneAtATime
		}
		err := results(messaging.Outcome{Emitted: test.emitted, Down: test.down, Over: !test.begun})
		if test.wrong == "" {
			assert.NoError(t, err, "%+v", test)
		} else {
			assert.EqualError(t, err, test.wrong, "%+v", test)
		}
	}
}

// The terms of a node leave its number as the remainder; the next is the smallest later one.
func TestNextTerm(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		for leader := range messaging.ID(nodes) {
			for after := range messaging.Time(20) {
				term := election.NextTerm(after, leader, nodes)
				assert.Equal(t, leader, messaging.ID(term%messaging.Time(nodes)))
				assert.Greater(t, term, after)
				assert.LessOrEqual(t, term, after+messaging.Time(nodes))
			}
		}
	}
}
