package recovery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/recovery"
	"example.org/doorway/messaging/token/suzukikasami"
)

// A Freeze names the incarnation that it is for. Otherwise a node that has started again could answer one of
// before. Node 1 has answered it, too, before it is told of the crash of node 0. So it counts node 0 as
// crashed, with which it is in an epoch; and when it is told of the crash of node 2, too, it begins another
// one alone.
func TestFreezeNamesIncarnation(t *testing.T) {
	for _, named := range []bool{true, false} {
		s := newByHand(3, recovery.Over(suzukikasami.Protocol, recovery.Config{}))
		s.sites[2].Receive(2, election.Hold{}) // node 2 leads, and regenerates
		s.sites[1].Request()
		s.collect()
		s.deliver(t, 2, 1, recovery.Freeze{})
		s.deliver(t, 1, 2, recovery.Status{})

		// Node 0 crashes, node 1 is told, and node 0 starts again.
		s.sites[0].Restart()
		s.sites[1].Down(0)
		s.sites[0].Start()
		s.sites[0].Request()
		s.collect()

		// The Freeze of before arrives.
		freeze := s.take(t, 2, 0, recovery.Freeze{}).(recovery.Freeze)
		if !named {
			freeze.To = 1
		}
		s.sites[0].Receive(2, freeze)
		s.collect()
		if named {
			assert.Empty(t, s.pending(0, 2, recovery.Status{}))
			continue
		}
		s.deliver(t, 0, 2, recovery.Status{})
		s.deliver(t, 2, 0, recovery.Begin{})
		s.deliver(t, 2, 1, recovery.Begin{})
		assert.Equal(t, messaging.Inside, s.sites[0].Phase())

		s.sites[1].Down(2)
		s.collect()
		assert.Equal(t, messaging.Inside, s.sites[1].Phase(), "both are inside")
	}
}

// byHand are sites whose messages a test delivers.
type byHand struct {
	sites []*messaging.Site
	sent  []messaging.Event
}

func newByHand(n int, a messaging.Algorithm) *byHand {
	s := &byHand{sites: make([]*messaging.Site, n)}
	for i := range s.sites {
		s.sites[i] = messaging.NewSite(a, messaging.Start{Self: messaging.ID(i), Nodes: n}, nil)
		s.sites[i].Start()
	}
	return s
}

// collect collects what the sites have sent.
func (s *byHand) collect() {
	for i, site := range s.sites {
		for _, m := range site.Sends {
			s.sent = append(s.sent, messaging.Event{From: messaging.ID(i), To: m.To, Message: m.Message})
		}
		site.Done()
	}
}

// pending returns the places of the messages of a kind in transit on a link.
func (s *byHand) pending(from, to messaging.ID, kind messaging.Message) (at []int) {
	for k, e := range s.sent {
		if e.From == from && e.To == to && messaging.Kind(e.Message) == messaging.Kind(kind) {
			at = append(at, k)
		}
	}
	return at
}

// take takes the first of them.
func (s *byHand) take(t *testing.T, from, to messaging.ID, kind messaging.Message) messaging.Message {
	t.Helper()
	at := s.pending(from, to, kind)
	require.NotEmpty(t, at, "no %T from node %d to node %d", kind, from, to)
	m := s.sent[at[0]].Message
	s.sent = append(s.sent[:at[0]:at[0]], s.sent[at[0]+1:]...)
	return m
}

func (s *byHand) deliver(t *testing.T, from, to messaging.ID, kind messaging.Message) {
	t.Helper()
	s.sites[to].Receive(from, s.take(t, from, to, kind))
	s.collect()
}
