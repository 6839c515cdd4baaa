package nodetest_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
)

// A world is a state of an exploration, computed by replaying sites from the start:
// nothing is looked up or restored.
type world struct {
	e      explore.NodesConfig
	sites  []*messaging.Site
	links  [][][]messaging.Message // by sender and receiver
	timers [][]messaging.Timer     // by node, in the order of expiry
	left   []int
	giveUp int

	fresh, down       []bool
	again             []bool // it has crashed: Start.Restarted is part of the state
	crashes, restarts int
	early             int
	given             []int // by node, of its inputs
	emitted           [][]any
	locks             bool

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
	w := &world{e: e, giveUp: e.Withdrawals, left: slices.Clone(e.Requests), timers: make([][]messaging.Timer, e.Nodes)}
	for i := range e.Nodes {
		w.links = append(w.links, make([][]messaging.Message, e.Nodes))
		w.sites = append(w.sites, messaging.NewSite(a, messaging.Start{Self: messaging.ID(i), Nodes: e.Nodes}, w.choose))
		_, starts := w.sites[i].Node().(messaging.Starter)
		_, lock := w.sites[i].Node().(messaging.Exclusion)
		w.fresh, w.down, w.again, w.locks = append(w.fresh, starts), append(w.down, false), append(w.again, false), w.locks || lock
	}
	w.crashes, w.restarts, w.early, w.emitted, w.given = e.Crashes, e.Restarts, e.Early, make([][]any, e.Nodes), make([]int, e.Nodes)
	return w
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
		add := func(f func()) { all = append(all, func() { f(); w.carryOut(i) }) }
		_, lock := s.Node().(messaging.Exclusion)
		switch {
		case w.down[i] && w.restarts > 0:
			add(func() { w.restarts--; w.down[i] = false; s.Start() })
		case !w.down[i] && w.crashes > 0:
			add(func() { w.crash(i) })
		}
		if p := s.Phase(); (p == messaging.Idle || p == messaging.Absorbing) && w.left[i] > 0 && lock && !w.down[i] {
			add(func() { w.left[i]--; s.Request() })
		}
		if w.e.Inputs != nil && !w.down[i] && w.given[i] < len(w.e.Inputs[i]) {
			add(func() { w.given[i]++; s.Receive(messaging.ID(i), w.e.Inputs[i][w.given[i]-1]) })
		}
		if s.Phase() == messaging.Inside {
			add(s.Release)
		}
		if s.Phase() == messaging.Waiting && w.giveUp > 0 {
			add(func() { w.giveUp--; s.Withdraw() })
		}
		for j := range w.sites {
			for k, m := range w.links[j][i] {
				twice := slices.ContainsFunc(w.links[j][i][:k], func(o messaging.Message) bool { return state.Equal(o, m) })
				if k == 0 || w.e.Unordered && !twice {
					add(func() {
						w.links[j][i] = slices.Delete(w.links[j][i], k, k+1)
						if !w.down[i] {
							s.Receive(messaging.ID(j), m)
						}
					})
				}
			}
		}
		if w.e.AnyTime {
			for k, t := range w.timers[i] {
				if !slices.ContainsFunc(w.timers[i][:k], func(before messaging.Timer) bool { return before.After <= t.After }) {
					add(func() { w.timers[i] = slices.Delete(w.timers[i], k, k+1); s.Receive(messaging.ID(i), t.Message) })
				}
			}
		} else if len(w.timers[i]) > 0 && w.timers[i][0].After == w.due() {
			switch {
			case w.waits():
				add(func() { w.expire(i) })
			case w.early > 0:
				add(func() { w.early--; w.expire(i) })
			}
		}
	}
	return all
}

// crash crashes node i, which loses everything in transit to it if none can restart.
func (w *world) crash(i int) {
	w.crashes--
	w.down[i], w.again[i], w.timers[i] = true, true, nil
	w.sites[i].Restart()
	if w.e.Restarts == 0 {
		w.left[i] = 0 // its user will do nothing more
		if w.e.Inputs != nil {
			w.given[i] = len(w.e.Inputs[i])
		}
	}
	w.drop()
}

func (w *world) drop() {
	for i := range w.sites {
		for j := range w.sites {
			if w.down[i] && w.e.Restarts == 0 {
				w.links[j][i] = nil
			}
		}
	}
}

// waits reports whether a request is pending, if nodes are locks, and only timers are left.
func (w *world) waits() bool {
	waits := !w.locks
	for i, s := range w.sites {
		waits = waits || s.Phase() != messaging.Idle
		for j := range w.sites {
			if s.Phase() == messaging.Inside || len(w.links[j][i]) > 0 {
				return false
			}
		}
	}
	return waits
}

