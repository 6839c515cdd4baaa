package hierarchy

import (
	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
)

// impossible returns why no run delivers m, or "". The nodes of the two algorithms judge
// their own messages.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	at, mine := n.places[from], n.place()
	switch m := m.(type) {
	case wish:
		return n.ofMember(at, m.Number, 0) // it may have been overtaken by what followed
	case own:
		if why := n.ofMember(at, m.Number, n.served(at)); why != "" {
			return why
		}
		return impossible.If(n.Next != none, "another member has the lock of the cluster")
	case grant:
		switch {
		case from != n.representative():
			return "the sender is not the representative"
		case n.Phase != messaging.Waiting || m.Number != n.Number:
			return "there is no such request"
		}
	case done:
		if why := n.ofMember(at, m.Number, n.served(at)); why != "" {
			return why
		}
		return impossible.If(n.Owner != at.position || n.Cluster != messaging.Inside || m.Number > n.Asked[at.position], "the sender was not inside")
	case timer:
		return impossible.If(from != n.start.Self || m.Message == nil || m.Among && n.Among == nil, "it is not a timer of this node")
	default:
		switch {
		case from == n.start.Self:
			return "it is not a message of this algorithm"
		case at.cluster != mine.cluster:
			return impossible.If(n.Among == nil || at.position != 0, "only representatives talk to those of other clusters")
		}
	}
	return ""
}

// ofMember checks a message of a member to its representative about its request of that
// number, which is later than another.
func (n *node) ofMember(at place, number, after uint64) string {
	switch {
	case at.cluster != n.place().cluster || n.Among == nil:
		return "the sender is no member of a cluster that this node represents"
	case number <= after:
		return "there is no such request"
	}
	return ""
}

// served returns the number of the latest request of a member that is over; 0: none.
func (n *node) served(at place) uint64 {
	if at.cluster != n.place().cluster || n.Among == nil {
		return 0
	}
	return n.Served[at.position]
}
