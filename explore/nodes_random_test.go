//go:build !doorway_explore

package explore_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// A plainRun is a run of real nodes, of which it is the messaging.Out: no state and no message
// is copied, encoded or restored.
type plainRun struct {
	messaging.Out // nil: no node sets a timer

	p      *program
	nodes  []*actor
	phases []messaging.Phase
	inside int
	left   []int    // requests
	links  [][]sent // in transit, by receiver and sender

	aborts   int        // how many may still happen
	losses   int        // likewise
	doubles  int        // likewise
	absorbed bool       // the node has entered by an aborted request
	asked    []asked    // the latest requests, by node
	past     []requests // that happened before, by node
	passed   [3]bool    // by node: while its request has waited, one that is an effect of that has entered
	at       int        // the node whose handler runs
	own      []messaging.Message
	draws    string // '0' and so on: those that are given, then 0
	ranges   []int  // of the draws
	emitted  [][]any
}

// A set of requests is a bit for each.
type requests uint8

// A sent message has those that happened before.
type sent struct {
	messaging.Message
	past requests
}

// An asked is a request, with those that happened before; itself is 0 once it was aborted.
type asked struct{ itself, past requests }

// An incident is an event of a run: a request, an abort, a leave, or the receipt, the loss or the
// repetition of the message at a place of the link from a node, which may be like another there but
// for what happened before.
type incident struct {
	what, node, from, place byte
	second                  byte // the place of the repetition
	alike                   bool
	draws                   string
}

func (w *plainRun) Send(to messaging.ID, m messaging.Message) {
	if int(to) == w.at {
		w.own = append(w.own, m)
		return
	}
	link := int(to)*len(w.nodes) + w.at
	w.links[link] = append(w.links[link], sent{m, w.past[w.at]})
}

func (w *plainRun) Enter() {
	switch w.phases[w.at] {
	case messaging.Waiting:
		w.inside++
	case messaging.Absorbing:
		w.absorbed = true
	default:
		panic("entry without a request")
	}
	w.phases[w.at] = messaging.Inside
	for p, a := range w.asked {
		w.passed[p] = w.passed[p] || w.phases[p] == messaging.Waiting && a.itself&w.asked[w.at].past != 0
	}
}

func (w *plainRun) Choose(n int) int {
	if w.ranges = append(w.ranges, n); len(w.ranges) > len(w.draws) {
		w.draws += "0"
	}
	return int(w.draws[len(w.ranges)-1] - '0')
}

func (w *plainRun) Emit(v any) { w.emitted[w.at] = append(w.emitted[w.at], v) }

// happen has an event happen, and returns the panic of the node.
func (w *plainRun) happen(e incident) (panicked any) {
	defer func() { panicked = recover() }()
	w.at, w.draws, w.ranges = int(e.node), e.draws, nil
	node := w.nodes[w.at]
	switch e.what {
	case 'g':
		w.aborts--
		w.phases[w.at], w.asked[w.at].itself = messaging.Absorbing, 0
	case 'q':
		w.left[w.at]--
		resumes := w.phases[w.at] == messaging.Absorbing
		w.phases[w.at] = messaging.Waiting
		w.asked[w.at] = asked{1 << (w.at + len(w.nodes)*w.left[w.at]), w.past[w.at]}
		w.past[w.at] |= w.asked[w.at].itself
		if !resumes {
			node.Request(w)
		}
	case 'l':
		w.phases[w.at] = messaging.Idle
		w.inside--
		node.Release(w)
	case 'r':
		link := &w.links[w.at*len(w.nodes)+int(e.from)]
		m := (*link)[e.place]
		*link = slices.Delete(*link, int(e.place), int(e.place)+1)
		w.past[w.at] |= m.past
		node.Receive(messaging.ID(e.from), m.Message, w)
	case 'x':
		w.losses--
		link := &w.links[w.at*len(w.nodes)+int(e.from)]
		*link = slices.Delete(*link, int(e.place), int(e.place)+1)
	case 'd':
		w.doubles--
		link := &w.links[w.at*len(w.nodes)+int(e.from)]
		*link = slices.Insert(*link, int(e.second), (*link)[e.place])
	}
	for k := 0; len(w.own) > 0 || w.absorbed; k++ {
		switch {
		case k == 100:
			panic(endless)
		case len(w.own) > 0:
			node.Receive(messaging.ID(w.at), w.own[0], w)
			w.own = w.own[1:]
		default:
			w.absorbed, w.phases[w.at] = false, messaging.Idle
			node.Release(w)
		}
	}
	return nil
}

