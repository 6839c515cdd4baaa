package recovery_test

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// S3 crashes inside, and the token with it. A time T later the others are told. S2 is elected, and
// makes another token for S1, which waits: with BEGIN, 3 T after the election.
func ExampleOver() {
	run(sim.Config{
		Algorithm: recovery.Over(suzukikasami.Protocol, recovery.Config{}), Nodes: 3, Holder: 2,
		Load:    sim.Script{{Node: 2}, {Node: 0, At: 2 * sim.T}, {Node: 1, At: 9 * sim.T}},
		Stay:    sim.Constant(9 * sim.T),
		Crashes: []sim.Crash{{Node: 2, At: 4 * sim.T}}, Detection: sim.Constant(sim.T),
	})
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S3 starts
	// 0       S3 asks
	// 0       S3 enters
	// 2       S1 asks
	// 4       S3 crashes
	// 5       S2 sends FREEZE(Epoch:1,To:0,Crashed:{S3}) to S1
	// 6       S1 sends STATUS(Epoch:1,Number:1,Inside:false,Waiting:true,Kept:true,Crashed:{S3}) to S2
	// 7       S2 sends BEGIN(Epoch:1,Members:[S1 S2],Waiting:{S1}) to S1
	// 7       S2 emits BEGAN(Epoch:1,Members:[S1 S2])
	// 8       S1 enters
	// 8       S1 emits BEGAN(Epoch:1,Members:[S1 S2])
	// 9       S2 asks
	// 9       S2 sends WITHIN(Epoch:1,Message:REQUEST(Number:1)) to S1
	// 17      S1 leaves
	// 17      S1 sends WITHIN(Epoch:1,Message:TOKEN(LN:[0 0],Q:[])) to S2
	// 18      S2 enters
	// 27      S2 leaves
}

// S2 is not told that the coordinator, S1, has crashed. It waits for 20 T, and suspects. S3 is
// elected, and S1 answers neither its FREEZE nor its PROBE.
func ExampleConfig() {
	run(sim.Config{
		Algorithm: recovery.Over(central.Protocol, recovery.Config{
			Patience: 20 * sim.T, Silence: 3 * sim.T, Answer: 3 * sim.T, Coordinator: 6 * sim.T,
		}),
		Nodes: 3, Load: sim.Script{{Node: 1, At: 2 * sim.T}},
		Crashes: []sim.Crash{{Node: 0, At: sim.T}},
	})
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S3 starts
	// 1       S1 crashes
	// 2       S2 asks
	// 22      S2 gets IMPATIENCE from its timer
	// 23      S3 sends FREEZE(Epoch:2,To:0,Crashed:{}) to S1
	// 23      S3 sends FREEZE(Epoch:2,To:0,Crashed:{}) to S2
	// 24      S2 sends SUSPECT(Epoch:0,Promised:false,Incarnation:0) to S3
	// 24      FREEZE(Epoch:2,To:0,Crashed:{}) from S3 to S1 is lost
	// 24      S2 sends STATUS(Epoch:2,Number:1,Inside:false,Waiting:true,Kept:true,Crashed:{}) to S3
	// 26      S3 gets SILENCE(Epoch:2) from its timer
	// 26      S3 sends PROBE(Number:1) to S1
	// 27      PROBE(Number:1) from S3 to S1 is lost
	// 29      S3 gets SILENCE(Epoch:2) from its timer
	// 29      S3 sends BEGIN(Epoch:2,Members:[S2 S3],Waiting:{S2}) to S2
	// 29      S3 emits BEGAN(Epoch:2,Members:[S2 S3])
	// 30      S2 enters
	// 30      S2 emits BEGAN(Epoch:2,Members:[S2 S3])
	// 31      S2 leaves
	// 42      S2 gets IMPATIENCE from its timer
	// 50      S2 gets IMPATIENCE from its timer
}

// S3, which has the token, starts again while the others are about to begin an epoch without it.
func ExampleOf() {
	p := recovery.Of(suzukikasami.Protocol, recovery.Config{})
	a, err := p.New(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	run(sim.Config{
		Algorithm: a, Nodes: 3, Holder: 2, Invariant: p.Invariant,
		Load:    sim.Script{{Node: 0, At: 2 * sim.T}, {Node: 2, At: 6 * sim.T}},
		Crashes: []sim.Crash{{Node: 2, At: sim.T, Restart: 4 * sim.T}}, Detection: sim.Constant(2 * sim.T),
	}, 2)
	// Output:
	// 0       S3 starts
	// 1       S3 crashes
	// 4       S3 starts again
	// 4       S3 sends SUSPECT(Epoch:0,Promised:false,Incarnation:1) to S1
	// 4       S3 sends SUSPECT(Epoch:0,Promised:false,Incarnation:1) to S2
	// 4       S3 sends FREEZE(Epoch:2,To:0,Crashed:{}) to S1
	// 4       S3 sends FREEZE(Epoch:2,To:0,Crashed:{}) to S2
	// 6       S3 asks
	// 6       S3 sends ALIVE(Number:1,Incarnation:1) to S1
	// 6       S3 sends ALIVE(Number:1,Incarnation:1) to S2
	// 6       S3 sends ALIVE(Number:1,Incarnation:1) to S1
	// 6       S3 sends ALIVE(Number:1,Incarnation:1) to S2
	// 8       S3 sends STATUS(Epoch:7,Number:1,Inside:false,Waiting:true,Kept:false,Crashed:{}) to S2
	// 8       S3 sends FREEZE(Epoch:8,To:0,Crashed:{}) to S1
	// 8       S3 sends FREEZE(Epoch:8,To:0,Crashed:{}) to S2
	// 10      S3 sends BEGIN(Epoch:8,Members:[S1 S2 S3],Waiting:{S1 S3}) to S1
	// 10      S3 sends BEGIN(Epoch:8,Members:[S1 S2 S3],Waiting:{S1 S3}) to S2
	// 10      S3 emits BEGAN(Epoch:8,Members:[S1 S2 S3])
	// 13      S3 enters
	// 14      S3 leaves
}

// run prints what happens at these nodes, or at all, but for arrivals, messages of the election, and those of the
// algorithm in the first epoch.
func run(c sim.Config, at ...messaging.ID) {
	c.Observe = func(e messaging.Event) {
		of := strings.HasPrefix(fmt.Sprintf("%T", e.Message), "recovery.")
		if (of && e.Action != "delivered" || e.Message == nil && e.Action != "told") && (len(at) == 0 || slices.Contains(at, e.From)) {
			sim.Trace(os.Stdout)(e)
		}
	}
	if _, err := sim.Run(c); err != nil {
		fmt.Println(err)
	}
}
