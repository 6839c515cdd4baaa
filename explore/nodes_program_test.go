//go:build !doorway_explore

package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// A program is a protocol: the steps that a node takes on each input. A step is an action,
// behind the condition under which it is taken, if any: "busy? queue asker".
type program struct {
	on     map[string][]string
	config explore.NodesConfig
}

var inputs = []string{"request", "release", "wish", "list", "grant", "done"}

type (
	wish  struct{ At messaging.Stamp }
	list  struct{ Line []messaging.ID }
	grant struct{ N int8 }
	done  struct{ N int8 } // looks like grant
)

// An actor is a node that follows a program.
type actor struct {
	start messaging.Start
	on    func(input string) (steps []string)

	Wants, In, Busy, Token bool
	N                      int8
	Queue                  []messaging.ID
	Answers                messaging.Set
	Clock                  messaging.Clock
	Mine                   messaging.Stamp
	Note                   [2]string
}

func (a *actor) text() string {
	return fmt.Sprint(a.Wants, a.In, a.Busy, a.Token, a.N, a.Queue, slices.Collect(a.Answers.All()), a.Clock, a.Mine, a.Note)
}

func (a *actor) Request(out messaging.Out) {
	a.Wants = true
	a.take("request", turn{Out: out, from: a.start.Self})
}

func (a *actor) Release(out messaging.Out) {
	a.In = false
	a.take("release", turn{Out: out, from: a.start.Self})
}

func (a *actor) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case wish:
		a.take("wish", turn{Out: out, from: from, at: m.At})
	case list:
		a.take("list", turn{Out: out, from: from, line: m.Line})
	case grant:
		a.take("grant", turn{Out: out, from: from, n: m.N})
	case done:
		a.take("done", turn{Out: out, from: from, n: m.N})
	}
}

// A turn is a handler that runs, and what is in its message.
type turn struct {
	*actor
	messaging.Out
	from messaging.ID // of what the user does, the node itself
	at   messaging.Stamp
	line []messaging.ID
	n    int8
	over bool
}

func (a *actor) take(input string, t turn) {
	t.actor = a
	for _, step := range a.on(input) {
		if when, do := parts(step); !t.over && conditions[when](&t) {
			actions[do](&t)
		}
	}
}

func parts(step string) (when, do string) {
	if when, do, found := strings.Cut(step, "? "); found {
		return when, do
	}
	return "always", step
}

var conditions = map[string]func(t *turn) bool{
	"always":            func(*turn) bool { return true },
	"busy":              func(t *turn) bool { return t.Busy },
	"not busy":          func(t *turn) bool { return !t.Busy },
	"token":             func(t *turn) bool { return t.Token },
	"no token":          func(t *turn) bool { return !t.Token },
	"free token":        func(t *turn) bool { return t.Token && !t.Wants && !t.In },
	"no free token":     func(t *turn) bool { return !t.Token || t.Wants || t.In },
	"waiting":           func(t *turn) bool { return t.Wants },
	"queue":             func(t *turn) bool { return len(t.Queue) > 0 },
	"no queue":          func(t *turn) bool { return len(t.Queue) == 0 },
	"all have answered": func(t *turn) bool { return t.Answers.Len() >= t.start.Nodes-1 },
	"majority":          func(t *turn) bool { return t.Answers.Len() > t.start.Nodes/2 },
	"asker answered":    func(t *turn) bool { return t.Answers.Has(t.from) },
	"zero":              func(t *turn) bool { return t.N == 0 },
	"noted":             func(t *turn) bool { return t.Note[1] == "noted" },
	"prior":             func(t *turn) bool { return t.In || t.Wants && t.Mine.Before(t.at) }, // to the wish
}

