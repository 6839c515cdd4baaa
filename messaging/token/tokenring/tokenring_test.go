package tokenring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A node that leaves and wants to enter again has to wait until the token comes back.
func TestOncePerVisit(t *testing.T) {
	zero := host.NewSite(New(time.Second), messaging.Start{Nodes: 3}, nil)
	zero.Start()
	zero.Request()
	zero.Release()
	zero.Request()
	assert.Equal(t, messaging.Waiting, zero.Phase())
	assert.Equal(t, []host.Send{{To: 1, Message: token{Hops: 1}}}, zero.Sends)
}

func TestPauseIsPositive(t *testing.T) {
	for _, pause := range []time.Duration{0, -time.Second} {
		assert.PanicsWithValue(t, "tokenring: New("+pause.String()+"): the pause must be positive, or an idle ring never rests",
			func() { New(pause) })
	}
}
