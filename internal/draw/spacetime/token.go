package spacetime

import (
	"reflect"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// called are the kinds of messages that carry the privilege, as papers name them.
var called = []string{"TOKEN", "PRIVILEGE"}

// carries reports whether messages of a kind are the token, or have it inside.
func carries(kind string) bool { return slices.Contains(called, innermost(kind)) }

// A pursuit follows messages of some kinds as if they were one token in each epoch. Messages have
// theirs in a field of that name; the first is 0. A node that has sent or received one of an epoch has no token of an
// earlier one from then on.
type pursuit struct {
	events  []messaging.Event
	holds   []span                  // of the token, from its delivery to its sending
	tokens  map[uint64]int          // by epoch, the index of the hold that lasts, or inTransit
	reached map[messaging.ID]uint64 // the latest epoch of each node
	began   map[messaging.ID]int    // the event by which it began there
	doubled bool                    // a token is in two places: so it is none
}

const inTransit = -1

// pursue follows the token through a run.
func pursue(events []messaging.Event) *pursuit {
	p := &pursuit{events: events, tokens: map[uint64]int{}, reached: map[messaging.ID]uint64{}, began: map[messaging.ID]int{}}
	for k, e := range events {
		i, handle := e.From, p.send
		switch e.Action {
		case action.Delivered:
			i, handle = e.To, p.deliver
		case action.Emitted:
			if epoch(e.Message) > 0 {
				p.began[i] = k
			}
			continue
		case action.Sent:
		default:
			continue
		}
		of := epoch(e.Message)
		p.reach(i, of, k)
		if carries(kind(e.Message)) {
			handle(i, of, k)
		}
	}
	return p
}

// reach has node i give up the token of an epoch before this one.
func (p *pursuit) reach(i messaging.ID, epoch uint64, k int) {
	if epoch <= p.reached[i] {
		return
	}
	p.reached[i] = epoch
	for of, at := range p.tokens {
		if of < epoch && at != inTransit && p.holds[at].node == i {
			p.holds[at].until = k
			p.tokens[of] = inTransit
		}
	}
}

func (p *pursuit) send(i messaging.ID, epoch uint64, k int) {
	switch at, known := p.tokens[epoch]; {
	case !known: // the first holder
		p.holds = append(p.holds, span{node: i, from: p.began[i], until: k})
	case at == inTransit || p.holds[at].node != i:
		p.doubled = true
	default:
		p.holds[at].until = k
	}
	p.tokens[epoch] = inTransit
}

func (p *pursuit) deliver(i messaging.ID, epoch uint64, k int) {
	at, known := p.tokens[epoch]
	p.doubled = p.doubled || !known || at != inTransit
	if epoch >= p.reached[i] { // otherwise it does not count any more
		p.tokens[epoch] = len(p.holds)
		p.holds = append(p.holds, span{node: i, from: k, until: len(p.events)})
	}
}

// epoch returns the epoch of m, 0 if it has none.
func epoch(m messaging.Message) uint64 {
	if f, ok := field(m, "Epoch"); ok && f.CanUint() {
		return f.Uint()
	}
	return 0
}

// field returns a field of m.
func field(m messaging.Message, name string) (reflect.Value, bool) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	f := v.FieldByName(name)
	return f, f.IsValid()
}

// kind returns the kind of m, with that of a message inside: WITHIN(TOKEN).
func kind(m messaging.Message) string {
	f, ok := field(m, "Message")
	if !ok || f.Type() != reflect.TypeFor[messaging.Message]() || f.IsNil() {
		return messaging.Kind(m)
	}
	return messaging.Kind(m) + "(" + messaging.Kind(f.Interface()) + ")"
}
