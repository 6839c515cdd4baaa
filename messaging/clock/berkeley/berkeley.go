// Package berkeley implements the clock synchronization of Berkeley UNIX: a daemon asks all nodes
// for their clocks, and tells each how to adjust its clock to the mean. No node needs to know the
// time.
//
// # Source
//
// R. Gusella, S. Zatti, "The accuracy of the clock synchronization achieved by TEMPO in Berkeley UNIX
// 4.3BSD", IEEE Transactions on Software Engineering 15(7), 1989. Slide 40 of B. Prabhakaran has it from
// A. S. Tanenbaum's textbook.
//
// # Messages
//
//	Poll{Round}           what time is it?
//	Answer{Round, Time}   it is Time; an answer to the Poll of that round
//	Adjust{Round, By}     set the clock forward by By, or back if it is negative
//	Tick{}                the timer of a clock
//
// Users set clocks and read them; see package [clock].
//
// # State
//
//	Clock      what the node takes the time to be, and what it shows
//	Round      the latest, known to the node
//	Due        an Adjust of that round is due, at a member
//	Age        ticks since the daemon polled
//	Polling    the daemon waits for answers
//	Answered   the members that have answered
//	Ahead      by node, how much its clock is ahead of that of the daemon
//
// # Algorithm
//
// The daemon polls every so many ticks. When an answer comes, at T1, to a poll that it sent at T0,
// the clock of the member shows the Time of the answer and (T1-T0)/2. When all have answered, or a
// number of ticks later, the daemon takes the mean of the clocks, its own among them, and sends
// each member that has answered how far its clock is behind. The time itself would be old on
// arrival.
//
// The mean is that of the largest set of clocks of which no two are more than a given time apart; of several, the
// one that is the most behind. Others do not count, but are adjusted too.
//
// A clock is not set back. It runs at half its speed instead.
//
// # Properties
//
// After a round, a member differs from the daemon by at most (T1-T0)/2 - min, if no message takes
// less than min, and a tick of each clock; then they drift. Links may lose, duplicate and reorder
// messages. A member that does not answer in time is left out of the round. If the daemon crashes,
// clocks drift until it restarts.
package berkeley

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/physical"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// The messages, as above.
type (
	poll struct{ Round int }

	answer struct {
		Round int
		Time  time.Duration
	}

	adjust struct {
		Round int
		By    time.Duration
	}
)

// Protocol is the algorithm with node 0 as the daemon, and clocks that tick every 10 ms, for hosts
// that are told which one to run.
var Protocol = messaging.Protocol{
	Name: "berkeley",
	New: func(int) (messaging.Algorithm, error) {
		return New(0, Config{Tick: 10 * time.Millisecond, Every: 1000, Wait: 100, Apart: time.Hour}), nil
	},
	Kinds:     []messaging.Message{clock.Read{}, clock.Set{}, poll{}, answer{}, adjust{}, physical.Tick{}},
	Perpetual: true,
	Results:   clock.Results,
}

// A Config says when the daemon polls, and which clocks count.
type Config struct {
	Tick  time.Duration // the resolution of all clocks, more than 0
	Every int           // how many ticks after a Poll the next is sent
	Wait  int           // how many ticks after a Poll answers count, at least 1 and less than Every
	Apart time.Duration // how far apart clocks that count are at most: the paper's γ
}

// New returns the algorithm with that daemon. It panics if the config is not as it says, and the
// algorithm panics if there is no node with the number of the daemon.
func New(daemon messaging.ID, c Config) messaging.Algorithm {
	if c.Tick <= 0 || c.Wait < 1 || c.Every <= c.Wait || c.Apart < 0 {
		panic(fmt.Sprintf("berkeley: New with %+v: want Tick > 0, 1 <= Wait < Every, and Apart >= 0", c))
	}
	return func(start messaging.Start) messaging.Node {
		if daemon < 0 || int(daemon) >= start.Nodes {
			panic(fmt.Sprintf("berkeley: the daemon is node %d: the nodes are 0 to %d", daemon, start.Nodes-1))
		}
		return &node{start: start, daemon: daemon, c: c}
	}
}

