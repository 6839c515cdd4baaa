// Package view decides which processes take part in a lock, and since when: the core of package
// engine. It has no goroutine, clock, store or network, so that the source that runs is the source
// that is explored.
//
// # The record
//
// All that a store has of a lock is a [Record], which is only ever replaced by compare-and-swap: the
// members, each with a counter, and the epoch, which grows with every change of the members. A set
// of members is a view. A member renews its lease by moving its counter. Joining, leaving and
// evicting make the next view.
//
// # Leases
//
// Clocks of two machines are never compared. A member counts its lease from when it *sent* the swap
// that moved its counter, and ends the guard of its user before the lease is over. Another counts from when it first
// *saw* that counter, which was later, and evicts the member when the counter has not moved for a
// whole lease. It does so by a swap of exactly the version that has this counter, so a renewal that
// comes before makes it fail. Clocks may run at rates that differ by Drift in a lease; a user stops
// within Grace when its guard has ended.
//
// # Views
//
// In each view the algorithm begins anew, with fresh nodes. A member that learns of a view drops
// its node of the one before. It says READY once its user is not inside, and starts when all
// members of the view have said so. So no member has to know the holder, and no state is
// handed over; the host asks anew for users that wait.
//
// # Why users exclude each other
//
// In one epoch they do by the algorithm. Let an epoch start, and consider a user that is inside since an
// earlier one. If its process is a member still, it has not said READY. If it has left, it left
// when its user was outside. If it was evicted, its lease is over, and so is its guard. And an
// earlier epoch admits no user any more: its members have dropped their nodes, or were evicted.
//
// # Tokens
//
// The epoch, and the count of entries in it ([messaging.Token]), grow with every entry. An
// epoch is at least the number of microseconds since 2025, so a store that was wiped does not
// take tokens back. A Nonce tells views apart to which a store that has forgotten one
// gave the same epoch.
package view

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A Time is a reading of a process's own clock. Only differences matter.
type Time = time.Duration

// Terms are what all members of a lock have in common.
type Terms struct {
	Protocol string        // the fingerprint of its messages
	Lease    time.Duration // how long a member may be silent
	Drift    time.Duration // by how much two clocks may differ after a lease
	Grace    time.Duration // how long a user may go on when its guard has ended
}

// A Record is what the store has.
type Record struct {
	Terms   Terms
	Epoch   uint64
	Nonce   uint64
	Members []Entry // the rank of a member is its index
}

// An Entry is a member of a view.
type Entry struct {
	ID      string
	Counter uint64
	Asked   bool // to leave
}

// Admits returns an error if a process with these terms cannot be a member beside those of the
// record.
func (r Record) Admits(t Terms) error {
	switch {
	case len(r.Members) == 0 || r.Terms == t:
		return nil
	case r.Terms.Protocol != t.Protocol:
		return fmt.Errorf("its members run %s, and this process runs %s", r.Terms.Protocol, t.Protocol)
	}
	return fmt.Errorf("its members have a lease of %v, and this process has one of %v", r.Terms.Lease, t.Lease)
}

// Rank returns the rank of a member, or -1.
func (r Record) Rank(id string) int {
	return slices.IndexFunc(r.Members, func(e Entry) bool { return e.ID == id })
}

// A Member is what a process knows of a lock, and promises the others. Its exported fields are
// plain data; a host only reads them. A Member belongs to one incarnation: a process that was
// evicted comes back with another ID.
type Member struct {
	ID    string
	Terms Terms

	Record  Record
	Version uint64 // of the record in the store; 0: none is known
	Rank    int    // in the record; -1: it is no member

	Counter  uint64 // of the last swap that was sent
	Sent     Time   // when that was
	Deadline Time   // when the guard must have ended
	Since    []Time // by rank, when the member's counter was first seen

	Ready   messaging.Set // the members that have said READY in this epoch
	Started bool          // all have

	Inside bool // the user is in its critical section
	Lost   bool // its guard has ended
	Ended  Time // when that was

	Leaving bool // no user enters any more
	Reset   bool // the epoch is to end, as its nodes got into an impossible state
	Out     bool // it was a member, and is not any more
}

// New returns a process that is no member yet.
func New(id string, t Terms) *Member { return &Member{ID: id, Terms: t, Rank: -1} }

// Look takes note of the record that the store has, or had. Call [Member.Step] afterwards.
func (m *Member) Look(r Record, version uint64, now Time) {
	if m.Out {
		return
	}
	if version <= m.Version {
		// A store that has forgotten the version would be waited for forever.
		if now >= m.Deadline && (version < m.Version || r.Nonce != m.Record.Nonce) {
			m.leftOut(now)
		}
		return
	}
	before := m.Record
	m.Since = m.observe(r, now)
	m.Record, m.Version = r, version
	if r.Epoch != before.Epoch || r.Nonce != before.Nonce {
		m.freeze(now)
	}
	if m.Rank < 0 {
		return
	}
	me := r.Members[m.Rank]
	if me.Counter == m.Counter {
		m.Deadline = m.Sent + m.Terms.Lease - m.Terms.Drift - m.Terms.Grace
	}
	if me.Asked {
		m.Leaving = true
		m.Lose(now)
	}
}

// observe returns since when the counters of a record are known.
func (m *Member) observe(r Record, now Time) []Time {
	since := make([]Time, len(r.Members))
	for k, e := range r.Members {
		since[k] = now
		if i := m.Record.Rank(e.ID); i >= 0 && m.Record.Members[i].Counter == e.Counter {
			since[k] = m.Since[i]
		}
	}
	return since
}

