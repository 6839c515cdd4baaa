package view_test

import (
	"slices"
	"testing"

	"example.org/doorway/messaging"
)

// A fence is what a counter does with the token of an access. The user of each entry reads the counter, and
// writes what it has read plus one. Its process may be stopped before each of the two for any time: then its guard
// has ended, and others were inside meanwhile.
type fence uint8

const (
	noCounter fence = iota
	unfenced
	atWrites // a write with a smaller token than an earlier one is refused; a read never
	byTokens // and a read is, too
	byGuards // and so is an equal token of another guard
)

// A section is the access of one entry to the counter. A lost update takes two, one of which writes between the read
// and the write of the other; the accesses of a third only make a fence refuse more. So two are followed, of
// any two entries.
type section struct {
	State   progress
	Of      int8 // a slot
	Token   messaging.Token
	Guarded bool // its process takes it to be inside
	Stale   bool // the other has written since it has read
}

type progress uint8

const (
	free progress = iota
	begun
	read
	over
)

var (
	readsCounter  = events("'s user reads the counter")
	writesCounter = events("'s user writes the counter")
	isRefused     = events("'s user is refused by the counter")
)

// follow begins a section of process i, which has entered, and reports whether it is one of the first two.
func (w *world) follow(i int) bool {
	k := slices.IndexFunc(w.Sections[:], func(s section) bool { return s.State == free })
	if k < 0 {
		return false
	}
	e := w.eraOf(i)
	w.Sections[k] = section{State: begun, Of: int8(i), Guarded: true, Token: messaging.Token{Epoch: e.Epoch, Count: uint64(e.Last)}}
	return true
}

// counter has a user go on that may be stopped, or behind the end of its guard.
func (x *mover) counter() {
	for k, s := range x.w.Sections {
		if s.State != begun && s.State != read {
			continue
		}
		to := x.copied()
		event := isRefused
		switch {
		case to.refuses(k):
			to.Sections[k] = section{State: over}
		case s.State == begun:
			event = readsCounter
			to.Sections[k].State = read
		default:
			event = writesCounter
			to.Lost = s.Stale
			to.Sections[k] = section{State: over}
			to.Sections[1-k].Stale = to.Sections[1-k].State == read
		}
		x.do(x.may, event[s.Of], to)
	}
}

// refuses is what the counter does with the token of section k.
func (w *world) refuses(k int) bool {
	s := &w.Sections[k]
	switch {
	case w.c.fence == unfenced || w.c.fence == atWrites && s.State == begun:
		return false
	case s.Token.Before(w.Largest), w.c.fence == byGuards && s.Token == w.Largest && int(w.Of) != k:
		return true
	}
	w.Largest, w.Of = s.Token, int8(k)
	return false
}

// busy reports whether process i has a user that will unlock later.
func (w *world) busy(i int) bool {
	return slices.ContainsFunc(w.Sections[:], func(s section) bool { return int(s.Of) == i && s.Guarded })
}

// unguard notes that process i takes its user to be outside, which goes on if it was stopped.
func (w *world) unguard(i int) {
	for k := range w.Sections {
		if s := &w.Sections[k]; int(s.Of) == i {
			s.Guarded = false
		}
	}
}

// kept reports whether no update can be lost any more.
func (w *world) kept() bool {
	a, b := w.Sections[0], w.Sections[1]
	return !w.Lost && (a.State == over && !b.Stale || b.State == over && !a.Stale)
}

// kill ends the users of process i.
func (w *world) kill(i int) {
	for k := range w.Sections {
		if s := &w.Sections[k]; s.State != free && int(s.Of) == i {
			*s = section{State: over}
		}
	}
}

// tokens has those that can be compared with another yet.
func (w *world) tokens() [3]messaging.Token {
	return [...]messaging.Token{w.Largest, w.Sections[0].Token, w.Sections[1].Token}
}

// count numbers the entries of an epoch anew, in their order.
func (p *packer) count(epoch, count uint64) byte {
	var room [8]uint64
	all := room[:1]
	for _, t := range p.w.tokens() {
		if t.Epoch == epoch {
			all = append(all, t.Count)
		}
	}
	for _, e := range p.w.Eras {
		if e.Epoch == epoch && p.nonce(e.Nonce) > 0 {
			all = append(all, uint64(e.Last))
		}
	}
	return index(all, count)
}

func (p *packer) token(t messaging.Token) {
	p.b = append(p.b, p.epoch(t.Epoch), p.count(t.Epoch, t.Count))
}

func (u *unpacker) token() messaging.Token {
	return messaging.Token{Epoch: uint64(u.next()), Count: uint64(u.next())}
}

func (p *packer) sections() {
	p.b = append(p.b, flag(p.w.Lost), byte(p.w.Of))
	p.token(p.w.Largest)
	for _, s := range p.w.Sections {
		p.b = append(p.b, byte(s.State), byte(s.Of), flag(s.Guarded)|flag(s.Stale)<<1)
		p.token(s.Token)
	}
}

func (u *unpacker) sections() {
	u.w.Lost, u.w.Of = u.next() == 1, int8(u.next())
	u.w.Largest = u.token()
	for k := range u.w.Sections {
		s := &u.w.Sections[k]
		s.State, s.Of = progress(u.next()), int8(u.next())
		bits := u.next()
		s.Guarded, s.Stale = bits&1 == 1, bits&2 == 2
		s.Token = u.token()
	}
}

// No update of a counter with a fence is lost, wherever users stop.
func TestFence(t *testing.T) {
	explored(t, []*model{{name: "two", lease: 1, members: 2, atomic: true, fence: byTokens}})
}

// Without a fence one is lost, and so with one that checks writes only.
func TestFenceIsNeeded(t *testing.T) {
	found(t, map[*model]int{
		{name: "none", lease: 1, members: 2, atomic: true, fence: unfenced}:      8,
		{name: "at writes", lease: 1, members: 2, atomic: true, fence: atWrites}: 8,
	})
}
