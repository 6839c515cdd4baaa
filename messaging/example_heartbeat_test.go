package messaging_test

import (
	"fmt"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// Beat says that its sender is alive.
type Beat struct{}

// Tick is the timer of a heart.
type Tick struct{}

// Suspected is emitted by a heart that has not heard of Node for three periods.
type Suspected struct{ Node messaging.ID }

// A heart tells its neighbors that it is alive, and suspects those that do not.
type heart struct {
	start  messaging.Start
	period time.Duration
	Silent []int // by node, for how many periods; 4 is for more than three
}

func newHeart(period time.Duration) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &heart{start: start, period: period, Silent: make([]int, start.Nodes)}
	}
}

func (h *heart) Start(out messaging.Out) {
	for _, j := range h.start.Neighbors {
		out.Send(j, Beat{})
	}
	out.After(h.period, Tick{})
}

func (h *heart) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case Beat:
		h.Silent[from] = 0
	case Tick:
		for _, j := range h.start.Neighbors {
			if h.Silent[j] == 3 {
				out.Emit(Suspected{Node: j})
			}
			h.Silent[j] = min(4, h.Silent[j]+1)
		}
		h.Start(out)
	default:
		messaging.Refuse("heart", h.start.Self, from, m, "it is not a message of this algorithm")
	}
}

// A node need not be a lock. This one is a Starter, knows its neighbors only, and its
// results are what it emits. Here it runs in virtual time, on a line of four nodes, of
// which the third crashes.
func ExampleStarter() {
	report, err := sim.Run(sim.Config{
		Algorithm: messaging.On(topology.Line(4), newHeart(2*sim.T)),
		Nodes:     4,
		Crashes:   []sim.Crash{{Node: 2, At: 5 * sim.T}},
		Until:     30 * sim.T,
	})
	if err != nil {
		fmt.Println(err)
	}
	node := newHeart(sim.T)(messaging.Start{Nodes: 1})
	_, starts := messaging.As[messaging.Starter](node)
	_, lock := messaging.As[messaging.Exclusion](node)
	fmt.Println("starts:", starts, "is a lock:", lock)
	for _, e := range report.Emits {
		fmt.Printf("at %d T node %d suspects %d\n", e.At/sim.T, e.From, e.Message.(Suspected).Node)
	}
	// Output:
	// starts: true is a lock: false
	// at 12 T node 1 suspects 2
	// at 12 T node 3 suspects 2
}
