package space

import "math"

// A Graph is the states that a [Space] has found, by their names, and the steps between them.
type Graph struct {
	Root ID

	o      Options
	parts  [Shards]*part
	levels [][Shards]int                // by distance from the root: the number of states of each shard up to there
	look   func(from ID, row []ID) []ID // Row of a space that does not keep successors
}

// A part is what a graph has of a shard.
type part struct {
	n     int        // states
	words [][]uint64 // pages of them
	width int        // words of each

	succ pages[int32] // of the states in order, if their number does not vary
	rows rows         // if it does

	back        bool // a step to a state of the shard does not lead one level further from the root
	transitions int
}

// Sequential has one worker visit the states from now on.
func (g *Graph) Sequential() { g.o.Workers = 1 }

// States returns the number of states that have been found.
func (g *Graph) States() int {
	n := 0
	for _, p := range g.parts {
		n += p.n
	}
	return n
}

// Transitions returns the number of steps that lead somewhere.
func (g *Graph) Transitions() (n int) {
	for _, p := range g.parts {
		n += p.transitions
	}
	return n
}

// Depth returns the largest distance of a state from the root.
func (g *Graph) Depth() int { return len(g.levels) - 1 }

// Words returns the words of the state with a name, which must not be changed.
func (g *Graph) Words(i ID) []uint64 {
	p := g.parts[i.shard()]
	at := i.number() & (pageSize - 1) * p.width
	return p.words[i.number()>>pageBits][at : at+p.width]
}

// Get returns what a field of the state with a name holds.
func (g *Graph) Get(i ID, f Field) uint64 {
	p := g.parts[i&(Shards-1)]
	n := int(i) >> split
	return p.words[n>>pageBits][n&(pageSize-1)*p.width+int(f.Word)] >> f.Shift & f.Mask
}

// End returns an ID above those of all states. Not each ID below it is a state; see Has.
func (g *Graph) End() ID {
	most := 0
	for _, p := range g.parts {
		most = max(most, p.n)
	}
	return ID(most << split)
}

// Has reports whether there is a state with that name.
func (g *Graph) Has(i ID) bool { return i.number() < g.parts[i.shard()].n }

// Degree returns the number of steps from a state whose successors are kept.
func (g *Graph) Degree(i ID) int {
	if g.o.Width > 0 {
		return g.o.Width
	}
	r := &g.parts[i.shard()].rows
	if i.number() >= r.n {
		return 0 // it was found last, and not stepped
	}
	n, _, _ := r.row(i.number())
	return n
}

// Successor returns where a step from a state leads, whose successors are kept: the code
// of No, if it leads nowhere.
func (g *Graph) Successor(i ID, slot int) ID {
	p := g.parts[i.shard()]
	if g.o.Width > 0 {
		return ID(*p.succ.at(i.number()*g.o.Width + slot))
	}
	_, width, at := p.rows.row(i.number())
	return p.rows.to(i, width, at+slot*width)
}

// Row appends where the steps from a state lead, as Successor does, to row; they need not
// be kept. A state that has not been found is Unfound.
func (g *Graph) Row(i ID, row []ID) []ID {
	switch {
	case !g.o.Keep:
		return g.look(i, row)
	case g.o.Width > 0:
		for slot := range g.o.Width {
			row = append(row, g.Successor(i, slot))
		}
		return row
	}
	r := &g.parts[i.shard()].rows
	if i.number() >= r.n {
		return row // it was found last, and not stepped
	}
	n, width, at := r.row(i.number())
	for range n {
		row = append(row, r.to(i, width, at))
		at += width
	}
	return row
}

// Unfound is where a step leads to a state that was not found before the exploration
// ended. A system does not give it as a code.
const Unfound ID = math.MinInt32
