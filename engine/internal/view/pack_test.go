package view_test

import (
	"cmp"
	"slices"
	"time"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/messaging"
)

// A packed world is one in which epochs, versions and counters are numbered anew in their order, and
// clocks that cannot matter any more stand still: only their order matters, and how old what a
// process has seen is. So a finite number of states stands for runs of any length.
type packed string

func (p packed) String() string { return models[p[0]].unpack(p).String() }

// models has the model of each packed world by its first byte.
var models []*model

// A packer writes a world.
type packer struct {
	c      *model
	w      *world
	epochs []uint64 // of records and tokens
	nonces []uint64 // of records
	room   [3 + 1 + slots]*view.Record
	b      []byte
}

func (c *model) pack(w *world) packed {
	if c.fence != noCounter && w.kept() {
		w = &world{c: c} // one state stands for all of these
	}
	p := packer{c: c, w: w, b: make([]byte, 0, 160), epochs: make([]uint64, 0, 20), nonces: make([]uint64, 0, 12)}
	p.normalize()
	p.b = append(p.b, byte(slices.Index(models, c)), byte(w.Faults), byte(w.Joins), byte(w.Leaves), flag(w.Calm)|flag(w.Back)<<1|flag(w.Bad)<<2, w.Served, p.epoch(w.Top))
	p.record(&w.Store, -1)
	if c.forgets != nothing {
		p.b = append(p.b, flag(w.Forgot))
		p.record(&w.Before, -1)
	}
	p.eras()
	for i := range w.Procs {
		p.process(i)
	}
	if c.codec != nil {
		p.air()
	}
	if c.fence != noCounter {
		p.sections()
	}
	return packed(p.b)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// normalize removes what nothing refers to any more.
func (p *packer) normalize() {
	w := p.w
	p.knows(&w.Store)
	p.knows(&w.Before)
	for i := range w.Procs {
		q := &w.Procs[i]
		q.Flight.settle(w)
		q.Late.settle(w)
		if q.Late.State != sent {
			q.Late = swap{}
		}
		p.knows(&q.M.Record)
		p.knows(&q.Flight.Next)
		p.knows(&q.Late.Next)
	}
	p.epochs = append(p.epochs, 0, w.Top)
	for _, t := range w.tokens() {
		p.epochs = append(p.epochs, t.Epoch)
	}
	slices.Sort(p.epochs)
	p.epochs = slices.Compact(p.epochs)
}

// settle refuses a swap of a version that is over.
func (s *swap) settle(w *world) {
	if s.State == sent && s.Old != w.Version && !w.c.blind {
		s.State = refused
	}
	if s.State == refused {
		s.Next = view.Record{}
	}
}

func (p *packer) knows(r *view.Record) {
	if r.Epoch > 0 {
		p.epochs = append(p.epochs, r.Epoch)
		if !slices.Contains(p.nonces, r.Nonce) {
			p.nonces = append(p.nonces, r.Nonce)
		}
	}
}

func (p *packer) epoch(e uint64) byte {
	k, _ := slices.BinarySearch(p.epochs, e)
	return byte(k)
}

func (p *packer) eras() {
	slices.SortFunc(p.w.Eras[:], func(a, b era) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(p.nonce(a.Nonce), p.nonce(b.Nonce)))
	})
	n := len(p.b)
	p.b = append(p.b, 0)
	for _, e := range p.w.Eras {
		if slices.Contains(p.nonces, e.Nonce) && (e.Said > 0 || e.Holder > 0 || e.Last > 0) {
			last := e.Last
			if p.c.fence != noCounter {
				last = p.count(e.Epoch, uint64(e.Last))
			}
			p.b[n]++
			p.b = append(p.b, p.epoch(e.Epoch))
			p.b = append(p.nonced(e.Nonce), e.Said, byte(e.Holder), last)
		}
	}
}

// record writes a record as process i knows it, or the store.
func (p *packer) record(r *view.Record, i int) {
	p.b = append(p.b, p.epoch(r.Epoch))
	p.b = append(p.nonced(r.Nonce), byte(len(r.Members)))
	for _, e := range r.Members {
		j := slotOf(e.ID)
		p.b = append(p.b, byte(j)<<1|flag(e.Asked), p.counter(j, e.Counter, i))
	}
}

// counter numbers a counter of process j. Of one that others have seen, it matters only that it is the one in
// the store, or is not.
func (p *packer) counter(j int, c uint64, by int) byte {
	q, stored := &p.w.Procs[j], uint64(0)
	if k := p.w.Store.Rank(names[j]); k >= 0 {
		stored = p.w.Store.Members[k].Counter
	}
	if by >= 0 && by != j && c != stored && p.c.forgets == nothing {
		return 0
	}
	var room [16]uint64
	all := append(room[:0], 0, stored, q.M.Counter)
	for _, r := range p.holding(q) {
		if k := r.Rank(names[j]); k >= 0 {
			all = append(all, r.Members[k].Counter)
		}
	}
	return index(all, c)
}

// holding returns the records whose counters of process q matter, besides that in the store.
func (p *packer) holding(q *process) []*view.Record {
	all := append(p.room[:0], &q.M.Record, &q.Flight.Next, &q.Late.Next)
	if p.c.forgets != nothing {
		all = append(all, &p.w.Before)
		for i := range p.w.Procs {
			all = append(all, &p.w.Procs[i].M.Record)
		}
	}
	return all
}