var actions = withSends(map[string]func(t *turn){
	"enter at once":  func(t *turn) { t.Wants, t.In = false, true; t.Enter() },
	"stop":           func(t *turn) { t.over = true },
	"lose track":     func(t *turn) { t.Wants, t.In = false, false },
	"be busy":        func(t *turn) { t.Busy = true },
	"be idle":        func(t *turn) { t.Busy = false },
	"take token":     func(t *turn) { t.Token = true },
	"drop token":     func(t *turn) { t.Token = false },
	"queue asker":    func(t *turn) { t.Queue = append(t.Queue, t.from) },
	"drop head":      func(t *turn) { t.Queue = slices.Delete(t.Queue, 0, min(1, len(t.Queue))) },
	"clear queue":    func(t *turn) { t.Queue = nil },
	"empty queue":    func(t *turn) { t.Queue = t.Queue[:0] },
	"load queue":     func(t *turn) { t.Queue = slices.Clone(t.line) },
	"count answer":   func(t *turn) { t.Answers.Add(t.from) },
	"discard answer": func(t *turn) { t.Answers.Remove(t.from) },
	"forget answers": func(t *turn) { clear(t.Answers) },
	"stamp":          func(t *turn) { t.Mine = t.Clock.Tick(t.start.Self) },
	"unstamp":        func(t *turn) { t.Mine = messaging.Stamp{} },
	"witness":        func(t *turn) { t.Clock.Witness(t.at) },
	"load number":    func(t *turn) { t.N = t.n },
	"count up":       func(t *turn) { t.N = (t.N + 1) % 4 },
	"count down":     func(t *turn) { t.N = max(0, t.N-1) },
	"toss":           func(t *turn) { t.N = int8(t.Choose(2)) },
	"draw":           func(t *turn) { t.N = int8(t.Choose(3)) },
	"emit":           func(t *turn) { t.Emit(t.N) },
	"note":           func(t *turn) { t.Note[t.N%2] = "noted" },
	"enter": func(t *turn) {
		if t.Wants {
			t.Wants, t.In = false, true
			t.Enter()
		}
	},
})

// withSends adds sends of each kind to some nodes: "wish to others".
func withSends(all map[string]func(t *turn)) map[string]func(t *turn) {
	for to, nodes := range map[string]func(t *turn) []messaging.ID{
		"asker":  func(t *turn) []messaging.ID { return []messaging.ID{t.from} },
		"0":      func(*turn) []messaging.ID { return []messaging.ID{0} },
		"others": func(t *turn) []messaging.ID { return slices.Collect(t.start.Others()) },
		"all":    func(t *turn) []messaging.ID { return append(slices.Collect(t.start.Others()), t.start.Self) },
		"head":   func(t *turn) []messaging.ID { return t.Queue[:min(1, len(t.Queue))] },
		"queue":  func(t *turn) []messaging.ID { return t.Queue },
		"next":   func(t *turn) []messaging.ID { return []messaging.ID{(t.start.Self + 1) % messaging.ID(t.start.Nodes)} },
	} {
		for what, message := range map[string]func(t *turn) messaging.Message{
			"wish":  func(t *turn) messaging.Message { return wish{t.Mine} },
			"list":  func(t *turn) messaging.Message { return list{slices.Clone(t.Queue)} },
			"grant": func(t *turn) messaging.Message { return grant{t.N} },
			"done":  func(t *turn) messaging.Message { return done{t.N} },
		} {
			all[what+" to "+to] = func(t *turn) {
				for _, j := range nodes(t) {
					t.Send(j, message(t))
				}
			}
		}
	}
	return all
}

