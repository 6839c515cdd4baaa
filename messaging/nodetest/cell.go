package nodetest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// A cell is a node with everything that only it can act on: its user, its timers
// and the messages in transit to it. There are far fewer cells than global states,
// so the possible moves of a cell are computed once and then looked up. Cells and
// their parts have numbers; equal ones have the same number.
type cell struct {
	position uint32
	fresh    bool       // the node has yet to start
	down     bool       // the node has crashed and not restarted
	left     int        // the number of requests that its user may still make
	mail     [][]uint32 // by sender, the messages in transit; sorted if links are unordered
	timers   []pending  // by due time, then in the order of setting; if Exploration.AnyTime, in that order only
	emitted  []uint32   // if Exploration.Results is set

	phase messaging.Phase // that of the position
	under int             // the number of messages in transit
	known bool            // whether moves is computed
	moves []move
}

// A position is the state of a node and its user.
type position struct {
	node  messaging.ID
	again bool // the node has restarted
	phase messaging.Phase
	state string // encoded
}

// A pending is the message of a running timer.
type pending struct {
	after   time.Duration
	message uint32
}

// never is later than every timer.
const never time.Duration = math.MaxInt64

// due returns when the first timer is due.
func (c *cell) due() time.Duration {
	if len(c.timers) == 0 {
		return never
	}
	return c.timers[0].after
}

// A move is a possible event at a node, with its cell afterwards.
type move struct {
	*outcome
	cell uint32
}

// An input is an event at a node.
type input struct {
	what    cause
	from    messaging.ID // the sender of a message; of a timer, the node itself
	message uint32
}

type cause uint8

const (
	starts cause = iota
	asks
	leaves
	givesUp
	crashes
	restarts
	loses // a message that arrives while the node is down
	gets
	expires
)

// An outcome is the result of an input. If the node chooses, an input has several.
type outcome struct {
	input
	branch   int // its number among those
	position uint32
	mail     []parcel
	timers   []pending
	drawn    []int    // the results of its choices
	choices  []choice // the same, with their ranges
	emits    []uint32 // if Exploration.Results is set
	events   []event  // further events: messages of the node to itself, its choices, and what it emits
	entered  bool
	absorbed bool  // entered and left at once, since its user had aborted
	err      error // the node panicked
}

// A parcel is the messages that a node sends to another in one event.
type parcel struct {
	to     messaging.ID
	parcel uint32
}

// cells is the table of all cells and their parts.
type cells struct {
	c         Exploration
	algorithm messaging.Algorithm
	nodes     []messaging.Node // in arbitrary states
	again     []messaging.Node // those that have restarted; nil: not made yet
	site      messaging.Site

	all       []*cell
	positions []position
	decoded   []messaging.Node    // by position, for the invariant; nil: not decoded yet
	messages  []messaging.Message // and values that were emitted
	kinds     []reflect.Type      // of messages
	parcels   []batch

	numbers  map[string]uint32 // of all of these, by their encoding
	buf      []byte
	outcomes map[visit][]*outcome
	visits   []visit           // whose outcomes are known, in the order of finding
	pushed   map[uint64]uint32 // by cell and parcel, the result of push
}

// A batch is the contents of a parcel.
type batch struct {
	from     messaging.ID
	messages []uint32
}

// A visit is an input in a position.
type visit struct {
	position uint32
	input    input
}

func newCells(a messaging.Algorithm, c Exploration) (cs *cells, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = caught(r)
		}
	}()
	cs = &cells{c: c, algorithm: a, again: make([]messaging.Node, c.Nodes), numbers: map[string]uint32{}, outcomes: map[visit][]*outcome{}, pushed: map[uint64]uint32{}}
	for i := range messaging.ID(c.Nodes) {
		node := a(cs.start(i))
		if err := plain(node); err != nil {
			return nil, fmt.Errorf("%w: %w", errState, err)
		}
		cs.nodes = append(cs.nodes, node)
	}
	return cs, nil
}

func (cs *cells) start(i messaging.ID) messaging.Start {
	return messaging.Start{Self: i, Nodes: cs.c.Nodes, Holder: cs.c.Holder}
}

// first returns the initial cell of a node.
func (cs *cells) first(i messaging.ID, requests int) uint32 {
	if _, ok := cs.nodes[i].(messaging.Exclusion); !ok {
		requests = 0
	}
	_, starts := cs.nodes[i].(messaging.Starter)
	at := cs.position(i, false, messaging.Idle, cs.nodes[i])
	return cs.number(&cell{position: at, fresh: starts, left: requests, mail: make([][]uint32, cs.c.Nodes)})
}

// The kinds of parts that have numbers: the first byte of their encoding in
// numbers.
const (
	aCell byte = iota
	aPosition
	aMessage
	aParcel
)

