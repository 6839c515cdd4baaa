package recovery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/refusal"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Impossible messages are refused, with the rule, and change nothing. None occurs in a right run: the other tests of
// this package deliver every message that one can, in TestExplored in every order, and a node that
// refuses one fails them.
func TestImpossible(t *testing.T) {
	within := func(epoch uint64, m messaging.Message) recovery.Within {
		return recovery.Within{Epoch: epoch, Message: m}
	}
	token := suzukikasami.Request{Number: 1}
	for _, c := range []struct {
		name  string
		state func(s *host.Site)
		from  messaging.ID
		m     messaging.Message
		why   string
	}{
		{"a message of a future epoch", nil, 0, within(3, token), "the epoch is in the future"},
		{"one that wraps nothing", nil, 0, within(3, nil), "it is not a message of an epoch after the first"},
		{"one of the first that is wrapped", nil, 0, within(0, token), "it is not a message of an epoch after the first"},
		{"no message of the algorithm", frozen, 0, "hello", "it is not a message of this algorithm"},
		{"nor in an epoch", frozen, 0, within(3, "hello"), "it is not a message of this algorithm"},
		{"one of who is no member", began, 2, within(3, token), "the sender is no member of the epoch"},

		{"a freeze before the first epoch", nil, 0, recovery.Freeze{}, "the sender cannot name that epoch"},
		{"a freeze that another node names", nil, 0, recovery.Freeze{Epoch: 4}, "the sender cannot name that epoch"},
		{"a freeze for who counts as crashed", nil, 0, recovery.Freeze{Epoch: 3, Crashed: messaging.SetOf(1)}, "it counts the sender or the receiver as crashed, or what is no node"},
		{"a freeze of who counts as crashed", nil, 0, recovery.Freeze{Epoch: 3, Crashed: messaging.SetOf(0)}, "it counts the sender or the receiver as crashed, or what is no node"},
		{"a freeze that counts what is no node", nil, 0, recovery.Freeze{Epoch: 3, Crashed: messaging.SetOf(3)}, "it counts the sender or the receiver as crashed, or what is no node"},
		{"a freeze for an incarnation to come", nil, 0, recovery.Freeze{Epoch: 3, To: 1}, "there is no such incarnation of this node"},

		{"a status that was never asked for", nil, 0, recovery.Status{Epoch: 4, Number: 1}, "it answers what this node has not asked"},
		{"a status of the first epoch", nil, 0, recovery.Status{Number: 1}, "it answers what this node has not asked"},
		{"a status for another node", regenerates, 0, recovery.Status{Epoch: 3, Number: 1}, "it answers what this node has not asked"},
		{"a status of an epoch to come", regenerates, 0, recovery.Status{Epoch: 7, Number: 1}, "it answers what this node has not asked"},
		{"a status without a number", regenerates, 0, recovery.Status{Epoch: 4}, "it has no number"},
		{"a status of who waits inside", regenerates, 0, recovery.Status{Epoch: 4, Number: 1, Inside: true, Waiting: true}, "a node that is inside does not wait"},
		{"a status of who counts as crashed", regenerates, 0, recovery.Status{Epoch: 4, Number: 1, Crashed: messaging.SetOf(0)}, "it counts the sender as crashed, or what is no node"},
		{"a status that counts what is no node", regenerates, 0, recovery.Status{Epoch: 4, Number: 1, Crashed: messaging.SetOf(9)}, "it counts the sender as crashed, or what is no node"},

		{"a begin that was not promised", frozen, 0, recovery.Begin{Epoch: 6, Members: all(3)}, "it begins an epoch that this node has not promised to take part in"},
		{"a begin that another node names", frozen, 2, recovery.Begin{Epoch: 3, Members: all(3)}, "the sender cannot name that epoch"},
		{"a begin of the first epoch", nil, 0, recovery.Begin{Members: all(3)}, "the sender cannot name that epoch"},
		{"a begin without the receiver", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 2}}, "this node is not in its members"},
		{"a begin without the sender", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{1, 2}}, "the sender is not in its members"},
		{"a begin of nodes in disorder", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{1, 0}}, "its members are not nodes in ascending order"},
		{"a begin of a node twice", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 1, 1}}, "its members are not nodes in ascending order"},
		{"a begin of what is no node", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 1, 3}}, "its members are not nodes in ascending order"},
		{"a begin of what is less than a node", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{-1, 0, 1}}, "its members are not nodes in ascending order"},
		{"a begin of another that waits", frozen, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 1}, Waiting: messaging.SetOf(2)}, "one that waits is no member"},
		{"a begin while the user is inside", entered, 0, recovery.Begin{Epoch: 6, Members: all(2), Waiting: messaging.SetOf(1)}, "this node does not wait"},
		{"a begin that has who does not ask wait", frozen, 0, recovery.Begin{Epoch: 3, Members: all(2), Waiting: messaging.SetOf(1)}, "this node does not wait"},
		{"a begin after a message of who is no member", early, 0, recovery.Begin{Epoch: 3, Members: []messaging.ID{0, 1}}, "a message of the epoch came from a node that is not in its members"},

		{"a probe of no crash", nil, 0, recovery.Probe{}, "there is no such crash"},
		{"a probe of its own", nil, 1, recovery.Probe{Number: 1}, "there is no such crash"},
		{"an answer to no probe", nil, 0, recovery.Alive{Number: 1, Incarnation: 1}, "it answers what this node has not asked"},
		{"an answer to a probe of a crash to come", told, 2, recovery.Alive{Number: 2, Incarnation: 1}, "it answers what this node has not asked"},
		{"a probe's answer of its own", told, 1, recovery.Alive{Number: 1, Incarnation: 1}, "it answers what this node has not asked"},
		{"an epoch later than none", nil, 0, recovery.Later{}, "no epoch is before the first"},
		{"a later epoch of its own", nil, 1, recovery.Later{Epoch: 3}, "no epoch is before the first"},
		{"a later epoch that the receiver would name", regenerates, 0, recovery.Later{Epoch: 7}, "this node has not named that epoch"},
		{"a suspicion in an epoch that the receiver would name", regenerates, 0, recovery.Suspect{Epoch: 7}, "this node has not named that epoch"},
		{"a suspicion of who has promised the first epoch", nil, 0, recovery.Suspect{Promised: true}, "no node promises the first epoch"},
		{"a suspicion of its own", nil, 1, recovery.Suspect{}, "a node sends itself none"},

		{"a silence that no node waits for", nil, 1, recovery.Silence{Epoch: 4}, "no such timer runs"},
		{"an impatience of who does not wait", nil, 1, recovery.Impatience{}, "no such timer runs"},
		{"a timer of another node", waits, 0, recovery.Impatience{}, "no such timer runs"},
		{"a silence of another node", regenerates, 0, recovery.Silence{Epoch: 4}, "no such timer runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := recovery.Config{Patience: time.Minute, Silence: time.Second}
			s := host.NewSite(recovery.Over(suzukikasami.Protocol, config), messaging.Start{Self: 1, Nodes: 3}, nil)
			s.Start()
			if c.state != nil {
				c.state(s)
			}
			before := state.Append(nil, s.Node())
			r := refused(func() { s.Receive(c.from, c.m) })
			require.NotNil(t, r, "%+v is taken", c.m)
			assert.Equal(t, c.why, r.Why)
			assert.Equal(t, "recovery", r.Algorithm)
			assert.Equal(t, before, state.Append(nil, s.Node()), "it has changed something")
		})
	}
}

