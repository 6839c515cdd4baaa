package sim

import (
	"math/bits"
	"reflect"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// Notify has a node learn of a crash as Config.Detection says. It is a method of [steps.Host].
func (s *simulation) Notify(e steps.Event) {
	s.schedule(s.After(s.c.Detection.draw(&s.links.dice)), e)
}

// Schedule sets a timer of a node, whose clock may be fast or slow. It is a method of [steps.Host].
func (s *simulation) Schedule(e steps.Event, d time.Duration) {
	s.schedule(s.After(s.c.timer(messaging.ID(e.To), d)), e)
}

// Send sends messages of a node. It is a method of [steps.Host].
func (s *simulation) Send(from messaging.ID, all []host.Send) {
	for k := range all {
		s.send(from, all[k].To, all[k].Message)
	}
}

// send puts m in transit: no, one or two copies of it, as drawn.
func (s *simulation) send(from, to messaging.ID, m messaging.Message) {
	kind := s.kindOf(m)
	kind.sent++
	sent := s.Observe(s.Cause, action.Sent, from, to, m)
	latency, lost, exception := s.links.latency(from, to, kind.name)
	if lost {
		s.links.lost = s.links.lost || exception == nil || !exception.Lose
		s.Lost++
		s.Observe(sent, action.Lost, from, to, m)
		return
	}
	s.dispatch(sent, from, to, m, latency)
	if exception != nil && exception.Double || s.links.dice.happens(s.links.duplication) {
		s.links.duplicated = s.links.duplicated || exception == nil || !exception.Double
		s.measured.Duplicated++
		again := s.Observe(sent, action.Duplicated, from, to, m)
		s.dispatch(again, from, to, m, s.links.copyLatency(from, to, kind.name, exception))
	}
}

// dispatch puts a copy of m in transit that was sent, or made, by the event of that number.
func (s *simulation) dispatch(cause uint64, from, to messaging.ID, m messaging.Message, latency time.Duration) {
	at := s.links.arrival(from, to, s.After(latency))
	s.Depart(cause, from, to, m)
	s.pending++ // not by schedule, which takes longer
	s.queue.push(at, s.Delivery(cause, from, to, m))
}

// kindOf returns the kind of m. There are few, and a broadcast sends one of them many
// times, so that a linear search is faster than a map.
func (s *simulation) kindOf(m messaging.Message) *kind {
	t := reflect.TypeOf(m)
	for k := range s.kinds {
		if s.kinds[k].typ == t {
			return &s.kinds[k]
		}
	}
	s.kinds = append(s.kinds, kind{typ: t, name: messaging.Kind(m)})
	return &s.kinds[len(s.kinds)-1]
}

// timer returns how long a timer of node i runs that is to run for d.
func (c *Config) timer(i messaging.ID, d time.Duration) time.Duration {
	if c.Pace == nil {
		return d
	}
	hi, lo := bits.Mul64(uint64(d), uint64(c.Pace[i]))
	if hi >= uint64(T) {
		return steps.EndOfTime
	}
	n, _ := bits.Div64(hi, lo, uint64(T))
	return time.Duration(min(n, uint64(steps.EndOfTime)))
}
