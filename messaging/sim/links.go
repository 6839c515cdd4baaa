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

	uses []use // of each exception

	// Whether some message matched no exception, was lost at random, or duplicated.
	regular, lost, duplicated bool

	// The arrival time of the last message on each link, from*nodes+to, if links are FIFO and
	// a message could overtake another: with few nodes a table, which is twice as fast, with
	// many a map of the links in use.
	last       []time.Duration
	lastByLink map[uint64]time.Duration
}

// A use is what became of an exception.
type use struct {
	matched int        // how many messages it matches but for its ordinal
	applied bool       // to one of them
	behind  *Exception // an earlier one that applied in its place
}

// maxTabled is the largest number of nodes with a table of links, which then takes 8 MB.
const maxTabled = 1024

// init prepares the links of c. If any message may be delayed, constant latencies do not
// keep the order.
func (l *links) init(c *Config, delays bool) {
	*l = links{
		c: c, dice: diceOf(c.Seed, 0), loss: chanceOf(c.Loss), duplication: chanceOf(c.Duplication),
		uses: make([]use, len(c.Except)),
	}
	switch {
	case c.Unordered || !delays && c.Latency.shape == constant && len(c.Except) == 0:
	case c.Nodes <= maxTabled:
		l.last = make([]time.Duration, c.Nodes*c.Nodes)
	default:
		l.lastByLink = map[uint64]time.Duration{}
	}
}

// latency draws how long a message that is sent takes if no other delays it, and whether
// it is lost. The exception is the one that applies to it, or nil.
func (l *links) latency(from, to messaging.ID, kind string) (d time.Duration, lost bool, e *Exception) {
	for k := range l.c.Except {
		x, u := &l.c.Except[k], &l.uses[k]
		if !x.matches(from, to, kind) {
			continue
		}
		u.matched++
		switch {
		case x.Ordinal > 0 && x.Ordinal != u.matched:
		case e == nil:
			e, u.applied = x, true
		case !u.applied:
			u.behind = e
		}
	}
	d, lost = l.draw(e)
	l.regular = l.regular || e == nil
	return d, lost, e
}

func (l *links) draw(e *Exception) (d time.Duration, lost bool) {
	lost = l.dice.happens(l.loss)
	if e == nil || e.Double {
		return l.c.Latency.draw(&l.dice), lost
	}
	return e.Latency.or(l.c.Latency).draw(&l.dice), lost || e.Lose
}

// copyLatency draws how long the second copy of a message takes. The exception is the one
// that applies to the first; nil: none is known.
func (l *links) copyLatency(from, to messaging.ID, kind string, e *Exception) time.Duration {
	if e != nil && e.Double {
		return e.Latency.or(l.c.Latency).draw(&l.dice)
	}
	for k := range l.c.Except {
		if x := &l.c.Except[k]; x.Ordinal == 0 && x.matches(from, to, kind) && !x.Double {
			d, _ := l.draw(x)
			return d
		}
	}
	d, _ := l.draw(nil)
	return d
}

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
