package view_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// What can happen to a process has one name in all states.
var (
	reads    = events("reads the record")
	readsOld = events("reads the record before")
	sends    = events("sends a swap")
	swaps    = events("swaps")
	arrives  = events("'s swap arrives")
	learns   = events("learns of its swap")
	hears    = events("hears that others are ready")
	steps    = events("does what is due")
	enters   = events("enters")
	wants    = events("wants the lock")
	unlocks  = events("unlocks")
	crashes  = events("crashes")
	leaves   = events("leaves")
	loses    = events("loses its guard")
	forgets  = events("waits no more for its swap")
	late     = events("'s late swap arrives")
	joins    = events("joins")
	asks     = events("asks the next to leave")
	isSlow   = events("'s clock is slow by a tick")
	isFast   = events("'s clock is fast by a tick")
	resets   = events("wants a new epoch")
	hearsOld = events("hears of another epoch")
)

func events(what string) (all [slots]string) {
	for i := range all {
		all[i] = names[i] + " " + what
		if what[0] == '\'' {
			all[i] = names[i] + what
		}
	}
	return all
}

// A mover calls will and may for the events in a world.
type mover struct {
	c         *model
	w         *world
	will, may func(event string, to packed)
	urgent    bool // something else than time happens
	copy      world
}

// copied returns the world as it is, for one event. What records refer to is shared, and never written.
func (x *mover) copied() *world {
	x.copy = *x.w
	for i := range x.copy.Procs {
		m := &x.copy.Procs[i].M
		m.Ready = slices.Clone(m.Ready)
	}
	return &x.copy
}

func (c *model) next(s packed, will, may func(event string, to packed)) {
	x := mover{c: c, w: c.unpack(s), will: will, may: may}
	for i := range x.w.Procs {
		x.late(i)
		if x.w.Procs[i].Up {
			x.process(i)
		}
	}
	x.joins()
	x.counter()
	x.loses()
	x.time()
	if c.calm && !x.w.Calm {
		to := x.copied()
		to.Calm, to.Faults, to.Joins, to.Leaves = true, 0, 0, 0
		x.do(may, "from now on all is in time", to)
	}
}

func (x *mover) do(how func(event string, to packed), event string, to *world) {
	x.urgent = true
	how(event, x.c.pack(to))
}

// on calls how with the world in which f has happened to process i.
func (x *mover) on(how func(event string, to packed), event [slots]string, i int, f func(to *world, m *view.Member)) {
	to := x.copied()
	f(to, &to.Procs[i].M)
	x.do(how, event[i], to)
}

func (x *mover) process(i int) {
	w, p := x.w, &x.w.Procs[i]
	m := &p.M
	x.store(i)
	if w.heard(i) != nil {
		x.on(x.will, hears, i, func(to *world, _ *view.Member) {
			to.hear(i)
			to.step(i)
		})
	}
	x.stale(i)
	to := x.copied()
	to.step(i)
	if s := &to.Procs[i]; s.Up != p.Up || s.M.Inside != m.Inside || s.M.Lost != m.Lost || s.M.Started != m.Started || s.M.Ready.Len() != m.Ready.Len() {
		x.do(x.will, steps[i], to)
	}
	x.enters(i)
	if m.Inside && !w.busy(i) {
		x.on(x.will, unlocks, i, func(to *world, m *view.Member) {
			m.Exit()
			to.release(i)
			to.step(i)
		})
	}
	if !w.Calm {
		x.faults(i)
	}
}

// enters lets in the user of a process, if the algorithm can.
func (x *mover) enters(i int) {
	w, m := x.w, &x.w.Procs[i].M
	if x.c.codec != nil {
		x.nodes(i)
		return
	}
	if !m.Started || w.eraOf(i).Holder != 0 || w.Served>>i&1 == 1 {
		return
	}
	to := x.copied()
	if !to.Procs[i].M.Enter(0) {
		return
	}
	to.eraOf(i).Holder = int8(i + 1)
	if !x.c.unsafe() {
		to.Back = m.Record.Epoch < w.Top
		to.Top = max(w.Top, m.Record.Epoch)
	}
	if w.Calm {
		to.Served |= 1 << i
	}
	if x.c.fence != noCounter {
		to.eraOf(i).Last++
	}
	x.do(x.will, enters[i], to)
	if x.c.fence != noCounter && to.follow(i) {
		x.do(x.will, enters[i], to)
	}
}

// store has a process read and swap.
func (x *mover) store(i int) {
	w, p := x.w, &x.w.Procs[i]
	m := &p.M
	switch p.Flight.State {
	case sent:
		x.on(x.will, arrives, i, func(to *world, _ *view.Member) { to.apply(&to.Procs[i].Flight) })
	case applied, refused:
		x.on(x.will, learns, i, func(to *world, m *view.Member) {
			f := &to.Procs[i].Flight
			if f.State == applied {
				m.Look(f.Next, f.Old+1, 0)
			}
			*f = swap{}
			to.step(i)
		})
	case none:
		if m.Version != w.Version || w.Forgot {
			x.on(x.will, reads, i, func(to *world, m *view.Member) {
				m.Look(to.Store, to.Version, 0)
				to.step(i)
			})
		}
		if w.Before.Epoch > 0 {
			x.on(x.may, readsOld, i, func(to *world, m *view.Member) {
				m.Look(to.Before, to.Version-1, 0)
				to.step(i)
			})
		}
		to := x.copied()
		floor, nonce := x.c.fresh(m.Record)
		next, wants := to.Procs[i].M.Propose(0, floor, nonce)
		if !wants {
			return
		}
		x.send(i, to, next)
	}
}

