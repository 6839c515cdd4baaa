package search

import (
	"slices"

	"example.org/doorway/anylock/internal/machine"
	"example.org/doorway/internal/space"
)

// A row is what is known of a state: four bits for each goroutine, how many steps of it there are, and bits, whether it
// rests, whether it looks at the clock, and whether it is inside: its next step accesses what the lock guards.
type row struct {
	steps                uint32
	rests, looks, inside uint8
}

func (r row) of(t int) int { return int(r.steps >> (4 * t) & 15) }

// who returns the goroutine that makes the step of a slot.
func (r row) who(slot int) int {
	for t := range most {
		if slot -= r.of(t); slot < 0 {
			return t
		}
	}
	return -1
}

// ongoing returns the states in which a run can go on for ever.
func (s *Search) ongoing(m *space.Scratch) []bool {
	ongoing := make([]bool, s.Space.End())
	g := &space.Subgraph{Graph: s.Space.Graph, In: func(space.ID) bool { return true }}
	g.Components(m, func(c *space.Component) bool {
		for _, i := range c.States {
			for slot := range c.Degree(i) {
				_, inside := c.Inside(i, slot)
				ongoing[i] = ongoing[i] || inside
			}
		}
		return false
	})
	return ongoing
}

// row finds out about a state.
func (s *Search) row(i space.ID) (r row) {
	k := s.key(i)
	for _, st := range s.stepsOf(k) {
		if st.guards {
			r.inside |= 1 << st.t
		}
		if st.blocked {
			continue
		}
		r.steps += 1 << (4 * st.t)
		if st.clock {
			r.looks |= 1 << st.t
		}
	}
	for t := range most {
		if n := part(k, t); n != 0 && s.threads[n-1].rests {
			r.rests |= 1 << t
		}
	}
	return r
}

// Live looks for fair runs without end in which no goroutine makes progress, or one does not. All states must have been visited.
// Of those in which no run goes on for ever, rows are known only if there is a Doorway.
func (s *Search) Live() (livelock, starvation *Found) {
	var scratch space.Scratch
	ongoing := s.ongoing(&scratch)
	rows := make([]row, s.Space.End())
	s.rows = rows
	for i := range rows {
		if s.stopped() {
			return nil, nil
		}
		if id := space.ID(i); ongoing[i] || s.Doorway && s.Space.Has(id) {
			rows[i] = s.row(id)
		}
	}
	n := s.n
	all := uint8(1)<<n - 1
	find := func(in func(r row) bool, edge func(from, to row, t int) bool) *Found {
		g := &space.Subgraph{
			Graph: s.Space.Graph, In: func(i space.ID) bool { return ongoing[i] && in(rows[i]) },
			Edge: func(from space.ID, slot int, to space.ID) bool {
				return edge(rows[from], rows[to], rows[from].who(slot))
			},
		}
		return s.fair(g, &scratch, rows)
	}
	livelock = find(func(r row) bool { return r.rests&all != all }, func(from, to row, t int) bool {
		return t >= n || from.rests>>t&1 == 1 || to.rests>>t&1 == 0
	})
	if livelock != nil {
		livelock.Kind = Livelock
		return livelock, nil
	}
	for t := range n {
		if f := find(func(r row) bool { return r.rests>>t&1 == 0 }, func(row, row, int) bool { return true }); f != nil {
			f.Kind, f.Thread = Starvation, t
			return nil, f
		}
	}
	return nil, nil
}

// fair returns a state of a component in which a fair run can stay, with a loop there: each goroutine that is able to
// make a step again and again, and need not rest, makes one; and a clock at which one looks again and again in a state is
// early and late there.
func (s *Search) fair(g *space.Subgraph, m *space.Scratch, rows []row) (found *Found) {
	var within []*space.Subgraph // components that are not fair, which may have fair ones within
	g.Components(m, func(c *space.Component) bool {
		able, makes, leaves := stays(c, rows)
		switch {
		case makes == 0:
		case able&^makes == 0 && len(leaves) == 0:
			found = s.loop(c, rows, able|makes)
		default:
			if p := s.without(g, c, rows, able&^makes, leaves); p != nil {
				within = append(within, p)
			}
		}
		return found != nil
	})
	for _, p := range within {
		if found == nil {
			found = s.fair(p, m, rows)
		}
	}
	return found
}

// stays returns who is able to make a step in a component and need not rest, who makes one within, and who chooses in which
// states, and may stay or not.
func stays(c *space.Component, rows []row) (able, makes uint8, leaves map[space.ID]uint8) {
	leaves = map[space.ID]uint8{}
	for _, i := range c.States {
		var in, out uint8
		for slot := range c.Degree(i) {
			t := rows[i].who(slot)
			if rows[i].rests>>t&1 == 0 {
				able |= 1 << t
			}
			if _, ok := c.Inside(i, slot); ok {
				in |= 1 << t
			} else {
				out |= 1 << t
			}
		}
		makes |= in
		if both := in & out & rows[i].looks; both != 0 {
			leaves[i] = both
		}
	}
	return able, makes, leaves
}

