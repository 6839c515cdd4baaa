//go:build !doorway_explore

package explore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
)

// What there is to lose afterwards does not keep the scenario of a failure from repeating it.
func TestNodesScenarioBesideInputs(t *testing.T) {
	hears := func(messaging.Start) messaging.Node { return &keen{} }
	r := checkedNodes(t, explore.NodesConfig{
		New: hears, Nodes: 2, Crashes: 1, CrashOf: []messaging.ID{1}, Detected: true, Inputs: [][]messaging.Message{nil, {asking{}}},
		Results: func(o messaging.Outcome) error {
			if len(o.Emitted[0]) > 0 {
				return errors.New("wrong")
			}
			return nil
		},
	})
	require.Equal(t, explore.Fails, r.Results.Status)
	assert.NotEmpty(t, r.Results.History.Scenario)
}

// A keen node tells of each crash.
type keen struct{}

func (*keen) Receive(messaging.ID, messaging.Message, messaging.Out) {}
func (*keen) Down(peer messaging.ID, out messaging.Out)              { out.Emit(peer) }

// A coy node answers its user only if that has requested.
type coy struct{ Asked bool }

func (n *coy) Request(out messaging.Out) {
	n.Asked = true
	out.Enter()
}

func (*coy) Release(messaging.Out) {}

func (n *coy) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	if n.Asked {
		out.Emit("answer")
	}
}

// A drowsy node answers a second after it is asked.
type drowsy struct{ coy }

func (n *drowsy) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if m == (asking{}) {
		out.After(time.Second, later{})
	} else {
		out.Emit("late")
	}
}

type later struct{}

// A run is not over while a timer runs, although no time passes while no user waits.
func TestNodesDrowsy(t *testing.T) {
	answers := func(o messaging.Outcome) error {
		if o.Over && len(o.Emitted[0]) == 0 {
			return errors.New("there is no answer")
		}
		return nil
	}
	inputs := [][]messaging.Message{{asking{}}}
	algorithm := func(messaging.Start) messaging.Node { return &drowsy{} }
	for _, anyTime := range []bool{false, true} {
		r := checkedNodes(t, explore.NodesConfig{New: algorithm, Nodes: 1, Inputs: inputs, Results: answers, AnyTime: anyTime})
		assert.Equal(t, explore.Holds, r.Results.Status, "any time: %v", anyTime)
	}
	require.NoError(t, nodetest.Run(algorithm, nodetest.Config{Nodes: 1, Inputs: inputs, Results: answers}))
}

// Who emits the last value of a run may not know that it is the last.
func TestNodesEmitLast(t *testing.T) {
	early := func(o messaging.Outcome) error {
		if !o.Over && len(o.Emitted[0]) > 0 {
			return errors.New("it is not over")
		}
		return nil
	}
	inputs := [][]messaging.Message{{asking{}}}
	algorithm := func(messaging.Start) messaging.Node { return &drowsy{} }
	r := checkedNodes(t, explore.NodesConfig{New: algorithm, Nodes: 1, Requests: []int{0}, Inputs: inputs, Results: early, AnyTime: true})
	assert.Equal(t, explore.Fails, r.Results.Status)
	require.ErrorContains(t, nodetest.Run(algorithm, nodetest.Config{Nodes: 1, Inputs: inputs, Results: early, AnyTime: true}), "it is not over")
}

// No user has to request: a run is over also where a user still may.
func TestNodesOver(t *testing.T) {
	for _, requests := range []int{0, 1, explore.Unbounded} {
		r := checkedNodes(t, explore.NodesConfig{
			New: func(messaging.Start) messaging.Node { return &coy{} }, Nodes: 1, Requests: []int{requests},
			Inputs: [][]messaging.Message{{asking{}}},
			Results: func(o messaging.Outcome) error {
				if o.Over && len(o.Emitted[0]) == 0 {
					return errors.New("there is no answer")
				}
				return nil
			},
		})
		require.Equal(t, explore.Fails, r.Results.Status, "%d requests", requests)
		assert.Equal(t, 1, r.Results.History.Length)
		assert.NotEmpty(t, r.Results.History.Scenario)
	}
}
