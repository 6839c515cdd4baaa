// Package recovery lets the nodes of any algorithm for mutual exclusion continue when some of them
// crash: the survivors begin the algorithm anew, in the next epoch.
//
//	c := cluster.New(5, recovery.Over(suzukikasami.Protocol, recovery.Config{}))
//
// So a lost token is regenerated, a crashed coordinator is succeeded, and quorums and trees are
// those of the survivors.
//
// # Source
//
// The rules are those of the lectures. A node suspects a crash, and one node is elected to regenerate. It makes a new
// token only if all live nodes say that they have none, and then no other token counts. H. Garcia-Molina, "Elections in
// a distributed computing system", 1982, calls that a reorganization. The algorithm begins anew in a view on which its
// members have agreed, as in B. M. Oki, B. H. Liskov, "Viewstamped replication", PODC 1988.
//
// # Messages
//
//	Suspect{Epoch, Promised, Incarnation}
//	                     to the leader, or to all: the sender takes part in no epoch, or
//	                     suspects a crash
//	Freeze{Epoch, To, Crashed}
//	                     the sender regenerates: take part in no epoch before this one
//	Status{Epoch, Number, Inside, Waiting, Kept, Crashed}
//	                     the answer, and again when it changes
//	Begin{Epoch, Members, Waiting}
//	                     the epoch begins; Waiting are those of the members that wait
//	Later{Epoch}         there is a later epoch, and the receiver has no part in it
//	Probe{Number}        to a node that counts as crashed: is it up again?
//	Alive{Number, Incarnation}
//	                     the answer
//	Within{Epoch, Message}
//	                     a message of the algorithm in an epoch after the first
//	Silence{Epoch}, Impatience{}
//	                     timers
//
// and the messages of the election. Messages of the algorithm in the first epoch, 0, are sent as
// they are. Without a fault there are no others.
//
// # State
//
// Of a node, which holds that of the election and, while it takes part in an epoch, that of the
// algorithm as Inner:
//
//	Incarnation   how often it has restarted; durable
//	Notices       how many crashes it was told of; durable
//	Promised      the latest epoch that it knows; it takes part in no earlier one; durable
//	Answered      it has answered the Freeze of Promised
//	Kept          it has taken part in an epoch since it started
//	Reports       how many Status it has sent for Promised
//	Present       the epoch in which it takes part or, if Members is empty, did last
//	Members       of Present; the node of rank k of the algorithm is Members[k]
//	Holder        the rank of the node that had the privilege when Present began
//	Early         messages of Promised that arrived before its Begin
//	Own           messages of Inner to itself, while a handler runs
//	Phase         of its user's request
//	Timers        how many run for its Patience
//	Suspicious    it waits for an epoch to begin
//	Leader        as elected; -1: none is known
//	Crashed       by node, the number of the notice by which it counts as crashed; 0: it does not
//	Incarnations  by node, the latest that is known
//
// and of the one that regenerates
//
//	Regenerates   the epoch; 0: none
//	Answers       by node, its latest Status
//	Awaited       nodes from which nothing has arrived since a Freeze was sent to them
//	Probed        those that count as crashed were probed when all others had answered
//
// # Rules
//
// A node holds an election when it is told of a crash while it knows no leader, or when it waits for longer than the
// Patience of the Config. The leader regenerates when it is elected, when it is told of a crash, and when it gets a
// Suspect. It sends a Freeze with an epoch that no other node can name ([election.NextTerm]).
//
// A node that gets the Freeze of a later epoch than all that it knows stops the algorithm. It gives up the token, if it
// has it, and drops each message of an earlier epoch from then on. If its user is inside, its Status says so, and it
// sends another one when the user has left. So a long critical section is not taken for a lost token: no epoch begins
// before its end.
//
// The epoch begins when all nodes that do not count as crashed have answered, none of them is inside, and all of them
// count the same nodes as crashed. They are its members, and the algorithm begins anew as if there were no others. The
// first member that waits has the privilege. The Begin says which members wait. Each member computes the state in which
// the algorithm would be once these have requested and all their messages have arrived, and begins with that of its own
// node. So no request is lost or doubled, and one of them enters at once. The order in which they waited is lost. With
// more than 32 members the computation would take long, and those that wait request anew.
//
// With timeouts, only the node that regenerates notices a silence. So the members need not agree on which nodes have
// crashed, but none may count another member as crashed. Those that count as crashed are probed once the members have
// answered, and must then be silent for a further Silence.
//
// A node that has restarted does not know of epochs that began and ended while it was down. So an epoch begins only if
// one of its members has taken part in one since it started, or if all nodes are members, as each remembers the epochs
// that it has promised. (D. Skeen, "Determining the last process to fail", 1985, is about the same.) So each epoch is
// later than all that have begun before.
//
// A node that has restarted, or learns of an epoch without it, takes part in none until it is a member of a later one.
// It asks for that by a Suspect. After a restart it sends the Suspect to all, since a detector tells of crashes and not
// of restarts: the nodes that count it as crashed then probe it. It counts as live again only if it answers a Probe that
// was sent after the notice of its crash or, with timeouts, a Freeze, which names the incarnation that it is for.
// Therefore two nodes take part in different epochs at the same time only if some node was taken for crashed that had
// been up ever since. A detector that is right does not say so, nor does a silence if timeouts are long enough.
//
// # Properties
//
// Mutual exclusion, and each live node that waits enters, whichever nodes crash and restart. This requires that a node is
// said to be down only if it is, and that all nodes are told of a crash unless the crashed one restarts first. If all
// that took part in the last epoch have crashed, the others wait until all nodes are up. At most one epoch is live at a
// time.
//
// After a crash, the next epoch has begun everywhere within the time until all are told of it,
// an election, and 3T: Freeze, Status, Begin. If a node is inside then, it begins 2T after that
// has left. One that waits enters then, if there are at most 32 members (docs/systems.md).
// Recovery takes 3(m-1) messages between the m nodes that are left, and those of the election.
//
// A live node is taken for a crashed one if a detector is wrong, or if Silence in the Config is too short. Then there may
// be two epochs with one token each, and two nodes inside. No algorithm can exclude that where messages may take any
// time. In each epoch at most one node is inside, whatever happens. So entries have tokens that grow over epochs
// ([messaging.Token]), by which a resource refuses a node of an older one.
//
// A node that crashes inside leaves the resource as it was then. No message may be lost in transit; with timeouts, a
// loss is taken for a crash. Package link repeats what is lost. It goes over recovery, as in
// link.Over(recovery.Over(p, c), l): below it, it would not repeat what recovery itself sends. Then the same holds where
// messages are lost, duplicated and reordered; docs/systems.md has a table.
//
// If p itself takes silence for a crash, as ricartagrawala.Acknowledged does, and is wrong, two nodes may be inside in
// one epoch.
package recovery

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election/bully"
)

