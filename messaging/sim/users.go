package sim

import (
	"cmp"
	"time"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/steps"
	"example.org/doorway/messaging"
)

// ask makes a request of node i.
func (s *simulation) ask(i messaging.ID, step int) {
	u := &s.users[i]
	u.byHand = step == handStep
	s.remaining--
	u.requests++
	s.lastUse = s.Now
	s.wait(i)
	if s.exits != nil {
		s.exits[i].node = steps.None
	}
	if s.Sites[i].Phase() == messaging.Absorbing {
		s.absorbing--
	}
	s.Request(i)
	s.scheduleGiveUp(i, step)
}

// tooLate reports whether a request of the script would have been given up by now,
// because an earlier one of its node took until then.
func (s *simulation) tooLate(step int) bool {
	return step >= 0 && s.script[step].GiveUp != 0 && s.script[step].GiveUp <= s.Now
}

// scheduleGiveUp schedules the time, if any, at which node i gives up the request it
// has just made.
func (s *simulation) scheduleGiveUp(i messaging.ID, step int) {
	e := steps.At(i, steps.GiveUp, s.users[i].requests, nil)
	switch {
	case step >= 0 && s.script[step].GiveUp != 0:
		s.schedule(s.script[step].GiveUp, e)
	case step == noStep && s.userDice.happens(s.abortChance):
		s.schedule(s.After(s.c.GiveUpAfter.draw(&s.userDice)), e)
	}
}

// Entered measures an entry, and has the node leave. That of an absorbed request is none, but its exit counts. It is a
// method of [steps.Host].
func (s *simulation) Entered(i messaging.ID, passed bool) {
	if passed {
		s.absorbing--
		if s.err == nil {
			s.noteExit(i)
		}
		return
	}
	u := &s.users[i]
	s.measureDelay(i)
	s.measured.Bypasses += s.stopWaiting(i)
	s.measure(&s.measured.Waiting, s.Now-u.asked)
	s.fruitless = 0
	if s.measured.Entries == 0 {
		s.measured.firstEntry = s.Now
	}
	s.measured.Entries++
	s.measured.lastEntry = s.Now
	u.entries++
	if s.c.Order {
		u.visit = len(s.measured.Order)
		s.measured.Order = append(s.measured.Order, visit{i, u.asked, s.Now, -1})
	}
	s.lastUse = s.Now
	s.leaveAfter(i)
}

func (s *simulation) measureDelay(i messaging.ID) {
	last := &s.lastExit
	if s.exits != nil {
		last = &s.exits[i]
	}
	if last.node == steps.None {
		return
	}
	delay := s.Now - last.at
	s.measured.SyncDelay.add(delay)
	if s.c.Pairs {
		pair := [2]messaging.ID{last.node, i}
		times := s.measured.Pairs[pair]
		times.add(delay)
		s.measured.Pairs[pair] = times
	}
	last.node = steps.None
}

func (s *simulation) leaveAfter(i messaging.ID) {
	stay := s.c.Stay.draw(&s.userDice)
	if s.script != nil && !s.users[i].byHand {
		stay = cmp.Or(s.script[s.users[i].step].Stay, stay)
	}
	if s.c.Stay.shape == unset {
		s.count(steps.Leave, 1) // once it is told to
		return
	}
	s.schedule(s.After(stay), steps.At(i, steps.Leave, s.Lives[i].Crashes, nil))
}

func (s *simulation) exit(i messaging.ID) {
	u := &s.users[i]
	s.measure(&s.measured.Response, s.Now-u.asked)
	if s.c.Order {
		s.measured.Order[u.visit].Left = s.Now
	}
	s.lastUse = s.Now
	s.noteExit(i)
	s.Release(i)
	s.overAt(i)
}

// noteExit records an exit of node i, at which a synchronization delay starts if a
// request is pending.
func (s *simulation) noteExit(i messaging.ID) {
	if s.waiting.count > 0 {
		s.lastExit = exit{i, s.Now}
	}
	if s.exits != nil {
		for j := range s.waiting.first(len(s.waiting.seats)) {
			if s.Graph.Excludes(i, j) {
				s.exits[j] = exit{i, s.Now}
			}
		}
	}
}

// giveUp gives up the request of node i, which waits.
func (s *simulation) giveUp(i messaging.ID) {
	s.lastUse = s.Now
	s.stopWaiting(i)
	s.remaining++
	s.Withdraw(i)
	if s.Sites[i].Phase() == messaging.Absorbing {
		s.absorbing++
		s.measured.Absorbed++
	} else {
		s.measured.Withdrawn++
	}
	s.fruitless++
	if s.fruitless-100*s.c.Nodes >= maxFruitless {
		s.fail("%w: %d requests in a row were given up and no node entered", history.Unending, s.fruitless)
	}
	s.overAt(i)
}

// stopWaiting removes node i from the wait queue and returns how many earlier
// requests of nodes that it excludes still wait.
func (s *simulation) stopWaiting(i messaging.ID) int {
	u := &s.users[i]
	s.waiting.free(u.seat)
	if s.waiting.count == 0 {
		s.lastExit.node = steps.None
	}
	if s.exits == nil {
		return s.waiting.before(u.older)
	}
	bypassed := 0
	for j := range s.waiting.first(u.older) {
		if s.Graph.Excludes(i, j) {
			bypassed++
		}
	}
	return bypassed
}

// crash has node i crash. If it is the nth of Config.Crashes, the node may start again.
func (s *simulation) crash(i messaging.ID, nth int) {
	s.Crash(i)
	if nth >= 0 && s.c.Crashes[nth].Restart != 0 {
		s.schedule(max(s.Now, s.c.Crashes[nth].Restart), steps.At(i, steps.Restart, 0, nil))
	}
	switch s.Sites[i].Phase() {
	case messaging.Waiting:
		s.stopWaiting(i)
		s.remaining++
		s.overAt(i)
	case messaging.Inside:
		s.count(steps.Leave, -1)
		s.overAt(i)
	case messaging.Absorbing:
		s.absorbing--
	}
}

// restart starts node i again, which is down.
func (s *simulation) restart(i messaging.ID) {
	s.Restart(i)
	s.load.restarted(i)
	s.TellOfCrashes(i)
}

func (s *simulation) askAfter(d time.Duration, i messaging.ID, step int) {
	s.schedule(s.After(d), steps.At(i, steps.Ask, int32(step), nil))
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
