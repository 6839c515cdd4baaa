package clock_test

import (
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// SendTo is the input with which a user has a process send a letter.
type SendTo struct{ Node messaging.ID }

// Letter has the time at which it was sent.
type Letter struct{ At messaging.Stamp }

// Arrived is emitted when a letter has come: the clock showed Was, and now Is.
type Arrived struct{ Was, Is messaging.Clock }

// tick is the timer of a process.
type tick struct{}

// A process has a logical clock that also ticks with time, at a rate of its own.
type process struct {
	start messaging.Start
	rate  messaging.Clock // a T

	Clock messaging.Clock
}

func newProcesses(rates ...messaging.Clock) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &process{start: start, rate: rates[start.Self]} }
}

func (p *process) Start(out messaging.Out) { out.After(sim.T, tick{}) }

func (p *process) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case tick:
		p.Clock += p.rate
		out.After(sim.T, tick{})
	case SendTo:
		out.Send(m.Node, Letter{messaging.Stamp{Time: messaging.Time(p.Clock), ID: p.start.Self}})
	case Letter: // it arrives later than it was sent
		was := p.Clock
		p.Clock.Witness(messaging.Stamp{Time: m.At.Time + 1, ID: from})
		out.Emit(Arrived{was, p.Clock})
	default:
		messaging.Refuse("clocks", p.start.Self, from, m, "it is not a message of this algorithm")
	}
}

// The example of A. S. Tanenbaum (slides of B. Prabhakaran, 41): three clocks tick 6, 8 and 10, ten
// times. C is sent at 60, and arrives at 56: the clock is set to 61. So D is sent at 69, and sets that of
// node 0 from 54 to 70.
func ExampleTick() {
	processes, nodes, ticks := newProcesses(6, 8, 10), [3]*process{}, [3][]messaging.Clock{}
	c := sim.Config{
		Algorithm: func(start messaging.Start) messaging.Node {
			nodes[start.Self] = processes(start).(*process)
			return nodes[start.Self]
		},
		Nodes: 3, Until: 10*sim.T + sim.T/2,
		Observe: func(e messaging.Event) {
			if e.Action == "expired" { // it is observed before it is handled
				ticks[e.From] = append(ticks[e.From], nodes[e.From].Clock+nodes[e.From].rate)
			}
		},
	}
	for _, letter := range []struct {
		from, to messaging.ID
		ticks    time.Duration // of all clocks, before it is sent
	}{{0, 1, 1}, {1, 2, 3}, {2, 1, 6}, {1, 0, 8}} {
		c.Inputs = append(c.Inputs, sim.Input{Node: letter.from, At: letter.ticks*sim.T + sim.T/4, Message: SendTo{letter.to}})
	}
	r, err := sim.Run(c)
	if err != nil {
		fmt.Println(err)
	}
	for i := range ticks {
		fmt.Println("node", i, "shows", ticks[i])
	}
	for k, e := range r.Emits {
		a := e.Message.(Arrived)
		fmt.Printf("%c arrives at node %d at %d, which becomes %d\n", 'A'+k, e.From, a.Was, a.Is)
	}
	// Output:
	// node 0 shows [6 12 18 24 30 36 42 48 54 76]
	// node 1 shows [8 16 24 32 40 48 56 69 77 85]
	// node 2 shows [10 20 30 40 50 60 70 80 90 100]
	// A arrives at node 1 at 16, which becomes 16
	// B arrives at node 2 at 40, which becomes 40
	// C arrives at node 1 at 56, which becomes 61
	// D arrives at node 0 at 54, which becomes 70
}
