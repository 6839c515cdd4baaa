package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A caller passes an input on to the next node, which emits it.
type caller struct {
	start messaging.Start
	Calls int
}

type call struct {
	To    messaging.ID
	Count int
}

func newCaller(start messaging.Start) messaging.Node { return &caller{start: start} }

func (n *caller) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	c, ok := m.(call)
	switch {
	case !ok:
		messaging.Refuse("caller", n.start.Self, from, m, "it is not a message of this algorithm")
	case from == n.start.Self:
		n.Calls++
		out.Send(c.To, c)
	default:
		out.Emit(c)
	}
}

// wanted has each call emitted at last by the node that it is to, unless that is down.
func wanted(n int) messaging.Results {
	return func(o messaging.Outcome) error {
		all := 0
		for i, of := range o.Emitted {
			for _, v := range of {
				if v.(call).To != messaging.ID(i) {
					return errors.New("a call reaches another node")
				}
				all++
			}
		}
		if o.Over && o.Down.Len() == 0 && all < n {
			return errors.New("a call is lost")
		}
		return nil
	}
}

func callScenario(t *testing.T, text string) (string, error) {
	t.Helper()
	s, err := sim.ReadScenario("call", strings.NewReader("nodes 3; algorithm caller\n"+text))
	require.NoError(t, err)
	var b strings.Builder
	_, err = s.Run(&b, func(sim.Setting) (messaging.Algorithm, error) {
		s.Kinds, s.Results = []messaging.Message{call{}}, wanted(len(strings.Split(text, "gets"))-1)
		return newCaller, nil
	})
	return b.String(), err
}

func TestInputs(t *testing.T) {
	out, err := callScenario(t, "at 2 S1 gets CALL(S3,Count:7); at 0 S2 gets CALL(S3,Count:1)\nshow emits messages; expect no failure; expect 2 CALL")
	require.NoError(t, err)
	assert.Equal(t, `S3 emits CALL(S3,Count:1) at 1
S3 emits CALL(S3,Count:7) at 3

2 messages
     2 CALL
`, out)

	out, err = callScenario(t, "at 2 S1 gets CALL(S3,Count:7)\nlose S1->S3; show emits; expect fails results")
	require.NoError(t, err)
	assert.Equal(t, "fails at 2: the results are wrong: a call is lost\n", out)

	for text, want := range map[string]string{
		// A node that is down gets no input.
		"at 2 S1 gets CALL(S3,Count:7)\nat 1 S1 crashes": "call:2: expected S1 to get CALL(S3,Count:7) at 2, but it crashes at 1",
		"at 2 S1 gets CALL(S3,Count:7)\nuntil 1":         "call:2: expected S1 to get CALL(S3,Count:7) at 2, but the run ends at 1",
		"at 2 S1 gets CAL":                               "call:2: expected a message, one of CALL, found CAL",
		"at 2 S1 gets CALL":                              `call:2: expected To, of type messaging.ID, found ""`,
		"at 2 S1 gets CALL(S3,Count:x)":                  `call:2: expected Count, of type int, found "x"`,
	} {
		_, err := callScenario(t, text)
		assert.EqualError(t, err, want, text)
	}
	s, err := sim.ReadScenario("call", strings.NewReader("nodes 3; algorithm caller; at 0 S1 gets CALL(S2,Count:1)"))
	require.NoError(t, err)
	_, err = s.Run(nil, func(sim.Setting) (messaging.Algorithm, error) { return newCaller, nil })
	assert.EqualError(t, err, "call:1: expected an algorithm whose messages are known, found caller")
}

// An input is pending until it is given, and the text of a run has it.
func TestInputsByHand(t *testing.T) {
	c := sim.Config{
		Algorithm: newCaller, Nodes: 2, Name: "caller", Results: wanted(2),
		Inputs: []sim.Input{{Node: 1, Message: call{Count: 2}}, {Node: 0, At: 9 * sim.T, Message: call{To: 1, Count: 3}}},
	}
	r, err := sim.Start(c)
	require.NoError(t, err)
	pending := r.Pending()
	require.Len(t, pending, 2)
	assert.Equal(t, sim.Pending{Number: 2, Action: "input", From: 1, To: 1, Message: call{Count: 2}}, pending[0])
	require.NoError(t, r.Do("d1.d3.d2"))
	assert.NoError(t, r.Err())
	require.NoError(t, r.Do("x4"))
	assert.Equal(t, "results", sim.Failure(r.Err()))
	text, err := r.MarshalText()
	require.NoError(t, err)
	assert.Contains(t, string(text), "at 0 S2 gets CALL(S1,Count:2); at 9 S1 gets CALL(S2,Count:3); rules ")
	s, err := sim.ReadScenario("text", strings.NewReader(string(text)))
	require.NoError(t, err)
	again, err := s.Start(func(sim.Setting) (messaging.Algorithm, error) {
		s.Kinds = []messaging.Message{call{}}
		return newCaller, nil
	})
	require.NoError(t, err)
	assert.Equal(t, r.Events(), again.Events())

	c.Inputs[0].Message = listed{[]int{1}}
	r, err = sim.Start(c)
	require.NoError(t, err)
	_, err = r.MarshalText()
	assert.ErrorContains(t, err, "Config.Inputs[0] is one that the text of a run cannot express: expected All, of type []int")
}

// An input of a node that is down is seen.
func TestInputMissed(t *testing.T) {
	var trace strings.Builder
	c := sim.Config{
		Algorithm: newCaller, Nodes: 2, Observe: sim.Trace(&trace),
		Inputs:  []sim.Input{{Node: 0, At: 2 * sim.T, Message: call{To: 1, Count: 1}}},
		Crashes: []sim.Crash{{Node: 0, At: sim.T}},
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	assert.Equal(t, "1       S1 crashes\n2       S1, which is down, loses CALL(S2,Count:1) from its user\n", trace.String())
	assert.Zero(t, r.Lost, "it is no message of a node")
}

type listed struct{ All []int }