const endless = "endless"

// possible returns the events that are possible.
func (w *plainRun) possible() (all []incident) {
	for i, phase := range w.phases {
		switch {
		case phase == messaging.Inside:
			all = append(all, incident{what: 'l', node: byte(i)})
		case phase != messaging.Waiting && w.left[i] > 0:
			all = append(all, incident{what: 'q', node: byte(i)})
		case phase == messaging.Waiting && w.aborts > 0:
			all = append(all, incident{what: 'g', node: byte(i)})
		}
		for from := range w.nodes {
			link := w.links[i*len(w.nodes)+from]
			for k, m := range link {
				equal := func(o sent) bool { return read(o) == read(m) } // no node can tell them apart
				same := func(o sent) bool { return equal(o) && o.past == m.past }
				before := link[:k]
				if !w.p.config.Unordered {
					before = before[max(0, k-1):]
				}
				if slices.ContainsFunc(before, same) {
					continue
				}
				e := incident{what: 'r', node: byte(i), from: byte(from), place: byte(k), alike: slices.ContainsFunc(before, equal)}
				if k == 0 || w.p.config.Unordered {
					all = append(all, e)
				}
				if e.what = 'x'; w.losses > 0 {
					all = append(all, e)
				}
				e.what = 'd'
				for at := k + 1; w.doubles > 0 && (at == k+1 || at <= len(link) && !w.p.config.Unordered); at++ {
					again := e
					again.second, again.alike = byte(at), e.alike || at < len(link) && !w.p.config.Unordered && equal(link[at])
					all = append(all, again)
				}
			}
		}
	}
	return all
}

// read returns a message as text.
func read(m sent) string { return fmt.Sprintf("%T%v", m.Message, m.Message) }

// text is all that the future depends on.
func (w *plainRun) text() string {
	texts := []string{fmt.Sprintf("%d %d %d %d %d", w.phases, w.left, w.aborts, w.losses, w.doubles)}
	for _, a := range w.nodes {
		texts = append(texts, a.text())
	}
	if w.p.config.Results != nil {
		texts = append(texts, fmt.Sprint(w.emitted))
	}
	for _, link := range w.links {
		texts = append(texts, "on a link:")
		first := len(texts)
		for _, m := range link {
			texts = append(texts, read(m))
		}
		if w.p.config.Unordered {
			slices.Sort(texts[first:])
		}
	}
	return strings.Join(texts, "\n")
}

// A prefix is the beginning of a run.
type prefix struct {
	before *prefix // nil: nothing has happened
	event  incident
	counts bool // the event is one in a state that is new
}

// run runs a program from the start, and returns the panic in the last event.
func (at *prefix) run(p *program) (w *plainRun, panicked any) {
	if at.before != nil {
		w, _ = at.before.run(p)
		return w, w.happen(at.event)
	}
	n := p.config.Nodes
	w = &plainRun{p: p, phases: make([]messaging.Phase, n), left: slices.Clone(p.config.Requests), links: make([][]sent, n*n), emitted: make([][]any, n), aborts: p.config.Withdrawals, losses: p.config.Losses, doubles: p.config.Duplicates, asked: make([]asked, n), past: make([]requests, n)}
	for i := range n {
		w.nodes = append(w.nodes, p.node(messaging.Start{Self: messaging.ID(i), Nodes: n, Holder: p.config.Holder}).(*actor))
	}
	return w, nil
}

// A finding is what is found of a program; of one that panics or has two nodes inside, no more than that.
type finding struct {
	kind   string // "holds", "exclusion", "deadlock", "panic"; "large": not known
	length int    // the least number of events to the failure

	states, events, depth, ends, queue int
	passed                             int // the least number of events to an entry that is not in happened-before order, before the first node of which there is one; 0: none
	starving                           messaging.Set
	results                            map[string]bool // that nodes emit
}

// mostRuns is how many runs of a program are searched. Few programs have more.
const mostRuns = 2000