// skeletons are protocols that are about right: a coordinator, node 0; a token, for which nodes
// ask; one that goes around a ring a few times; permission of all, after Ricart and Agrawala;
// the votes of a majority; and a token that has the queue.
var skeletons = []string{`
request: wish to 0
release: done to 0
wish: busy? queue asker; not busy? grant to asker; be busy
grant: enter
done: no queue? be idle; grant to head; drop head`, `
request: token? enter; no token? wish to others
release: queue? drop token; grant to head; drop head
wish: no free token? queue asker; free token? grant to asker; free token? drop token
grant: take token; enter`, `
request: token? enter; no token? wish to others
release: count up; grant to next; drop token
wish: free token? count up; free token? grant to next; free token? drop token
grant: load number; take token; enter; zero? stop; count down; free token? grant to next; free token? drop token`, `
request: stamp; forget answers; wish to others
release: unstamp; grant to queue; clear queue
wish: witness; prior? queue asker; prior? stop; grant to asker
grant: count answer; all have answered? enter`, `
request: forget answers; wish to all
release: done to all
wish: busy? queue asker; not busy? grant to asker; be busy
grant: waiting? count answer; majority? enter
done: no queue? be idle; grant to head; drop head`, `
request: token? enter; no token? wish to others
release: queue? list to head; queue? drop token
wish: queue asker; free token? list to head; free token? drop token
list: load queue; take token; drop head; enter`}

// newProgram returns a random one: a skeleton with a few changes, or anything.
func newProgram(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 33))
	p := parsed("")
	requests := [][]int{{1, 1}, {1, 1}, {1, 1}, {1, 2}, {2, 1}, {1, 1, 0}, {0, 1, 1}}[r.IntN(7)]
	p.config = explore.NodesConfig{New: p.node, Nodes: len(requests), Requests: requests, Holder: messaging.ID(r.IntN(2)), Unordered: r.IntN(4) == 0}
	if k := r.IntN(len(skeletons) + 3); k < len(skeletons) {
		p.on = parsed(skeletons[k]).on
		for range r.IntN(4) {
			p.mutate(r)
		}
		return p
	}
	for _, input := range inputs {
		for range 1 + r.IntN(3) {
			p.on[input] = append(p.on[input], anyStep(r, input))
		}
	}
	p.on["grant"] = append(p.on["grant"], []string{"enter", "enter at once"}[r.IntN(2)])
	return p
}

// parsed returns the program that is written as the skeletons are.
func parsed(text string) *program {
	p := &program{on: map[string][]string{}}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		input, steps, _ := strings.Cut(strings.TrimSpace(line), ": ")
		p.on[input] = strings.Split(steps, "; ")
	}
	p.config.New = p.node
	return p
}

func (p *program) node(start messaging.Start) messaging.Node {
	return &actor{start: start, on: func(input string) []string { return p.on[input] }, Token: start.Self == start.Holder}
}

// mutate drops, changes or adds a step.
func (p *program) mutate(r *rand.Rand) {
	input := inputs[r.IntN(len(inputs))]
	steps, s := p.on[input], anyStep(r, input)
	at := r.IntN(len(steps) + 1)
	switch change := r.IntN(4); {
	case change == 0 || at == len(steps):
		p.on[input] = slices.Insert(steps, at, s)
	case change == 1:
		p.on[input] = slices.Delete(steps, at, at+1)
	case change == 2:
		when, _ := parts(s)
		_, do := parts(steps[at])
		steps[at] = when + "? " + do
	default:
		steps[at] = s
	}
}

// anyStep returns a random step on an input. On a message it sends those of later kinds
// only, so that few protocols send forever.
func anyStep(r *rand.Rand, input string) string {
	do := oneOf(r, actions)
	if r.IntN(8) == 0 {
		do = "enter"
	}
	kind, _, sends := strings.Cut(do, " to ")
	switch {
	case sends && (r.IntN(2) == 0 || slices.Index(inputs, kind) <= slices.Index(inputs, input)):
		return anyStep(r, input)
	case r.IntN(2) == 0:
		return do
	}
	return oneOf(r, conditions) + "? " + do
}

func oneOf[F any](r *rand.Rand, all map[string]F) string {
	return slices.Sorted(maps.Keys(all))[r.IntN(len(all))]
}

func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "requests %v, unordered %t, holder %d\n", p.config.Requests, p.config.Unordered, p.config.Holder)
	for _, input := range inputs {
		fmt.Fprintf(&b, "%s: %s\n", input, strings.Join(p.on[input], "; "))
	}
	return b.String()
}
