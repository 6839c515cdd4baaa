// Package cristian implements the clock synchronization of F. Cristian: nodes ask a time server,
// and correct its answer by half the round trip.
//
// # Source
//
// F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3(3), 1989. Slide 39 of
// B. Prabhakaran has it from A. S. Tanenbaum's textbook.
//
// # Messages
//
//	Request{Number}       what time is it?
//	Reply{Number, Time}   it is Time; an answer to the Request of that number
//	Tick{}                the timer of a clock
//
// Users set clocks and read them; see package [clock].
//
// # State
//
//	Clock    what the node takes the time to be, and what it shows
//	Error    how far Clock.Time can be from the time; 0: that is not known
//	Number   that of the latest Request
//	Age      ticks since it was sent
//
// # Algorithm
//
// A client asks every so many ticks. When the reply comes, at T1, to a request that it sent at T0, it takes
// the time to be C_UTC + (T1-T0)/2. The slides subtract how long the server took, I, which is 0 here:
// a handler takes no time.
//
// The server answered after min at least, and min at least before the reply came, if no message
// takes less than min. So the estimate is off by at most (T1-T0)/2 - min, and by a tick of each of
// the two clocks, which tell the time in whole ticks. T1-T0 is the number of ticks that the client
// has counted.
//
// Of several round trips the one with the least error counts: the error of the latest setting grows
// with the time since, by the drift ρ of the client. A reply is taken if its error is smaller. It
// is also taken if it contradicts what was known: then the server was set, or a clock drifts
// more than ρ.
//
// A clock is not set back. It runs at half its speed instead.
//
// # Properties
//
// If the server has the time, no message takes less than min, and the timers of clients are wrong
// by a factor from 1-ρ to 1+ρ, then the Within of each reading is a bound. Links may lose,
// duplicate and reorder messages: the error grows until a reply comes. A node that restarts does
// not know its error; a server does not answer until it is set.
package cristian

import (
	"fmt"
	"time"

	"example.org/doorway/internal/node/physical"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// The messages, as above.
type (
	request struct{ Number int }

	reply struct {
		Number int
		Time   time.Duration
	}
)

// Protocol is the algorithm with node 0 as the server, and clocks that tick every 10 ms, for hosts
// that are told which one to run.
var Protocol = messaging.Protocol{
	Name: "cristian",
	New: func(int) (messaging.Algorithm, error) {
		return New(0, Config{Tick: 10 * time.Millisecond, Every: 100, Drift: 100}), nil
	},
	Kinds:     []messaging.Message{clock.Read{}, clock.Set{}, request{}, reply{}, physical.Tick{}},
	Perpetual: true,
	Results:   clock.Results,
}

// A Config says what is known of clocks and messages.
type Config struct {
	Tick  time.Duration // the resolution of all clocks, more than 0
	Every int           // how many ticks after a Request the next is sent, at least 1
	Least time.Duration // what a message takes at least: min
	Drift int           // how much clocks drift at most, in parts per million: ρ; less than a million
}

// New returns the algorithm with that server. It panics if the config is not as it says, and the
// algorithm panics if there is no node with the number of the server.
func New(server messaging.ID, c Config) messaging.Algorithm {
	if c.Tick <= 0 || c.Every < 1 || c.Least < 0 || c.Drift < 0 || c.Drift >= million {
		panic(fmt.Sprintf("cristian: New with %+v: want Tick > 0, Every >= 1, Least >= 0, and 0 <= Drift < 1000000", c))
	}
	return func(start messaging.Start) messaging.Node {
		if server < 0 || int(server) >= start.Nodes {
			panic(fmt.Sprintf("cristian: the server is node %d: the nodes are 0 to %d", server, start.Nodes-1))
		}
		n := &node{start: start, server: server, c: c}
		if start.Self == server && !start.Restarted {
			n.Error = c.Tick
		}
		return n
	}
}

const million = 1_000_000

type node struct {
	start  messaging.Start
	server messaging.ID
	c      Config

	Clock physical.Clock `messaging:"durable"`
	Error time.Duration  // how far Clock.Time can be from the time; 0: that is not known

	Number int `messaging:"durable"` // of the latest Request
	Age    int // ticks since it was sent
}

// Start starts the clock, and asks for the time.
func (n *node) Start(out messaging.Out) {
	out.After(n.c.Tick, physical.Tick{})
	if !n.serves() {
		n.ask(out)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("cristian", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case physical.Tick:
		out.After(n.c.Tick, physical.Tick{})
		n.tick(out)
	case request:
		if n.Error != 0 {
			out.Send(from, reply{m.Number, n.Clock.Time})
		}
	case reply:
		if m.Number == n.Number {
			n.answered(m.Time, out)
		}
	case clock.Set:
		n.set(m.Time)
	case clock.Read:
		out.Emit(n.reading())
	}
}

func (n *node) serves() bool { return n.start.Self == n.server }

func (n *node) ask(out messaging.Out) {
	n.Number++
	n.Age = 0
	out.Send(n.server, request{n.Number})
}

func (n *node) tick(out messaging.Out) {
	n.Clock.Advance(n.c.Tick)
	if n.serves() {
		return
	}
	if n.Error != 0 {
		n.Error += n.drift(n.c.Tick)
	}
	if n.Age++; n.Age >= n.c.Every {
		n.ask(out)
	}
}

// answered takes the reply to the latest Request, unless what is known already is better.
func (n *node) answered(utc time.Duration, out messaging.Out) {
	trip := n.trip()
	wrong := max(0, trip/2-n.c.Least) + 2*n.c.Tick
	wrong += n.drift(trip + 2*n.c.Tick)
	by := utc + trip/2 - n.Clock.Time
	if n.Error == 0 || wrong < n.Error || by.Abs() > n.Error+wrong {
		n.Clock.Adjust(by)
		n.Error = wrong
		out.Emit(clock.Adjusted{By: by})
	}
}

// trip returns T1 - T0, if T1 is now.
func (n *node) trip() time.Duration { return time.Duration(n.Age) * n.c.Tick }

// drift returns how far a clock can be off after d, rounded up.
func (n *node) drift(d time.Duration) time.Duration {
	ρ := time.Duration(n.c.Drift)
	return d/million*ρ + (d%million*ρ+million-1)/million // d*ρ might overflow
}

// set sets the clock as the user says. The server has the time then; a client does not know.
func (n *node) set(to time.Duration) {
	n.Clock.Adjust(to - n.Clock.Time)
	if n.Error = 0; n.serves() {
		n.Error = n.c.Tick
	}
}

func (n *node) reading() clock.Reading {
	r := clock.Reading{Time: n.Clock.Shown}
	if n.Error != 0 {
		r.Within = n.Error + n.Clock.Shown - n.Clock.Time
	}
	return r
}
