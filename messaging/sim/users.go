package sim

import (
	"cmp"
	"slices"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// askInVain passes the turn of node i to ask: a request of the caller of a Simulation is not
// over, enough have been made, it has crashed, or it is too late.
func (s *simulation) askInVain(i messaging.ID, step int) {
	if u := &s.users[i]; u.byHand {
		u.owed = step + owing
		return
	}
	s.load.over(i)
}

// ask makes a request of node i.
func (s *simulation) ask(i messaging.ID, step int) {
	u := &s.users[i]
	u.byHand = step == handStep
	s.left--
	u.requests++
	s.lastUse = s.now
	s.wait(i)
	if s.exits != nil {
		s.exits[i].node = noNode
	}
	if s.sites[i].Phase() == messaging.Absorbing {
		s.absorbing--
	}
	u.since = s.observe(0, action.Requested, i, i, nil)
	s.cause = u.since
	s.acting = i
	s.sites[i].Request()
	s.carryOut(i, messaging.Waiting)
	s.scheduleGiveUp(i, step)
}

// tooLate reports whether a request of the script would have been given up by now,
// because an earlier one of its node took until then.
func (s *simulation) tooLate(step int) bool {
	return step >= 0 && s.script[step].GiveUp != 0 && s.script[step].GiveUp <= s.now
}

// scheduleGiveUp schedules the time, if any, at which node i gives up the request it
// has just made.
func (s *simulation) scheduleGiveUp(i messaging.ID, step int) {
	e := event{kind: giveUp, to: int32(i), n: s.users[i].requests}
	switch {
	case step >= 0 && s.script[step].GiveUp != 0:
		s.schedule(s.script[step].GiveUp, e)
	case step == noStep && s.userDice.happens(s.abortChance):
		s.schedule(s.after(s.c.GiveUpAfter.draw(&s.userDice)), e)
	}
}

func (s *simulation) enter(i messaging.ID) {
	u := &s.users[i]
	s.measureDelay(i)
	s.measured.Bypasses += s.stopWaiting(i)
	s.measure(&s.measured.Waiting, s.now-u.asked)
	s.fruitless = 0
	if s.measured.Entries == 0 {
		s.measured.firstEntry = s.now
	}
	s.measured.Entries++
	s.measured.lastEntry = s.now
	u.entries++
	if s.c.Order {
		u.visit = len(s.measured.Order)
		s.measured.Order = append(s.measured.Order, visit{i, u.asked, s.now, -1})
	}
	s.lastUse = s.now
	u.since = s.observe(s.cause, action.Entered, i, i, nil)
	s.checkExclusion(i)
	s.inside = append(s.inside, i)
	s.leaveAfter(i)
}

func (s *simulation) measureDelay(i messaging.ID) {
	last := &s.lastExit
	if s.exits != nil {
		last = &s.exits[i]
	}
	if last.node == noNode {
		return
	}
	delay := s.now - last.at
	s.measured.SyncDelay.add(delay)
	if s.c.Pairs {
		pair := [2]messaging.ID{last.node, i}
		times := s.measured.Pairs[pair]
		times.add(delay)
		s.measured.Pairs[pair] = times
	}
	last.node = noNode
}

func (s *simulation) leaveAfter(i messaging.ID) {
	stay := s.c.Stay.draw(&s.userDice)
	if s.script != nil && !s.users[i].byHand {
		stay = cmp.Or(s.script[s.users[i].step].Stay, stay)
	}
	if s.c.Stay.shape == unset {
		s.count(leave, 1) // once it is told to
		return
	}
	s.schedule(s.after(stay), event{kind: leave, to: int32(i), n: s.users[i].life})
}

func (s *simulation) leave(i messaging.ID) {
	u := &s.users[i]
	s.measure(&s.measured.Response, s.now-u.asked)
	if s.c.Order {
		s.measured.Order[u.visit].Left = s.now
	}
	s.lastUse = s.now
	s.noteExit(i)
	s.cause = s.observe(u.since, action.Left, i, i, nil)
	s.acting = i
	s.sites[i].Release()
	s.carryOut(i, messaging.Inside)
	s.overAt(i)
}

// noteExit records an exit of node i, at which a synchronization delay starts if a
// request is pending.
func (s *simulation) noteExit(i messaging.ID) {
	s.removeInside(i)
	if s.waiting.count > 0 {
		s.lastExit = exit{i, s.now}
	}
	if s.exits != nil {
		for j := range s.waiting.first(len(s.waiting.seats)) {
			if s.graph.Excludes(i, j) {
				s.exits[j] = exit{i, s.now}
			}
		}
	}
}

func (s *simulation) removeInside(i messaging.ID) {
	s.inside = slices.DeleteFunc(s.inside, func(j messaging.ID) bool { return j == i })
}

// giveUp gives up the request of node i, which waits.
func (s *simulation) giveUp(i messaging.ID) {
	s.lastUse = s.now
	s.stopWaiting(i)
	s.left++
	s.cause = s.observe(s.users[i].since, action.GaveUp, i, i, nil)
	s.acting = i
	s.sites[i].Withdraw()
	if s.sites[i].Phase() == messaging.Absorbing {
		s.absorbing++
		s.measured.Absorbed++
	} else {
		s.measured.Withdrawn++
	}
	s.carryOut(i, s.sites[i].Phase())
	s.endIfAllGiveUp()
	s.overAt(i)
}

// stopWaiting removes node i from the wait queue and returns how many earlier
// requests of nodes that it excludes still wait.
func (s *simulation) stopWaiting(i messaging.ID) int {
	u := &s.users[i]
	s.waiting.leave(u.seat)
	if s.waiting.count == 0 {
		s.lastExit.node = noNode
	}
	if s.exits == nil {
		return s.waiting.before(u.older)
	}
	bypassed := 0
	for j := range s.waiting.first(u.older) {
		if s.graph.Excludes(i, j) {
			bypassed++
		}
	}
	return bypassed
}

// pass records that an absorbed request has entered and left: no entry is counted,
// but mutual exclusion is checked all the same.
func (s *simulation) pass(i messaging.ID) {
	s.absorbing--
	s.cause = s.observe(s.cause, action.Passed, i, i, nil)
	s.checkExclusion(i)
	if s.err == nil {
		s.noteExit(i)
	}
}

// crash has node i crash. If it is the nth of Config.Crashes, the node may start again.
func (s *simulation) crash(i messaging.ID, nth int) {
	u := &s.users[i]
	u.since = s.observe(0, action.Crashed, i, i, nil)
	u.crashed = true
	u.life++
	s.crashes++
	for j := range s.users {
		s.tellLater(messaging.ID(j), i)
	}
	if nth >= 0 && s.c.Crashes[nth].Restart != 0 {
		s.schedule(max(s.now, s.c.Crashes[nth].Restart), event{kind: restart, to: int32(i)})
	}
	switch s.sites[i].Phase() {
	case messaging.Waiting:
		s.stopWaiting(i)
		s.left++
		s.overAt(i)
	case messaging.Inside:
		s.removeInside(i)
		s.count(leave, -1)
		s.overAt(i)
	case messaging.Absorbing:
		s.absorbing--
	}
}

// restart starts node i again, which is down.
func (s *simulation) restart(i messaging.ID) {
	u := &s.users[i]
	s.cause = s.observe(u.since, action.Restarted, i, i, nil)
	u.crashed = false
	s.crashes--
	s.acting = i
	s.sites[i].Restart()
	s.sites[i].Start()
	s.carryOut(i, messaging.Idle)
	s.load.restarted(i)
	for j := range s.users {
		if s.users[j].crashed {
			s.tellLater(i, messaging.ID(j))
		}
	}
}

func (s *simulation) askAfter(d time.Duration, i messaging.ID, step int) {
	s.schedule(s.after(d), event{kind: ask, to: int32(i), n: int32(step)})
}

// overAt is called when a request of node i is over.
func (s *simulation) overAt(i messaging.ID) {
	u := &s.users[i]
	if !u.byHand {
		s.load.over(i)
		return
	}
	u.byHand = false
	if u.owed != 0 {
		s.askAfter(0, i, u.owed-owing)
		u.owed = 0
	}
}

func (s *simulation) allCrashed(ids []messaging.ID) bool {
	return s.crashes > 0 && !slices.ContainsFunc(ids, func(i messaging.ID) bool { return !s.users[i].crashed })
}
