package messaging

// A Clock is a logical clock, after L. Lamport, "Time, clocks, and the ordering of
// events in a distributed system", 1978: it reads the largest time that the node has
// assigned to a request or seen in one. The zero Clock is ready to use. It is plain
// data and may be part of a node's state.
type Clock Time

// Tick advances the clock by one and returns the stamp of node self at that time
// (Lamport's IR1).
func (c *Clock) Tick(self ID) Stamp {
	*c++
	return Stamp{Time: Time(*c), ID: self}
}

// Witness advances the clock to at least the time of s, so that later ticks are later
// than s (Lamport's IR2).
func (c *Clock) Witness(s Stamp) { *c = max(*c, Clock(s.Time)) }
