package messaging_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/action/causes"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// A lively node sends to others by timers, and refuses what a host must not deliver: a timer of an
// earlier life, a message that overtakes another, and one of a node of whose crash it was told.
type lively struct {
	start     messaging.Start
	unordered bool
	Life      int `messaging:"durable"`
	Sent      []int
	Heard     []news // by node, the latest from it
	Dead      []int  // by node: the life of which the node was told that it is over, if it knew of it
}

// news is the nth message of a life.
type news struct{ Life, Number int }

type beat struct{ Life int }

func newLively(unordered bool) messaging.Algorithm {
	return func(s messaging.Start) messaging.Node {
		return &lively{start: s, unordered: unordered, Sent: make([]int, s.Nodes), Heard: make([]news, s.Nodes), Dead: make([]int, s.Nodes)}
	}
}

func (n *lively) Start(out messaging.Out) {
	if n.Life++; n.start.Restarted != (n.Life > 1) {
		panic(fmt.Sprintf("node %d restarted %t, in life %d", n.start.Self, n.start.Restarted, n.Life))
	}
	for j := range n.start.Others() {
		n.tell(j, out)
	}
	for k := range 3 {
		out.After(time.Duration(k)*time.Microsecond, beat{n.Life})
	}
}

func (n *lively) tell(j messaging.ID, out messaging.Out) {
	n.Sent[j]++
	out.Send(j, news{n.Life, n.Sent[j]})
}

func (n *lively) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case beat:
		if m.Life != n.Life {
			panic(fmt.Sprintf("node %d in life %d: a timer of life %d", n.start.Self, n.Life, m.Life))
		}
		n.tell(messaging.ID((int(n.start.Self)+1+out.Choose(n.start.Nodes-1))%n.start.Nodes), out)
		out.After(time.Duration(1+out.Choose(20))*time.Microsecond, beat{n.Life})
	case news:
		last := n.Heard[from]
		late := m.Life < last.Life || m.Life == last.Life && m.Number <= last.Number
		if late && !n.unordered || m.Life <= n.Dead[from] {
			panic(fmt.Sprintf("node %d got %v from node %d after %v, and knows that life %d is over", n.start.Self, m, from, last, n.Dead[from]))
		}
		if !late {
			n.Heard[from] = m
		}
	}
}

func (n *lively) Down(peer messaging.ID, _ messaging.Out) { n.Dead[peer] = n.Heard[peer].Life }

// Nodes crash and restart at random, while others do so too: what is not to be delivered is not, and
// in the end each node that is up has been told of exactly those that are down.
func TestRestartsAmongMany(t *testing.T) {
	for processors := range on(t, 1, 2, 8) {
		seen := map[string]int{}
		for seed := range uint64(max(15, tier.Fewer(tier.Pick(30, 1000)))) {
			synctest.Test(t, func(t *testing.T) { restartAmongMany(t, seed, seen) })
		}
		t.Logf("%d processors: %v", processors, seen)
		for _, what := range []string{"crashed", "restarted", "lost", "told", "expired", "up"} {
			assert.NotZero(t, seen[what], "%s with %d processors", what, processors)
		}
	}
}

func restartAmongMany(t *testing.T, seed uint64, seen map[string]int) {
	t.Helper()
	const n = 4
	var mu sync.Mutex
	var events []messaging.Event
	order := []messaging.Option{messaging.Seed(seed), messaging.Scramble(seed), messaging.Unordered(seed)}[seed%3]
	c := messaging.NewCluster(n, newLively(seed%3 == 2), order, messaging.Observe(func(e messaging.Event) {
		mu.Lock()
		events = append(events, e)
		mu.Unlock()
	}))
	var calls atomic.Int32 // of Crash and Stop
	var hosts sync.WaitGroup
	for i := range n { // each stops and restarts a node, and crashes any
		hosts.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 5 {
				if chance.IntN(2) == 0 {
					time.Sleep(time.Duration(chance.IntN(20)) * time.Microsecond) // lets timers expire
				}
				switch chance.IntN(4) {
				case 0:
					calls.Add(1)
					c.Crash(chance.IntN(n))
				case 1:
					calls.Add(1)
					assert.NoError(t, c.Stop(t.Context(), i))
				default:
					if p := panicOf(func() { c.Restart(i) }); p != nil {
						assert.Equal(t, fmt.Sprintf("messaging: restart of node %d, which is up", i), p)
						mu.Lock()
						seen["up"]++
						mu.Unlock()
					}
				}
			}
		})
	}
	hosts.Wait()
	synctest.Wait()
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	slices.SortFunc(events, func(a, b messaging.Event) int { return cmp.Compare(a.Number, b.Number) })
	require.NoError(t, causes.Check(events, false), "seed %d", seed)
	var crash [n]uint64 // of each node that is down
	crashes := 0
	for _, e := range events {
		seen[e.Action]++
		switch e.Action {
		case "crashed":
			require.Zero(t, crash[e.From], "seed %d: node %d is down already: %+v", seed, e.From, e)
			crash[e.From] = e.Number
			crashes++
		case "restarted":
			require.Equal(t, crash[e.From], e.Cause, "seed %d: %+v", seed, e)
			crash[e.From] = 0
		}
	}
	require.LessOrEqual(t, crashes, int(calls.Load()), "seed %d: a call has a node crash twice", seed)
	for i := range messaging.ID(n) {
		for j := range messaging.ID(n) {
			if i != j && crash[i] == 0 && crash[j] != 0 {
				require.Equal(t, 1, toldOf(events, i, crash[j]), "seed %d: how often node %d was told of the crash of node %d", seed, i, j)
			}
		}
	}
}

// toldOf returns how often node i, since it started last, was told of a crash.
func toldOf(events []messaging.Event, i messaging.ID, crash uint64) (times int) {
	for _, e := range events {
		switch {
		case e.Action == "restarted" && e.From == i:
			times = 0
		case e.Action == "told" && e.To == i && e.Cause == crash:
			times++
		}
	}
	return times
}
