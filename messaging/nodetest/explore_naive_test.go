package nodetest_test

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/sim"
)

// A world is a state of an exploration, computed by replaying sites from the start:
// nothing is looked up or restored.
type world struct {
	e      explore.NodesConfig // with what is still to come: requests, inputs, crashes and the like
	sites  []*host.Site
	links  [][][]messaging.Message // by sender and receiver
	timers [][]host.Timer          // by node, in the order of expiry

	fresh, down []bool
	again       []bool   // it has crashed: Start.Restarted is part of the state
	forGood     bool     // none restarts
	untold      [][]bool // by node, of whose crash it has yet to hear
	emitted     [][]any
	locks       bool

	draws []draw // the next draws
	drawn int
}

type draw struct{ n, drawn int }

// A turn is a possible event in a state, with its draws.
type turn struct {
	what  int
	draws []draw
}

func newWorld(a messaging.Algorithm, e explore.NodesConfig) *world {
	n := e.Nodes
	w := &world{
		e: e, links: make([][][]messaging.Message, n), timers: make([][]host.Timer, n), emitted: make([][]any, n),
		fresh: make([]bool, n), down: make([]bool, n), again: make([]bool, n), forGood: e.Restarts == 0,
		untold: make([][]bool, n),
	}
	w.e.Requests, w.e.Inputs = slices.Clone(e.Requests), slices.Clone(e.Inputs)
	if e.Inputs == nil {
		w.e.Inputs = make([][]messaging.Message, n)
	}
	for i := range n {
		w.links[i], w.untold[i] = make([][]messaging.Message, n), make([]bool, n)
		w.sites = append(w.sites, host.NewSite(a, messaging.Start{Self: messaging.ID(i), Nodes: n}, w.choose))
		_, w.fresh[i] = w.sites[i].Node().(messaging.Starter)
		w.locks = w.locks || w.lock(i)
	}
	return w
}

func (w *world) lock(i int) bool {
	_, lock := w.sites[i].Node().(messaging.Exclusion)
	return lock
}

func (w *world) survives(i int) bool {
	_, survives := w.sites[i].Node().(messaging.Survivor)
	return survives && !w.down[i]
}

func (w *world) choose(n int) int {
	if w.drawn == len(w.draws) {
		w.draws = append(w.draws, draw{n: n})
	}
	w.drawn++
	return w.draws[w.drawn-1].drawn
}

// can returns the possible events.
func (w *world) can() (all []func()) {
	if i := slices.Index(w.fresh, true); i >= 0 {
		return []func(){func() { w.fresh[i] = false; w.sites[i].Start(); w.carryOut(i) }}
	}
	for i, s := range w.sites {
		add := func(possible bool, f func()) {
			if possible {
				all = append(all, func() { f(); w.carryOut(i) })
			}
		}
		up, phase := !w.down[i], s.Phase()
		add(!up && w.e.Restarts > 0, func() { w.restart(i); s.Start() })
		add(up && w.e.Crashes > 0, func() { w.crash(i) })
		asks := up && w.lock(i) && (phase == messaging.Idle || phase == messaging.Absorbing)
		add(asks && w.e.Requests[i] > 0, func() { w.e.Requests[i]--; s.Request() })
		add(len(w.e.Inputs[i]) > 0, func() {
			m := w.e.Inputs[i][0]
			if w.e.Inputs[i] = w.e.Inputs[i][1:]; up {
				s.Receive(messaging.ID(i), m)
			}
		})
		add(phase == messaging.Inside, s.Release)
		add(phase == messaging.Waiting && w.e.Withdrawals > 0, func() { w.e.Withdrawals--; s.Withdraw() })
		for j := range w.sites {
			for k, m := range w.links[j][i] {
				same := w.links[j][i][:k] // of which any one is as good as m
				if !w.e.Unordered {
					same = same[max(0, k-1):]
				}
				if slices.ContainsFunc(same, func(o messaging.Message) bool { return state.Equal(o, m) }) {
					continue
				}
				lose := func() { w.links[j][i] = slices.Delete(w.links[j][i], k, k+1) }
				add(k == 0 || w.e.Unordered, func() {
					if lose(); !w.down[i] {
						s.Receive(messaging.ID(j), m)
					}
				})
				add(up && w.e.Losses > 0, func() { w.e.Losses--; lose() })
				for at := k + 1; at <= len(w.links[j][i]); at++ {
					last := at == len(w.links[j][i])
					add(w.e.Duplicates > 0 && (last || !w.e.Unordered && !state.Equal(w.links[j][i][at], m)), func() {
						w.e.Duplicates--
						w.links[j][i] = slices.Insert(w.links[j][i], at, m)
					})
				}
			}
			suspects := w.survives(i) && i != j && !w.down[j] && w.e.Suspicions > 0
			add(w.untold[i][j], func() { w.untold[i][j] = false; s.Down(messaging.ID(j)) })
			add(suspects, func() { w.e.Suspicions--; s.Down(messaging.ID(j)) })
		}
		for k, t := range w.timers[i] {
			if w.e.AnyTime {
				behind := slices.ContainsFunc(w.timers[i][:k], func(before host.Timer) bool { return before.After <= t.After })
				add(!behind, func() { w.timers[i] = slices.Delete(w.timers[i], k, k+1); s.Receive(messaging.ID(i), t.Message) })
				continue
			}
			first, now := k == 0 && t.After == w.due(), t.After == 0 || w.waits()
			add(first && now, func() { w.expire(i) })
			add(first && !now && w.e.Early > 0, func() { w.e.Early--; w.expire(i) })
		}
	}
	return all
}

