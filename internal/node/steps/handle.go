package steps

import (
	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// Happen has an event happen that follows from what nodes do, or an input. What is for a node that is down is lost.
func (s *System) Happen(e *Event) {
	from, i, m := messaging.ID(e.From), messaging.ID(e.To), e.Message
	cause, what := e.Cause, e.Kind.Action()
	switch e.Kind {
	case Deliver:
		s.Arrive(cause)
		if s.Lives[i].Crashed {
			s.Lost++
			s.Observe(cause, action.Lost, from, i, m)
			return
		}
		s.Delivered++
		s.Sites[i].Witness(uint64(uint32(e.N)))
	case Tell:
		s.Sites[i].Witness(s.Sites[from].Entries())
	case Give:
		if s.Lives[i].Crashed {
			s.Observe(0, action.Missed, i, i, m)
			return
		}
	}
	s.Cause = s.Observe(cause, what, from, i, m)
	before := s.Sites[i].Phase()
	s.Acting = i
	if e.Kind == Tell {
		s.Sites[i].Down(from)
	} else {
		s.Sites[i].Receive(from, m)
	}
	s.carryOut(i, before)
}

// Request makes a request of a node.
func (s *System) Request(i messaging.ID) {
	l := &s.Lives[i]
	l.Since = s.Observe(0, action.Requested, i, i, nil)
	s.Cause = l.Since
	s.Acting = i
	s.Sites[i].Request()
	s.carryOut(i, messaging.Waiting)
}

// Release has a node leave.
func (s *System) Release(i messaging.ID) {
	s.removeInside(i)
	s.Cause = s.Observe(s.Lives[i].Since, action.Left, i, i, nil)
	s.Acting = i
	s.Sites[i].Release()
	s.carryOut(i, messaging.Inside)
}

// Withdraw gives up the request of a node.
func (s *System) Withdraw(i messaging.ID) {
	s.Cause = s.Observe(s.Lives[i].Since, action.GaveUp, i, i, nil)
	s.Acting = i
	s.Sites[i].Withdraw()
	s.carryOut(i, s.Sites[i].Phase())
}

// Crash has a node crash.
func (s *System) Crash(i messaging.ID) {
	l := &s.Lives[i]
	l.Since = s.Observe(0, action.Crashed, i, i, nil)
	l.Crashed = true
	l.Crashes++
	s.Down++
	if s.Sites[i].Phase() == messaging.Inside {
		s.removeInside(i)
	}
	for j := range s.Sites {
		s.tellLater(messaging.ID(j), i)
	}
}

// Restart starts a node again that is down.
func (s *System) Restart(i messaging.ID) {
	l := &s.Lives[i]
	s.Cause = s.Observe(l.Since, action.Restarted, i, i, nil)
	l.Crashed = false
	s.Down--
	s.Acting = i
	s.Sites[i].Restart()
	s.Sites[i].Start()
	s.carryOut(i, messaging.Idle)
}

// TellOfCrashes has node i, which has restarted, learn which nodes are down.
func (s *System) TellOfCrashes(i messaging.ID) {
	for j := range s.Lives {
		if s.Lives[j].Crashed {
			s.tellLater(i, messaging.ID(j))
		}
	}
}

// tellLater has node i learn that another is down, if it is a survivor.
func (s *System) tellLater(i, crashed messaging.ID) {
	if !s.config.Detected || s.Lives[i].Crashed {
		return
	}
	if _, survives := messaging.As[messaging.Survivor](s.Sites[i].Node()); survives {
		s.host.Notify(Event{Kind: Tell, Cause: s.Lives[crashed].Since, From: int32(crashed), To: int32(i), N: s.Lives[i].Crashes})
	}
}

// carryOut carries out the effects of a handler of node i, whose site was in the
// phase before.
func (s *System) carryOut(i messaging.ID, before messaging.Phase) {
	s.Acting = None
	site := &s.Sites[i]
	if phase := site.Phase(); phase != before {
		switch {
		case before == messaging.Waiting && phase == messaging.Inside:
			s.Lives[i].Since = s.Observe(s.Cause, action.Entered, i, i, nil)
			s.checkExclusion(i)
			s.Inside = append(s.Inside, i)
			s.host.Entered(i, false)
		case before == messaging.Absorbing && phase == messaging.Idle:
			s.Cause = s.Observe(s.Cause, action.Passed, i, i, nil)
			s.checkExclusion(i)
			s.host.Entered(i, true)
		}
	}
	if len(site.Sends) > 0 {
		s.host.Send(i, site.Sends)
	}
	for _, t := range site.Timers {
		e := At(i, Expire, s.Lives[i].Crashes, t.Message)
		e.Cause = s.Cause
		s.host.Schedule(e, t.After)
	}
	if len(site.Emits) > 0 {
		s.emit(i, site.Emits)
	}
	site.Done()
}

// emit notes what a node has emitted, and judges it.
func (s *System) emit(i messaging.ID, all []any) {
	for _, v := range all {
		n := s.Observe(s.Cause, action.Emitted, i, i, v)
		s.Emits = append(s.Emits, messaging.Event{
			Number: n, Cause: s.Cause, At: s.Now, Action: action.Emitted, From: i, To: i, Message: v,
		})
		if s.emitted != nil {
			s.emitted[i] = append(s.emitted[i], v)
		}
	}
	s.host.Fail(s.Judge(false))
}
