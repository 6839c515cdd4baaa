package caosinghal_test

import (
	"fmt"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/caosinghal"
)

// counting returns a, and how many messages it sends about each request. What a
// node sends to itself is none.
func counting(a messaging.Algorithm) (messaging.Algorithm, map[messaging.Stamp]int) {
	sent := map[messaging.Stamp]int{}
	return func(start messaging.Start) messaging.Exclusion {
		return counter{a(start), start.Self, sent}
	}, sent
}

type counter struct {
	messaging.Exclusion
	self messaging.ID
	sent map[messaging.Stamp]int
}

func (c counter) Request(out messaging.Out) { c.Exclusion.Request(counted{out, c}) }
func (c counter) Release(out messaging.Out) { c.Exclusion.Release(counted{out, c}) }
func (c counter) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	c.Exclusion.Receive(from, m, counted{out, c})
}

type counted struct {
	messaging.Out
	counter
}

func (o counted) Send(to messaging.ID, m messaging.Message) {
	if to != o.self {
		o.sent[subject(m)]++
	}
	o.Out.Send(to, m)
}

// subject returns the request that m is about.
func subject(m messaging.Message) messaging.Stamp {
	switch m := m.(type) {
	case caosinghal.Request:
		return m.Of
	case caosinghal.Locked:
		return m.To
	case caosinghal.Failed:
		return m.To
	case caosinghal.Transfer:
		return m.To
	case caosinghal.Yield:
		return m.Of
	case caosinghal.Release:
		return m.Of
	}
	panic(fmt.Sprintf("%T is no message of this algorithm", m))
}

// rounds runs nodes in rounds: what is sent in one is delivered in the next.
type rounds struct {
	sites []*messaging.Site
	sent  []parcel
	now   int
	total int
}

type parcel struct {
	from messaging.ID
	messaging.Send
}

func newRounds(a messaging.Algorithm, nodes int) *rounds {
	r := new(rounds)
	for i := range messaging.ID(nodes) {
		r.sites = append(r.sites, messaging.NewSite(a, messaging.Start{Self: i, Nodes: nodes}, nil))
	}
	return r
}

func (r *rounds) do(i messaging.ID, act func(*messaging.Site)) {
	act(r.sites[i])
	for _, s := range r.sites[i].Sends {
		r.sent = append(r.sent, parcel{i, s})
		r.total++
	}
	r.sites[i].Done()
}

func (r *rounds) next() {
	r.now++
	now := r.sent
	r.sent = nil
	for _, p := range now {
		r.do(p.To, func(s *messaging.Site) { s.Receive(p.from, p.Message) })
	}
}

// until runs rounds until holds, and returns how many.
func (r *rounds) until(holds func() bool) int {
	begin := r.now
	for !holds() {
		if len(r.sent) == 0 {
			panic(fmt.Sprintf("nothing is under way after %d rounds", r.now))
		}
		r.next()
	}
	return r.now - begin
}

func (r *rounds) settled() bool { return len(r.sent) == 0 }

func (r *rounds) inside(i messaging.ID) func() bool {
	return func() bool { return r.sites[i].Phase() == messaging.Inside }
}

func (r *rounds) anyInside() bool {
	return slices.ContainsFunc(r.sites, func(s *messaging.Site) bool { return s.Phase() == messaging.Inside })
}

// enter has node i enter, and ask has it ask while another is inside; both wait
// until nothing is under way.
func (r *rounds) enter(i messaging.ID) {
	r.ask(i)
	r.until(r.inside(i))
}

func (r *rounds) ask(i messaging.ID) {
	r.do(i, (*messaging.Site).Request)
	r.until(r.settled)
}

// handOver has node i leave, and returns after how many rounds node j enters.
func (r *rounds) handOver(i, j messaging.ID) int {
	r.do(i, (*messaging.Site).Release)
	return r.until(r.inside(j))
}

// together has the nodes ask at once and each leave as soon as it has entered, and
// returns how many messages that takes.
func (r *rounds) together(users ...messaging.ID) int {
	before := r.total
	for _, i := range users {
		r.do(i, (*messaging.Site).Request)
	}
	for r.leave(); !r.settled(); r.leave() {
		r.next()
	}
	return r.total - before
}

func (r *rounds) leave() {
	for i, s := range r.sites {
		if s.Phase() == messaging.Inside {
			r.do(messaging.ID(i), (*messaging.Site).Release)
		}
	}
}
