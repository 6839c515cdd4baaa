package nodes

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// byStamp finds whether nodes that exclude each other enter in the order of the stamps that
// their requests send. It is unknown if none sends one.
func (g *graph) byStamp() space.Verdict {
	if !g.cells.stamped() {
		return space.Verdict{}
	}
	return g.watch(history.Endless, g.stamps)
}

// stamps returns the monitor of a node that enters while another waits with a smaller
// stamp. It remembers the times of the stamps of all requests that are waiting or being
// absorbed, each later by longAgo; 0: none. Few states have more than one such past.
func (g *graph) stamps() *space.Monitor {
	var all times
	now := make([]messaging.Time, g.c.Nodes)
	sent := map[*outcome]messaging.Time{}
	return &space.Monitor{
		Graph: g.Graph, First: all.number(now),
		Next: func(p space.Past, slot int, to space.ID, f func(memory uint32)) (wrong string) {
			i, shift := g.turns(p.ID, to), g.shift(p.ID, slot)
			if i < 0 && shift == 0 {
				f(p.Memory)
				return ""
			}
			copy(now, all.of[p.Memory])
			if i < 0 {
				f(all.number(earlierStamps(now, shift)))
				return ""
			}
			if g.phase(p.ID, i) == messaging.Idle {
				o := g.request(p.ID, slot, i)
				t, known := sent[o]
				if !known {
					if t = g.cells.stamp(o, messaging.ID(i)); t > 0 {
						t += longAgo
					}
					sent[o] = t
				}
				now[i] = t
			}
			if g.enters(p.ID, to) == i {
				if q := g.overdue(to, i, now); q >= 0 {
					what := "enters while %s waits with a smaller stamp"
					if now[i] == 0 {
						what = "enters without a stamp while %s waits with one"
					}
					return fmt.Sprintf("not by stamp: %s "+what, named(i), named(q))
				}
			}
			if phase := g.phase(to, i); phase == messaging.Idle || phase == messaging.Inside {
				now[i] = 0
			}
			f(all.number(earlierStamps(now, shift)))
			return ""
		},
	}
}

// shift returns by how much a step shifts all times.
func (g *graph) shift(from space.ID, slot int) messaging.Time {
	if !g.cells.shifts {
		return 0
	}
	return g.label(from, slot).shift
}

// longAgo is the largest time that is remembered of stamps that no node and no message has any
// more. Those of later requests are later, so only the order of such stamps counts.
const longAgo messaging.Time = 1 << 32

// earlierStamps makes times earlier.
func earlierStamps(times []messaging.Time, by messaging.Time) []messaging.Time {
	if by == 0 {
		return times
	}
	var old []messaging.Time
	for i, t := range times {
		if t > 0 {
			times[i] = t - by
			if times[i] <= longAgo {
				old = append(old, times[i])
			}
		}
	}
	slices.Sort(old)
	old = slices.Compact(old)
	for i, t := range times {
		if at, is := slices.BinarySearch(old, t); is {
			times[i] = longAgo - messaging.Time(len(old)-1-at)
		}
	}
	return times
}

// overdue returns a node that waits in a state with a smaller stamp than that of node i; -1:
// none. A request without a stamp comes after all that have one.
func (g *graph) overdue(id space.ID, i int, times []messaging.Time) int {
	mine := messaging.Stamp{Time: times[i], ID: messaging.ID(i)}
	for q := range g.c.Nodes {
		s := messaging.Stamp{Time: times[q], ID: messaging.ID(q)}
		if q != i && g.waits(id, q) && s.Time > 0 && (mine.Time == 0 || s.Before(mine)) && g.excludes.Excludes(mine.ID, s.ID) {
			return q
		}
	}
	return -1
}

// request returns the outcome of a request of node i, which the step from a state by a slot
// is.
func (g *graph) request(from space.ID, slot, i int) *outcome {
	if moves := g.at(from, i).first; len(moves) == 1 {
		return moves[0].outcome
	}
	return g.possibleIn(from)[slot].outcome // the node chooses
}

// times are the vectors of times that a search has met, by number.
type times struct {
	space.Table
	of  [][]messaging.Time
	buf []byte
}

func (t *times) number(v []messaging.Time) uint32 {
	t.buf = t.buf[:0]
	for _, x := range v {
		t.buf = binary.AppendUvarint(t.buf, uint64(x))
	}
	n, known := t.Number(t.buf)
	if !known {
		t.of = append(t.of, slices.Clone(v))
	}
	return n
}

// stamped reports whether some request sends a stamp.
func (cs *cells) stamped() bool {
	for v, all := range cs.outcomes {
		for _, o := range all {
			if v.input.what == asks && cs.stamp(o, cs.positions[v.position].node) > 0 {
				return true
			}
		}
	}
	return false
}

// stamp returns the time of the latest stamp of node i in the messages that it sends in an
// outcome, those to itself included; 0: there is none.
func (cs *cells) stamp(o *outcome, i messaging.ID) (latest messaging.Time) {
	look := func(m messaging.Message) {
		state.Within(nil, reflect.ValueOf(m), func(_ []string, v reflect.Value) bool {
			if v.Type() != typeOfStamp {
				return true
			}
			if s := v.Interface().(messaging.Stamp); s.ID == i {
				latest = max(latest, s.Time)
			}
			return false
		})
	}
	for _, mail := range o.mail {
		for _, m := range cs.parcels[mail.parcel] {
			look(cs.messages[m])
		}
	}
	for _, e := range o.events {
		if e.says == toItself {
			look(e.message)
		}
	}
	return latest
}

var typeOfStamp = reflect.TypeFor[messaging.Stamp]()