// numbered returns the number of the part encoded in data, and whether it had one
// already; otherwise it assigns next.
func (cs *cells) numbered(data []byte, next int) (n uint32, known bool) {
	cs.buf = data
	if n, known = cs.numbers[string(data)]; known {
		return n, true
	}
	if uint64(next) > math.MaxUint32 {
		panic("nodetest: an exploration has more than 2^32 parts of states")
	}
	cs.numbers[string(data)] = uint32(next)
	return uint32(next), false
}

// number returns the number of a cell.
func (cs *cells) number(c *cell) uint32 {
	data := append(cs.buf[:0], aCell)
	data = binary.AppendUvarint(data, uint64(c.position))
	left := uint64(c.left) << 2
	if c.fresh {
		left++
	}
	if c.down {
		left += 2
	}
	data = binary.AppendUvarint(data, left)
	for _, queue := range c.mail {
		data = appendNumbers(data, queue)
	}
	if cs.c.Results != nil {
		data = appendNumbers(data, c.emitted)
	}
	for _, t := range c.timers {
		data = binary.AppendUvarint(data, uint64(t.after))
		data = binary.AppendUvarint(data, uint64(t.message))
	}
	n, known := cs.numbered(data, len(cs.all))
	if !known {
		c.phase = cs.positions[c.position].phase
		for _, queue := range c.mail {
			c.under += len(queue)
		}
		cs.all = append(cs.all, c)
	}
	return n
}

func appendNumbers(data []byte, ns []uint32) []byte {
	data = binary.AppendUvarint(data, uint64(len(ns)))
	for _, n := range ns {
		data = binary.AppendUvarint(data, uint64(n))
	}
	return data
}

// position returns the number of the position of a node.
func (cs *cells) position(i messaging.ID, again bool, p messaging.Phase, node messaging.Node) uint32 {
	what := byte(p)
	if again {
		what |= 1 << 7
	}
	data := binary.AppendUvarint(append(cs.buf[:0], aPosition, what), uint64(i))
	start := len(data)
	data = state.Append(data, node)
	n, known := cs.numbered(data, len(cs.positions))
	if !known {
		cs.positions = append(cs.positions, position{i, again, p, string(data[start:])})
	}
	return n
}

// message returns the number of a message or of a value that was emitted. It panics if m
// is not plain data.
func (cs *cells) message(m messaging.Message) uint32 {
	if err := state.CheckMessage(m); err != nil {
		fail(errKind, "%v", err)
	}
	data := append(cs.buf[:0], aMessage)
	data = state.Append(binary.AppendUvarint(data, uint64(cs.kind(m))), m)
	n, known := cs.numbered(data, len(cs.messages))
	if !known {
		cs.messages = append(cs.messages, state.CloneMessage(m))
	}
	return n
}

// kind returns the number of a message's type.
func (cs *cells) kind(m messaging.Message) int {
	t := reflect.TypeOf(m)
	k := slices.Index(cs.kinds, t)
	if k < 0 {
		k = len(cs.kinds)
		cs.kinds = append(cs.kinds, t)
	}
	return k
}

// parcel returns the number of messages that a node sends to another.
func (cs *cells) parcel(l batch) uint32 {
	data := binary.AppendUvarint(append(cs.buf[:0], aParcel), uint64(l.from))
	n, known := cs.numbered(appendNumbers(data, l.messages), len(cs.parcels))
	if !known {
		cs.parcels = append(cs.parcels, l)
	}
	return n
}

// push returns the cell to after a parcel is sent to it.
func (cs *cells) push(to, parcel uint32) uint32 {
	if cs.all[to].down && cs.c.Restarts == 0 {
		return to // it never receives anything again
	}
	key := uint64(to)<<32 | uint64(parcel)
	if n, known := cs.pushed[key]; known {
		return n
	}
	l := cs.parcels[parcel]
	c := cs.all[to].changed()
	queue := slices.Concat(c.mail[l.from], l.messages)
	if cs.c.Unordered {
		slices.Sort(queue)
	}
	c.mail[l.from] = queue
	n := cs.number(c)
	cs.pushed[key] = n
	return n
}

// changed returns a copy of c that has no number yet; its queues are shared.
func (c *cell) changed() *cell {
	return &cell{
		position: c.position, fresh: c.fresh, down: c.down, left: c.left,
		mail: slices.Clone(c.mail), timers: c.timers, emitted: c.emitted,
	}
}

// later returns the cell after time d has passed.
func (cs *cells) later(n uint32, d time.Duration) uint32 {
	c := cs.all[n]
	if d == 0 || len(c.timers) == 0 {
		return n
	}
	c = c.changed()
	c.timers = slices.Clone(c.timers)
	for k := range c.timers {
		c.timers[k].after -= d
	}
	return cs.number(c)
}