// search searches all runs of a program, the shorter ones first, and runs each from the start.
// If merges is set, it goes on with one of several runs that lead to the same state, with the same past.
func (p *program) search(merges bool) finding {
	f := finding{kind: "holds", results: map[string]bool{}}
	seen, states := map[string]bool{}, map[string]bool{}
	level, runs := []*prefix{{}}, 0
	var passed [3]int
	for depth := 0; len(level) > 0; depth++ {
		var next []*prefix
		bad := ""
		for ; len(level) > 0; level = level[1:] {
			at := level[0]
			if at.counts {
				f.events++
			}
			w, panicked := at.run(p)
			if runs++; runs > mostRuns || panicked == endless {
				return finding{kind: "large"}
			}
			for k := len(at.event.draws); k < len(w.ranges); k++ { // other draws in the last event
				for drawn := 1; drawn < w.ranges[k]; drawn++ {
					other := *at
					other.event.draws = w.draws[:k] + string(rune('0'+drawn))
					level = append(level, &other)
				}
			}
			if panicked != nil {
				bad = "panic"
				continue
			}
			if w.inside > 1 && bad == "" {
				bad = "exclusion"
			}
			text := w.text()
			key := fmt.Sprintf("%s %v %v %v %#v", text, w.asked, w.past, w.passed, w.links)
			if merges && seen[key] {
				continue
			}
			f.add(w, depth, !states[text])
			for i := range passed {
				if w.passed[i] && passed[i] == 0 {
					passed[i] = depth
				}
			}
			for _, e := range w.possible() {
				next = append(next, &prefix{at, e, !states[text] && !e.alike})
			}
			seen[key], states[text] = true, true
		}
		if bad != "" {
			return finding{kind: bad, length: depth}
		}
		level = next
	}
	f.passed = cmp.Or(passed[:]...)
	return f
}

// add adds what is so after a run.
func (f *finding) add(w *plainRun, depth int, isNew bool) {
	left, transit := w.possible(), 0
	if isNew {
		f.states, f.depth = f.states+1, depth
	}
	if isNew && len(left) == 0 {
		f.ends++
	}
	if w.p.config.Results != nil {
		f.judge(w.emitted, !slices.ContainsFunc(left, func(e incident) bool { return e.what != 'q' }))
	}
	for _, link := range w.links {
		f.queue, transit = max(f.queue, len(link)), transit+len(link)
	}
	for i, phase := range w.phases {
		if phase != messaging.Idle && w.inside == 0 && transit == 0 {
			if phase == messaging.Waiting {
				f.starving.Add(messaging.ID(i))
			}
			if f.kind == "holds" {
				f.kind, f.length = "deadlock", depth
			}
		}
	}
}

// judge adds what nodes have emitted, and that it is over with that. That it is not is not added: the simulator, which
// repeats a failure, also judges whenever a node has emitted something.
func (f *finding) judge(emitted [][]any, over bool) {
	f.results[fmt.Sprint(emitted)] = true
	if over {
		f.results[fmt.Sprint("over: ", emitted)] = true
	}
}

// checked returns what CheckNodes finds, with the history of a failure.
func (p *program) checked() (f finding, history string) {
	f = finding{kind: "holds", results: map[string]bool{}}
	c := p.config
	if c.Results != nil {
		c.Results = func(o messaging.Outcome) error {
			f.judge(o.Emitted, o.Over)
			return nil
		}
	}
	r, err := explore.CheckNodes(c)
	switch {
	case err != nil:
		return finding{kind: "error"}, err.Error()
	case r.NoPanic.Status == explore.Fails:
		return finding{kind: "panic", length: r.NoPanic.History.Length}, r.NoPanic.History.String()
	case r.MutualExclusion.Status == explore.Fails:
		return finding{kind: "exclusion", length: r.MutualExclusion.History.Length}, r.MutualExclusion.History.String()
	case r.DeadlockFree.Status == explore.Fails:
		f.kind, f.length, history = "deadlock", r.DeadlockFree.History.Length, r.DeadlockFree.History.String()
	}
	f.states, f.events, f.depth, f.ends, f.queue = r.States, r.Events, r.Depth, r.Ends, r.Queue
	f.starving = messaging.SetOf(r.Starving...)
	if r.HappenedBefore.Status == explore.Fails {
		f.passed = r.HappenedBefore.History.Length
	}
	return f, history
}

