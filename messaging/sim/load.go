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
type workload interface {
	begin()

	// over is called when a request of node i has ended: it left, was given up, or
	// its node crashed.
	over(i messaging.ID)

	// restarted is called when node i has crashed and starts again.
	restarted(i messaging.ID)

	// rest is called when nothing is in transit and no node waits or is inside. It
	// reports whether it has scheduled a request.
	rest() bool

	// users returns the nodes that may ask.
	users() []messaging.ID
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
	return &lowLoad{LowLoad: l, noLoad: noLoad{s, orAll(s, l.Users)}}
}

type lowLoad struct {
	LowLoad
	noLoad
	next int
	none bool // no node could ask when one was to
}

func (l *lowLoad) begin() {
	if l.s.c.Perpetual {
		l.none = !l.askNext()
	}
}

func (l *lowLoad) over(messaging.ID) { l.begin() }

func (l *lowLoad) restarted(messaging.ID) {
	if l.none {
		l.begin()
	}
}

func (l *lowLoad) rest() bool { return l.askNext() }

// askNext schedules the next request and reports whether any node can ask. The turn
// of a crashed node passes without a request.
func (l *lowLoad) askNext() bool {
	if l.s.remaining == 0 || l.s.allCrashed(l.ask) {
		return false
	}
	l.s.askAfter(l.Gap.draw(&l.s.userDice), l.turn(), noStep)
	return true
}

func (l *lowLoad) turn() messaging.ID {
	if l.Random {
		return l.ask[l.s.userDice.below(uint64(len(l.ask)))]
	}
	i := l.ask[l.next]
	l.next = (l.next + 1) % len(l.ask)
	return i
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
	return &highLoad{HighLoad: h, noLoad: noLoad{s, orAll(s, h.Users)}}
}

type highLoad struct {
	HighLoad
	noLoad
	down []messaging.ID // nodes that were to ask while they were down
}

func (h *highLoad) begin() {
	for _, i := range h.ask {
		h.s.askAfter(0, i, noStep)
	}
}

func (h *highLoad) over(i messaging.ID) {
	switch {
	case h.s.Lives[i].Crashed:
		h.down = append(h.down, i)
	case h.s.remaining > 0:
		h.s.askAfter(h.Think.draw(&h.s.userDice), i, noStep)
	}
}

func (h *highLoad) restarted(i messaging.ID) {
	if k := slices.Index(h.down, i); k >= 0 {
		h.down = slices.Delete(h.down, k, k+1)
		h.over(i)
	}
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

func (r Script) workload(s *simulation) workload {
	steps := slices.Clone(r)
	slices.SortStableFunc(steps, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.At, b.At))
	})
	s.script = steps
	var ids []messaging.ID
	for _, q := range steps {
		ids = append(ids, q.Node)
	}
	return &script{noLoad{s, ids}}
}

// A script goes on while a node is down: its steps do.
type script struct{ noLoad }

// begin schedules the first request of every node.
func (r *script) begin() {
	for k, q := range r.s.script {
		if k == 0 || r.s.script[k-1].Node != q.Node {
			r.s.users[q.Node].step = k
			r.s.askAfter(q.At, q.Node, k)
		}
	}
}

func (r *script) over(i messaging.ID) {
	k := r.s.users[i].step + 1
	if k < len(r.s.script) && r.s.script[k].Node == i {
		r.s.users[i].step = k
		r.s.askAfter(max(0, r.s.script[k].At-r.s.Now), i, k)
	}
}

// A noLoad leaves it to the caller of a Simulation who asks.
type noLoad struct {
	s   *simulation
	ask []messaging.ID // the nodes that may ask, in the order in which they do
}

func (noLoad) begin()                  {}
func (noLoad) over(messaging.ID)       {}
func (noLoad) restarted(messaging.ID)  {}
func (noLoad) rest() bool              { return false }
func (l noLoad) users() []messaging.ID { return l.ask }

// checkUsers checks the users of a load that goes on until a limit.
func checkUsers(c *Config, field string, ids []messaging.ID) error {
	return cmp.Or(
		refuseIf(c.Entries == 0 && c.Until == 0,
			"Config.Entries and Config.Until are both 0: under load, a run needs a limit"),
		refuseIf(ids != nil && len(ids) == 0, "%s is empty: at least one node must ask", field),
		each(field, ids, c.checkNode),
	)
}

func orAll(s *simulation, ids []messaging.ID) []messaging.ID {
	if ids != nil {
		return ids
	}
	for i := range messaging.ID(s.c.Nodes) {
		ids = append(ids, i)
	}
	return ids
}
