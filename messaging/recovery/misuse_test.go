package recovery_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/recovery"
)

func TestConfigs(t *testing.T) {
	for want, c := range map[string]recovery.Config{
		"recovery: a Patience of 1s and a Silence of 0s: want both positive, or both 0":                    {Patience: time.Second},
		"recovery: a Patience of 0s and a Silence of 1s: want both positive, or both 0":                    {Silence: time.Second},
		"recovery: a Patience of -1s and a Silence of 1s: want both positive, or both 0":                   {Patience: -time.Second, Silence: time.Second},
		"recovery: an Answer of 1s and a Coordinator of 0s: want 0 < Answer < Coordinator, or both 0":      {Answer: time.Second},
		"recovery: an Answer of 0s and a Coordinator of 1s: want 0 < Answer < Coordinator, or both 0":      {Coordinator: time.Second},
		"recovery: an Answer of 1s and a Coordinator of 1s: want 0 < Answer < Coordinator, or both 0":      {Answer: time.Second, Coordinator: time.Second},
		"recovery: an Answer of -1s and a Coordinator of -500ms: want 0 < Answer < Coordinator, or both 0": {Answer: -time.Second, Coordinator: -time.Second / 2},
	} {
		assert.PanicsWithValue(t, want, func() { recovery.Over(central.Protocol, c) })
		assert.PanicsWithValue(t, want, func() { recovery.Of(central.Protocol, c) })
	}
}

func TestProtocols(t *testing.T) {
	of := func(a messaging.Algorithm, err error) func(int) (messaging.Algorithm, error) {
		return func(int) (messaging.Algorithm, error) { return a, err }
	}
	none := func(messaging.Start) messaging.Node { return nil }
	for want, p := range map[string]messaging.Protocol{
		`recovery: the protocol "" makes no algorithm: its New is nil`:                        {},
		`recovery: the protocol "x" makes no algorithm for 3 nodes: its New returns nil`:      {Name: "x", New: of(nil, nil), Kinds: central.Protocol.Kinds},
		`recovery: the protocol "x" has no Kinds: its messages could not be told from others`: {Name: "x", New: central.Protocol.New},
		"recovery: 3 nodes are left: not today":                                               {Name: "x", New: of(nil, errors.New("not today")), Kinds: central.Protocol.Kinds},
		"recovery: a <nil> is no Exclusion: there is nothing to recover":                      {Name: "x", New: of(none, nil), Kinds: central.Protocol.Kinds},
		"recovery: a *bully.node is no Exclusion: there is nothing to recover":                bully.Protocol,
		"recovery: recovery of nodes that have it already":                                    recovery.Of(central.Protocol, recovery.Config{}),
	} {
		assert.PanicsWithValue(t, want, func() { cluster.New(3, recovery.Over(p, recovery.Config{})) })
	}
	few := messaging.Protocol{Name: "few", Kinds: central.Protocol.Kinds, New: func(n int) (messaging.Algorithm, error) {
		if n < 3 {
			return nil, errors.New("few: too few")
		}
		return central.New, nil
	}}
	_, err := recovery.Of(few, recovery.Config{}).New(4)
	assert.EqualError(t, err, "recovery: 1 of 4 nodes may be left: few: too few")
	_, err = recovery.Of(messaging.Protocol{Name: "none"}, recovery.Config{}).New(4)
	assert.EqualError(t, err, `recovery: the protocol "none" makes no algorithm: its New is nil`)
}

// A node that is alone goes on after each of its crashes.
func TestAlone(t *testing.T) {
	c := cluster.New(1, recovery.Over(central.Protocol, recovery.Config{}))
	defer c.Close()
	for range 3 {
		c.Lock(0)
		c.Unlock(0)
		c.Crash(0)
		c.Restart(0)
	}
	c.Lock(0)
	assert.Equal(t, messaging.Token{Epoch: 3, Count: 4}, c.Token(0))
	c.Unlock(0)
}
