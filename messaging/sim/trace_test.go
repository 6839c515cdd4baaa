package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/requests"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

func TestText(t *testing.T) {
	type (
		Request  struct{ Of messaging.Stamp }
		Locked   struct{ Of, By messaging.Stamp }
		Release  struct{}
		Transfer struct {
			To      messaging.Stamp
			Next    messaging.ID
			Version int
			Urgent  bool
		}
		Privilege struct {
			LN    []uint64
			Queue []messaging.ID
			Seen  messaging.Set
			Q     requests.Queue
		}
		inner  struct{ A, B int }
		Outer  struct{ In inner }
		Number int
	)
	s := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	for _, tt := range []struct {
		m    messaging.Message
		kind string
		text string
	}{
		{Request{s(1, 1)}, "REQUEST", "REQUEST(1,S2)"},
		{&Request{s(1, 1)}, "REQUEST", "REQUEST(1,S2)"},
		{Request{}, "REQUEST", "REQUEST(-)"},
		{Locked{s(3, 0), s(0, 0)}, "LOCKED", "LOCKED((3,S1),-)"},
		{Release{}, "RELEASE", "RELEASE"},
		{Transfer{s(2, 4), 11, 7, true}, "TRANSFER", "TRANSFER((2,S5),S12,Version:7,Urgent:true)"},
		{Transfer{s(2, 4), -1, 0, false}, "TRANSFER", "TRANSFER((2,S5),-,Version:0,Urgent:false)"},
		{
			Privilege{[]uint64{0, 1}, ids(2, 0), messaging.SetOf(1, 64), requests.Queue{s(1, 0), s(1, 1)}},
			"PRIVILEGE", "PRIVILEGE(LN:[0 1],Queue:[S3 S1],Seen:{S2 S65},Q:[(1,S1) (1,S2)])",
		},
		{Outer{inner{1, 2}}, "OUTER", "OUTER(In:{A:1,B:2})"},
		{Number(4), "NUMBER", "4"},
		{messaging.ID(4), "ID", "S5"},
		{s(4, 4), "STAMP", "(4,S5)"},
		{(*Release)(nil), "RELEASE", "<nil>"},
		{nil, "<NIL>", "nil"},
	} {
		assert.Equal(t, tt.kind, messaging.Kind(tt.m), "%#v", tt.m)
		var line strings.Builder
		sim.Trace(&line)(messaging.Event{Action: "emitted", Message: tt.m})
		assert.Equal(t, "0       S1 emits "+tt.text+"\n", line.String(), "%#v", tt.m)
	}
}

// TestTrace has one event of each kind, and times with and without fractions.
func TestTrace(t *testing.T) {
	var b strings.Builder
	trace := sim.Trace(&b)
	for k, action := range []string{
		"requested", "entered", "left", "gave up", "passed", "sent", "delivered", "lost",
		"duplicated", "expired", "emitted", "crashed", "told",
	} {
		e := messaging.Event{At: time.Duration(k) * sim.T / 8, Action: action, From: 0, To: 0}
		switch action {
		case "sent", "delivered", "lost", "duplicated":
			e.To, e.Message = 1, Ask{}
		case "expired", "emitted":
			e.Message = Alarm{3}
		case "told":
			e.To = 1
		}
		trace(e)
	}
	const wanted = `0       S1 asks
0.125   S1 enters
0.25    S1 leaves
0.375   S1 gives up
0.5     S1 enters for the request it gave up, and leaves
0.625   S1 sends ASK to S2
0.75    S2 gets ASK from S1
0.875   ASK from S1 to S2 is lost
1       ASK from S1 to S2 is duplicated
1.125   S1 gets ALARM(Number:3) from its timer
1.25    S1 emits ALARM(Number:3)
1.375   S1 crashes
1.5     S2 learns of the crash of S1
`
	assert.Equal(t, wanted, b.String())
}