// without returns the part of a component without the states in which one of some is able to make a step, and need not rest, and
// without the choices of those that leave, since who chooses there again and again leaves; nil: there is none.
func (s *Search) without(g *space.Subgraph, c *space.Component, rows []row, some uint8, leaves map[space.ID]uint8) *space.Subgraph {
	in := map[space.ID]bool{}
	for _, i := range c.States {
		ok := true
		for t := range most {
			ok = ok && (some>>t&1 == 0 || rows[i].rests>>t&1 == 1 || rows[i].of(t) == 0)
		}
		if ok {
			in[i] = true
		}
	}
	if len(in) == 0 {
		return nil
	}
	p := &space.Subgraph{Graph: g.Graph, In: func(i space.ID) bool { return in[i] }, Edge: g.Edge}
	if len(leaves) > 0 {
		p.Edge = func(from space.ID, slot int, to space.ID) bool {
			return leaves[from]>>rows[from].who(slot)&1 == 0 && (g.Edge == nil || g.Edge(from, slot, to))
		}
	}
	return p
}

// loop returns a run to a component, and a loop in it in which each of some goroutines makes a step.
func (s *Search) loop(c *space.Component, rows []row, who uint8) *Found {
	start := c.Nearest(c.States)
	tour := space.Tour{Component: c, At: start}
	for t := range most {
		if who>>t&1 == 0 {
			continue
		}
		makes := func(i space.ID) int {
			for slot := range c.Degree(i) {
				if _, ok := c.Inside(i, slot); ok && rows[i].who(slot) == t {
					return slot
				}
			}
			return -1
		}
		tour.Meet(func(i space.ID) (int, bool) { return makes(i), true })
	}
	tour.To(func(i space.ID) bool { return i == start })
	return &Found{At: *s.key(start), Thread: -1, Loop: tour.Slots}
}

// A Step is one of a run.
type Step struct {
	Thread int
	Choice int
	Event  machine.Event
	At     string // the name of the memory
	Old    string
	New    string
	Rests  bool // the goroutine rests then
	Early  bool // or has not completed its doorway
	Inside bool // or is where it accesses what the lock guards
}

// Trace returns the steps to what was found, those that repeat, and those that are possible next, one of each goroutine.
func (s *Search) Trace(f *Found) (way, loop, next []Step) {
	end, _ := s.Space.Find(f.At[:])
	slots := f.Way
	if slots == nil {
		slots = s.Space.Paths().Shortest(s.Space.Level(end), func(node int) bool { return space.ID(node) == end })
	}
	id := s.Space.Root
	follow := func(slots []int) (steps []Step) {
		for _, slot := range slots {
			step := s.step(*s.key(id), slot)
			id = s.Space.Successor(id, slot)
			k := s.key(id)
			if n := part(k, step.Thread); n != 0 {
				step.Rests = s.threads[n-1].rests
			}
			step.Early = phaseOf(k, step.Thread) == doorway
			step.Inside = s.row(id).inside>>step.Thread&1 == 1
			steps = append(steps, step)
		}
		return steps
	}
	way = follow(slots)
	loop = follow(f.Loop)
	if f.Thread >= 0 && f.Kind == Panic {
		way = append(way, s.make(&f.At, f.Thread, f.Choice))
	}
	k := *s.key(id)
	for _, st := range slices.Clone(s.stepsOf(&k)) {
		if st.choice == 0 {
			next = append(next, s.make(&k, st.t, 0))
		}
	}
	return way, loop, next
}

// Schedule returns steps as numbers; see Restrict.
func Schedule(steps []Step) []int {
	all := []int{}
	for _, st := range steps {
		all = append(all, st.Thread+alternative*st.Choice)
	}
	return all
}

// step makes the step of a slot, and describes it.
func (s *Search) step(k K, slot int) Step {
	for _, st := range s.stepsOf(&k) {
		if st.blocked {
			continue
		}
		if slot == 0 {
			return s.make(&k, st.t, st.choice)
		}
		slot--
	}
	panic("search: there is no such step")
}

func (s *Search) make(k *K, t, choice int) Step {
	s.unpack(k)
	s.m.Advance(t, choice)
	e := s.m.Did
	return Step{Thread: t, Choice: choice, Event: e, At: s.m.Name(e.At), Old: s.m.Value(e.At, e.Old), New: s.m.Value(e.At, e.New)}
}

// Ends returns the memory in each state in which all goroutines have ended, as text.
func (s *Search) Ends() map[string]bool {
	ends := map[string]bool{}
	for i := range s.Space.End() {
		if s.Space.Has(i) && s.Space.Degree(i) == 0 {
			k := *s.key(i)
			if s.allRest(&k) {
				s.unpack(&k)
				ends[s.m.String()] = true
			}
		}
	}
	return ends
}

// Name returns the name of memory in the state in which something was found.
func (s *Search) Name(f *Found, at uint64) string {
	s.unpack(&f.At)
	return s.m.Name(at)
}
