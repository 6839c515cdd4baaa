package view_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
)

// slots is how many processes there may be at a time.
const slots = 3

var names = [slots]string{"A", "B", "C"}

func slotOf(id string) int { return int(id[0] - 'A') }

// A world is the store, and all processes with what is on its way between them. Time is what
// clocks have measured: it is 0 now for every process.
type world struct {
	c       *model
	Store   view.Record
	Version uint64
	Procs   [slots]process
	Eras    [slots + 2]era // in the order of their epochs

	Air []letter // in transit between nodes

	Top  uint64 // the largest epoch of an entry
	Back bool   // one had no larger token than one before,
	Bad  bool   // or a user was taken to be outside before it had the time to stop

	Before view.Record // what the store had before the last swap, if it may come back
	Forgot bool        // it has

	Sections [2]section
	Largest  messaging.Token // that the counter has seen
	Of       int8            // the section that had it
	Lost     bool            // an update of the counter

	Faults, Joins, Leaves int // how many there may still be: also a wish for a new epoch counts as the last

	Calm   bool  // no faults any more, and time passes only when nothing else can happen
	Served uint8 // the processes that have entered since; one bit a slot
}

// A process is one incarnation of a member.
type process struct {
	Up           bool
	M            view.Member
	Flight, Late swap // the second: its process does not wait for it any more
	Skewed       bool // its clock has been slow, or fast, by a tick

	Wants   uint8 // how often its user will ask, if there are nodes
	Waiting bool
	Node    node
}

// A swap is on its way to the store, or back.
type swap struct {
	State phase
	Old   uint64
	Next  view.Record
}

type phase uint8

const (
	none    phase = iota
	sent          // not yet at the store
	applied       // the answer is on its way
	refused
)

// An era is what has been said in an epoch, and the process that is inside by its algorithm: that of an
// adversary, which lets in any member that has started while none is inside.
type era struct {
	Epoch, Nonce uint64
	Said         uint8 // the processes that are ready; one bit a slot
	Holder       int8  // a slot, from 1
	Last         uint8 // the count of the last entry, if there are nodes or a counter
}

// A model has what may happen.
type model struct {
	name                  string
	lease, drift, grace   time.Duration
	members               int // at the beginning; the other slots are free
	faults, joins, leaves int
	atomic                bool // a swap takes no time
	lossy                 bool // answers may be lost
	calm                  bool // faults end
	wild                  bool // each clock runs at any rate
	blind                 bool // the store does not compare versions
	fence                 fence
	forgets               loss
	reuses                bool // the epochs of a store that forgets are numbered by its record alone

	// In place of the adversary, the nodes of a protocol for up to so many members, whose users ask a few times each.
	algorithms []messaging.Algorithm
	codec      *wire.Codec
	asks       uint8
}

func (c *model) terms() view.Terms {
	return view.Terms{Lease: c.lease, Drift: c.drift, Grace: c.grace}
}

// initial is the state in which all members have started.
func (c *model) initial() *world {
	w := &world{c: c, Version: 2, Faults: c.faults, Joins: c.joins, Leaves: c.leaves}
	w.Store = view.Record{Terms: c.terms(), Epoch: 1, Nonce: 1}
	for i := range c.members {
		w.Store.Members = append(w.Store.Members, view.Entry{ID: names[i], Counter: 1})
	}
	w.Eras[0] = era{Epoch: 1, Nonce: 1, Said: 1<<c.members - 1}
	for i := range c.members {
		m := view.New(names[i], c.terms())
		m.Counter = 1
		m.Look(w.Store, w.Version, 0)
		m.Hear(1, 1, (i+1)%c.members, true)
		m.Step(0)
		w.Procs[i] = process{Up: true, M: *m, Wants: c.asks}
		if c.codec != nil {
			w.settle(i)
		}
	}
	return w
}

// era returns the era of an epoch, which may be new.
func (w *world) era(epoch, nonce uint64) *era {
	for k := range w.Eras {
		if e := &w.Eras[k]; e.Epoch == epoch && e.Nonce == nonce {
			return e
		}
	}
	for k := range w.Eras {
		if e := &w.Eras[k]; e.Epoch == 0 {
			*e = era{Epoch: epoch, Nonce: nonce}
			return e
		}
	}
	panic("more eras than are known to processes")
}

func (w *world) eraOf(i int) *era {
	r := &w.Procs[i].M.Record
	return w.era(r.Epoch, r.Nonce)
}

// step lets process i do what is due, and notes what it says then.
func (w *world) step(i int) {
	m := &w.Procs[i].M
	inside := m.Inside
	m.Step(0)
	if inside && !m.Inside {
		w.Bad = w.Bad || m.Ended+m.Terms.Grace > 0
		w.release(i)
	}
	if m.Rank >= 0 && m.Ready.Has(messaging.ID(m.Rank)) {
		w.eraOf(i).Said |= 1 << i
	}
	if m.Out && !m.Inside {
		w.Procs[i] = process{Late: w.Procs[i].Late}
		return
	}
	if w.c.codec != nil {
		w.settle(i)
	}
}

// release tells the algorithm that process i is outside, if it is that of the present epoch which had let it in.
func (w *world) release(i int) {
	w.unguard(i)
	p := &w.Procs[i]
	switch {
	case p.M.Rank < 0:
		return
	case w.c.codec != nil && p.Node.Epoch == p.M.Record.Epoch && p.Node.Phase == messaging.Inside:
		p.Node.Phase = messaging.Idle
		w.act(i, func(n messaging.Exclusion, out messaging.Out) { n.Release(out) })
	}
	if e := w.eraOf(i); int(e.Holder) == i+1 {
		e.Holder = 0
	}
}

// wrong returns an error if two users are in their critical sections, though they stop within Grace when their guards
// have ended, and these end when they must.
func (w *world) wrong() error {
	switch {
	case w.Lost:
		return errors.New("an update of the counter is lost")
	case w.c.fence != noCounter:
		return nil
	}
	var inside []string
	for i := range w.Procs {
		m := &w.Procs[i].M
		if m.Valid(-m.Terms.Grace) {
			inside = append(inside, names[i])
		}
	}
	if len(inside) > 1 && !w.c.wild {
		return fmt.Errorf("users of %s are inside", strings.Join(inside, " and "))
	}
	switch {
	case w.Back:
		return errors.New("tokens do not grow")
	case w.Bad:
		return errors.New("a user is taken to be outside before it had the time to stop")
	}
	return nil
}

// String tells the store and what each process knows.
func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %d:", w.Store.Epoch)
	for _, e := range w.Store.Members {
		fmt.Fprintf(&b, " %s%d", e.ID, e.Counter)
	}
	for i := range w.Procs {
		p := &w.Procs[i]
		if !p.Up {
			continue
		}
		fmt.Fprintf(&b, " | %s knows %d", names[i], p.M.Record.Epoch)
		for _, is := range []struct {
			is   bool
			what string
		}{
			{p.M.Rank >= 0 && p.M.Ready.Has(messaging.ID(max(0, p.M.Rank))), "ready"},
			{p.M.Started, "started"},
			{p.M.Inside, "INSIDE"},
			{p.M.Lost, "lost"},
			{p.M.Leaving, "leaving"},
			{p.M.Out, "out"},
			{p.Flight.State != none, "swaps"},
		} {
			if is.is {
				b.WriteString(" " + is.what)
			}
		}
		fmt.Fprintf(&b, " %dt", p.M.Deadline)
	}
	return b.String()
}
