package messaging_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
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

// In a Cluster its results are seen by an observer.
func ExampleCluster_node() {
	beats := make(chan messaging.ID, 1)
	cluster := messaging.NewCluster(3, messaging.On(topology.Ring(3), newHeart(time.Millisecond)),
		messaging.Observe(func(e messaging.Event) {
			if e.Action == "delivered" {
				select {
				case beats <- e.From:
				default:
				}
			}
		}))
	fmt.Println(<-beats < 3)
	cluster.Close()
	// Output: true
}

// What the nodes emit is checked by package nodetest in random schedules, and by package
// explore in all of them. No heart is suspected that beats, if timers expire only when nothing else can happen:
// messages are then faster than timers. If they may be slower, it can be suspected.
func ExampleStarter_explore() {
	hearts := messaging.On(topology.Line(2), newHeart(time.Second))
	none := func(o messaging.Outcome) error {
		if len(slices.Concat(o.Emitted...)) > 0 {
			return errors.New("a node is suspected that has not crashed")
		}
		return nil
	}
	c := explore.NodesConfig{New: hearts, Nodes: 2, Perpetual: true, Results: none}
	r, err := explore.CheckNodes(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("no heart is suspected that beats:", r.Results.Status)
	fmt.Println(nodetest.Run(hearts, nodetest.Config{Nodes: 2, Perpetual: true, Results: none, Steps: 10_000}))
	c.AnyTime = true
	if r, err = explore.CheckNodes(c); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Results.History)
	// Output:
	// no heart is suspected that beats: holds
	// <nil>
	// the results are wrong: a node is suspected that has not crashed
	// node 0 starts
	// node 1 starts
	// node 0 gets Tick{} from its timer
	// node 0 gets Tick{} from its timer
	// node 0 gets Tick{} from its timer
	// node 0 gets Tick{} from its timer
	// node 0 emits Suspected{Node: 1}
}

// A scenario takes 16 steps. Its algorithm is what the lookup returns.
func ExampleStarter_scenario() {
	s, err := sim.ReadScenario("heart", strings.NewReader(`
nodes 2
algorithm heart
latency 0.5
at 1.5 S2 crashes
run s16
show events from 4
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err = s.Run(os.Stdout, func(s sim.Setting) (messaging.Algorithm, error) {
		return messaging.On(topology.Line(s.Nodes), newHeart(sim.T)), nil
	}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4       S1 gets TICK from its timer
	// 4       S1 sends BEAT to S2
	// 4.5     BEAT from S1 to S2 is lost
	// 5       S1 gets TICK from its timer
	// 5       S1 sends BEAT to S2
	// 5       S1 emits SUSPECTED(S2)
	// 5.5     BEAT from S1 to S2 is lost
	// 6       S1 gets TICK from its timer
	// 6       S1 sends BEAT to S2
}