// freeze begins another epoch: nothing of the one before counts any more.
func (m *Member) freeze(now Time) {
	m.Ready, m.Started, m.Reset = nil, false, false
	was := m.Rank
	m.Rank = m.Record.Rank(m.ID)
	if was >= 0 && m.Rank < 0 {
		m.leftOut(now)
	}
}

func (m *Member) leftOut(now Time) {
	m.Rank, m.Started, m.Out = -1, false, true
	m.Lose(now)
}

// Hear takes note of a message of a member of an epoch: that it is ready or, if started is set, any
// other, which says that all are. It reports whether the message is of the present epoch; any
// other must be dropped. Call [Member.Step] afterwards.
func (m *Member) Hear(epoch, nonce uint64, from int, started bool) bool {
	if m.Rank < 0 || epoch != m.Record.Epoch || nonce != m.Record.Nonce || from < 0 || from >= len(m.Record.Members) {
		return false
	}
	for k := range m.Record.Members {
		if k == from || started && k != m.Rank {
			m.Ready.Add(messaging.ID(k))
		}
	}
	return true
}

// Step does what has become due. The host calls it after every event, and at [Member.Next].
func (m *Member) Step(now Time) {
	if m.Inside && now >= m.Deadline {
		m.Lose(now)
	}
	if m.Lost && now >= m.Ended+m.Terms.Grace {
		m.Exit() // its user has had the time to stop
	}
	if m.Rank < 0 {
		return
	}
	if !m.Inside {
		m.Ready.Add(messaging.ID(m.Rank))
	}
	m.Started = m.Ready.Len() == len(m.Record.Members)
}

// Enter reports whether the user may enter, to whom the algorithm gives the critical section in
// this epoch. If not, the host leaves for it.
func (m *Member) Enter(now Time) bool {
	if !m.Started || m.Inside || m.Leaving || now >= m.Deadline {
		return false
	}
	m.Inside = true
	return true
}

// Exit says that the user is outside.
func (m *Member) Exit() { m.Inside, m.Lost = false, false }

// Lose ends the guard of a user that is inside.
func (m *Member) Lose(now Time) {
	if m.Inside && !m.Lost {
		m.Lost, m.Ended = true, now
	}
}

// Valid reports whether the user is inside, and its guard has not ended.
func (m *Member) Valid(now Time) bool {
	end := m.Deadline
	if m.Lost {
		end = min(end, m.Ended)
	}
	return m.Inside && now < end
}

// Propose returns the record that the member wants in place of m.Record, and reports whether it
// wants one. The host sends the swap then, and shows the result to Look if it succeeds. Whatever has become of a
// swap, the next one has another counter: a lease that was sent for early is never taken for a
// later one.
//
// Floor is the least epoch, and nonce a fresh number, of a view that it may begin.
func (m *Member) Propose(now Time, floor, nonce uint64) (Record, bool) {
	next := m.Record
	next.Members = slices.Clone(next.Members)
	if !m.Out && m.change(&next, now) {
		next.Epoch, next.Nonce = max(next.Epoch+1, floor), nonce
	} else if m.Rank < 0 || now < m.Sent+m.Terms.Lease/3 && next.Members[m.Rank].Counter == m.Counter {
		return Record{}, false
	}
	return m.sent(next, now), true
}

// change makes the members of the next view, and reports whether there is to be one.
func (m *Member) change(next *Record, now Time) bool {
	switch {
	case m.Rank < 0 && (m.Leaving || next.Admits(m.Terms) != nil):
		return false
	case m.Rank < 0:
		next.Terms = m.Terms
		next.Members = append(next.Members, Entry{ID: m.ID})
		return true
	case m.Leaving && !m.Inside:
		next.Members = slices.Delete(next.Members, m.Rank, m.Rank+1)
		return true
	}
	next.Members = slices.DeleteFunc(next.Members, func(e Entry) bool { return m.silent(m.Record.Rank(e.ID), now) })
	return m.Reset || len(next.Members) < len(m.Record.Members)
}

// silent reports whether the lease of another member is over.
func (m *Member) silent(rank int, now Time) bool {
	return rank != m.Rank && now >= m.Since[rank]+m.Terms.Lease+m.Terms.Drift
}

// Ask returns the record in which a member is asked to leave, as Propose does, and reports whether it is a
// member that was not asked yet. It leaves if it lives; otherwise it is evicted anyway.
func (m *Member) Ask(id string, now Time) (Record, bool) {
	rank := m.Record.Rank(id)
	if m.Rank < 0 || rank < 0 || m.Record.Members[rank].Asked {
		return Record{}, false
	}
	next := m.Record
	next.Members = slices.Clone(next.Members)
	next.Members[rank].Asked = true
	return m.sent(next, now), true
}

// sent moves the member's counter in a record that is sent now.
func (m *Member) sent(next Record, now Time) Record {
	m.Counter++
	m.Sent = now
	if rank := next.Rank(m.ID); rank >= 0 {
		next.Members[rank].Counter = m.Counter
	}
	return next
}

// Next returns when Step or Propose has something to do, unless something happens before.
func (m *Member) Next() Time {
	next := m.Sent + m.Terms.Lease/3
	if m.Inside {
		next = min(next, m.Deadline)
	}
	if m.Lost {
		next = min(next, m.Ended+m.Terms.Grace)
	}
	for k, since := range m.Since {
		if k != m.Rank {
			next = min(next, since+m.Terms.Lease+m.Terms.Drift)
		}
	}
	return next
}
