package multicast

import (
	"fmt"
	"maps"
	"slices"

	"example.org/doorway/messaging"
)

// Join is the input with which a user has a node become a member of the group again. It has no
// effect on a member that does not leave.
type Join struct{}

// Leave is the input with which a user has a node leave the group. The node has left when it
// emits a [View] without itself.
type Leave struct{}

// View is emitted by a node when it learns the members of the group, and delivers what comes after it
// in that view. Views are numbered from 1; Members are in ascending order.
type View struct {
	Number  int
	Members []messaging.ID
}

// Synchronous is the [messaging.Results] of a reliable multicast to a group whose members change:
// virtual synchrony, after K. Birman, T. Joseph, "Exploiting virtual synchrony in distributed
// systems", 1987. No live node is removed. All live nodes have the same views, and members skip none. Those that go from one
// view to the next have delivered the same messages in it. In the end, the live members are in the
// same view, with live nodes only, and have delivered the same messages in it, those that they have
// sent among them. A member delivers the messages of a sender in order, and from its first one on
// without a gap. No node may start again.
func Synchronous(o messaging.Outcome) error {
	sent := sentBy(o)
	views, after := map[int]stay{}, map[int]stay{} // of live nodes, by number: the first, and the first that is over
	var final []stay                               // of live members, in the end
	for i := range o.Emitted {
		all, err := stays(o, messaging.ID(i), sent)
		if err != nil {
			return err
		}
		if o.Down.Has(messaging.ID(i)) {
			continue
		}
		for k, s := range all {
			if err := s.agrees(views, after, k+1 < len(all) || o.Over); err != nil {
				return err
			}
		}
		if k := len(all) - 1; o.Over && k >= 0 && slices.Contains(all[k].Members, messaging.ID(i)) {
			final = append(final, all[k])
		}
	}
	for _, s := range final {
		if err := settled(o, s, views, len(sent[s.node])); err != nil {
			return err
		}
	}
	return nil
}

// A stay is what a node has delivered in a view.
type stay struct {
	View
	node      messaging.ID
	delivered map[Delivered]bool
}

// stays returns the stays of node i, or what is wrong with them by themselves.
func stays(o messaging.Outcome, i messaging.ID, sent [][]string) (all []stay, err error) {
	last := map[messaging.ID]int{} // by node, the number of its last message since node i joined
	now := stay{node: i}
	for _, v := range o.Emitted[i] {
		switch v := v.(type) {
		case messaging.Removed:
			if !o.Down.Has(v.Node) {
				return nil, fmt.Errorf("node %d removes node %d, which is live", i, v.Node)
			}
		case View:
			member := slices.Contains(now.Members, i)
			if v.Number <= now.Number || member && v.Number != now.Number+1 {
				return nil, fmt.Errorf("node %d goes from view %d to view %d", i, now.Number, v.Number)
			}
			if !member {
				clear(last)
			}
			if v.Number == 1 { // no member has sent before
				for j := range o.Emitted {
					last[messaging.ID(j)] = 0
				}
			}
			now = stay{v, i, map[Delivered]bool{}}
			all = append(all, now)
		case Delivered:
			before, known := last[v.From]
			switch {
			case !slices.Contains(now.Members, i):
				return nil, fmt.Errorf("node %d delivers %s, and is no member", i, message(v))
			case !isNode(o, v.From) || v.Number < 1 || v.Number > len(sent[v.From]) || sent[v.From][v.Number-1] != v.Body:
				return nil, fmt.Errorf("node %d delivers %s, which was not sent", i, message(v))
			case known && v.Number != before+1:
				return nil, fmt.Errorf("node %d delivers %s after message %d", i, message(v), before)
			}
			last[v.From] = v.Number
			now.delivered[v] = true
		}
	}
	return all, nil
}

// agrees returns an error unless s is of the same view as that of others with its number; and if it is
// over, has the same messages as those of members that are.
func (s stay) agrees(views, after map[int]stay, over bool) error {
	other, is := views[s.Number]
	if !is {
		views[s.Number] = s
	} else if !slices.Equal(s.Members, other.Members) {
		return fmt.Errorf("view %d is %v at node %d, and %v at node %d", s.Number, other.Members, other.node, s.Members, s.node)
	}
	if !over || !slices.Contains(s.Members, s.node) {
		return nil
	}
	if other, is = after[s.Number]; !is {
		after[s.Number] = s
	} else if !maps.Equal(s.delivered, other.delivered) {
		return fmt.Errorf("nodes %d and %d have not delivered the same in view %d", other.node, s.node, s.Number)
	}
	return nil
}

// settled returns an error unless s, the last stay of a live member, is in the last view, and of live
// nodes; and unless the node has delivered as many messages of its own as it has sent.
func settled(o messaging.Outcome, s stay, views map[int]stay, sent int) error {
	if last := slices.Max(slices.Collect(maps.Keys(views))); last > s.Number {
		return fmt.Errorf("node %d remains in view %d, and node %d is in view %d", s.node, s.Number, views[last].node, last)
	}
	for _, j := range s.Members {
		if o.Down.Has(j) {
			return fmt.Errorf("node %d is down, and in view %d of node %d", j, s.Number, s.node)
		}
	}
	own := 0
	for d := range deliveries(o, int(s.node)) {
		if d.From == s.node {
			own++
		}
	}
	if own < sent {
		return fmt.Errorf("node %d has sent %d messages, and delivered %d of them", s.node, sent, own)
	}
	return nil
}
