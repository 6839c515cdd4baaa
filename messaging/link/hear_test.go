package link_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
)

// site returns node 0 of 2 talkers over a link, which has started that many times.
func site(c link.Config, starts int) *host.Site {
	s := host.NewSite(link.Over(talk, c), messaging.Start{Nodes: 2}, nil)
	for life := range starts {
		if life > 0 {
			s.Restart()
		}
		s.Start()
		s.Done()
	}
	return s
}

// A node that counts as down is asked whether it is up, and nothing else: it may have sent its message before the
// crash, also if that was in an incarnation that is not known yet, or is to one of this node that is over.
func TestHearsDownNode(t *testing.T) {
	for _, c := range []struct {
		starts  int
		message link.Frame
		asks    link.Here
	}{
		{1, link.Frame{Of: 2, To: 1, Number: 1, Message: Say{1}}, link.Here{Of: 1, To: 2, Asks: 1}},
		{2, link.Frame{Of: 1, To: 1, Number: 1, Message: Say{1}}, link.Here{Of: 2, To: 1, Asks: 1}},
		{1, link.Frame{Of: 1, To: 1, Number: 1, Message: Say{1}}, link.Here{Of: 1, To: 1, Asks: 1}},
	} {
		s := site(quick, c.starts)
		s.Down(1)
		s.Done()
		s.Receive(1, c.message)
		assert.Equal(t, []host.Send{{To: 1, Message: c.asks}}, s.Sends)
		assert.Empty(t, s.Timers)
	}
}

// A frame that no run delivers, or whose message the inner node refuses, changes nothing: it acknowledges nothing, and
// is of no new incarnation.
func TestRefusesWithin(t *testing.T) {
	for _, c := range []struct {
		starts int
		frame  link.Frame
		why    string
	}{
		{1, link.Frame{Of: 1, To: 1, Number: 1, Seen: 2, Message: "what?"}, "what?"},
		{1, link.Frame{Of: 2, To: 1, Number: 1, Message: "what?"}, "what?"},
		{1, link.Frame{Of: 1, To: 1, Number: 1, Seen: 3, Message: Say{1}}, "it acknowledges what was not sent"},
		{1, link.Frame{Of: 1, To: 1, Number: 1}, "it has no message"},
		{2, link.Frame{To: 2, Number: 1, Message: Say{1}}, "there is no such incarnation of the sender"},
	} {
		s := site(quick, c.starts)
		s.Receive(0, Say{1})
		s.Receive(0, Say{2})
		s.Receive(0, link.Tick{})
		s.Done()
		before := state.Append(nil, s.Node())
		func() {
			defer func() {
				err, _ := recover().(error)
				assert.ErrorContains(t, err, c.why)
			}()
			s.Receive(1, c.frame)
		}()
		assert.Equal(t, before, state.Append(nil, s.Node()), "%+v", c.frame)
		assert.Empty(t, s.Sends, "%+v", c.frame)
	}
}

// A node whose buffer is full before it knows the other one sends what it has taken when it does, and no more.
func TestFullBeforeKnown(t *testing.T) {
	s := site(link.Config{Timeout: 1, Buffer: 1}, 2)
	s.Receive(0, Say{1})
	s.Receive(0, Say{2})
	assert.Contains(t, s.Emits, link.Full{To: 1})
	var transit []messaging.Event // as the invariant of what is linked sees it
	over := link.Of(messaging.Protocol{Invariant: func(_ []messaging.Node, all []messaging.Event) error {
		transit = all
		return nil
	}}, quick)
	other := host.NewSite(link.Over(talk, quick), messaging.Start{Self: 1, Nodes: 2}, nil)
	other.Start()
	assert.NoError(t, over.Invariant([]messaging.Node{s.Node(), other.Node()}, nil))
	assert.Equal(t, []messaging.Event{{From: 0, To: 1, Message: Say{1}}}, transit)
	s.Done()
	s.Receive(1, link.Here{Of: 1, To: 2})
	s.Receive(1, link.Ack{Of: 1, To: 2, Seen: 1})
	s.Receive(0, Say{3})
	assert.Equal(t, []host.Send{{To: 1, Message: link.Frame{Of: 2, To: 1, Number: 1, Message: Say{1}}}}, s.Sends)
}

// What a frame acknowledges makes room for the answer to its message.
func TestRoomForAnswer(t *testing.T) {
	s := host.NewSite(link.Over(play, link.Config{Timeout: 1, Buffer: 1}), messaging.Start{Nodes: 2}, nil)
	s.Start()
	s.Receive(0, ball{3})
	s.Done()
	s.Receive(1, link.Frame{Of: 1, To: 1, Number: 1, Seen: 1, Message: ball{1}})
	assert.Empty(t, s.Emits)
	assert.Equal(t, []host.Send{{To: 1, Message: link.Frame{Of: 1, To: 1, Number: 2, Seen: 1, Message: ball{0}}}}, s.Sends)
}

// If a message that came too early is refused, what came before it stays delivered.
func TestRefusesEarly(t *testing.T) {
	s := site(quick, 1)
	s.Receive(1, link.Frame{Of: 1, To: 1, Number: 2, Message: "what?"})
	first := link.Frame{Of: 1, To: 1, Number: 1, Message: Say{1}}
	assert.Panics(t, func() { s.Receive(1, first) })
	s.Receive(1, first)
	assert.Equal(t, []any{Heard{1, 1}}, s.Emits)
}
