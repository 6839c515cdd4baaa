package spacetime

import (
	"reflect"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// A hold is a time in which a node has the token: from its delivery to its sending, by
// index of the event.
type hold struct {
	node        messaging.ID
	from, until int
}

// called are the kinds of messages that carry the privilege, as papers name them.
var called = []string{"TOKEN", "PRIVILEGE"}

// token returns the kinds of messages that carry the privilege, and which node holds it
// when. The events must agree: a token that is doubled is none.
func token(events []messaging.Event) (kinds []string, holds []hold) {
	p := &pursuit{events: events, tokens: map[uint64]int{}, reached: map[messaging.ID]uint64{}, began: map[messaging.ID]int{}}
	if !p.follow() {
		return nil, nil
	}
	kinds = slices.Clone(called)
	for _, e := range events {
		if k := kind(e.Message); carries(e.Message) && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, p.holds
}

// A pursuit follows messages of some kinds as if they were one token in each epoch. Messages have
// theirs in a field of that name; the first is 0. A node that has sent or received one of an epoch has no token of an
// earlier one from then on.
type pursuit struct {
	events  []messaging.Event
	holds   []hold
	tokens  map[uint64]int          // by epoch, the index of the hold that lasts, or inTransit
	reached map[messaging.ID]uint64 // the latest epoch of each node
	began   map[messaging.ID]int    // the event by which it began there
}

const inTransit = -1

// follow reports whether there can be a token: at each time at most one is in transit in each epoch,
// and the node that sends it has it.
func (p *pursuit) follow() (single bool) {
	single = true
	for k, e := range p.events {
		switch e.Action {
		case action.Sent:
			p.reach(e.From, epoch(e.Message), k)
			single = single && (!carries(e.Message) || p.send(e.From, epoch(e.Message), k))
		case action.Delivered:
			p.reach(e.To, epoch(e.Message), k)
			single = single && (!carries(e.Message) || p.deliver(e.To, epoch(e.Message), k))
		case action.Emitted:
			if epoch(e.Message) > 0 {
				p.began[e.From] = k
			}
		}
	}
	return single
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

func (p *pursuit) send(i messaging.ID, epoch uint64, k int) (single bool) {
	switch at, known := p.tokens[epoch]; {
	case !known: // the first holder
		p.holds = append(p.holds, hold{i, p.began[i], k})
	case at == inTransit || p.holds[at].node != i:
		return false
	default:
		p.holds[at].until = k
	}
	p.tokens[epoch] = inTransit
	return true
}

func (p *pursuit) deliver(i messaging.ID, epoch uint64, k int) (single bool) {
	switch at, known := p.tokens[epoch]; {
	case !known || at != inTransit:
		return false
	case epoch < p.reached[i]:
		return true // it does not count any more
	}
	p.tokens[epoch] = len(p.holds)
	p.holds = append(p.holds, hold{i, k, len(p.events)})
	return true
}

// carries reports whether m is the token, or has it inside.
func carries(m messaging.Message) bool {
	if of, ok := within(m); ok {
		m = of
	}
	return slices.Contains(called, notation.Kind(m))
}

// epoch returns the epoch of m, 0 if it has none.
func epoch(m messaging.Message) uint64 {
	if f, ok := field(m, "Epoch"); ok && f.CanUint() {
		return f.Uint()
	}
	return 0
}

// within returns the message of an algorithm inside a message m of one that has it.
func within(m messaging.Message) (messaging.Message, bool) {
	f, ok := field(m, "Message")
	if !ok || f.Type() != reflect.TypeFor[messaging.Message]() || f.IsNil() {
		return nil, false
	}
	return f.Interface(), true
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
	if of, ok := within(m); ok {
		return notation.Kind(m) + "(" + notation.Kind(of) + ")"
	}
	return notation.Kind(m)
}
