package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Events at the same time have the order that the package comment gives.
func TestOrderOfTies(t *testing.T) {
	for _, c := range []struct{ text, events string }{
		{`show events
at 2 S4 asks
at 1 S3 asks
at 2 S1 asks
at 1 S2 asks
at 0 S1 asks
at 2 S6 crashes
at 2 S5 crashes
until 2`, `0       S1 asks
0       S1 enters
1       S2 asks
1       S2 sends ASK to S1
1       S3 asks
1       S3 sends ASK to S1
1       S1 leaves
2       S6 crashes
2       S5 crashes
2       S4 asks
2       S4 sends ASK to S1
2       S1 gets ASK from S2
2       S1 sends GRANT to S2
2       S1 gets ASK from S3
2       S1 asks
`},
		// An exit schedules the next request, so that of two nodes that ask at 20 the one
		// that left first comes first; and a message comes before one sent later.
		{`show events from 20; until 20
at 0 S3 asks
at 1 S2 asks
at 20 S2 asks
at 20 S3 asks
latency S3->* 3`, `20      S2 asks
20      S2 sends ASK to S1
20      S3 asks
20      S3 sends ASK to S1
`},
		// A request schedules the time at which it is given up after its messages.
		{`show events from 1; until 1
at 0 S2 asks and gives up at 1`, `1       S1 gets ASK from S2
1       S1 sends GRANT to S2
1       S2 gives up
`},
		{`show events
until 1
high load 4 entries by S4 S1 S3`, `0       S4 asks
0       S4 sends ASK to S1
0       S1 asks
0       S1 enters
0       S3 asks
0       S3 sends ASK to S1
1       S1 gets ASK from S4
1       S1 leaves
1       S1 sends GRANT to S4
1       S1 gets ASK from S3
1       S1 asks
`},
	} {
		var output strings.Builder
		_, err := parse(t, "nodes 6; algorithm fair\n"+c.text).Run(&output, func(sim.Setting) (messaging.Algorithm, error) { return fair, nil })
		require.NoError(t, err, c.text)
		assert.Equal(t, c.events, output.String(), c.text)
	}
}
