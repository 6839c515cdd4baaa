package sim

import (
	"cmp"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// A Load determines which nodes ask for the critical section, and when: a [LowLoad],
// a [HighLoad] or a [Script]. Each node has one user, and at most one request at a
// time.
type Load interface {
	check(c *Config) error
	workload(s *simulation) workload
}

// A workload drives the users of a run.
type workload struct {
	users []messaging.ID // the nodes that may ask, in the order in which they do
	begin func()

	// over is called when a request of node i has ended: it left, was given up, or
	// its node crashed.
	over func(i messaging.ID)

	// restarted is called when node i has crashed and starts again.
	restarted func(i messaging.ID)

	// rest is called when nothing is in transit and no node waits or is inside. It
	// reports whether it has scheduled a request.
	rest func() bool
}

// noLoad returns a workload in which no user asks; nil: of all nodes.
func noLoad(s *simulation, users []messaging.ID) workload {
	if users == nil {
		for i := range messaging.ID(s.c.Nodes) {
			users = append(users, i)
		}
	}
	return workload{
		users: users, begin: func() {}, over: func(messaging.ID) {}, restarted: func(messaging.ID) {},
		rest: func() bool { return false },
	}
}

// LowLoad has at most one request at a time: the next is made when the last has left
// and nothing is in transit any more. It requires Config.Entries or Config.Until.
type LowLoad struct {
	// Users ask one after the other in this order, then again from the first.
	// Default: all nodes in the order of their numbers.
	Users []messaging.ID

	// Random draws the next node from Users instead.
	Random bool

	// Gap is the pause before each request. Default: 0.
	Gap Distribution
}

func (l LowLoad) check(c *Config) error {
	return cmp.Or(
		checkUsers(c, "LowLoad.Users", l.Users),
		l.Gap.check("LowLoad.Gap"),
	)
}

func (l LowLoad) workload(s *simulation) workload {
	w := noLoad(s, l.Users)
	next, none := 0, false // whose turn it is; no node could ask when one was to
	turn := func() messaging.ID {
		if l.Random {
			return w.users[s.userDice.below(uint64(len(w.users)))]
		}
		i := w.users[next]
		next = (next + 1) % len(w.users)
		return i
	}
	// The turn of a crashed node passes without a request.
	w.rest = func() bool {
		up := func(i messaging.ID) bool { return !s.Lives[i].Crashed }
		if s.remaining == 0 || s.Down > 0 && !slices.ContainsFunc(w.users, up) {
			return false
		}
		s.askAfter(l.Gap.draw(&s.userDice), turn(), noStep)
		return true
	}
	if s.c.Perpetual {
		w.begin = func() { none = !w.rest() }
	}
	w.over = func(messaging.ID) { w.begin() }
	w.restarted = func(messaging.ID) {
		if none {
			w.begin()
		}
	}
	return w
}

// HighLoad has every user ask at time 0, and again whenever it has left. It requires
// Config.Entries or Config.Until.
type HighLoad struct {
	// Users are the nodes that ask. Default: all nodes.
	Users []messaging.ID

	// Think is how long a user waits before it asks again. Default: 0.
	Think Distribution
}

func (h HighLoad) check(c *Config) error {
	different := slices.Compact(slices.Sorted(slices.Values(h.Users)))
	return cmp.Or(
		checkUsers(c, "HighLoad.Users", h.Users),
		h.Think.check("HighLoad.Think"),
		refuseIf(len(different) < len(h.Users), "HighLoad.Users is %d: a node is named twice", h.Users),
	)
}

func (h HighLoad) workload(s *simulation) workload {
	w := noLoad(s, h.Users)
	var down []messaging.ID // nodes that were to ask while they were down
	w.begin = func() {
		for _, i := range w.users {
			s.askAfter(0, i, noStep)
		}
	}
	w.over = func(i messaging.ID) {
		switch {
		case s.Lives[i].Crashed:
			down = append(down, i)
		case s.remaining > 0:
			s.askAfter(h.Think.draw(&s.userDice), i, noStep)
		}
	}
	w.restarted = func(i messaging.ID) {
		if k := slices.Index(down, i); k >= 0 {
			down = slices.Delete(down, k, k+1)
			w.over(i)
		}
	}
	return w
}

// A Script is a list of requests, which may be empty. Each node makes its own in the order of At. A
// request that is due while an earlier one is not over is made when that is over, or
// dropped if it would have been given up by then.
type Script []Request

// A Request has Node ask at the time At, and leave after Stay in the critical
// section.
type Request struct {
	Node messaging.ID
	At   time.Duration

	Stay   time.Duration // 0: Config.Stay
	GiveUp time.Duration // when it gives up unless it has entered; 0: never
}

func (r Script) check(c *Config) error {
	return each("Script", r, func(field string, q Request) error {
		return cmp.Or(
			c.checkNode(field+".Node", q.Node),
			checkTime(field+".At", q.At),
			checkTime(field+".Stay", q.Stay),
			checkTime(field+".GiveUp", q.GiveUp),
			checkLater(field, "GiveUp", q.GiveUp, q.At),
		)
	})
}

// workload goes on while a node is down: its steps do.
func (r Script) workload(s *simulation) workload {
	s.script = slices.Clone(r)
	slices.SortStableFunc(s.script, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.At, b.At))
	})
	w := noLoad(s, []messaging.ID{})
	for _, q := range s.script {
		w.users = append(w.users, q.Node)
	}
	ask := func(k int) {
		q := s.script[k]
		s.users[q.Node].step = k
		s.askAfter(max(0, q.At-s.Now), q.Node, k)
	}
	w.begin = func() {
		for k, q := range s.script {
			if k == 0 || s.script[k-1].Node != q.Node {
				ask(k)
			}
		}
	}
	w.over = func(i messaging.ID) {
		if k := s.users[i].step + 1; k < len(s.script) && s.script[k].Node == i {
			ask(k)
		}
	}
	return w
}

// checkUsers checks the users of a load that goes on until a limit.
func checkUsers(c *Config, field string, ids []messaging.ID) error {
	return cmp.Or(
		refuseIf(c.Entries == 0 && c.Until == 0,
			"Config.Entries and Config.Until are both 0: under load, a run needs a limit"),
		refuseIf(ids != nil && len(ids) == 0, "%s is empty: at least one node must ask", field),
		each(field, ids, c.checkNode),
	)
}
