package reliable_test

import (
	"fmt"
	"slices"
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// asWished returns results that hold if, in the end, a live node is a member unless the last input of its user
// was to leave. A group may be over if no node is live that was never to leave.
func asWished(in inputs) messaging.Results {
	return func(o messaging.Outcome) error {
		if err := multicast.Synchronous(o); err != nil || !o.Over {
			return err
		}
		stays := false
		for j := range in {
			stays = stays || len(in[j]) == 0 && !o.Down.Has(messaging.ID(j))
		}
		for j, emitted := range o.Emitted {
			if id := messaging.ID(j); stays && !o.Down.Has(id) {
				want := len(in[j]) == 0 || in[j][len(in[j])-1] == join
				if slices.Contains(lastView(emitted).Members, id) != want {
					return fmt.Errorf("node %d is in %v in the end", j, lastView(emitted))
				}
			}
		}
		return nil
	}
}

// lastView returns the last view that a node has emitted.
func lastView(emitted []any) (last multicast.View) {
	for _, e := range emitted {
		if v, ok := e.(multicast.View); ok {
			last = v
		}
	}
	return last
}

// A node is a member in the end if that is what its user wanted last, however often it has changed its mind.
func TestExploredWishes(t *testing.T) {
	all := []explore.NodesConfig{
		{Inputs: inputs{{leave, join, leave, join}, nil}},
		{Inputs: inputs{nil, {leave, join, leave, join}}},
		{Inputs: inputs{nil, {leave, leave, join}, nil}},
		{Inputs: inputs{nil, {leave, join, join, leave}, nil}},
	}
	more := []explore.NodesConfig{
		{Inputs: inputs{nil, {leave, join, leave, join}, nil}},
		{Inputs: inputs{nil, nil, {leave, join}}, Crashes: 1},
		{Inputs: inputs{{leave, join}, {leave, join}, nil}},
		{Inputs: inputs{nil, {leave, join}, {leave}}, Crashes: 1},
		{Inputs: inputs{nil, {leave, join, leave, join, leave}, nil}},
		{Inputs: inputs{nil, {leave, join, leave, join}, nil}, Crashes: 1},
		{Inputs: inputs{{leave, join, leave, join}, nil, nil}, Crashes: 1},
		{Inputs: inputs{{leave, join, leave}, nil, {leave, join}}},
		{Inputs: inputs{nil, {leave, join, leave}, {leave, join}}, Crashes: 1},
	}
	for _, c := range append(all, tier.Pick(nil, more)...) {
		c.Results = asWished(c.Inputs)
		right(t, c)
	}
}