// moves returns the possible events at a node, regardless of other nodes. Whether a
// timer may expire now, and whether another request may be aborted, depends on the
// global state.
func (cs *cells) moves(n uint32) []move {
	c := cs.all[n]
	if !c.known {
		c.known = true
		if c.fresh {
			started := c.changed()
			started.fresh = false
			cs.move(c, started, input{what: starts})
			return c.moves
		}
		if c.down {
			cs.deliveries(c, loses)
			cs.restart(c)
			return c.moves
		}
		cs.actions(c)
		cs.deliveries(c, gets)
		if cs.c.AnyTime {
			cs.expiries(c)
		} else if len(c.timers) > 0 {
			cs.expiry(c)
		}
		if cs.c.Crashes > 0 {
			cs.crash(c)
		}
	}
	return c.moves
}

func (cs *cells) actions(c *cell) {
	switch c.phase {
	case messaging.Idle, messaging.Absorbing:
		if c.left > 0 {
			asked := c.changed()
			asked.left--
			cs.move(c, asked, input{what: asks})
		}
	case messaging.Inside:
		cs.move(c, c, input{what: leaves})
	case messaging.Waiting:
		if cs.c.Withdrawals > 0 {
			cs.move(c, c, input{what: givesUp})
		}
	}
}

// deliveries adds the deliveries of the first message of each link, or of each
// distinct one if links are unordered.
func (cs *cells) deliveries(c *cell, what cause) {
	for j, queue := range c.mail {
		for k, m := range queue {
			if k > 0 && (!cs.c.Unordered || queue[k-1] == m) {
				continue
			}
			got := c.changed()
			got.mail[j] = slices.Delete(slices.Clone(queue), k, k+1)
			cs.move(c, got, input{what, messaging.ID(j), m})
		}
	}
}

func (cs *cells) expiry(c *cell) {
	first := c.timers[0]
	then := c.changed()
	then.timers = slices.Clone(c.timers[1:])
	for k := range then.timers {
		then.timers[k].after -= first.after
	}
	cs.move(c, then, input{expires, cs.positions[c.position].node, first.message})
}

// move adds the moves of c for an input; then is c after the input, without the
// effects of the node.
func (cs *cells) move(c, then *cell, in input) {
	for _, o := range cs.handle(visit{c.position, in}) {
		if o.err != nil {
			c.moves = append(c.moves, move{outcome: o})
			continue
		}
		after := then.changed()
		after.position = o.position
		after.timers = cs.merge(after.timers, o.timers)
		after.emitted = slices.Concat(after.emitted, o.emits)
		c.moves = append(c.moves, move{o, cs.number(after)})
	}
}

// merge merges set into timers, after those that are due at the same time.
func (cs *cells) merge(timers, set []pending) []pending {
	if len(set) == 0 {
		return timers
	}
	timers = slices.Concat(timers, set)
	if cs.c.AnyTime {
		return timers
	}
	slices.SortStableFunc(timers, func(s, t pending) int { return cmp.Compare(s.after, t.after) })
	return timers
}

// handle returns the outcomes of an input: one for each combination of choices of
// the node.
func (cs *cells) handle(v visit) []*outcome {
	all, known := cs.outcomes[v]
	if known {
		return all
	}
	for b := new(branch); b != nil; b = b.next() {
		o := cs.run(v, b)
		o.branch = len(all)
		all = append(all, o)
		if len(all) == mostResults {
			o.err = fmt.Errorf("node %d draws numbers in one event that have more than %d results: Explore tries each", cs.positions[v.position].node, mostResults)
			break
		}
	}
	cs.outcomes[v] = all
	cs.visits = append(cs.visits, v)
	return all
}

// run lets the node of a position handle an input.
func (cs *cells) run(v visit, b *branch) (o *outcome) {
	o = &outcome{input: v.input}
	defer func() {
		if r := recover(); r != nil {
			o.err = caught(r)
		}
	}()
	at := cs.positions[v.position]
	switch v.input.what {
	case crashes:
		o.position = cs.remains(at)
		return o
	case loses:
		o.position = v.position
		return o
	}
	node := cs.node(at)
	if err := state.Restore(node, []byte(at.state)); err != nil {
		fail(errState, "of node %d: %v", at.node, err)
	}
	var m messaging.Message
	if v.input.what >= gets {
		m = state.CloneMessage(cs.messages[v.input.message])
	}
	cs.act(cs.seat(node, at, b, o), v.input, m, o)
	o.choices = slices.Clone(b.choices)
	o.position = cs.position(at.node, at.again, cs.site.Phase(), node)
	cs.collect(at, o)
	return o
}

