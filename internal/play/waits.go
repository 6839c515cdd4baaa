package play

import (
	"fmt"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// waits says for whom nodes wait, by their messages and whatever the algorithm: a node that waits has sent to another since its
// request, and nothing has come back since. What it sends at once to the sender of what it gets is an answer, for which
// nothing has to come back.
type waits struct {
	asked [][]asked // by the node that waits, and the other
	got   got       // the delivery that was observed last
}

// An asked is the last message without an answer.
type asked struct {
	sent uint64 // the number of the event; 0: there is none
	text string
	how  string // what became of it
}

type got struct {
	number uint64
	from   messaging.ID
}

const (
	underway   = "is in transit"
	arrived    = "has no answer"
	wentAstray = "was lost"
)

func newWaits(n int) waits {
	w := waits{asked: make([][]asked, n)}
	for i := range w.asked {
		w.asked[i] = make([]asked, n)
	}
	return w
}

func (w *waits) observe(e messaging.Event) {
	switch of := w.asked[e.From]; e.Action {
	case action.Requested, action.Restarted:
		clear(of)
	case action.Sent:
		if e.Cause != w.got.number || e.To != w.got.from {
			of[e.To] = asked{e.Number, notation.Message(e.Message), underway}
		}
	case action.Lost:
		if a := &of[e.To]; a.sent == e.Cause && a.how == underway {
			a.how = wentAstray
		}
	case action.Delivered:
		w.got = got{e.Number, e.From}
		w.asked[e.To][e.From] = asked{}
		if a := &of[e.To]; a.sent == e.Cause {
			a.how = arrived
		}
	}
}

// lost returns the messages that were lost, so that nodes wait which have not crashed for such as have not.
func (w *waits) lost(members []Member) (all []string) {
	for i, m := range members {
		for j, a := range w.asked[i] {
			if !m.Crashed && m.Phase == phases[messaging.Waiting] && a.how == wentAstray && !members[j].Crashed {
				all = append(all, fmt.Sprintf("%s to %s", a.text, members[j].Name))
			}
		}
	}
	return all
}

// list returns for whom each node waits, of those that do.
func (w *waits) list(members []Member) (all []Wait) {
	for i, m := range members {
		if m.Crashed || m.Phase != phases[messaging.Waiting] {
			continue
		}
		for j, a := range w.asked[i] {
			if a.sent != 0 {
				all = append(all, Wait{i, j, fmt.Sprintf("%s to %s %s", a.text, members[j].Name, a.how)})
			}
		}
	}
	return all
}