func (x *mover) send(i int, to *world, next view.Record) {
	event := swaps[i]
	if !x.c.atomic && !x.w.Calm {
		event = sends[i]
	}
	x.sendAs(x.will, event, i, to, next)
}

// sendAs sends a swap. If it takes no time, one of a version that is over leads nowhere.
func (x *mover) sendAs(how func(event string, to packed), event string, i int, to *world, next view.Record) {
	m := &to.Procs[i].M
	switch {
	case !x.c.atomic && !x.w.Calm:
		to.Procs[i].Flight = swap{sent, m.Version, next}
		x.do(how, event, to)
	case m.Version == to.Version:
		to.swapped(next)
		m.Look(next, to.Version, 0)
		to.step(i)
		x.do(how, event, to)
	}
}

// apply is what the store does with a swap.
func (w *world) apply(s *swap) {
	if s.Old != w.Version && !w.c.blind {
		s.State = refused
		return
	}
	w.swapped(s.Next)
	s.State = applied
}

// heard returns the messages of the epoch of process i that it has not got.
func (w *world) heard(i int) (all []ready) {
	m := &w.Procs[i].M
	if m.Rank < 0 || m.Started {
		return nil
	}
	e := w.eraOf(i)
	for k, of := range m.Record.Members {
		j := slotOf(of.ID)
		if k != m.Rank && e.Said>>j&1 == 1 && !m.Ready.Has(messaging.ID(k)) {
			o := &w.Procs[j].M
			all = append(all, ready{k, o.Started && o.Record.Epoch == e.Epoch})
		}
	}
	return all
}

// stale has process i get what was said in other epochs, which must change nothing.
func (x *mover) stale(i int) {
	for _, e := range x.w.Eras {
		r := &x.w.Procs[i].M.Record
		if e.Epoch == 0 || e.Epoch == r.Epoch {
			continue
		}
		for j := range r.Members {
			to := x.copied()
			if e.Said>>j&1 == 1 && to.Procs[i].M.Hear(e.Epoch, e.Nonce, j, false) {
				to.step(i)
				x.do(x.will, hearsOld[i], to)
			}
		}
	}
}

// A ready is what a member says: that it is ready, or that it has started.
type ready struct {
	rank    int
	started bool
}

func (w *world) hear(i int) {
	m := &w.Procs[i].M
	for _, r := range w.heard(i) {
		m.Hear(m.Record.Epoch, m.Record.Nonce, r.rank, r.started)
	}
}

// late has a swap arrive for which its process does not wait.
func (x *mover) late(i int) {
	if x.w.Procs[i].Late.State == sent {
		x.on(x.will, late, i, func(to *world, _ *view.Member) { to.apply(&to.Procs[i].Late) })
	}
}

// faults are what may happen to a process, and what its user and an operator may do.
func (x *mover) faults(i int) {
	w, p := x.w, &x.w.Procs[i]
	m := &p.M
	if w.Faults > 0 {
		x.on(x.may, crashes, i, func(to *world, _ *view.Member) {
			to.Faults--
			f := to.Procs[i].Flight
			if f.State != sent {
				f = to.Procs[i].Late
			}
			to.Procs[i] = process{Late: f}
			to.kill(i)
		})
	}
	if m.Inside && !m.Lost && w.Faults > 0 {
		x.on(x.may, loses, i, func(to *world, m *view.Member) {
			to.Faults--
			m.Lose(0)
		})
	}
	if m.Started && !m.Reset && w.Leaves > 0 {
		x.on(x.may, resets, i, func(to *world, m *view.Member) {
			to.Leaves--
			m.Reset = true
		})
	}
	if x.c.lossy && p.Flight.State != none && p.Late.State == none {
		x.on(x.may, forgets, i, func(to *world, _ *view.Member) {
			q := &to.Procs[i]
			q.Late, q.Flight = q.Flight, swap{}
		})
	}
	if w.Leaves > 0 && !m.Leaving {
		x.on(x.may, leaves, i, func(to *world, m *view.Member) {
			to.Leaves--
			m.Leaving = true
		})
	}
	if to := x.copied(); w.Leaves > 0 && p.Flight.State == none && m.Rank >= 0 {
		rank := (m.Rank + 1) % len(m.Record.Members)
		if next, is := to.Procs[i].M.Ask(m.Record.Members[rank].ID, 0); is && rank != m.Rank && !m.Record.Members[rank].Asked {
			to.Leaves--
			x.sendAs(x.may, asks[i], i, to, next)
		}
	}
}

