package intervals_test

import (
	"fmt"
	"os"

	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/sim"
)

// Three players ask for a tennis court, each for a time of the day in minutes. S1 needs it from
// 10:28 to 12:17, and S3 from 12:17 on: both book it at once. S2 needs it from 11:00 to 13:00,
// and waits for both.
func ExampleNew() {
	of := func(hour, minute int64) int64 { return 60*hour + minute }
	_, err := sim.Run(sim.Config{
		Algorithm: intervals.New([]intervals.Interval{
			{From: of(10, 28), To: of(12, 17)},
			{From: of(11, 0), To: of(13, 0)},
			{From: of(12, 17), To: of(13, 30)},
		}),
		Nodes:   3,
		Load:    sim.Script{{Node: 0, Stay: 2 * sim.T}, {Node: 2, Stay: 3 * sim.T}, {Node: 1, At: 2 * sim.T}},
		Observe: sim.Trace(os.Stdout),
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0       S1 asks
	// 0       S1 sends REQUEST((1,S1),From:628,To:737) to S2
	// 0       S1 sends REQUEST((1,S1),From:628,To:737) to S3
	// 0       S3 asks
	// 0       S3 sends REQUEST((1,S3),From:737,To:810) to S1
	// 0       S3 sends REQUEST((1,S3),From:737,To:810) to S2
	// 1       S2 gets REQUEST((1,S1),From:628,To:737) from S1
	// 1       S2 sends REPLY(1,S1) to S1
	// 1       S3 gets REQUEST((1,S1),From:628,To:737) from S1
	// 1       S3 sends REPLY(1,S1) to S1
	// 1       S1 gets REQUEST((1,S3),From:737,To:810) from S3
	// 1       S1 sends REPLY(1,S3) to S3
	// 1       S2 gets REQUEST((1,S3),From:737,To:810) from S3
	// 1       S2 sends REPLY(1,S3) to S3
	// 2       S2 asks
	// 2       S2 sends REQUEST((2,S2),From:660,To:780) to S1
	// 2       S2 sends REQUEST((2,S2),From:660,To:780) to S3
	// 2       S1 gets REPLY(1,S1) from S2
	// 2       S1 gets REPLY(1,S1) from S3
	// 2       S1 enters
	// 2       S3 gets REPLY(1,S3) from S1
	// 2       S3 gets REPLY(1,S3) from S2
	// 2       S3 enters
	// 3       S1 gets REQUEST((2,S2),From:660,To:780) from S2
	// 3       S3 gets REQUEST((2,S2),From:660,To:780) from S2
	// 4       S1 leaves
	// 4       S1 sends REPLY(2,S2) to S2
	// 5       S3 leaves
	// 5       S3 sends REPLY(2,S2) to S2
	// 5       S2 gets REPLY(2,S2) from S1
	// 6       S2 gets REPLY(2,S2) from S3
	// 6       S2 enters
	// 7       S2 leaves
}
