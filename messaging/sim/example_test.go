package sim_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// What the lectures derive on paper for Ricart-Agrawala under high load: 2(N-1)
// messages per entry, a synchronization delay of T, and 1/(sd+E) entries per T.
func ExampleRun() {
	report, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New,
		Nodes:     10,
		Load:      sim.HighLoad{},
		Stay:      sim.Constant(3 * sim.T), // E
		Entries:   1000,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report)

	// Under low load a response takes 2T+E.
	report, err = sim.Run(sim.Config{
		Algorithm: ricartagrawala.New,
		Nodes:     10,
		Load:      sim.LowLoad{Random: true, Gap: sim.Exponential(sim.T)},
		Stay:      sim.Constant(3 * sim.T),
		Entries:   1000,
		Seed:      1,
	})
	fmt.Println("under low load", report.Response.Mean, "T, error:", err)
	// Output:
	// nodes       10
	// entries     1000 in 4001 T, 0.250 per T
	// messages    18000, 18.000 per entry
	//             9000 REPLY, 9.000 per entry
	//             9000 REQUEST, 9.000 per entry
	// sync delay  1.000 T, from 1.000 to 1.000, after 999 exits
	// waiting     36.830 T, from 2.000 to 38.000
	// response    39.830 T, from 5.000 to 41.000
	// shares      0.100 to 0.100, Jain index 1.000
	// bypasses    0
	// under low load 5 T, error: <nil>
}

// S1 asks first, but its request takes three times as long as other messages. S2 asks
// before it receives that request; the timestamps are equal, and the node numbers
// break the tie.
func ExampleTrace() {
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New,
		Nodes:     2,
		Load:      sim.Script{{Node: 0, At: 0}, {Node: 1, At: sim.T / 2}},
		Except: []sim.Exception{
			{Kind: "REQUEST", From: []messaging.ID{0}, Latency: sim.Constant(3 * sim.T)},
		},
		Observe: sim.Trace(os.Stdout),
	})
	fmt.Println("error:", err)
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST(1,S1) to S2
	// 0.5     S2 asks
	// 0.5     S2 sends REQUEST(1,S2) to S1
	// 1.5     S1 gets REQUEST(1,S2) from S2
	// 3       S2 gets REQUEST(1,S1) from S1
	// 3       S2 sends REPLY(1,S1) to S1
	// 4       S1 gets REPLY(1,S1) from S2
	// 4       S1 enters
	// 5       S1 leaves
	// 5       S1 sends REPLY(1,S2) to S2
	// 6       S2 gets REPLY(1,S2) from S1
	// 6       S2 enters
	// 7       S2 leaves
	// error: <nil>
}

// Every entry, and the synchronization delay from one node's exit to another's entry: T if the
// coordinator, node 0, is one of the two, and 2T otherwise.
func ExampleReport() {
	report, err := sim.Run(sim.Config{
		Algorithm: fair,
		Nodes:     3,
		Load:      sim.Script{{Node: 0}, {Node: 1, At: sim.T}, {Node: 2, At: 2 * sim.T}},
		Latency:   sim.Constant(sim.T), // a sim.Distribution
		Stay:      sim.Constant(3 * sim.T),
		Order:     true,
		Pairs:     true,
	})
	for _, v := range report.Order {
		fmt.Printf("node %d waited %d T\n", v.Node, (v.Entered-v.Requested)/sim.T)
	}
	for _, pair := range [][2]messaging.ID{{0, 1}, {1, 2}} {
		fmt.Printf("from %d to %d: %d T\n", pair[0], pair[1], report.Pairs[pair].Sum/sim.T)
	}
	fmt.Println(report.Bypasses, "bypasses,", report.Kinds["GRANT"], "grants, error:", err)
	// Output:
	// node 0 waited 0 T
	// node 1 waited 3 T
	// node 2 waited 7 T
	// from 0 to 1: 1 T
	// from 1 to 2: 2 T
	// 0 bypasses, 2 grants, error: <nil>
}

// Failure classifies the error for a program.
func ExampleFailure() {
	_, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala.New, Nodes: 2, Load: sim.Script{{Node: 0}},
		Latency: sim.Uniform(sim.T/2, 3*sim.T/2),
		Except:  []sim.Exception{{Kind: "REPLY", Lose: true}},
	})
	fmt.Println(sim.Failure(err))
	fmt.Println(err)
	// Output:
	// deadlock
	// sim: at 0.722656 T: deadlock: a request is pending and no message is in transit: S1 has been waiting since 0 T
}