// suspect tells the leader that the sender takes part in no epoch, or suspects a crash in the one
// in which it does; or it tells all that the sender has restarted. Epoch is the latest that the
// sender knows; if Promised, it has answered the Freeze of that and waits for it to begin.
type suspect struct {
	Epoch       uint64
	Promised    bool
	Incarnation uint64 // of the sender
}

// freeze says that the sender regenerates: the receiver, in incarnation To, must take part in no
// epoch before Epoch. The nodes Crashed count as crashed.
type freeze struct {
	Epoch, To uint64
	Crashed   messaging.Set
}

// status answers the Freeze of Epoch: the sender takes part in no earlier one. It sends another,
// with a larger Number, when its user has left the critical section, or when it counts other
// nodes as crashed. Waiting says that its user waits.
type status struct {
	Epoch, Number   uint64
	Inside, Waiting bool
	Kept            bool // the sender has taken part in an epoch since it started
	Crashed         messaging.Set
}

// probe asks a node that counts as crashed, by the notice of that number, whether it has
// restarted.
type probe struct{ Number uint64 }

// alive answers a Probe, whose Number it repeats: the sender is up, in this incarnation.
type alive struct{ Number, Incarnation uint64 }

// begin begins Epoch, with these members, in ascending order, of which Waiting wait to enter. The first
// of those has the privilege or, if none waits, the sender.
type begin struct {
	Epoch   uint64
	Members []messaging.ID
	Waiting messaging.Set
}