// crash crashes node i, which loses everything in transit to it if none can restart.
func (w *world) crash(i int) {
	w.e.Crashes--
	w.down[i], w.again[i], w.timers[i] = true, true, nil
	clear(w.untold[i])
	for j := range w.sites {
		w.untold[j][i] = w.e.Detected && w.survives(j) && !w.down[j]
	}
	w.sites[i].Restart()
	if w.forGood {
		w.e.Requests[i], w.e.Inputs[i] = 0, nil // its user will do nothing more
	}
}

// restart starts node i again: it is told of those that are down, and no node is told any more that it was down.
func (w *world) restart(i int) {
	w.e.Restarts--
	w.down[i] = false
	for j := range w.sites {
		w.untold[j][i] = false
		w.untold[i][j] = w.e.Detected && w.survives(i) && w.down[j]
	}
}

// waits reports whether a request is pending, if nodes are locks, and only timers are left.
func (w *world) waits() bool {
	waits := !w.locks
	for i, s := range w.sites {
		waits = waits || s.Phase() != messaging.Idle
		for j := range w.sites {
			if s.Phase() == messaging.Inside || len(w.links[j][i]) > 0 || w.untold[i][j] {
				return false
			}
		}
	}
	return waits
}

func (w *world) due() time.Duration {
	return slices.MinFunc(slices.Concat(w.timers...), func(s, t host.Timer) int { return cmp.Compare(s.After, t.After) }).After
}

func (w *world) expire(i int) {
	due, t := w.due(), w.timers[i][0]
	w.timers[i] = w.timers[i][1:]
	for _, ts := range w.timers {
		for k := range ts {
			ts[k].After -= due
		}
	}
	w.sites[i].Receive(messaging.ID(i), t.Message)
}

func (w *world) carryOut(i int) {
	for _, s := range w.sites[i].Sends {
		w.links[i][s.To] = append(w.links[i][s.To], s.Message)
	}
	w.timers[i] = append(w.timers[i], w.sites[i].Timers...)
	if !w.e.AnyTime {
		slices.SortStableFunc(w.timers[i], func(s, t host.Timer) int { return cmp.Compare(s.After, t.After) })
	}
	w.emitted[i] = append(w.emitted[i], w.sites[i].Emits...)
	w.sites[i].Done()
	for _, from := range w.links {
		for j := range from {
			if w.down[j] && w.forGood {
				from[j] = nil
			}
		}
	}
}