// For random protocols, CheckNodes finds what a search of all their runs finds: how many states
// and events there are, what fails after how many events, who waits forever, and what is emitted.
func TestNodesAgainstPlainSearch(t *testing.T) {
	if tier.Race {
		t.Skip("the plain search is sequential")
	}
	found := map[string]int{}
	programs := tier.Pick(160, 2300)
	for seed := range uint64(programs) {
		p := newProgram(seed)
		if seed%3 == 0 {
			p.config.Results = func(messaging.Outcome) error { return nil }
		}
		p.config.Withdrawals = int(seed % 4 / 3)
		plain := p.search(true)
		found[plain.kind]++
		if plain.passed > 0 {
			found["passed"]++
		}
		if plain.kind == "large" {
			continue
		}
		if seed%8 == 0 {
			if unmerged := p.search(false); unmerged.kind != "large" {
				found["without merging"]++
				require.Equal(t, unmerged, plain, "seed %d: the plain search merges what differs\n%s", seed, p)
			}
		}
		got, history := p.checked()
		require.Equal(t, plain, got, "seed %d\n%s\n%s", seed, p, history)
		if tier.Full && (seed%64 == 1 || seed%4 == 1 && slices.Contains(p.on["request"], "stamp")) {
			found["unbounded: "+p.unbounded(t, seed, plain)]++
		}
	}
	t.Log(found)
	assert.Less(t, found["large"], programs/8, "too many are not judged")
	for kind, share := range map[string]int{"holds": 6, "deadlock": 6, "exclusion": 8, "panic": 100, "without merging": 30} {
		assert.GreaterOrEqual(t, found[kind], programs/share, "%s: that is not worth much", kind)
	}
}

// Which of several equal messages arrives, or arrives twice, decides what a request has effects on.
func TestNodesHappenedBeforeAgainstPlainSearch(t *testing.T) {
	const ( // node 1 waits forever; before its request, it answers node 0
		once = `
request: busy? stop; token? done to next; token? enter at once; token? stop; noted? done to 0; noted? stop; grant to 0
done: noted? be busy; count up; note; waiting? stop; no token? done to asker
grant: be busy`
		never = `
request: no token? done to 0; no token? grant to 0; no token? stop; busy? stop; done to next; enter at once
done: no token? grant to asker; no token? stop; be busy`
	)
	for name, tt := range map[string]struct {
		text   string
		config explore.NodesConfig
		passed bool
	}{
		"the first":              {once, explore.NodesConfig{}, false},
		"any":                    {once, explore.NodesConfig{Unordered: true}, true},
		"the second":             {once, explore.NodesConfig{Losses: 1}, true},
		"a copy ahead of others": {never, explore.NodesConfig{Duplicates: 1}, false},
	} {
		p := parsed(tt.text)
		p.config = tt.config
		p.config.New, p.config.Nodes, p.config.Requests = p.node, 2, []int{2, 1}
		plain := p.search(true)
		assert.Equal(t, tt.passed, plain.passed > 0, name)
		got, history := p.checked()
		assert.Equal(t, plain, got, "%s\n%s", name, history)
	}
}

// unbounded asserts that what fails with a few requests fails with any number, not later; and
// not sooner unless with more requests. There, states are explored up to shifts of their times.
func (p *program) unbounded(t *testing.T, seed uint64, plain finding) string {
	t.Helper()
	few := p.config.Requests
	p.config.Requests, p.config.Rounds, p.config.Results, p.config.Memory = nil, explore.Unbounded, nil, 32<<20
	got, history := p.checked()
	switch got.kind {
	case "holds":
		require.Equal(t, got.kind, plain.kind, "seed %d\n%s", seed, p)
		return got.kind
	case "exclusion", "deadlock", "panic":
	default:
		require.Regexp(t, "memory|states grow", history, "seed %d\n%s", seed, p)
		return "not judged"
	}
	for i, most := range few {
		if strings.Count(history, fmt.Sprintf("node %d requests", i)) > most {
			require.False(t, plain.kind == got.kind && got.length > plain.length, "seed %d\n%s\n%s", seed, p, history)
			return got.kind + ", with more requests"
		}
	}
	require.Equal(t, []any{plain.kind, plain.length}, []any{got.kind, got.length}, "seed %d\n%s\n%s", seed, p, history)
	return got.kind
}
