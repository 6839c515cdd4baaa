package sim

import (
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// links decide when a message arrives, and whether.
type links struct {
	c                 *Config
	dice              dice
	loss, duplication chance

	// When the last message of each link arrives, if links are FIFO and one
	// could overtake another: in a table for few nodes, by from*nodes+to, and in
	// a map of the links that are used for many.
	last       []time.Duration
	lastByLink map[uint64]time.Duration
}

// maxTabled is how many nodes may have a table of their links, of 8 MB then.
const maxTabled = 1024

func (l *links) init(c *Config) {
	*l = links{c: c, dice: diceOf(c.Seed, 0), loss: chanceOf(c.Loss), duplication: chanceOf(c.Duplication)}
	switch {
	case c.Unordered || c.Latency.shape == constant && len(c.Except) == 0:
	case c.Nodes <= maxTabled:
		l.last = make([]time.Duration, c.Nodes*c.Nodes)
	default:
		l.lastByLink = map[uint64]time.Duration{}
	}
}

// latency draws how long a message takes if nothing is before it, and whether it
// is lost.
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

// arrival returns when a message arrives that takes until at if nothing is before it.
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
