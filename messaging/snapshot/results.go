package snapshot

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

// Results returns which snapshots of a, the algorithm that was given to [Over], are correct: rule,
// which may be nil, holds in the cut of each, and in the end all that began are complete, unless a
// node is down.
func Results(a messaging.Algorithm, rule messaging.Invariant) messaging.Results {
	return func(o messaging.Outcome) error {
		begun, parts := gather(o)
		for _, id := range begun {
			switch ps := parts[id]; {
			case len(ps) >= len(o.Emitted):
				cut, err := Assemble(a, ps)
				if err == nil && rule != nil {
					err = rule(cut.Nodes, cut.Transit)
				}
				if err != nil {
					return fmt.Errorf("in the cut of %v, %w", id, err)
				}
			case o.Over && o.Down.Len() == 0:
				return fmt.Errorf("%v is not complete: it has %d parts of %d nodes", id, len(ps), len(o.Emitted))
			}
		}
		return nil
	}
}

// results returns which results of p with snapshots are correct.
func results(p messaging.Protocol) messaging.Results {
	return func(o messaging.Outcome) error {
		a, err := layer.New("snapshot", p, len(o.Emitted))
		if err != nil {
			return err
		}
		if err := Results(a, p.Invariant)(o); err != nil || p.Results == nil {
			return err
		}
		own := make([][]any, len(o.Emitted))
		for i, values := range o.Emitted {
			own[i] = slices.DeleteFunc(slices.Clone(values), ofSnapshot)
		}
		o.Emitted = own
		return p.Results(o)
	}
}

// ofSnapshot reports whether snapshots emit v, and not the algorithm.
func ofSnapshot(v any) bool {
	switch v.(type) {
	case Began, Part:
		return true
	}
	return false
}

// gather returns the snapshots that have begun, by initiator, each in order, and their parts.
func gather(o messaging.Outcome) (begun []ID, parts map[ID][]Part) {
	parts = map[ID][]Part{}
	for _, values := range o.Emitted {
		for _, v := range values {
			switch v := v.(type) {
			case Began:
				begun = append(begun, v.Of)
			case Part:
				parts[v.Of] = append(parts[v.Of], v)
			}
		}
	}
	return begun, parts
}