type node struct {
	start  messaging.Start
	daemon messaging.ID
	c      Config

	Clock physical.Clock `messaging:"durable"`
	Round int            `messaging:"durable"`
	Due   bool           // of a member

	// Of the daemon:
	Age      int
	Polling  bool
	Answered messaging.Set
	Ahead    []time.Duration
}

// Start starts the clock. The daemon polls.
func (n *node) Start(out messaging.Out) {
	out.After(n.c.Tick, physical.Tick{})
	if n.start.Self == n.daemon {
		n.poll(out)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("berkeley", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case physical.Tick:
		out.After(n.c.Tick, physical.Tick{})
		n.Clock.Advance(n.c.Tick)
		if n.start.Self == n.daemon {
			n.tick(out)
		}
	case poll:
		if m.Round > n.Round {
			n.Round, n.Due = m.Round, true
			out.Send(from, answer{m.Round, n.Clock.Time})
		}
	case answer:
		if m.Round == n.Round && n.Polling && !n.Answered.Has(from) {
			n.answered(from, m.Time, out)
		}
	case adjust:
		if m.Round == n.Round && n.Due {
			n.Due = false
			n.adjust(m.By, out)
		}
	case clock.Set:
		n.set(m.Time)
	case clock.Read:
		out.Emit(clock.Reading{Time: n.Clock.Shown})
	}
}

func (n *node) tick(out messaging.Out) {
	n.Age++
	if n.Polling && n.Age == n.c.Wait {
		n.average(out)
	}
	if n.Age == n.c.Every {
		n.poll(out)
	}
}

func (n *node) poll(out messaging.Out) {
	n.Round++
	n.Age, n.Polling, n.Answered, n.Ahead = 0, true, nil, make([]time.Duration, n.start.Nodes)
	for j := range n.start.Others() {
		out.Send(j, poll{n.Round})
	}
}

func (n *node) answered(from messaging.ID, at time.Duration, out messaging.Out) {
	n.Answered.Add(from)
	n.Ahead[from] = at + n.trip()/2 - n.Clock.Time
	if n.Answered.Len() == n.start.Nodes-1 {
		n.average(out)
	}
}

// trip returns T1 - T0, if T1 is now.
func (n *node) trip() time.Duration { return time.Duration(n.Age) * n.c.Tick }

// average ends the round.
func (n *node) average(out messaging.Out) {
	n.Polling = false
	clocks := []time.Duration{0} // that of the daemon
	for j := range n.Answered.All() {
		clocks = append(clocks, n.Ahead[j])
	}
	middle := mean(largest(clocks, n.c.Apart))
	for j := range n.Answered.All() {
		out.Send(j, adjust{n.Round, middle - n.Ahead[j]})
	}
	n.adjust(middle, out)
}

// set sets the clock as the user says. What an answer of this node leads to is about the clock before.
func (n *node) set(to time.Duration) {
	by := to - n.Clock.Time
	n.Clock.Adjust(by)
	n.Due = false
	for j := range n.Answered.All() {
		n.Ahead[j] -= by
	}
}

func (n *node) adjust(by time.Duration, out messaging.Out) {
	n.Clock.Adjust(by)
	out.Emit(clock.Adjusted{By: by})
}

// largest returns the largest set of clocks of which no two are more than that time apart. It sorts
// the clocks.
func largest(clocks []time.Duration, apart time.Duration) []time.Duration {
	slices.Sort(clocks)
	from, until, first := 0, 0, 0
	for k, c := range clocks {
		for c-clocks[first] > apart {
			first++
		}
		if k+1-first > until-from {
			from, until = first, k+1
		}
	}
	return clocks[from:until]
}

// mean sums what each is ahead of the first: a few clocks of this century, since 1970, would overflow.
func mean(clocks []time.Duration) (m time.Duration) {
	for _, c := range clocks {
		m += c - clocks[0]
	}
	return clocks[0] + m/time.Duration(len(clocks))
}