// key identifies the state.
func (w *world) key() string {
	var b strings.Builder
	fmt.Fprint(&b, w.e.Requests, w.e.Inputs, w.e.Withdrawals, w.fresh, w.down, w.again, w.untold, w.e.Crashes, w.e.Restarts, w.e.Early, w.e.Losses, w.e.Duplicates, w.e.Suspicions)
	if w.e.Results != nil {
		fmt.Fprintf(&b, "%#v", w.emitted)
	}
	for i, s := range w.sites {
		fmt.Fprintf(&b, "|%v %q %#v", s.Phase(), state.Append(nil, s.Node()), append([]host.Timer(nil), w.timers[i]...)) // nil if there is none
		for _, link := range w.links[i] {
			var ms []string
			for _, m := range link {
				ms = append(ms, fmt.Sprintf("%#v", m))
			}
			if w.e.Unordered {
				slices.Sort(ms)
			}
			fmt.Fprintf(&b, "%q", ms)
		}
	}
	return b.String()
}

// wrong returns the failure of the state, if any.
func (w *world) wrong() error {
	inside, o := 0, messaging.Outcome{Emitted: w.emitted}
	for i, s := range w.sites {
		if s.Phase() == messaging.Inside {
			inside++
		}
		if w.down[i] {
			o.Down.Add(messaging.ID(i))
		}
	}
	if inside > 1 {
		return errors.New("exclusion")
	}
	if w.e.Results != nil {
		calm := *w
		calm.e.Crashes, calm.e.Early, calm.e.Losses, calm.e.Duplicates, calm.e.Suspicions = 0, 0, 0, 0, 0
		calm.e.Requests = make([]int, len(w.sites))
		o.Over = len(calm.can()) == 0
		if err := w.e.Results(o); err != nil {
			return errors.New("results")
		}
	}
	if w.locks && w.waits() && len(slices.Concat(w.timers...)) == 0 && (w.e.Restarts == 0 || !slices.Contains(w.down, true)) {
		return errDeadlock
	}
	return nil
}

// errDeadlock is a failure after which the others go on.
var errDeadlock = errors.New("deadlock")

// played returns the world after these turns, with the draws of the last one.
func played(a messaging.Algorithm, e explore.NodesConfig, turns []turn) (w *world, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	w = newWorld(a, e)
	for _, t := range turns {
		w.draws, w.drawn = slices.Clone(t.draws), 0
		w.can()[t.what]()
	}
	return w, w.wrong()
}

// A survey is the result of an exploration: the number of turns to a failure, if any. One
// that is not a deadlock ends it.
type survey struct {
	states, events, depth int
	wrong                 error
	turns                 int
	cyclic                bool
	complete              bool
}

// surveyed is a naive CheckNodes, which gives up when there are more states than a limit.
func surveyed(a messaging.Algorithm, e explore.NodesConfig, limit int) (s survey) {
	number := map[string]int{newWorld(a, e).key(): 0}
	edges := [][]int{nil}
	for queue := [][]turn{nil}; len(queue) > 0; queue = queue[1:] {
		before, _ := played(a, e, queue[0])
		from := number[before.key()]
		s.depth = len(queue[0])
		for k := range before.can() {
			for draws, more := []draw(nil), true; more; draws, more = another(draws) {
				turns := append(slices.Clone(queue[0]), turn{k, draws})
				w, err := played(a, e, turns)
				if err != nil && (s.wrong == nil || !errors.Is(err, errDeadlock)) {
					s.wrong, s.turns = err, len(turns)
				}
				if err != nil && !errors.Is(err, errDeadlock) {
					s.complete = true
					return s
				}
				draws = w.draws
				s.events++
				to, known := number[w.key()]
				if !known {
					to = len(number)
					number[w.key()] = to
					edges = append(edges, nil)
					turns[len(turns)-1].draws = w.draws
					queue = append(queue, turns)
				}
				edges[from] = append(edges[from], to)
			}
		}
		if len(number) > limit {
			return s
		}
	}
	s.states, s.complete, s.cyclic = len(number), true, cyclic(edges, make([]byte, len(edges)), 0)
	return s
}

