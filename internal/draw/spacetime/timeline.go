package spacetime

import (
	"cmp"
	"slices"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/messaging"
)

// A mark is what a node does at one time: an event, and what the node does on it.
type mark struct {
	node   messaging.ID
	at     time.Duration
	x      int
	events []int // by index
}

// An instant is a time at which something happens. Its events are side by side, from x to
// end.
type instant struct {
	at     time.Duration
	x, end int
	jump   bool // the time since the last instant is not to scale
}

// A timeline places the events of a window of a run.
type timeline struct {
	events   []messaging.Event
	from, to int // the window
	unit     time.Duration
	scale    int // pixels of a unit
	beside   int // pixels between two marks of a node at one time

	begin, limit int // the pixels between which it is

	marks    []mark
	latest   map[messaging.ID]int // the last mark of each node, by index
	xs       []int                // by event - from
	instants []instant
}

// end returns where the last instant ends.
func (t *timeline) end() int {
	if n := len(t.instants); n > 0 {
		return t.instants[n-1].end
	}
	return t.begin
}

// fits reports whether the events that were arranged have room.
func (t *timeline) fits() bool { return t.end() <= t.limit }

// The measures of a timeline, in pixels.
const (
	farthest   = 44 // between two marks of a node at one time
	nearest    = 11
	widest     = 220 // scales, if one row is enough
	legible    = 50  // the least of one row
	several    = 74  // the widest of several
	narrowest  = 24
	mostWindow = 3000 // events
)

// arrange places the events of the window at that scale, as far as they fit, and reports whether all do.
func (t *timeline) arrange() bool {
	t.marks, t.instants, t.latest, t.xs = nil, nil, map[messaging.ID]int{}, make([]int, t.to-t.from)
	for k := t.from; k < t.to && t.fits(); {
		end := k
		for end < t.to && t.events[end].At == t.events[k].At {
			end++
		}
		t.add(k, end)
		k = end
	}
	return t.fits()
}

// add places the events from k to end, which have the same time.
func (t *timeline) add(k, end int) {
	now := instant{at: t.events[k].At, x: t.begin}
	if n := len(t.instants); n > 0 {
		before := t.instants[n-1]
		var d int
		d, now.jump = t.distance(now.at - before.at)
		now.x = max(before.x+d, before.end+max(min(d, t.beside), d/3))
	}
	for _, e := range t.events[k:end] {
		if m, acts := t.latest[causality.At(e)]; acts && local(e) {
			now.x = max(now.x, t.marks[m].x+t.beside)
		}
		if sent := cause(e); ends(e) && t.from <= sent && sent < k {
			now.x = max(now.x, t.xs[sent-t.from]+t.beside/2) // arrows go to the right
		}
	}
	now.end = now.x
	for ; k < end; k++ {
		now.end = max(now.end, t.put(k, now))
	}
	t.instants = append(t.instants, now)
}

// put places event k, which occurs now, and returns where.
func (t *timeline) put(k int, now instant) int {
	e, x := t.events[k], now.x
	i, by := causality.At(e), cause(e)
	m, acts := t.latest[i]
	if by >= t.from && t.events[by].At == e.At {
		if slices.Contains(follow, e.Action) && acts && slices.Contains(t.marks[m].events, by) {
			t.marks[m].events = append(t.marks[m].events, k)
			t.xs[k-t.from] = t.marks[m].x
			return x
		}
		if x = t.xs[by-t.from]; local(e) {
			x += t.beside
		}
	}
	if local(e) {
		if acts && t.marks[m].x >= now.x {
			x = max(x, t.marks[m].x+t.beside)
		}
		t.latest[i] = len(t.marks)
		t.marks = append(t.marks, mark{i, e.At, x, []int{k}})
	}
	t.xs[k-t.from] = x
	return x
}

// follow are what a node does on another event.
var follow = []string{action.Sent, action.Emitted, action.Entered, action.Passed}

// cause returns the index of the cause of e; -1 if it has none.
func cause(e messaging.Event) int { return int(e.Cause) - 1 }

// distance returns how many pixels a time takes, and whether that is not to scale: a time
// in which nothing happens is shortened.
func (t *timeline) distance(d time.Duration) (px int, jump bool) {
	long := 2 * t.unit
	if jump = d > long; jump {
		d = long + min((d-long)/16, t.unit/2)
	}
	return int(d * time.Duration(t.scale) / t.unit), jump
}

// timelines places events, from the first that is not earlier than the time from: between two pixels, in one row if
// they are legible there, or else in several, at most most. If there is no room for all, the last rows are
// left out; with last, the first ones are.
func timelines(events []messaging.Event, from time.Duration, last bool, begin, limit, most int) []*timeline {
	first, _ := slices.BinarySearchFunc(events, from, func(e messaging.Event, at time.Duration) int { return cmp.Compare(e.At, at) })
	t := &timeline{events: events, from: first, to: len(events), unit: unit(events), scale: narrowest, beside: nearest, begin: begin, limit: limit}
	if last {
		t.from = max(first, t.to-mostWindow)
	} else {
		t.to = min(t.to, first+mostWindow)
	}
	size, largest, enough, wide := &t.scale, widest, legible, several
	if len(journeys(events)) == 0 { // events are side by side
		size, largest, enough, wide = &t.beside, farthest, nearest+2, nearest+6
	}
	least := *size
	for *size = largest; *size >= enough; *size -= 2 {
		if t.arrange() {
			return []*timeline{t}
		}
	}
	var rows []*timeline
	for *size = wide; ; *size = max(least, *size-6) {
		if rows = t.split(); len(rows) <= most || *size == least {
			break
		}
	}
	if last {
		return rows[max(0, len(rows)-most):]
	}
	return rows[:min(len(rows), most)]
}

// split breaks t into rows; none is empty, unless t is.
func (t *timeline) split() (rows []*timeline) {
	for from := t.from; ; {
		row := *t
		row.from = from
		if !row.arrange() {
			row.cut()
		}
		rows = append(rows, &row)
		if from = row.to; from == t.to {
			return rows
		}
	}
}

// cut ends the row before the first instant that has no room, or earlier where nothing happens for long, or within
// the first instant of all.
func (t *timeline) cut() {
	over := t.instants[len(t.instants)-1].at
	for _, i := range t.instants {
		if i.jump && i.x > t.begin+(t.limit-t.begin)/2 {
			over = i.at
		}
	}
	to := t.from
	for t.events[to].At < over {
		to++
	}
	if t.to = to; to == t.from {
		for t.to += 2; t.arrange(); {
			t.to++
		}
		t.to--
	}
	t.arrange()
}

// journeys returns the times that messages take, those that take any. In a run whose events are
// chosen one by one, time may stand still, and there are none.
func journeys(events []messaging.Event) (all []time.Duration) {
	for _, e := range events {
		if e.Action == action.Delivered && e.At > events[cause(e)].At {
			all = append(all, e.At-events[cause(e)].At)
		}
	}
	return all
}

// unit returns the time that a message usually takes, the median; in a run without messages,
// the time until something happens.
func unit(events []messaging.Event) time.Duration {
	if all := journeys(events[:min(len(events), mostWindow)]); len(all) > 0 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	for _, e := range events {
		if d := e.At - events[0].At; d > 0 {
			return d
		}
	}
	return 1
}
