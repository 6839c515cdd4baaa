package play

import (
	"fmt"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// waits says for whom nodes wait, by their messages and whatever the algorithm: a node that waits has sent to another since its
// request, and nothing has come back which that one sent after it had got it. What a node sends at once to the sender of
// what it gets is an answer, for which nothing has to come back.
type waits struct {
	asked [][]asked // by the node that waits, and the other
	got   got       // the delivery that was observed last
}

// An asked is the last message without an answer.
type asked struct {
	sent   uint64 // the number of the event; 0: there is none
	at     uint64 // the number of its delivery; 0: it has not arrived
	answer uint64 // the number of the event by which an answer was sent last; 0: none was
	text   string
	how    string // what became of it
	lost   string // the message that was lost, it or the answer; "": none was
}

type got struct {
	number uint64
	from   messaging.ID
}

func newWaits(n int) waits {
	w := waits{asked: make([][]asked, n)}
	for i := range w.asked {
		w.asked[i] = make([]asked, n)
	}
	return w
}

func (w *waits) observe(e messaging.Event) {
	out, back := &w.asked[e.From][e.To], &w.asked[e.To][e.From]
	switch e.Action {
	case action.Requested, action.Restarted:
		clear(w.asked[e.From])
	case action.Sent:
		if back.at > 0 {
			back.answer, back.how = e.Number, "has an answer, which is in transit"
		}
		if e.Cause != w.got.number || e.To != w.got.from {
			*out = asked{sent: e.Number, text: notation.Message(e.Message), how: "is in transit"}
		}
	case action.Lost:
		lost := notation.Message(e.Message) + " to " + notation.Node(e.To)
		switch e.Cause {
		case out.sent:
			out.how, out.lost = "was lost", lost
		case back.answer:
			back.how, back.lost = "has an answer, which was lost", lost
		}
	case action.Delivered:
		w.got = got{e.Number, e.From}
		if back.at > 0 && e.Cause > back.at {
			*back = asked{}
		}
		if out.sent == e.Cause {
			out.at, out.how = e.Number, "has no answer"
		}
	}
}

// list returns for whom nodes wait, of those that do.
func (w *waits) list(members []Member) (all []Wait) {
	for i, m := range members {
		if m.Crashed || !isWaiting(m) {
			continue
		}
		for j, a := range w.asked[i] {
			if a.sent != 0 {
				all = append(all, Wait{i, j, fmt.Sprintf("%s to %s %s", a.text, members[j].Name, a.how), a.lost})
			}
		}
	}
	return all
}