func (w *world) due() time.Duration {
	var all []time.Duration
	for _, ts := range w.timers {
		for _, t := range ts {
			all = append(all, t.After)
		}
	}
	return slices.Min(all)
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
		slices.SortStableFunc(w.timers[i], func(s, t messaging.Timer) int { return int(s.After - t.After) })
	}
	w.emitted[i] = append(w.emitted[i], w.sites[i].Emits...)
	w.sites[i].Done()
	w.drop()
}

// key identifies the state.
func (w *world) key() string {
	var b strings.Builder
	fmt.Fprint(&b, w.left, w.given, w.giveUp, w.fresh, w.down, w.again, w.crashes, w.restarts, w.early)
	if w.e.Results != nil {
		fmt.Fprintf(&b, "%#v", w.emitted)
	}
	for i, s := range w.sites {
		fmt.Fprintf(&b, "|%v %q %#v", s.Phase(), state.Append(nil, s.Node()), append([]messaging.Timer(nil), w.timers[i]...)) // nil if there is none
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
	inside := 0
	for _, s := range w.sites {
		if s.Phase() == messaging.Inside {
			inside++
		}
	}
	if inside > 1 {
		return errors.New("exclusion")
	}
	if w.e.Results != nil {
		crashes, early := w.crashes, w.early
		w.crashes, w.early = 0, 0
		over := len(w.can()) == 0
		w.crashes, w.early = crashes, early
		o := messaging.Outcome{Emitted: w.emitted, Over: over}
		for i, down := range w.down {
			if down {
				o.Down.Add(messaging.ID(i))
			}
		}
		if err := w.e.Results(o); err != nil {
			return errors.New("results")
		}
	}
	if w.locks && w.waits() && len(slices.Concat(w.timers...)) == 0 && (w.restarts == 0 || !slices.Contains(w.down, true)) {
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
	s.states, s.complete, s.cyclic = len(number), true, cyclic(edges)
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

// cyclic reports whether states are left after repeatedly removing those without a
// predecessor.
func cyclic(edges [][]int) bool {
	incoming := make([]int, len(edges))
	for _, to := range slices.Concat(edges...) {
		incoming[to]++
	}
	var free []int
	for s, n := range incoming {
		if n == 0 {
			free = append(free, s)
		}
	}
	for k := 0; k < len(free); k++ {
		for _, to := range edges[free[k]] {
			if incoming[to]--; incoming[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return len(free) < len(edges)
}

var anEvent = regexp.MustCompile(`(?m)^node \d+,? ?(starts|crashes|restarts|requests|leaves|gives up|gets .* from (\d+|its timer(, early)?|its user)|which is down, loses .*)$`)

// agrees returns an error if CheckNodes and a survey differ. If there are more states than a
// limit, nothing is compared.
func agrees(a messaging.Algorithm, e explore.NodesConfig, limit int) (survey, error) {
	s := surveyed(a, e, limit)
	if !s.complete {
		return s, nil
	}
	done, err := every(a, e)
	kind := nodetest.Failure(err)
	wrong := kind == "panic" || kind == "exclusion" || kind == "deadlock" || kind == "results"
	switch {
	case wrong != (s.wrong != nil):
		return s, fmt.Errorf("%+v: not found: %w", s, err)
	case wrong && (kind == "deadlock") != errors.Is(s.wrong, errDeadlock):
		return s, fmt.Errorf("%+v, but %w", s, err)
	case wrong:
		if told := len(anEvent.FindAllString(err.Error(), -1)); told != s.turns {
			return s, fmt.Errorf("found after %d events, and could be after %d (%w): %w", told, s.turns, s.wrong, err)
		}
		if kind != "deadlock" { // after which the others go on
			return s, nil
		}
	case kind == "endless" && !s.cyclic, err != nil && kind != "endless":
		return s, fmt.Errorf("%+v: %w", s, err)
	}
	if s.states != done.States || s.events != done.Events || s.depth != done.Depth {
		return s, fmt.Errorf("%+v, and the survey is %+v", done, s)
	}
	return s, nil
}

// Explore visits exactly the reachable states.
func TestExploreIsComplete(t *testing.T) {
	visitsExactly(t, map[string]messaging.Algorithm{
		"arbiter": of[arbiter], "patient": of[patient], "late": of[late], "deaf": of[deaf], "gambling": of[gambling],
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
			{Nodes: 2, Requests: []int{2, 1}, Withdrawals: 1},
			{Nodes: 2, Requests: []int{1, 2}, Withdrawals: 2, Unordered: true},
			{Nodes: 3, Requests: []int{0, 1, 1}, Unordered: true},
		} {
			if s, err := agrees(a, e, tier.Pick(130, 400)); err != nil {
				t.Errorf("%s, %+v: %v", name, e, err)
			} else {
				t.Logf("%s, %+v: %+v", name, e, s)
			}
		}
	}
}

// A haphazard node follows a random table of rules.
type haphazard struct {
	start messaging.Start
	rules *[3][6]rule // by state and input

	State int
	Waits bool
}

type rule struct{ next, effect, other int }

// The inputs of a haphazard node: those without a message, and Say.
const (
	isAsked = iota
	isOver
	isGivenUp
	isTold // one of three messages
)

type Say struct{ What int }

func (n *haphazard) apply(input int, out messaging.Out) {
	r := n.rules[n.State][input]
	n.State = r.next
	n.effect(r.effect, out)
	n.effect(r.other, out)
}

func (n *haphazard) effect(k int, out messaging.Out) {
	next := (n.start.Self + 1) % messaging.ID(n.start.Nodes)
	switch {
	case k < 3:
		out.Send(next, Say{k})
	case k < 8 && n.Waits:
		n.Waits = false
		out.Enter()
	case k == 8:
		n.State = out.Choose(3)
	case k == 9 && n.Waits:
		out.After(time.Duration(1+n.State), Say{n.State})
	}
}

func (n *haphazard) Request(out messaging.Out) {
	n.Waits = true
	n.apply(isAsked, out)
}

func (n *haphazard) Release(out messaging.Out) { n.apply(isOver, out) }

func (n *haphazard) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	n.apply(isTold+m.(Say).What, out)
}

// A retracting node is a haphazard Withdrawer.
type retracting struct{ haphazard }

func (n *retracting) Withdraw(out messaging.Out) {
	n.Waits = false
	n.apply(isGivenUp, out)
}

// question returns rules by which a node asks the next one and enters when that has
// answered, which is correct if only one asks; some rules are changed at random.
func question(r *rand.Rand) (rules [3][6]rule) {
	const answer, enter, nothing = 1, 3, 10
	for s := range rules {
		rules[s] = [6]rule{{s, 0, nothing}, {s, nothing, nothing}, {s, nothing, nothing}, {s, answer, nothing}, {s, enter, nothing}, {s, nothing, nothing}}
	}
	for range 1 + r.IntN(3) {
		rules[r.IntN(3)][r.IntN(6)] = rule{r.IntN(3), r.IntN(5), r.IntN(14)}
	}
	return rules
}

func anything(r *rand.Rand) (rules [3][6]rule) {
	for s := range rules {
		for i := range rules[s] {
			rules[s][i] = rule{r.IntN(3), r.IntN(14), r.IntN(30)}
		}
	}
	return rules
}

// random returns an algorithm of haphazard nodes.
func random(seed uint64, table func(*rand.Rand) [3][6]rule) messaging.Algorithm {
	rules := table(rand.New(rand.NewPCG(seed, 1)))
	return func(start messaging.Start) messaging.Node {
		n := haphazard{start: start, rules: &rules}
		if seed%2 == 0 {
			return &retracting{n}
		}
		return &n
	}
}

// For random algorithms, Explore finds every failure that Run finds, and Run finds
// none where Explore finds none.
func TestExploreIsRun(t *testing.T) {
	if tier.Race {
		t.Skip("random schedules are sequential")
	}
	found := map[string]int{}
	for seed := range tier.Pick[uint64](80, 600) {
		a, e := random(seed, anything), explore.NodesConfig{Nodes: 2, Requests: []int{2, 2}}
		users := []int{0, 1}
		if seed%8 < 6 {
			a, e.Requests, users = random(seed, question), []int{0, 2}, []int{1}
		}
		e.Withdrawals, e.Unordered = 4, seed%4 < 2
		s, err := agrees(a, e, 200)
		require.NoError(t, err, "seed %d", seed)
		if !s.complete {
			found["too large"]++
			continue
		}
		_, explored := every(a, e)
		ran := false
		for k := range uint64(30) {
			c := nodetest.Config{
				Nodes: 2, Entries: int(1 + k%2), Users: users, Seed: k, Unordered: e.Unordered, Withdraw: float64(k%3) / 4, Steps: 1000,
			}
			if err := nodetest.Run(a, c); err != nil {
				if ran = true; explored == nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		found[kindOf(explored)]++
		if explored != nil && !ran {
			found[kindOf(explored)+", and not by Run"]++
		}
	}
	t.Log(found)
	for _, kind := range []string{"exclusion", "deadlock", "endless", "nothing"} {
		if found[kind] < tier.Pick(1, 3) {
			t.Errorf("%s: %d times, which is not worth much", kind, found[kind])
		}
	}
}

func kindOf(err error) string { return cmp.Or(nodetest.Failure(err), "nothing") }
