package sim

import (
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// links decides when each message arrives, and which messages are lost.
type links struct {
	c                 *Config
	dice              dice
	loss, duplication chance

	// The arrival time of the last message on each link, if links are FIFO and a
	// message could overtake another: with few nodes a table indexed by
	// from*nodes+to, with many a map of the links in use.
	last       []time.Duration
	lastByLink map[uint64]time.Duration
}

// maxTabled is the largest number of nodes with a table of links, which then takes 8
// MB.
const maxTabled = 1024

// init prepares the links of c. If any message may be delayed, constant latencies do not
// keep the order.
func (l *links) init(c *Config, delays bool) {
	*l = links{c: c, dice: diceOf(c.Seed, 0), loss: chanceOf(c.Loss), duplication: chanceOf(c.Duplication)}
	switch {
	case c.Unordered || !delays && c.Latency.shape == constant && len(c.Except) == 0:
	case c.Nodes <= maxTabled:
		l.last = make([]time.Duration, c.Nodes*c.Nodes)
	default:
		l.lastByLink = map[uint64]time.Duration{}
	}
}

// latency draws how long a message takes if no other delays it, and whether it is
// lost.
func (l *links) latency(from, to messaging.ID, kind string) (d time.Duration, lost bool) {
	lost = l.dice.happens(l.loss)
	for k := range l.c.Except {
		if e := &l.c.Except[k]; e.matches(from, to, kind) {
			return e.Latency.or(l.c.Latency).draw(&l.dice), lost || e.Lose
		}
	}
	return l.c.Latency.draw(&l.dice), lost
}

func (l *links) duplicates() bool { return l.dice.happens(l.duplication) }

// arrival returns when a message arrives that would arrive at the time at if no other
// delayed it.
func (l *links) arrival(from, to messaging.ID, at time.Duration) time.Duration {
	switch link := uint64(from)*uint64(l.c.Nodes) + uint64(to); {
	case l.last != nil:
		at = max(at, l.last[link])
		l.last[link] = at
	case l.lastByLink != nil:
		at = max(at, l.lastByLink[link])
		l.lastByLink[link] = at
	}
	return at
}

func (e *Exception) matches(from, to messaging.ID, kind string) bool {
	return (e.Kind == "" || e.Kind == kind) &&
		(len(e.From) == 0 || slices.Contains(e.From, from)) &&
		(len(e.To) == 0 || slices.Contains(e.To, to))
}
