package sim

import (
	"math/bits"
	"reflect"
	"slices"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// start starts every node, unless it crashes before everything else.
func (s *simulation) start() {
	s.starting = true
	for i := range s.sites {
		id := messaging.ID(i)
		if slices.ContainsFunc(s.c.Crashes, func(c Crash) bool { return c.Node == id && c.At == 0 }) {
			continue
		}
		s.acting = id
		starts := s.sites[i].Start()
		s.acting = noNode
		if starts {
			s.cause = s.observe(0, action.Started, id, id, nil)
			s.carryOut(id, messaging.Idle)
		}
	}
	s.acting, s.starting = noNode, false
}

func (s *simulation) deliver(e *event, from, to messaging.ID) {
	m := e.message
	if s.view != nil {
		s.view.arrives(e.cause)
	}
	if s.users[to].crashed {
		s.measured.Lost++
		s.observe(e.cause, action.Lost, from, to, m)
		return
	}
	s.measured.Delivered++
	s.sites[to].Witness(uint64(uint32(e.n)))
	s.cause = s.observe(e.cause, action.Delivered, from, to, m)
	s.receive(to, from, m)
}

func (s *simulation) receive(i, from messaging.ID, m messaging.Message) {
	before := s.sites[i].Phase()
	s.acting = i
	s.sites[i].Receive(from, m)
	s.carryOut(i, before)
}

func (s *simulation) expire(set uint64, i messaging.ID, m messaging.Message) {
	s.measured.Timers++
	s.cause = s.observe(set, action.Expired, i, i, m)
	s.receive(i, i, m)
}

func (s *simulation) tell(crash uint64, i, crashed messaging.ID) {
	s.cause = s.observe(crash, action.Told, crashed, i, nil)
	before := s.sites[i].Phase()
	s.acting = i
	s.sites[i].Witness(s.sites[crashed].Entries())
	s.sites[i].Down(crashed)
	s.carryOut(i, before)
}

// tellLater schedules the time at which node i learns that another is down, if it is a survivor.
func (s *simulation) tellLater(i, crashed messaging.ID) {
	if s.users[i].crashed || s.c.Detection.shape == unset {
		return
	}
	if _, survives := messaging.As[messaging.Survivor](s.sites[i].Node()); !survives {
		return
	}
	s.schedule(s.after(s.c.Detection.draw(&s.links.dice)), event{
		kind: tell, cause: s.users[crashed].since, from: int32(crashed), to: int32(i), n: s.users[i].life,
	})
}

// carryOut carries out the effects of a handler of node i, whose site was in the
// phase before.
func (s *simulation) carryOut(i messaging.ID, before messaging.Phase) {
	s.acting = noNode
	site := &s.sites[i]
	if phase := site.Phase(); phase != before {
		switch {
		case before == messaging.Waiting && phase == messaging.Inside:
			s.enter(i)
		case before == messaging.Absorbing && phase == messaging.Idle:
			s.pass(i)
		}
	}
	for k := range site.Sends {
		s.send(i, site.Sends[k].To, site.Sends[k].Message)
	}
	for _, t := range site.Timers {
		s.schedule(s.after(s.c.timer(i, t.After)), event{
			kind: expire, cause: s.cause, to: int32(i), n: s.users[i].life, message: t.Message,
		})
	}
	for _, v := range site.Emits {
		if s.emitted != nil {
			s.emitted[i] = append(s.emitted[i], v)
		}
		n := s.observe(s.cause, action.Emitted, i, i, v)
		s.measured.Emits = append(s.measured.Emits, messaging.Event{
			Number: n, Cause: s.cause, At: s.now, Action: action.Emitted, From: i, To: i, Message: v,
		})
	}
	if s.emitted != nil && len(site.Emits) > 0 {
		if err := s.judge(false); err != nil {
			s.fail("%w", err)
		}
	}
	site.Done()
}

// send puts m in transit: no, one or two copies of it, as drawn.
func (s *simulation) send(from, to messaging.ID, m messaging.Message) {
	kind := s.kindOf(m)
	kind.sent++
	sent := s.observe(s.cause, action.Sent, from, to, m)
	latency, lost, exception := s.links.latency(from, to, kind.name)
	if lost {
		s.links.lost = s.links.lost || exception == nil || !exception.Lose
		s.measured.Lost++
		s.observe(sent, action.Lost, from, to, m)
		return
	}
	s.dispatch(sent, from, to, m, latency)
	if s.links.duplicates(exception) {
		s.links.duplicated = s.links.duplicated || exception == nil || !exception.Double
		s.measured.Duplicated++
		again := s.observe(sent, action.Duplicated, from, to, m)
		s.dispatch(again, from, to, m, s.links.copyLatency(from, to, kind.name, exception))
	}
}

// dispatch puts a copy of m in transit that was sent, or made, by the event of that number.
func (s *simulation) dispatch(cause uint64, from, to messaging.ID, m messaging.Message, latency time.Duration) {
	at := s.links.arrival(from, to, s.after(latency))
	if s.view != nil {
		s.view.departs(cause, from, to, m)
	}
	s.pending++ // not by schedule, which takes longer
	s.queue.push(at, event{
		kind: deliver, cause: cause, from: int32(from), to: int32(to), message: m, n: int32(uint32(s.sites[from].Entries())),
	})
}

// kindOf returns the kind of m. There are few, and a broadcast sends one of them many
// times, so that a linear search is faster than a map.
func (s *simulation) kindOf(m messaging.Message) *kind {
	t := reflect.TypeOf(m)
	for k := range s.kinds {
		if s.kinds[k].of == t {
			return &s.kinds[k]
		}
	}
	s.kinds = append(s.kinds, kind{of: t, name: messaging.Kind(m)})
	return &s.kinds[len(s.kinds)-1]
}

// timer returns how long a timer of node i runs that is to run for d.
func (c *Config) timer(i messaging.ID, d time.Duration) time.Duration {
	if c.Pace == nil {
		return d
	}
	hi, lo := bits.Mul64(uint64(d), uint64(c.Pace[i]))
	if hi >= uint64(T) {
		return endOfTime
	}
	n, _ := bits.Div64(hi, lo, uint64(T))
	return time.Duration(min(n, uint64(endOfTime)))
}
