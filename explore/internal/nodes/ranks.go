package nodes

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// Where a clock lags behind others, times differ by any amount, and states up to a shift grow. So a
// state then stands for all whose times are in the same order: the kth is k times apart. That is
// sound if what a node does is the same with all times that are in this order, and each that it sets
// anew is a bit more than one of those that it has, or than 0; see certify. How much larger the next
// time of another node is does not show, so both are explored: that the new time is before it, and
// that it is the same. There may be no run in which it is the one or the other, so only what holds
// counts; see [Config.everyRun].

// apart is how much later a time is than the next earlier one, and a bit is at most what a node adds.
// No node is likely to add a multiple of the one and less than the other.
const apart, bit messaging.Time = 1_618_033_988_749, 1 << 20

// A ranking maps some times, from 0, to others in the same order, and those after each of them likewise.
type ranking struct{ from, to []messaging.Time }

func (r ranking) later(t messaging.Time, _ bool) messaging.Time {
	k, found := slices.BinarySearch(r.from, t)
	if !found {
		k-- // from has 0
	}
	return r.to[k] + t - r.from[k]
}

// timesOf returns all times in v, a node or a message, later, if they are ranked.
func (cs *cells) timesOf(v any, later func(messaging.Time, bool) messaging.Time) (all []messaging.Time) {
	if !cs.ranked {
		return nil
	}
	state.Times(v, func(t messaging.Time, clock bool) {
		if later != nil {
			t = later(t, clock)
		}
		all = append(all, t)
	})
	return all
}

// ascending sorts times and 0, each once.
func ascending(all []messaging.Time) []messaging.Time {
	all = append(all, 0)
	slices.Sort(all)
	return slices.Compact(all)
}

// ranking returns the number of a ranking.
func (cs *cells) ranking(b *seen, from, to []messaging.Time) (by messaging.Time) {
	if slices.Equal(from, to) {
		return 0
	}
	var buf [128]byte
	key := buf[:0]
	for k := range from {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(from[k])), uint64(to[k]))
	}
	by, known := cs.known[string(key)]
	if !known && cs.learns(b) {
		by = messaging.Time(len(cs.rankings))
		cs.known[string(key)] = by
		cs.rankings = append(cs.rankings, ranking{slices.Clone(from), slices.Clone(to)})
		cs.bytes += partBytes
	}
	return by
}

// between is ranking while nothing is explored. If to is nil, each time is apart from the next.
func (cs *cells) between(from, to []messaging.Time) messaging.Time {
	for k := len(to); k < len(from); k++ {
		to = append(to, messaging.Time(k)*apart)
	}
	cs.learning = true
	defer func() { cs.learning = false }()
	return cs.ranking(new(seen), from, to)
}

// rank sets the times of the next state of b apart again, and the shift of l.
func (g *graph) rank(b *seen, l *label) {
	var buf [2][64]messaging.Time
	from, to := buf[0][:0], buf[1][:0]
	for i, f := range g.layout.cells {
		c := g.cells.all[i][f.Of(b.next)]
		from = append(from, g.cells.positions[c.position].times...)
		for _, t := range c.timers {
			from = append(from, g.cells.times[t.message]...)
		}
	}
	for _, k := range g.used {
		for _, m := range g.cells.links[k][g.links[k].Of(b.next)].messages {
			from = append(from, g.cells.times[m]...)
		}
	}
	from, to = ascending(from), append(to, 0)
	var last messaging.Time
	joined := 0 // new times that may be the same as the next one
	for k, t := range from[1:] {
		last += apart
		if t%apart == 0 && from[k]%apart != 0 {
			if joined++; l.joins {
				last -= apart
			}
		}
		if joined > 1 || t%apart > bit || t%apart > 1 && from[len(from)-1]/apart > t/apart {
			b.note(errValue) // one may be the same and not the other, or it may be later than that
		}
		to = append(to, last)
	}
	if l.shift = g.cells.ranking(b, from, to); !b.unknown {
		g.shiftNext(b, l.shift)
	}
}

// both adds to each event that its new time is the same as the next time of all.
func (g *graph) both(b *seen) {
	for _, l := range b.events {
		l.joins = true
		b.events = append(b.events, l)
	}
}

// timesBefore returns the times of a position and an input.
func (cs *cells) timesBefore(v visit) []messaging.Time {
	all := slices.Clone(cs.positions[v.position].times)
	if v.input.what >= gets {
		all = append(all, cs.times[v.input.message]...)
	}
	return ascending(all)
}

// An input is repeated at least few times with times in the same order, and at most enough. Nearly all
// differences below ruler, a prime, of two times next to each other are among these.
const few, enough, ruler = 64, 2 * ruler, 547

// sample sets the scratch ranking to the nth of those of times: 0 is that of all one apart. In half of
// them, the differences go through all below ruler, in others one is a [difference], or all are small.
func (cs *cells) sample(from []messaging.Time, n int) messaging.Time {
	r := ranking{from: from, to: make([]messaging.Time, len(from))}
	draw := rand.New(rand.NewPCG(uint64(n), 0))
	one := n/8*3 + n%8 - 1
	for k := range from[1:] {
		by := messaging.Time(1)
		switch {
		case n%8 > 3:
			by += messaging.Time((n/8*4 + n%8) * (k*k + k + 1) % ruler)
		case n%8 == 0:
			by += messaging.Time(draw.IntN(n%3*4 + 1))
		case k == one%(len(from)-1):
			by = difference(one / (len(from) - 1))
		}
		r.to[k+1] = r.to[k] + by
	}
	cs.rankings[1] = r
	return 1
}

// sort says what inputs have in common in which a node is likely to take the same way through its handler.
func (cs *cells) sort(o *outcome) string {
	s := fmt.Sprint(o.what, cs.positions[o.before].phase, len(o.mail), len(o.timers))
	if o.what >= gets {
		s += fmt.Sprintf("%T", cs.messages[o.message])
	}
	return s
}

// distinct returns the visits; of those that are equal up to a ranking, one.
func (cs *cells) distinct() (all []visit) {
	if !cs.ranked {
		return cs.visits
	}
	known := map[visit]bool{}
	for _, v := range cs.visits {
		first, by := v, cs.between(cs.timesBefore(v), nil)
		if first.position = cs.positionLater(v.position, by); v.input.what >= gets {
			first.input.message = cs.messageLater(v.input.message, by)
		}
		if !known[first] {
			known[first] = true
			all = append(all, v)
		}
	}
	return all
}
