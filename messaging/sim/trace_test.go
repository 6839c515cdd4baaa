package sim_test

import (
	"strings"
	"testing"

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