// joins has a new process come in the first slot of which nothing is known any more.
func (x *mover) joins() {
	w := x.w
	if w.Joins == 0 || w.Calm {
		return
	}
	for i := range w.Procs {
		if w.unknown(i) {
			to := x.copied()
			to.Joins--
			to.Procs[i] = process{Up: true, M: *view.New(names[i], x.c.terms()), Wants: x.c.asks}
			x.do(x.may, joins[i], to)
			return
		}
	}
}

// unknown reports whether no record has a process in slot i.
func (w *world) unknown(i int) bool {
	knows := func(r *view.Record) bool { return r.Rank(names[i]) >= 0 }
	if w.Procs[i].Up || w.Procs[i].Late.State != none || knows(&w.Store) || knows(&w.Before) {
		return false
	}
	return !slices.ContainsFunc(w.Procs[:], func(q process) bool {
		return q.Up && (knows(&q.M.Record) || knows(&q.Flight.Next))
	})
}

// time lets all clocks tick, or all but one, or one twice; wild clocks tick alone.
func (x *mover) time() {
	if x.w.Calm && x.urgent {
		return
	}
	if !x.c.wild {
		x.tick(x.will, "time passes", func(int) view.Time { return 1 })
	}
	for i := range x.w.Procs {
		p := &x.w.Procs[i]
		only := func(by, others view.Time) func(j int) view.Time {
			return func(j int) view.Time {
				if j == i {
					return by
				}
				return others
			}
		}
		switch {
		case !p.Up || x.w.Calm:
		case x.c.wild:
			x.tick(x.may, isFast[i], only(1, 0))
		case x.c.drift > 0 && !p.Skewed:
			x.tick(x.may, isSlow[i], only(0, 1))
			x.tick(x.may, isFast[i], only(2, 1))
		}
	}
}

// tick lets each clock go on by some time.
func (x *mover) tick(how func(event string, to packed), event string, by func(i int) view.Time) {
	to := x.copied()
	for i := range to.Procs {
		p, t := &to.Procs[i], by(i)
		p.Skewed = p.Skewed || t != 1 && !x.c.wild
		p.M.Sent, p.M.Deadline, p.M.Ended = p.M.Sent-t, p.M.Deadline-t, p.M.Ended-t
		since := make([]view.Time, len(p.M.Since))
		for k := range since {
			since[k] = p.M.Since[k] - t
		}
		p.M.Since = since
	}
	how(event, x.c.pack(to))
}

func check(t *testing.T, c *model) *explore.SystemReport {
	t.Helper()
	s := explore.System[packed]{
		Initial: []packed{c.pack(c.initial())}, Next: c.next,
		Invariant: func(p packed) error { return c.unpack(p).wrong() },
		Terminal:  func(packed) bool { return c.fence != noCounter },
	}
	if c.calm {
		s.Leads = map[string]func(p packed) (due, done bool){}
		for i := range slots {
			s.Leads[enters[i]] = func(p packed) (due, done bool) {
				w := c.unpack(p)
				m := &w.Procs[i].M
				if c.codec != nil {
					return w.Calm && w.Procs[i].Waiting, !w.Procs[i].Waiting || m.Leaving
				}
				return w.Calm, w.Served>>i&1 == 1 || !w.Procs[i].Up || m.Leaving
			}
		}
	}
	r, err := explore.CheckSystem(s)
	require.NoError(t, err)
	t.Logf("%d states", r.States)
	return r
}

// Instances that are explored in a second or two together.
var quick = []*model{
	{name: "lossy", lease: 1, members: 2, lossy: true},
	{name: "drift", lease: 3, drift: 1, members: 2, atomic: true},
	{name: "leaving", lease: 1, members: 2, leaves: 1},
	{name: "calm", lease: 3, grace: 1, members: 2, faults: 1, atomic: true, calm: true},
	{name: "joining", lease: 3, members: 1, joins: 1, atomic: true, calm: true},
	{name: "older", lease: 2, members: 2, faults: 1, atomic: true, forgets: older},
	{name: "three", lease: 1, members: 3, atomic: true},
}

func TestExplored(t *testing.T) { explored(t, quick) }

func explored(t *testing.T, all []*model) {
	t.Helper()
	models = all
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := check(t, c)
			assert.NoError(t, r.Err(), "%s", r)
		})
	}
}

// found checks that each model has a history that violates the invariant, and how many events the shortest takes.
func found(t *testing.T, all map[*model]int) {
	t.Helper()
	models = slices.Collect(maps.Keys(all))
	for _, c := range models {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, c)
			require.Equal(t, explore.Fails, r.Invariant.Status)
			assert.Equal(t, all[c], r.Invariant.History.Length, "%s", r.Invariant.History)
		})
	}
}

// A store must compare: otherwise a member is evicted whose lease was renewed meanwhile.
func TestStoreMustCompare(t *testing.T) {
	found(t, map[*model]int{{name: "blind", lease: 1, members: 2, blind: true}: 9})
}
