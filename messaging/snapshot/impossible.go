package snapshot

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why no run delivers m, or "". The node of the algorithm judges its own
// messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	if from != n.start.Self && n.from != nil && !slices.Contains(n.from, from) {
		return "there is no channel from the sender: the links of a topology around snapshots lead in both directions"
	}
	switch m := m.(type) {
	case Take:
		return impossible.If(from != n.start.Self, "only the user of a node has it begin a snapshot")
	case marker:
		return n.impossibleMarker(from, m.Of)
	}
	return ""
}

// impossibleMarker is impossible of a Marker. A node that has restarted has forgotten what it
// recorded. If another has crashed, a Marker of a later snapshot may have come first, by a
// third node that had none of this one.
func (n *node) impossibleMarker(from messaging.ID, id ID) string {
	if id.Initiator < 0 || int(id.Initiator) >= n.start.Nodes || id.Number == 0 || from == n.start.Self {
		return "there is no such snapshot"
	}
	k := n.recording(id)
	return cmp.Or(
		impossible.If(id.Initiator == n.start.Self && id.Number > n.Latest[id.Initiator], "this node has not begun that snapshot"),
		impossible.If(k >= 0 && !n.Running[max(k, 0)].Open.Has(from), "a Marker of that snapshot has arrived on that channel"),
		impossible.If(k < 0 && id.Number == n.Latest[id.Initiator] && !n.start.Restarted, "a Marker of that snapshot has arrived on each channel"),
	)
}
