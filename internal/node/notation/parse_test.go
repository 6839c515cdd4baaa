package notation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
)

type plain struct{}

type request struct{ Of messaging.Stamp }

type mixed struct {
	From   messaging.ID
	At     messaging.Stamp
	Amount int
	Name   string
	Late   bool
	Epoch  messaging.Time
}

type timed struct{ After time.Duration }

type listed struct{ All []int }

// What is written is read again, and everything else is refused with what was expected.
func TestParse(t *testing.T) {
	kinds := []messaging.Message{plain{}, request{}, mixed{}, listed{}, timed{}}
	for _, m := range []messaging.Message{
		plain{},
		request{},
		request{Of: messaging.Stamp{Time: 3, ID: 1}},
		mixed{},
		timed{3*time.Hour + 25*time.Minute},
		timed{-time.Millisecond},
		mixed{From: 4, At: messaging.Stamp{Time: 12, ID: 2}, Amount: -7, Name: "x", Late: true, Epoch: 9},
	} {
		again, err := Parse(Message(m), kinds)
		require.NoError(t, err, Message(m))
		assert.Equal(t, m, again)
	}
	for text, want := range map[string]string{
		"OTHER":                "expected a message, one of PLAIN, REQUEST, MIXED, LISTED, TIMED, found OTHER",
		"PLAIN(1)":             "expected PLAIN, found PLAIN(1)",
		"REQUEST(3,S0)":        `expected Of, of type messaging.Stamp such as (3,S1), found "3,S0"`,
		"REQUEST(3,S1":         "expected REQUEST(3,S1), found REQUEST(3,S1",
		"MIXED(S1,-,Amount:x)": `expected Amount, of type int, found "x"`,
		"MIXED(S1,-,Amount:1)": `expected Late, of type bool, found ""`,
		"MIXED(S1,-,Amount:1,Name:a#b,Late:true,Epoch:1)": `expected Name, of type string, found "a#b"`,
		"TIMED(After:3h)":       "expected TIMED(After:3h0m0s), found TIMED(After:3h)",
		"TIMED(After:3)":        `expected After, of type time.Duration, found "3"`,
		"LISTED(All:[1 2])":     `expected All, of type []int, found "[1 2]"`,
		"MIXED(S1,-,1,,false,)": `expected Epoch, of type messaging.Time, found ""`,
	} {
		_, err := Parse(text, kinds)
		assert.EqualError(t, err, want, text)
	}
}

type written string

func (written) String() string { return "as it says" }

// Strings that are no single word are quoted, unless their type says how it is written.
func TestStrings(t *testing.T) {
	for m, want := range map[messaging.Message]string{
		"dead":                         "dead",
		"it is dead":                   `"it is dead"`,
		mixed{Name: "a,Late:true"}:     `MIXED(S1,-,Amount:0,Name:"a,Late:true",Late:false,Epoch:0)`,
		mixed{Name: "plain"}:           "MIXED(S1,-,Amount:0,Name:plain,Late:false,Epoch:0)",
		written(""):                    "as it says",
		struct{ name string }{"of it"}: `STRUCT { NAME STRING }(name:"of it")`,
	} {
		assert.Equal(t, want, Message(m))
	}
}