// refusal returns the refusal with which a function panics.
func refused(f func()) (r *refusal.Error) {
	defer func() { r, _ = recover().(*refusal.Error) }()
	f()
	return nil
}

func all(n int) (nodes []messaging.ID) {
	for i := range messaging.ID(n) {
		nodes = append(nodes, i)
	}
	return nodes
}

// The states of node 1 of 3 in which it gets an impossible message.

func frozen(s *host.Site) { s.Receive(0, recovery.Freeze{Epoch: 3, Crashed: messaging.SetOf(2)}) }

func early(s *host.Site) {
	frozen(s)
	s.Receive(2, recovery.Within{Epoch: 3, Message: suzukikasami.Request{Number: 1}})
}

func began(s *host.Site) {
	frozen(s)
	s.Receive(0, recovery.Begin{Epoch: 3, Members: all(2)})
}

func entered(s *host.Site) {
	s.Request()
	frozen(s)
	s.Receive(0, recovery.Begin{Epoch: 3, Members: all(2), Waiting: messaging.SetOf(1)})
	s.Receive(0, recovery.Freeze{Epoch: 6, Crashed: messaging.SetOf(2)})
}

func told(s *host.Site) { s.Down(2) }

func waits(s *host.Site) { s.Request() }

// regenerates has node 1 lead, since node 2 has crashed, and ask in epoch 4.
func regenerates(s *host.Site) {
	s.Receive(0, recovery.Freeze{Epoch: 3})
	s.Down(2)
}
