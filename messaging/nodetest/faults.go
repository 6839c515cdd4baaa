package nodetest

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/messaging"
)

// fault crashes or restarts a node, or not, at random, and reports whether it did so. If
// nothing else can happen, it restarts one that is down.
func (s *schedule) fault(idle bool) bool {
	if s.crashes > 0 && s.rand.IntN(10) == 0 {
		if up := s.those(false); len(up) > 0 {
			s.crashes--
			s.crash(up[s.rand.IntN(len(up))])
			return true
		}
	}
	if s.restarts > 0 && (idle || s.rand.IntN(5) == 0) {
		if down := s.those(true); len(down) > 0 {
			s.restarts--
			s.restart(down[s.rand.IntN(len(down))])
			return true
		}
	}
	return false
}

// those returns the nodes that are down, or up.
func (s *schedule) those(down bool) (ids []messaging.ID) {
	for i, is := range s.down {
		if is == down {
			ids = append(ids, messaging.ID(i))
		}
	}
	return ids
}

func (s *schedule) crash(i messaging.ID) {
	s.decide('k', uint64(i))
	s.note(history.Event{Node: i, What: "crashes"})
	s.down[i], s.inside[i] = true, false
	s.sites[i].Restart() // as it will be when it starts again
	s.timers = slices.DeleteFunc(s.timers, func(t timer) bool { return t.node == i })
	s.notices = slices.DeleteFunc(s.notices, func(n notice) bool { return n.to == i })
	for _, j := range s.those(false) {
		s.announce(i, j)
	}
}

func (s *schedule) restart(i messaging.ID) {
	s.decide('r', uint64(i))
	s.note(history.Event{Node: i, What: "restarts"})
	s.down[i] = false
	s.sites[i].Start()
	s.carryOut(i)
	s.notices = slices.DeleteFunc(s.notices, func(n notice) bool { return n.crashed == i })
	for _, j := range s.those(true) {
		s.announce(j, i)
	}
}

// A notice of the detector tells node to that another has crashed.
type notice struct {
	number      uint64 // as of a flight
	crashed, to messaging.ID
}

// announce has the detector tell a node of a crash, if it is a Survivor.
func (s *schedule) announce(crashed, to messaging.ID) {
	if _, survives := messaging.As[messaging.Survivor](s.sites[to].Node()); survives && s.c.Detected {
		s.pending++
		s.notices = append(s.notices, notice{s.pending, crashed, to})
	}
}

// tell gives notice k.
func (s *schedule) tell(k int) {
	n := s.notices[k]
	s.notices = slices.Delete(s.notices, k, k+1)
	s.decide('d', n.number)
	s.note(history.Event{Node: n.to, What: fmt.Sprintf("is told that node %d has crashed", n.crashed)})
	s.sites[n.to].Witness(s.sites[n.crashed].Entries())
	s.sites[n.to].Down(n.crashed)
	s.carryOut(n.to)
}

// mayExpire returns a random timer that may be due first, as explore.CheckNodes defines it.
func (s *schedule) mayExpire() int {
	for {
		k := s.rand.IntN(len(s.timers))
		t := s.timers[k]
		if s.may(t) && !slices.ContainsFunc(s.timers[:k], func(earlier timer) bool {
			return earlier.node == t.node && (!s.c.AnyTime || earlier.after <= t.after)
		}) {
			return k
		}
	}
}

// may reports whether t may expire while something else is possible.
func (s *schedule) may(t timer) bool { return s.c.AnyTime || t.due <= s.now }

// complete reports whether a perpetual algorithm has nothing more to do: there were
// requests, and all are over.
func (s *schedule) complete(users []act) bool {
	return s.c.Perpetual && len(users) == 0 && s.left == 0 && !s.anyoneWaits()
}

// give gives node i the next input of its user.
func (s *schedule) give(i messaging.ID) {
	m, number := s.c.Inputs[i][s.given[i]], s.firstInput+uint64(s.given[i])
	for _, of := range s.c.Inputs[:i] {
		number += uint64(len(of))
	}
	s.given[i]++
	s.decide('d', number)
	e := history.Event{Node: i, Message: m, From: i, Input: true}
	if s.down[i] {
		e.What = "loses"
		s.note(e)
		return
	}
	s.receive(e)
}
