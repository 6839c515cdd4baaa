package berkeley_test

import (
	"fmt"
	"os"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
)

// The clock of S1, the daemon, shows 3:00, that of S2 3:10, and that of S3 9:00, which does not
// count. All are adjusted to 3:05; T is a millisecond.
func ExampleNew() {
	c := sim.Config{
		Algorithm: berkeley.New(0, berkeley.Config{Tick: sim.T, Every: 100, Wait: 10, Apart: time.Hour}),
		Nodes:     3,
		Latency:   sim.Constant(sim.T / 4),
		Until:     sim.T - 1,
		Results:   berkeley.Protocol.Results,
		Observe:   sim.Trace(os.Stdout),
	}
	for i, at := range []time.Duration{3 * time.Hour, 3*time.Hour + 10*time.Minute, 9 * time.Hour} {
		c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: clock.Set{Time: at}})
	}
	if _, err := sim.Run(c); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 starts
	// 0       S1 sends POLL(Round:1) to S2
	// 0       S1 sends POLL(Round:1) to S3
	// 0       S2 starts
	// 0       S3 starts
	// 0       S1 gets SET(Time:3h0m0s) from its user
	// 0       S2 gets SET(Time:3h10m0s) from its user
	// 0       S3 gets SET(Time:9h0m0s) from its user
	// 0.25    S2 gets POLL(Round:1) from S1
	// 0.25    S2 sends ANSWER(Round:1,Time:3h10m0s) to S1
	// 0.25    S3 gets POLL(Round:1) from S1
	// 0.25    S3 sends ANSWER(Round:1,Time:9h0m0s) to S1
	// 0.5     S1 gets ANSWER(Round:1,Time:3h10m0s) from S2
	// 0.5     S1 gets ANSWER(Round:1,Time:9h0m0s) from S3
	// 0.5     S1 sends ADJUST(Round:1,By:-5m0s) to S2
	// 0.5     S1 sends ADJUST(Round:1,By:-5h55m0s) to S3
	// 0.5     S1 emits ADJUSTED(By:5m0s)
	// 0.75    S2 gets ADJUST(Round:1,By:-5m0s) from S1
	// 0.75    S2 emits ADJUSTED(By:-5m0s)
	// 0.75    S3 gets ADJUST(Round:1,By:-5h55m0s) from S1
	// 0.75    S3 emits ADJUSTED(By:-5h55m0s)
}

// In a Cluster an observer learns of the adjustments.
func Example_cluster() {
	adjusted := make(chan time.Duration, 1)
	a := berkeley.New(0, berkeley.Config{Tick: time.Millisecond, Every: 20, Wait: 10, Apart: 24 * time.Hour})
	c := cluster.New(3, a, cluster.Observe(func(e messaging.Event) {
		if by, is := e.Message.(clock.Adjusted); is && by.By > time.Minute {
			select {
			case adjusted <- by.By:
			default:
			}
		}
	}))
	defer c.Close()
	if err := c.Input(2, clock.Set{Time: 3 * time.Hour}); err != nil {
		fmt.Println(err)
	}
	fmt.Println("a clock is set forward by", (<-adjusted).Round(time.Minute))
	// Output: a clock is set forward by 1h0m0s
}