// later tells the receiver of an epoch that is later than the one of its message, and in which it
// has no part.
type later struct{ Epoch uint64 }

// within is a message of the algorithm in an epoch other than the first, or a timer of its
// node.
type within struct {
	Epoch   uint64
	Message messaging.Message
}

// silence is the timer of a node that regenerates.
type silence struct{ Epoch uint64 }

// impatience is the timer of a node that waits. It is stale if a later one runs.
type impatience struct{}

// Began is emitted by each member of an epoch when it begins there.
type Began struct {
	Epoch   uint64
	Members []messaging.ID
}

// A Config has the timeouts of nodes whose host does not detect crashes, and those of the
// election. Nodes of a system have the same.
type Config struct {
	// Patience is how long a node waits to enter before it suspects that a node has crashed; it
	// should be more than the usual time. 0: only the host detects crashes.
	Patience time.Duration

	// Silence is the time after which a node that was asked, and has sent nothing since, counts as
	// crashed. It must be positive if Patience is, and should be more than the time of a message
	// and its answer. 0: only the host detects crashes.
	Silence time.Duration

	// Answer and Coordinator are the timeouts of the election; see [bully.New]. If they are too
	// short, nodes are elected again and again, and no epoch begins; mutual exclusion holds.
	// Default: one and three seconds.
	Answer, Coordinator time.Duration
}

// Over returns the algorithm of p with recovery. Its nodes are locks as those of p are, and each
// is a [messaging.Starter], a [messaging.Survivor] and a [messaging.Epocher]. Nodes of p are not
// told of crashes: they begin anew in an epoch without the crashed node. Then each node runs those of
// all members, to begin with the same state: so all must run the same code, with the same parameters.
//
// It panics if c is invalid. The algorithm panics if p has none for the number of nodes or, after
// a crash, for those that are left ([Of] returns an error before); if p has no Kinds; or if its
// nodes are no [messaging.Exclusion], are a [messaging.Sharer], or have recovery already.
func Over(p messaging.Protocol, c Config) messaging.Algorithm {
	c.check()
	elect, algorithm, has := bully.New(c.Answer, c.Coordinator), bySize(p), has(p)
	return func(start messaging.Start) messaging.Node {
		n := &node{
			start: start, algorithm: algorithm, has: has, config: c, Members: everyone(start.Nodes), Holder: start.Holder,
			Election: elect(messaging.Start{Self: start.Self, Nodes: start.Nodes, Restarted: start.Restarted}), Leader: none,
			Crashed: make([]uint64, start.Nodes), Incarnations: make([]uint64, start.Nodes),
		}
		first := n.inner(start.Self, start.Nodes, start.Holder)
		n.withdraws = withdraws(first)
		_, n.epochs = messaging.As[messaging.Epocher](first)
		if start.Restarted {
			n.Members = nil
		} else {
			n.Inner, n.Kept = first, true
		}
		return n
	}
}

// withdraws reports whether nodes of the algorithm can withdraw a request. It panics if they
// cannot have recovery.
func withdraws(inner messaging.Node) bool {
	if layer.Has[*node](inner) {
		panic("recovery: recovery of nodes that have it already")
	}
	if _, lock := messaging.As[messaging.Exclusion](inner); !lock {
		panic(fmt.Sprintf("recovery: a %T is no Exclusion: there is nothing to recover", inner))
	}
	if _, shares := messaging.As[messaging.Sharer](inner); shares {
		panic(fmt.Sprintf("recovery: a %T is a Sharer: which resources a node needs would depend on who is left", inner))
	}
	_, can := messaging.As[messaging.Withdrawer](inner)
	return can
}

