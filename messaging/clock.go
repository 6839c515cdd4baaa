package messaging

// A Clock is the logical clock of a node, after L. Lamport, "Time, clocks, and the
// ordering of events in a distributed system", 1978: its reading is the largest time
// that the node has given a request or seen in one. The zero Clock is ready. It is
// plain data, and may be part of a node's state.
type Clock Time

// Tick advances the clock by one, and returns the stamp of node self at that time
// (Lamport's IR1).
func (c *Clock) Tick(self ID) Stamp {
	*c++
	return Stamp{Time: Time(*c), ID: self}
}

// Witness advances the clock to the time of s, unless it is there or beyond: what
// ticks from now on is later than s (Lamport's IR2).
func (c *Clock) Witness(s Stamp) { *c = max(*c, Clock(s.Time)) }
