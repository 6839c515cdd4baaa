package link

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
)

// A peer is the link to another node, in both directions.
type peer struct {
	Incarnation uint64
	Greets      bool
	Waited      int
	Down        bool
	Notices     uint64

	Sent            uint64
	Unacknowledged  []unacknowledged
	Full            bool
	Mean, Deviation int
	Doubled         int

	Seen  uint64
	Early []early
	Asked uint64
	Owes  int
}

// An unacknowledged message was sent Age ticks ago; Again: and before.
type unacknowledged struct {
	Message messaging.Message
	Age     int
	Again   bool
}

// An early message arrived before an earlier one.
type early struct {
	Number  uint64
	Message messaging.Message
}

// mostDoubled is how often a timeout is doubled.
const mostDoubled = 4

// acknowledged returns the number of the last message that the peer has acknowledged.
func (p *peer) acknowledged() uint64 { return p.Sent - uint64(len(p.Unacknowledged)) }

// ended reports whether a later incarnation of the peer gets nothing of what is kept for it.
func (p *peer) ended() bool { return p.Full && p.Incarnation != 0 }

// outstanding reports whether a tick has something to do.
func (p *peer) outstanding() bool {
	first, _ := p.gap()
	return !p.Down && (p.Owes > 0 || first != 0 || len(p.Unacknowledged) > 0 || p.Greets)
}

// question returns the number of the question whether the peer is up; 0: there is none.
func (p *peer) question() uint64 {
	if p.Down {
		return p.Notices
	}
	return 0
}

// gap returns the first and the last of the messages that are missing before one that has arrived and
// were not asked for; 0: there are none.
func (p *peer) gap() (first, last uint64) {
	if len(p.Early) == 0 {
		return 0, 0
	}
	first, last = max(p.Seen, p.Asked)+1, p.Early[0].Number-1
	if first > last {
		return 0, 0
	}
	return first, last
}

// keep keeps the message of a frame that came too early.
func (p *peer) keep(f frame) {
	k, there := slices.BinarySearchFunc(p.Early, f.Number, func(e early, number uint64) int { return cmp.Compare(e.Number, number) })
	if !there {
		p.Early = slices.Insert(p.Early, k, early{f.Number, f.Message})
	}
}

// measure takes a round trip of that many ticks into account, as in the appendix of Jacobson and
// Karels, but that a quarter is rounded up: rounded down, a deviation of less than a tick would stay.
func (p *peer) measure(ticks int) {
	if p.Mean == 0 {
		p.Mean, p.Deviation = ticks<<3, ticks<<1
		return
	}
	off := ticks - p.Mean>>3
	p.Mean += off
	p.Deviation += max(off, -off) - (p.Deviation+3)>>2
}

// timeout returns the present timeout in ticks, which is first if nothing has been measured, and at
// most its 16-fold.
func (p *peer) timeout(first int) int {
	now := first
	if p.Mean != 0 {
		now = p.Mean>>3 + max(1, p.Deviation)
	}
	return min(now<<p.Doubled, first<<mostDoubled)
}

// remove removes the first k elements of s, whose memory stays in use.
func remove[T any](s []T, k int) []T { return slices.Delete(s, 0, k) }
