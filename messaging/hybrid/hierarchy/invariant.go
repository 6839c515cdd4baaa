package hierarchy

import (
	"fmt"

	"example.org/doorway/messaging"
)

// invariant returns the rule that, in the clusters of Of, both levels keep theirs, of which
// each may be nil.
func invariant(within, among messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		clusters := consecutive(len(nodes))
		below, above := split(clusters, nodes, transit)
		for c, v := range below {
			if err := v.hold(within); err != nil {
				return fmt.Errorf("in cluster %d, %w", c, err)
			}
		}
		if err := above.hold(among); err != nil {
			return fmt.Errorf("among the clusters, %w", err)
		}
		return nil
	}
}

// A view is the state of a level: its nodes, and its messages in transit.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}

func (v view) hold(rule messaging.Invariant) error {
	if rule == nil {
		return nil
	}
	return rule(v.nodes, v.transit)
}

// split returns the views of each cluster and of the level above. A node that is down is nil.
func split(clusters [][]messaging.ID, nodes []messaging.Node, transit []messaging.Event) (below []view, above view) {
	places, _ := placesOf(clusters)
	below, above.nodes = make([]view, len(clusters)), make([]messaging.Node, len(clusters))
	for c, members := range clusters {
		below[c].nodes = make([]messaging.Node, len(members))
		for k, i := range members {
			if n, up := nodes[i].(interface{ inner() *node }); up {
				below[c].nodes[k] = n.inner().Within
			}
		}
		if n, up := nodes[members[0]].(interface{ inner() *node }); up {
			above.nodes[c] = n.inner().Among
		}
	}
	for _, e := range transit {
		from, to := places[e.From], places[e.To]
		if from.cluster == to.cluster {
			e.From, e.To = from.position, to.position
			below[from.cluster].transit = append(below[from.cluster].transit, e)
		} else {
			e.From, e.To = messaging.ID(from.cluster), messaging.ID(to.cluster)
			above.transit = append(above.transit, e)
		}
	}
	return below, above
}
