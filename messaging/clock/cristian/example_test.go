package cristian_test

import (
	"fmt"
	"os"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/cristian"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
)

// The clock of S2 is slow: its timers run 1.1 times as long as they should. It asks twice. The first
// reply takes 3 T, and S2 takes it to be half as old as the request is. T is a millisecond. The second
// reply comes at once, and is better.
func ExampleNew() {
	_, err := sim.Run(sim.Config{
		Algorithm: cristian.New(0, cristian.Config{Tick: sim.T / 4, Every: 16, Drift: 100_000}),
		Nodes:     2,
		Pace:      []time.Duration{sim.T, sim.T * 11 / 10},
		Latency:   sim.Constant(sim.T / 10),
		Except:    []sim.Exception{{Kind: "REPLY", Ordinal: 1, Latency: sim.Constant(3 * sim.T)}},
		Inputs: []sim.Input{
			{Node: 0, Message: clock.Set{Time: 3 * time.Hour}},
			{Node: 1, At: 4 * sim.T, Message: clock.Read{}},
			{Node: 1, At: 8 * sim.T, Message: clock.Read{}},
		},
		Perpetual: true,
		Results:   cristian.Protocol.Results,
		Until:     8 * sim.T,
		Observe: func(e messaging.Event) {
			if e.Action != "expired" {
				sim.Trace(os.Stdout)(e)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 starts
	// 0       S2 starts
	// 0       S2 sends REQUEST(Number:1) to S1
	// 0       S1 gets SET(Time:3h0m0s) from its user
	// 0.1     S1 gets REQUEST(Number:1) from S2
	// 0.1     S1 sends REPLY(Number:1,Time:3h0m0s) to S2
	// 3.1     S2 gets REPLY(Number:1,Time:3h0m0s) from S1
	// 3.1     S2 emits ADJUSTED(By:2h59m59.998625s)
	// 4       S2 gets READ from its user
	// 4       S2 emits READING(Time:3h0m0.002125s,Within:2.275ms)
	// 4.4     S2 sends REQUEST(Number:2) to S1
	// 4.5     S1 gets REQUEST(Number:2) from S2
	// 4.5     S1 sends REPLY(Number:2,Time:3h0m0.0045s) to S2
	// 4.6     S2 gets REPLY(Number:2,Time:3h0m0.0045s) from S1
	// 4.6     S2 emits ADJUSTED(By:1.875ms)
	// 8       S2 gets READ from its user
	// 8       S2 emits READING(Time:3h0m0.00775s,Within:875µs)
}

// In a Cluster an observer learns of the time. The clock of node 0 is that of the server.
func Example_cluster() {
	emitted := make(chan any, 1)
	a := cristian.New(0, cristian.Config{Tick: time.Millisecond, Every: 10, Drift: 1000})
	c := cluster.New(2, a, cluster.Observe(func(e messaging.Event) {
		if e.Action == "emitted" {
			select {
			case emitted <- e.Message:
			default:
			}
		}
	}))
	defer c.Close()
	if err := c.Input(0, clock.Set{Time: 3 * time.Hour}); err != nil {
		fmt.Println(err)
	}
	for {
		if by, is := (<-emitted).(clock.Adjusted); is && by.By > time.Hour {
			break
		}
	}
	if err := c.Input(1, clock.Read{}); err != nil {
		fmt.Println(err)
	}
	for {
		if r, is := (<-emitted).(clock.Reading); is {
			fmt.Println("it is", r.Time.Truncate(time.Hour), "past; is the error known?", r.Within > 0)
			return
		}
	}
	// Output: it is 3h0m0s past; is the error known? true
}