// bySize returns the algorithm of p for a number of nodes, made once for each.
func bySize(p messaging.Protocol) func(n int) messaging.Algorithm {
	var made sync.Map // from int to messaging.Algorithm
	return func(n int) messaging.Algorithm {
		if a, known := made.Load(n); known {
			return a.(messaging.Algorithm)
		}
		if err := layer.HasNew("recovery", p); err != nil {
			panic(err.Error())
		}
		a, err := p.New(n)
		switch {
		case err != nil:
			panic(fmt.Sprintf("recovery: %d nodes are left: %v", n, err))
		case a == nil:
			panic(fmt.Sprintf("recovery: the protocol %q makes no algorithm for %d nodes: its New returns nil", p.Name, n))
		case len(p.Kinds) == 0:
			panic(fmt.Sprintf("recovery: the protocol %q has no Kinds: its messages could not be told from others", p.Name))
		}
		made.Store(n, a)
		return a
	}
}

// has returns a function that reports whether a message is of a kind of p.
func has(p messaging.Protocol) func(m messaging.Message) bool {
	return func(m messaging.Message) bool {
		return slices.ContainsFunc(p.Kinds, func(kind messaging.Message) bool { return reflect.TypeOf(kind) == reflect.TypeOf(m) })
	}
}

// everyone returns the first n nodes.
func everyone(n int) []messaging.ID {
	all := make([]messaging.ID, n)
	for i := range all {
		all[i] = messaging.ID(i)
	}
	return all
}

// check panics if c is invalid, and fills in what it leaves out.
func (c *Config) check() {
	if c.Answer == 0 && c.Coordinator == 0 {
		c.Answer, c.Coordinator = time.Second, 3*time.Second
	}
	if c.Answer <= 0 || c.Coordinator <= c.Answer {
		panic(fmt.Sprintf("recovery: an Answer of %v and a Coordinator of %v: want 0 < Answer < Coordinator, or both 0", c.Answer, c.Coordinator))
	}
	if c.Patience < 0 || c.Silence < 0 || (c.Patience > 0) != (c.Silence > 0) {
		panic(fmt.Sprintf("recovery: a Patience of %v and a Silence of %v: want both positive, or both 0", c.Patience, c.Silence))
	}
}

// Of returns the protocol of p with recovery, named "recovery-" and the name of p. Its New returns
// an error if p has no algorithm for the number of nodes or a smaller one. Its invariant is that
// the nodes that take part in an epoch agree on its members, and that the invariant of p, if it
// has one, holds in each epoch. Of panics if c is invalid.
func Of(p messaging.Protocol, c Config) messaging.Protocol {
	c.check()
	kinds := slices.Concat(p.Kinds, []messaging.Message{
		bully.Election{}, bully.Answer{}, bully.Coordinator{}, bully.Timeout{}, suspect{}, freeze{}, status{}, probe{}, alive{}, begin{}, later{}, within{},
	})
	if c.Patience > 0 {
		kinds = append(kinds, silence{}, impatience{})
	}
	return messaging.Protocol{
		Name: "recovery-" + p.Name,
		New: func(n int) (messaging.Algorithm, error) {
			if err := layer.HasNew("recovery", p); err != nil {
				return nil, err
			}
			for m := 1; m <= n; m++ {
				if _, err := p.New(m); err != nil {
					return nil, fmt.Errorf("recovery: %d of %d nodes may be left: %w", m, n, err)
				}
			}
			return Over(p, c), nil
		},
		Kinds:     kinds,
		FIFO:      p.FIFO,
		Perpetual: p.Perpetual,
		Invariant: invariant(p.Invariant),
	}
}
