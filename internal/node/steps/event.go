package steps

import (
	"slices"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// An Event is something that may happen.
type Event struct {
	Message  messaging.Message
	Cause    uint64 // of what is observed then
	From, To int32  // both are the node at which it happens, but for a message and a crash that To is told of
	N        int32  // of Deliver, the clock of entries of the sender; of Expire and Tell, Life.Crashes of To; the others are the host's
	Kind     Kind
}

// A Kind is what happens in an event.
type Kind uint8

// The kinds of events. Deliver, Expire and Tell follow from what nodes do; users do the next four; the last are faults.
const (
	Deliver Kind = iota
	Expire
	Tell
	Give
	Ask
	Leave
	GiveUp
	Crash
	Restart
)

var actions = [...]string{
	Deliver: action.Delivered, Expire: action.Expired, Tell: action.Told, Give: action.Input, Ask: action.Requested,
	Leave: action.Left, GiveUp: action.GaveUp, Crash: action.Crashed, Restart: action.Restarted,
}

// Action returns the action that is observed when it happens.
func (k Kind) Action() string { return actions[k] }

// At returns an event at a node.
func At(i messaging.ID, k Kind, n int32, m messaging.Message) Event {
	return Event{Kind: k, From: int32(i), To: int32(i), N: n, Message: m}
}

// Delivery returns the delivery of a message that was sent or duplicated by the event of that number.
func (s *System) Delivery(cause uint64, from, to messaging.ID, m messaging.Message) Event {
	return Event{Kind: Deliver, Cause: cause, From: int32(from), To: int32(to), Message: m, N: int32(uint32(s.Sites[from].Entries()))}
}

// Effective reports whether e, which is pending, would still have an effect: the node that set a timer has not crashed
// since, and what a node would be told is still so.
func (s *System) Effective(e *Event) bool {
	switch e.Kind {
	case Expire:
		return s.lives(e)
	case Tell:
		crashed := &s.Lives[e.From]
		return s.lives(e) && crashed.Crashed && crashed.Since == e.Cause
	}
	return true
}

// lives reports whether the node of e has not crashed since e was scheduled.
func (s *System) lives(e *Event) bool {
	l := &s.Lives[e.To]
	return !l.Crashed && l.Crashes == e.N
}

// A Store keeps events in slots, so that their order is one of numbers. A free slot is overwritten soon and not worth
// clearing.
type Store struct {
	events []Event
	free   []uint32
}

// Put stores an event, and returns its slot.
func (s *Store) Put(e Event) uint32 {
	n := len(s.free) - 1
	if n < 0 {
		s.events = append(s.events, e)
		return uint32(len(s.events) - 1)
	}
	slot := s.free[n]
	s.free = s.free[:n]
	// Field by field: copying the whole struct costs more work for the garbage collector.
	p := &s.events[slot]
	p.Message, p.Cause, p.From, p.To, p.N, p.Kind = e.Message, e.Cause, e.From, e.To, e.N, e.Kind
	return slot
}

// Take removes the event in a slot, where it stays until the next Put.
func (s *Store) Take(slot uint32) *Event {
	s.free = append(s.free, slot)
	return &s.events[slot]
}

// A Book has what is pending in the order in which it happens, for hosts that choose what happens next.
type Book struct {
	Pages    []Page
	numbered uint64 // how many events have a number
	store    Store
}

// A Page is an event that is pending. Its number counts the events of a run from 1, and stays when it is moved.
type Page struct {
	Number uint64
	At     time.Duration // when it happens
	slot   uint32
}

// Event returns the event of the nth page.
func (b *Book) Event(n int) *Event { return &b.store.events[b.Pages[n].slot] }

// Add adds an event after all others of that time, and returns its number.
func (b *Book) Add(at time.Duration, e Event) uint64 {
	b.numbered++
	b.put(Page{b.numbered, at, b.store.Put(e)})
	return b.numbered
}

func (b *Book) put(p Page) {
	n := len(b.Pages)
	for n > 0 && b.Pages[n-1].At > p.At {
		n--
	}
	b.Pages = slices.Insert(b.Pages, n, p)
}

// Find returns the index in Pages of the event of that number, or -1.
func (b *Book) Find(number uint64) int {
	return slices.IndexFunc(b.Pages, func(p Page) bool { return p.Number == number })
}

// Move gives the event of that number another time.
func (b *Book) Move(number uint64, at time.Duration) {
	n := b.Find(number)
	p := b.Pages[n]
	p.At = at
	b.Pages = slices.Delete(b.Pages, n, n+1)
	b.put(p)
}

// Take removes the nth page. Its event stays where it is until the next Add.
func (b *Book) Take(n int) (Page, *Event) {
	p := b.Pages[n]
	b.Pages = slices.Delete(b.Pages, n, n+1)
	return p, b.store.Take(p.slot)
}

// Index returns the index in Pages of the first event for which holds says so, or -1.
func (b *Book) Index(holds func(e *Event) bool) int {
	return slices.IndexFunc(b.Pages, func(p Page) bool { return holds(&b.store.events[p.slot]) })
}