// index numbers v in the order of all.
func index(all []uint64, v uint64) byte {
	slices.Sort(all)
	k, _ := slices.BinarySearch(slices.Compact(all), v)
	return byte(k)
}

func (p *packer) process(i int) {
	q := &p.w.Procs[i]
	m := &q.M
	if !q.Up {
		p.b = append(p.b, 0)
		p.swap(&q.Late, i)
		return
	}
	bits := byte(1)
	for k, is := range []bool{m.Started, m.Inside, m.Lost, m.Leaving, m.Reset, m.Out, q.Skewed} {
		bits |= flag(is) << (k + 1)
	}
	p.b = append(p.b, bits, p.version(m.Version), flag(m.Rank >= 0 && m.Ready.Has(messaging.ID(max(0, m.Rank)))))
	p.record(&m.Record, i)
	p.b = append(p.b, p.counter(i, m.Counter, i), age(-m.Sent, p.c.lease), age(m.Deadline+p.c.grace, p.c.lease+p.c.grace))
	if m.Lost {
		p.b = append(p.b, age(-m.Ended, p.c.grace))
	}
	rank := m.Record.Rank(m.ID) // which a store that does not compare may change within an epoch
	for k, since := range m.Since {
		if k != rank || m.Out {
			p.b = append(p.b, age(-since, p.c.lease+p.c.drift))
		}
	}
	p.swap(&q.Flight, i)
	p.swap(&q.Late, i)
	if p.c.codec != nil {
		p.node(q)
	}
}

func age(d, most time.Duration) byte { return byte(min(max(0, d), most)) }

func (p *packer) swap(s *swap, i int) {
	p.b = append(p.b, byte(s.State))
	if s.State == sent || s.State == applied {
		p.record(&s.Next, i)
	}
	if s.State == applied {
		p.b = append(p.b, flag(s.Old+1 == p.w.Version))
	}
}

// An unpacker reads a world.
type unpacker struct {
	c *model
	w *world
	b packed
}

func (u *unpacker) next() byte {
	b := u.b[0]
	u.b = u.b[1:]
	return b
}

// latest is the version of the store.
const latest = 10

func (c *model) unpack(b packed) *world {
	w := &world{c: c, Version: latest}
	u := unpacker{c, w, b[1:]}
	w.Faults, w.Joins, w.Leaves = int(u.next()), int(u.next()), int(u.next())
	bits := u.next()
	w.Calm, w.Back, w.Bad = bits&1 == 1, bits&2 == 2, bits&4 == 4
	w.Served, w.Top = u.next(), uint64(u.next())
	w.Store = u.record()
	if c.forgets != nothing {
		u.forgetful()
	}
	for k := range u.next() {
		e := uint64(u.next())
		w.Eras[k] = era{Epoch: e, Nonce: u.nonce(e), Said: u.next(), Holder: int8(u.next()), Last: u.next()}
	}
	for i := range w.Procs {
		u.process(i)
	}
	if c.codec != nil {
		u.air()
	}
	if c.fence != noCounter {
		u.sections()
	}
	return w
}

func (u *unpacker) record() view.Record {
	e := uint64(u.next())
	r := view.Record{Epoch: e, Nonce: u.nonce(e)}
	if e > 0 {
		r.Terms = u.c.terms()
	}
	n := u.next()
	if n > 0 {
		r.Members = make([]view.Entry, 0, n)
	}
	for range n {
		of := u.next()
		r.Members = append(r.Members, view.Entry{ID: names[of>>1], Asked: of&1 == 1, Counter: uint64(u.next())})
	}
	return r
}

func (u *unpacker) process(i int) {
	q := &u.w.Procs[i]
	bits := u.next()
	if bits&1 == 0 {
		q.Late = u.swap()
		return
	}
	q.Up = true
	q.M = *view.New(names[i], u.c.terms())
	m := &q.M
	for k, is := range []*bool{&m.Started, &m.Inside, &m.Lost, &m.Leaving, &m.Reset, &m.Out, &q.Skewed} {
		*is = bits>>(k+1)&1 == 1
	}
	m.Version = [...]uint64{0, 1, latest, u.w.Version + 1, u.w.Version + far}[u.next()]
	ready := u.next() == 1
	m.Record = u.record()
	m.Counter, m.Sent, m.Deadline = uint64(u.next()), -time.Duration(u.next()), time.Duration(u.next())-u.c.grace
	if m.Lost {
		m.Ended = -time.Duration(u.next())
	}
	if !m.Out {
		m.Rank = m.Record.Rank(m.ID)
	}
	m.Since = make([]time.Duration, len(m.Record.Members))
	for k := range m.Since {
		if k != m.Rank {
			m.Since[k] = -time.Duration(u.next())
		}
	}
	for k := range m.Record.Members {
		if k == m.Rank && ready || m.Started {
			m.Ready.Add(messaging.ID(k))
		}
	}
	q.Flight, q.Late = u.swap(), u.swap()
	if u.c.codec != nil {
		u.node(q)
	}
}

func (u *unpacker) swap() swap {
	s := swap{State: phase(u.next())}
	switch s.State {
	case sent:
		s.Old, s.Next = latest, u.record()
	case applied:
		s.Next = u.record()
		s.Old = latest - 1
		if u.next() == 0 {
			s.Old = latest - 3
		}
	}
	return s
}