// act lets the site handle an input, with message m if it is one.
func (cs *cells) act(p *stub, in input, m messaging.Message, o *outcome) {
	p.awake, p.outside = true, in.what >= gets
	switch in.what {
	case starts, restarts:
		cs.site.Start()
	case asks:
		cs.site.Request()
	case leaves:
		cs.site.Release()
	case givesUp:
		cs.site.Withdraw()
	default:
		cs.site.Receive(in.from, m)
	}
	if o.err != nil {
		panic(breach{o.err}) // the node has recovered from it
	}
}

// caught returns the error for a recovered panic.
func caught(r any) error {
	if b, ok := r.(breach); ok {
		return b.error
	}
	return fmt.Errorf("%w: %v", errPanic, r)
}

// seat makes the site one of the node in a position.
func (cs *cells) seat(node messaging.Node, at position, b *branch, o *outcome) *stub {
	p := &stub{whole: whole{node}, self: at.node, to: at.phase, outcome: o}
	cs.site = *messaging.NewSite(func(messaging.Start) messaging.Node { return p }, cs.start(at.node), func(n int) int {
		if len(o.drawn) == mostDraws {
			o.err = fmt.Errorf("%w: node %d has drawn %d numbers, and nothing else has happened", errEndless, at.node, mostDraws)
			panic(breach{o.err})
		}
		drawn := b.choose(n)
		o.drawn = append(o.drawn, drawn)
		o.events = append(o.events, event{node: at.node, what: fmt.Sprintf("draws %d of 0 to %d", drawn, n-1)})
		return drawn
	})
	if at.phase != messaging.Idle {
		cs.site.Request()
	}
	if at.phase == messaging.Absorbing {
		cs.site.Withdraw()
	}
	return p
}

// collect records the effects of the node.
func (cs *cells) collect(before position, o *outcome) {
	p := cs.site.Phase()
	o.entered = p == messaging.Inside && before.phase != p
	o.absorbed = p == messaging.Idle && before.phase == messaging.Absorbing
	sent := make([][]uint32, cs.c.Nodes)
	for _, s := range cs.site.Sends {
		sent[s.To] = append(sent[s.To], cs.message(s.Message))
	}
	for j, messages := range sent {
		if len(messages) > 0 {
			o.mail = append(o.mail, parcel{messaging.ID(j), cs.parcel(batch{before.node, messages})})
		}
	}
	for _, t := range cs.site.Timers {
		o.timers = append(o.timers, pending{t.After, cs.message(t.Message)})
	}
	for _, v := range cs.site.Emits {
		o.events = append(o.events, event{node: before.node, what: "emits", message: v})
		if cs.c.Results != nil {
			o.emits = append(o.emits, cs.message(v))
		}
	}
}

// A stub stands between a site and its node, and passes nothing to the node until
// it is awake. So a site can be brought to any phase without calling the node.
type stub struct {
	whole

	self    messaging.ID
	to      messaging.Phase
	awake   bool
	outside bool     // the next message is not from the node to itself
	alone   int      // the number of messages of the node to itself
	outcome *outcome // in which they are recorded
}

func (p *stub) Request(out messaging.Out) {
	switch {
	case p.awake:
		p.whole.Request(out)
	case p.to == messaging.Inside:
		out.Enter()
	}
}

// Receive stops a node that sends to itself forever, which would be one event.
func (p *stub) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch {
	case p.outside:
		p.outside = false
	case p.alone == mostAlone:
		fail(errEndless, "node %d has sent %d messages to itself, and nothing else has happened", p.self, mostAlone)
	default:
		p.alone++
		p.outcome.events = append(p.outcome.events, event{node: p.self, message: m, from: from, own: true})
	}
	p.Node.Receive(from, m, out)
}

// The most numbers that a node may draw in one event, and the most results that these may
// have together.
const (
	mostDraws   = 1000
	mostResults = 10_000
)

// A branch is one sequence of choices: the results so far, and 0 from there on.
type branch struct {
	choices []choice
	at      int
}

func (b *branch) choose(n int) int {
	if b.at == len(b.choices) {
		b.choices = append(b.choices, choice{n: n})
	}
	c := b.choices[b.at]
	if c.n != n {
		fail(errTwice, "a node chose among %d, and from an equal state among %d", c.n, n)
	}
	b.at++
	return c.chosen
}

// next returns the branch after b; nil if b is the last.
func (b *branch) next() *branch {
	choices := b.choices
	for len(choices) > 0 {
		last := &choices[len(choices)-1]
		if last.chosen++; last.chosen < last.n {
			return &branch{choices: choices}
		}
		choices = choices[:len(choices)-1]
	}
	return nil
}
