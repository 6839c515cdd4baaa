// Package nodetest tests nodes of algorithms for mutual exclusion: it runs them
// in random schedules, in which every message takes as long as chance likes, and
// reports the first that breaks a promise, with all that happened before.
//
//	for seed := range uint64(1000) {
//		if err := nodetest.Run(ricartagrawala.New, nodetest.Config{Nodes: 4, Seed: seed}); err != nil {
//			t.Fatal(err)
//		}
//	}
package nodetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// A Config says what is run. The zero value of each field but Nodes is fine.
type Config struct {
	Nodes     int     // at least 1
	Entries   int     // how many are begun altogether; 0: 4 for each node
	Users     []int   // the nodes that enter, by number; nil: all
	Seed      uint64  // decides everything
	Unordered bool    // messages of a link may overtake each other
	Withdraw  float64 // the probability with which an attempt is given up, 0 to 1
	Steps     int     // how many events a schedule may have; 0: a million
}

// The errors that Run finds.
var (
	ErrExclusion = errors.New("two nodes are inside")
	ErrStuck     = errors.New("somebody waits, and nothing is under way")
	ErrEndless   = errors.New("the schedule does not end")
	ErrPanic     = errors.New("a node panicked")
)

// Run runs nodes of a in the schedule that the seed decides. It returns nil if
// every attempt entered or was given up, no two nodes were inside at a time, and
// nothing is under way in the end; otherwise an error that wraps one of the above
// and tells what happened.
func Run(a messaging.Algorithm, c Config) (err error) {
	s := newSchedule(a, c)
	defer func() {
		if r := recover(); r != nil {
			err = s.failure(fmt.Errorf("%w: %v", ErrPanic, r))
		}
	}()
	return s.run()
}

type schedule struct {
	c      Config
	rand   *rand.Rand
	sites  []*messaging.Site
	sent   []flight // by the order in which they were sent
	timers []timer  // by the time when they are due, then as set
	now    time.Duration
	left   int // attempts that are not begun yet
	past   []string
}

type flight struct {
	from, to messaging.ID
	message  messaging.Message
}

type timer struct {
	due     time.Duration
	node    messaging.ID
	message messaging.Message
}

func newSchedule(a messaging.Algorithm, c Config) *schedule {
	s := &schedule{c: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), left: c.Entries}
	if s.left == 0 {
		s.left = 4 * c.Nodes
	}
	if s.c.Steps == 0 {
		s.c.Steps = 1_000_000
	}
	if s.c.Users == nil {
		for i := range c.Nodes {
			s.c.Users = append(s.c.Users, i)
		}
	}
	for i := range c.Nodes {
		s.sites = append(s.sites, messaging.NewSite(a, messaging.Start{Self: messaging.ID(i), Nodes: c.Nodes}, s.rand.IntN))
	}
	return s
}

// A step is something that can happen next.
type step func()

func (s *schedule) run() error {
	for range s.c.Steps {
		next := s.next()
		if next == nil {
			return s.end()
		}
		next()
		if err := s.excluded(); err != nil {
			return err
		}
	}
	return s.failure(ErrEndless)
}

// next draws one of the steps that can be taken; nil if there are none. A user
// acts with a probability of one in four, so that there is mostly traffic.
func (s *schedule) next() step {
	users := s.userSteps()
	links := s.deliverable()
	switch {
	case len(users) > 0 && (len(links) == 0 || s.rand.IntN(4) == 0):
		return users[s.rand.IntN(len(users))]
	case len(links) > 0:
		k := links[s.rand.IntN(len(links))]
		return func() { s.deliver(k) }
	case len(s.timers) > 0 && s.anyoneWaits():
		return s.expire
	}
	return nil
}

// deliverable returns which messages may be delivered next: all, or of each link
// the first.
func (s *schedule) deliverable() []int {
	var all []int
	seen := map[[2]messaging.ID]bool{}
	for k, f := range s.sent {
		link := [2]messaging.ID{f.from, f.to}
		if s.c.Unordered || !seen[link] {
			all = append(all, k)
		}
		seen[link] = true
	}
	return all
}

func (s *schedule) userSteps() []step {
	var steps []step
	for _, i := range s.c.Users {
		switch s.sites[i].Phase() {
		case messaging.Idle, messaging.Absorbing:
			if s.left > 0 {
				steps = append(steps, func() { s.left--; s.act(i, "requests", (*messaging.Site).Request) })
			}
		case messaging.Inside:
			steps = append(steps, func() { s.act(i, "leaves", (*messaging.Site).Release) })
		case messaging.Waiting:
			if s.rand.Float64() < s.c.Withdraw {
				steps = append(steps, func() { s.act(i, "gives up", (*messaging.Site).Withdraw) })
			}
		}
	}
	return steps
}

func (s *schedule) act(i int, what string, do func(*messaging.Site)) {
	s.note("node %d %s", i, what)
	do(s.sites[i])
	s.carryOut(messaging.ID(i))
}

func (s *schedule) deliver(k int) {
	f := s.sent[k]
	s.sent = append(s.sent[:k], s.sent[k+1:]...)
	s.note("node %d gets %T%+v from %d", f.to, f.message, f.message, f.from)
	s.sites[f.to].Receive(f.from, f.message)
	s.carryOut(f.to)
}

// expire lets time pass until the next timer: nothing else can happen.
func (s *schedule) expire() {
	t := s.timers[0]
	s.timers = s.timers[1:]
	s.now = t.due
	s.note("node %d gets %T%+v from its timer", t.node, t.message, t.message)
	s.sites[t.node].Receive(t.node, t.message)
	s.carryOut(t.node)
}

func (s *schedule) carryOut(i messaging.ID) {
	site := s.sites[i]
	for _, m := range site.Sends {
		s.sent = append(s.sent, flight{i, m.To, m.Message})
	}
	for _, t := range site.Timers {
		due := s.now + t.After
		k := 0
		for k < len(s.timers) && s.timers[k].due <= due {
			k++
		}
		s.timers = append(s.timers[:k], append([]timer{{due, i, t.Message}}, s.timers[k:]...)...)
	}
	site.Done()
	if site.Phase() == messaging.Inside {
		s.note("node %d is inside", i)
	}
}

func (s *schedule) excluded() error {
	inside := -1
	for i, site := range s.sites {
		if site.Phase() != messaging.Inside {
			continue
		}
		if inside >= 0 {
			return s.failure(fmt.Errorf("%w: %d and %d", ErrExclusion, inside, i))
		}
		inside = i
	}
	return nil
}

func (s *schedule) anyoneWaits() bool {
	for _, site := range s.sites {
		if p := site.Phase(); p == messaging.Waiting || p == messaging.Absorbing {
			return true
		}
	}
	return false
}

func (s *schedule) end() error {
	if s.anyoneWaits() {
		return s.failure(ErrStuck)
	}
	return nil
}

func (s *schedule) note(format string, args ...any) {
	s.past = append(s.past, fmt.Sprintf(format, args...))
}

// failure is err with the last events.
func (s *schedule) failure(err error) error {
	const most = 200
	past := s.past
	if len(past) > most {
		past = append([]string{"..."}, past[len(past)-most:]...)
	}
	return fmt.Errorf("seed %d: %w\n%s", s.c.Seed, err, strings.Join(past, "\n"))
}
