// Package election has what algorithms that elect a leader have in common: the inputs of users, the
// results of nodes, and when results are correct.
//
// An election begins with the input [Hold], at one or more nodes, and ends when each live node has
// emitted [Elected]:
//
//	c := cluster.New(5, changroberts.New(nil), cluster.Observe(f)) // f sees what is emitted
//	err := c.Input(3, election.Hold{})
//
// A [Group] does both, and its users ask for the leader.
package election

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
)

// Hold is the input with which a user has a node hold an election: at first, or because it
// suspects that the leader has crashed. A node that takes part in one already need not hold
// another.
type Hold struct{}

// Elected is emitted by a node when it learns who leads.
type Elected struct {
	Leader messaging.ID

	// Term counts the leaders, in algorithms in which one can follow another; otherwise it
	// is 0.
	Term messaging.Time
}

// Results is the [messaging.Results] of an election: at most one leader is elected in a term,
// no node goes back to an earlier term, and in the end all live nodes know the same leader,
// which is live. It expects that an election is held; if all nodes that were to hold one have
// crashed, there need be no leader.
func Results(o messaging.Outcome) error {
	leads := map[messaging.Time]Elected{}
	for i, values := range o.Emitted {
		term := messaging.Time(0)
		for _, v := range values {
			e, ok := v.(Elected)
			if !ok {
				continue
			}
			if e.Term < term {
				return fmt.Errorf("node %d has learned of term %d, and then of %d", i, term, e.Term)
			}
			term = e.Term
			if other, known := leads[term]; known && other != e {
				return fmt.Errorf("nodes %d and %d lead in term %d", min(e.Leader, other.Leader), max(e.Leader, other.Leader), term)
			}
			leads[term] = e
		}
	}
	if !o.Over {
		return nil
	}
	return settled(o)
}

// settled returns an error unless all live nodes have learned last of the same live leader.
func settled(o messaging.Outcome) error {
	knows, first := map[messaging.ID]Elected{}, messaging.ID(-1)
	for i, values := range o.Emitted {
		id := messaging.ID(i)
		e, has := latest(values)
		if has {
			knows[id] = e
		}
		if has && first < 0 && !o.Down.Has(id) {
			first = id
		}
	}
	switch {
	case first < 0 && o.Down.Len() == 0:
		return fmt.Errorf("no leader is elected")
	case first < 0:
		return nil
	case o.Down.Has(knows[first].Leader):
		return fmt.Errorf("node %d, which leads, is down", knows[first].Leader)
	}
	for i := range o.Emitted {
		id := messaging.ID(i)
		switch e, has := knows[id]; {
		case o.Down.Has(id):
		case !has:
			return fmt.Errorf("node %d knows no leader, and node %d leads", id, knows[first].Leader)
		case e != knows[first]:
			return fmt.Errorf("node %d follows node %d in term %d, and node %d follows node %d in term %d",
				first, knows[first].Leader, knows[first].Term, id, e.Leader, e.Term)
		}
	}
	return nil
}

// OneAtATime is [Results] of an election that never has two live nodes lead at the same time,
// not even in different terms. A node leads from when it emits that it does until it emits that
// another does.
func OneAtATime(o messaging.Outcome) error {
	leads := messaging.ID(-1)
	for i, values := range o.Emitted {
		id := messaging.ID(i)
		if e, has := latest(values); !has || e.Leader != id || o.Down.Has(id) {
			continue
		}
		if leads >= 0 {
			return fmt.Errorf("nodes %d and %d lead at the same time", leads, id)
		}
		leads = id
	}
	return Results(o)
}

// latest returns the last Elected that a node has emitted, and whether there is one.
func latest(emitted []any) (e Elected, has bool) {
	for _, v := range slices.Backward(emitted) {
		if e, has = v.(Elected); has {
			return e, true
		}
	}
	return e, false
}