// another returns the next sequence of draws.
func another(draws []draw) ([]draw, bool) {
	draws = slices.Clone(draws)
	for len(draws) > 0 {
		if last := &draws[len(draws)-1]; last.drawn < last.n-1 {
			last.drawn++
			return draws, true
		}
		draws = draws[:len(draws)-1]
	}
	return nil, false
}

// cyclic reports whether a cycle can be reached from a state. The marks are those of states on
// the way, and of those from which none can be reached.
func cyclic(edges [][]int, marks []byte, from int) bool {
	const onTheWay, acyclic = 1, 2
	marks[from] = onTheWay
	for _, to := range edges[from] {
		if marks[to] == onTheWay || marks[to] == 0 && cyclic(edges, marks, to) {
			return true
		}
	}
	marks[from] = acyclic
	return false
}

var anEvent = regexp.MustCompile(`(?m)^S\d+,? ?(starts|crashes|starts again|asks|leaves|gives up|gets .* from (S\d+|its timer(, early)?|its user)|which is down, loses .*|does not get .*|will get .*|learns of .*|is told that .*)$`)

// agrees returns a survey, and what CheckNodes finds; or an error if they differ. If there are more
// states than a limit, nothing is compared.
func agrees(a messaging.Algorithm, e explore.NodesConfig, limit int) (s survey, explored, err error) {
	if s = surveyed(a, e, limit); !s.complete {
		return s, nil, nil
	}
	done, explored := every(a, e)
	kind := sim.Failure(explored)
	wrong := slices.Contains([]string{"panic", "exclusion", "deadlock", "results"}, kind)
	switch {
	case wrong != (s.wrong != nil):
		return s, explored, fmt.Errorf("%+v: not found: %w", s, explored)
	case wrong && (kind == "deadlock") != errors.Is(s.wrong, errDeadlock):
		return s, explored, fmt.Errorf("%+v, but %w", s, explored)
	case wrong:
		first := strings.Join(strings.SplitAfterN(explored.Error(), " fails, in ", 3)[:2], "") // of several runs
		if told := len(anEvent.FindAllString(first, -1)); told != s.turns {
			return s, explored, fmt.Errorf("found after %d events, and could be after %d (%w): %w", told, s.turns, s.wrong, explored)
		}
		if kind != "deadlock" { // after which the others go on
			return s, explored, nil
		}
	case kind == "endless" && !s.cyclic, explored != nil && kind != "endless":
		return s, explored, fmt.Errorf("%+v: %w", s, explored)
	}
	if s.states != done.States || s.events != done.Events || s.depth != done.Depth {
		return s, explored, fmt.Errorf("%+v, and the survey is %+v", done, s)
	}
	return s, explored, nil
}

// Explore visits exactly the reachable states.
func TestExploreIsComplete(t *testing.T) {
	visitsExactly(t, map[string]messaging.Algorithm{
		"ricartagrawala": ricartagrawala.New, "acknowledged": ricartagrawala.NewAcknowledged(time.Second, time.Minute),
		"lamport": lamport.New, "roucairolcarvalho": roucairolcarvalho.New,
		"majority": majority.New, "choosing": majority.NewChoosing,
	})
}

func visitsExactly(t *testing.T, all map[string]messaging.Algorithm) {
	t.Helper()
	if tier.Race {
		t.Skip("the other explorer is sequential")
	}
	for name, a := range all {
		for _, e := range []explore.NodesConfig{
			{Nodes: 2, Requests: []int{1, 1}},
			{Nodes: 2, Requests: []int{1, 0}, Withdrawals: 2, Unordered: true},
			{Nodes: 3, Requests: []int{0, 1, 0}, Crashes: 1, Unordered: true},
		} {
			s, _, err := agrees(a, e, tier.Pick(90, 400))
			assert.NoError(t, err, "%s, %+v", name, e)
			t.Logf("%s, %v: %+v", name, e.Requests, s)
		}
	}
}
