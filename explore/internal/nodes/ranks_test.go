package nodes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/space"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
)

// A quirk is of the time of a node's request and the latest that it has seen of the next node: whether it enters
// without permission.
type quirk func(n *stamper, mine, other messaging.Time) bool

// A stamper asks all others for permission, with a stamp, in one of many ways, few of which are right.
type stamper struct {
	start messaging.Start
	way   []int
	quirk quirk

	Phase         messaging.Phase
	Clock         messaging.Clock
	Mine          messaging.Stamp
	Seen          []messaging.Time // of each node's latest request; its own is of its quirk
	Number        int
	Text          string
	Has, Deferred messaging.Set
}

type (
	wants   struct{ Of messaging.Stamp }
	permits struct{ At messaging.Time }
)

func (n *stamper) Request(out messaging.Out) {
	n.Phase = messaging.Waiting
	switch n.way[0] {
	case 0:
		n.Mine.Time++ // whatever others have
	case 1:
		n.Clock.Tick(n.start.Self)
		n.Mine = n.Clock.Tick(n.start.Self)
	case 2:
		n.Mine.Time = n.Mine.Time%2 + 1
	default:
		n.Mine = n.Clock.Tick(n.start.Self)
	}
	if n.Mine.ID = n.start.Self; n.way[1] > 0 {
		clear(n.Has)
	}
	for j := range n.start.Others() {
		if !n.Has.Has(j) {
			out.Send(j, wants{n.Mine})
		}
	}
	n.enter(out)
}

func (n *stamper) enter(out messaging.Out) {
	rash := n.Phase == messaging.Waiting && n.quirk != nil && n.quirk(n, n.Mine.Time, n.Seen[(int(n.start.Self)+1)%n.start.Nodes])
	if rash || n.Phase == messaging.Waiting && n.Has.Len() == n.start.Nodes-1 {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *stamper) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m, ok := m.(permits); ok {
		n.Has.Add(from)
		if n.way[2] > 1 {
			n.Clock.Witness(messaging.Stamp{Time: m.At})
		}
		n.enter(out)
		return
	}
	of := m.(wants).Of
	if n.way[2] > 0 {
		n.Clock.Witness(of)
	}
	n.Seen[from] = of.Time
	first := n.Mine.Before(of)
	switch n.way[3] {
	case 0:
		first = n.Mine.Time < of.Time
	case 1:
		first = n.Mine.Time <= of.Time
	case 2:
		first = !first
	}
	had := n.Has.Has(from)
	switch waits := n.Phase == messaging.Waiting; {
	case n.Phase == messaging.Inside || waits && first:
		n.Deferred.Add(from)
		if n.way[4] == 0 && waits {
			n.Mine.Time = max(n.Mine.Time, of.Time) + 1 // it steps back
		}
	default:
		n.permit(from, out)
		if waits && had && n.way[1] == 0 {
			out.Send(from, wants{n.Mine})
		}
	}
}

func (n *stamper) permit(to messaging.ID, out messaging.Out) {
	n.Has.Remove(to)
	out.Send(to, permits{messaging.Time(n.Clock)})
}

func (n *stamper) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	for j := range n.Deferred.All() {
		n.permit(j, out)
	}
	clear(n.Deferred)
}

// quirks depend on more than the order of times, or on times that may be in many orders.
var quirks = []quirk{
	func(_ *stamper, mine, _ messaging.Time) bool { return mine == 20 },
	func(_ *stamper, mine, other messaging.Time) bool { return other > 0 && mine == other+419 },
	func(_ *stamper, mine, other messaging.Time) bool { return other > 0 && mine > 3*other+40 },
	func(_ *stamper, mine, other messaging.Time) bool {
		return other > 0 && mine-other < 1<<63 && mine-other > 5
	},
	func(_ *stamper, mine, _ messaging.Time) bool { return mine%2 == 1 && mine > 8 },
	func(_ *stamper, mine, other messaging.Time) bool { return mine+other == 33 },
	func(_ *stamper, mine, _ messaging.Time) bool { return mine<<56 == 0 },
	func(_ *stamper, mine, _ messaging.Time) bool { return len(make([]int, mine%64)) == 63 },
	func(n *stamper, mine, _ messaging.Time) bool { n.Number = int(mine % 1024); return false },
	func(n *stamper, mine, _ messaging.Time) bool { n.Text = fmt.Sprint(mine); return false },
	func(n *stamper, mine, _ messaging.Time) bool {
		n.Number = min(n.Number+1, 50)
		return int(mine) < n.Number-20
	},
	func(n *stamper, mine, other messaging.Time) bool { n.Seen[n.start.Self] = mine + other; return false },
	func(n *stamper, mine, _ messaging.Time) bool { n.Seen[n.start.Self] = 2 * mine; return false },
	func(n *stamper, mine, _ messaging.Time) bool { n.Seen[n.start.Self] = mine + apart; return false },
	func(n *stamper, mine, _ messaging.Time) bool { n.Seen[n.start.Self] = mine + 2; return false },
	func(n *stamper, mine, _ messaging.Time) bool { n.Seen = n.Seen[:2+mine%2]; return false },
}

func stampers(nodes int, q quirk, way ...int) Config {
	return Config{New: func(start messaging.Start) messaging.Node {
		return &stamper{start: start, way: way, quirk: q, Seen: make([]messaging.Time, max(3, start.Nodes))}
	}, Nodes: nodes, Rounds: Unbounded, Memory: 4 << 20}
}

// What depends on more than the order of times, in whatever way, is not right in every run.
func TestRanksOrderOnly(t *testing.T) {
	for k, q := range append(quirks, nil)[tier.Pick(len(quirks)-3, 0):] {
		for keeps := range 2 {
			c := stampers(2, q, 3, 1-keeps, 1, 4, 1)
			require.NoError(t, c.complete())
			assert.Equal(t, q == nil, c.everyRun(errValue) != nil, "quirk %d of those, permissions are kept: %d", k, keeps)
		}
	}
}

// fails reports whether a property fails in some run of c, and whether that is decided.
func fails(c Config) (fails, decided bool) {
	r, err := c.check()
	against := func(v space.Verdict) bool { return v.Against != nil }
	verdicts := []space.Verdict{r.NoPanic, r.Exclusion, r.DeadlockFree, r.StarvationFree, r.Quiescent}
	return slices.ContainsFunc(verdicts, against), unclosed(err) == nil
}

// What fails in some run, of a few requests or of any number of them, is not right where only the order of times counts.
func TestRanksHold(t *testing.T) {
	defer func(all int) { repetitions = all }(repetitions)
	repetitions = 1 << 9
	r := rand.New(rand.NewPCG(1, 33))
	var compared, failed, held int
	for k := range tier.Pick(15, 240) {
		way := make([]int, 5)
		for k, of := range []int{6, 2, 3, 6, 6} {
			way[k] = r.IntN(of)
		}
		c := stampers(2+k%4/3, append(quirks, make([]quirk, 3*len(quirks))...)[r.IntN(4*len(quirks))], way...)
		require.NoError(t, c.complete())
		few := c
		few.Requests = [][]int{{3, 3}, {2, 2, 1}}[c.Nodes-2]
		wrong, decided := fails(few)
		if !wrong {
			always, closes := fails(c)
			wrong, decided = always && closes, decided || closes
		}
		right := (wrong || k%8 == 0) && c.everyRun(errValue) != nil
		assert.False(t, right && wrong, "%d nodes, %v", c.Nodes, way)
		for count, is := range map[*int]bool{&compared: decided, &failed: wrong, &held: right} {
			if is {
				*count++
			}
		}
	}
	t.Log(compared, failed, held)
	assert.GreaterOrEqual(t, compared, tier.Pick(10, 200))
	assert.Positive(t, failed)
	assert.GreaterOrEqual(t, held, tier.Pick(0, 5))
}

// A stepper is a node that enters at once, unless its times are bad, and steps then.
type stepper struct {
	step func(n *stepper)
	bad  func(n *stepper) bool

	Phase messaging.Phase
	T     []messaging.Time
	Steps int // up to 3
}

func (n *stepper) Request(out messaging.Out) {
	if n.Phase = messaging.Waiting; n.bad(n) {
		return
	}
	n.step(n)
	n.Steps = min(n.Steps+1, 3)
	n.Phase = messaging.Inside
	out.Enter()
}

func (n *stepper) Receive(messaging.ID, messaging.Message, messaging.Out) {}
func (n *stepper) Release(messaging.Out)                                  { n.Phase = messaging.Idle }

// Each order that times can come to is found, or it is not decided.
func TestRanksSteps(t *testing.T) {
	equal := func(n *stepper) bool { return n.T[0] == n.T[1] }
	later := func(n *stepper) bool { return n.T[0] > n.T[1] }
	add := func(by ...messaging.Time) func(n *stepper) {
		return func(n *stepper) {
			for k := range by {
				n.T[k] += by[k]
			}
		}
	}
	for k, c := range []struct {
		times []messaging.Time
		step  func(n *stepper)
		bad   func(n *stepper) bool
	}{
		{[]messaging.Time{0, 9}, add(0, 1), later},
		{[]messaging.Time{0, 9}, add(1, 1), equal},
		{[]messaging.Time{0, 9}, func(n *stepper) { n.T[0], n.T[1] = n.T[1], n.T[1]+7 }, equal},
		{[]messaging.Time{0, 9}, add(1, 0), equal},
		{[]messaging.Time{0, 9}, add(1, 0), later},
		{[]messaging.Time{0, 9}, add(1, 0), func(n *stepper) bool { return n.Steps == 3 && n.T[0] < n.T[1] }},
		{[]messaging.Time{0, 9}, add(5, 0), later},
		{[]messaging.Time{0, 9}, func(n *stepper) {
			if n.T[0] < n.T[1] {
				n.T[0] += 2
			} else {
				n.T[0] = 0
			}
		}, later},
		{[]messaging.Time{0, 1}, func(n *stepper) { n.T[0] = messaging.Time(n.Steps / 2) }, func(n *stepper) bool { return n.Steps == 3 && equal(n) }},
		{[]messaging.Time{0, 9}, func(n *stepper) { n.T[1] += messaging.Time(1 / (2 - n.Steps)) }, equal}, // it panics
		{[]messaging.Time{0, 9}, add(5, 1), later}, // no old time is left
		{[]messaging.Time{0, 0}, func(n *stepper) {
			if n.T[0] < n.T[1] {
				n.T[0] += apart * 3 / 2
			} else {
				n.T[1] += apart * 16 / 5
			}
		}, func(n *stepper) bool { return n.Steps == 2 && n.T[0] < n.T[1] }},
		{[]messaging.Time{0, 9, 20, 29}, add(1, 0, 1, 0), func(n *stepper) bool { return equal(n) && n.T[2] < n.T[3] }},
		{[]messaging.Time{0, 9, 20, 24}, add(1, 0, 1, 0), func(n *stepper) bool { return n.T[2] == n.T[3] && n.T[0] < n.T[1] }},
	} {
		c := Config{New: func(start messaging.Start) messaging.Node {
			return &stepper{step: c.step, bad: c.bad, T: slices.Clone(c.times[:len(c.times)*(1-int(start.Self))])}
		}, Nodes: 2, Requests: []int{Unbounded, 0}, Memory: 4 << 20}
		require.NoError(t, c.complete())
		assert.Equal(t, k < 3, c.everyRun(errValue) != nil, "case %d", k) // only the first three are right
	}
}

// A passer hands a token to and fro, with a time. While it waits, a step of its may enter.
type passer struct {
	start messaging.Start
	step  func(n *passer, at messaging.Time) (sends messaging.Time, enters bool)
	timer bool // it hands the token to itself, later

	Phase    messaging.Phase
	T        []messaging.Time
	On, Once bool
}

func (n *passer) Start(out messaging.Out) { n.pass(0, out) }

func (n *passer) pass(at messaging.Time, out messaging.Out) {
	switch {
	case n.timer:
		out.After(1, permits{at})
	case n.start.Self == 0 || n.On:
		out.Send(1-n.start.Self, permits{at})
	}
	n.On = true
}

func (n *passer) Request(messaging.Out) { n.Phase = messaging.Waiting }
func (n *passer) Release(messaging.Out) { n.Phase = messaging.Idle }

func (n *passer) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	sends, enters := n.step(n, m.(permits).At)
	if enters && n.Phase == messaging.Waiting {
		n.Phase = messaging.Inside
		out.Enter()
	}
	n.pass(sends, out)
}

func (n *passer) zero() bool { return n.start.Self == 0 }

// rises has the time of node 1 grow, up to beyond that of node 0.
func rises(n *passer, at messaging.Time) (messaging.Time, bool) {
	if n.zero() {
		return n.T[0], at > n.T[0]
	}
	n.T[0]++
	return n.T[0], false
}

// smaller has the time of node 0 grow, and that of the token is always smaller.
func smaller(n *passer, at messaging.Time) (messaging.Time, bool) {
	if n.zero() {
		n.T[0]++
		return n.T[0] - 1, at < n.T[0]-1
	}
	return at, false
}

// Node 0 waits for a token that node 1 returns, or for its timer: whether it may wait forever is found, where times grow.
func TestRanksLast(t *testing.T) {
	for k, c := range []struct {
		times     [2]messaging.Time
		step      func(n *passer, at messaging.Time) (messaging.Time, bool)
		perpetual bool
		timer     bool
		right     bool
	}{
		{[2]messaging.Time{9, 1}, rises, true, false, true},
		{[2]messaging.Time{9, 1}, rises, false, false, false}, // it does not come to rest
		{[2]messaging.Time{9, 1}, smaller, true, false, true},
		{[2]messaging.Time{9, 1}, smaller, true, true, true},
		{[2]messaging.Time{9, 1}, func(n *passer, at messaging.Time) (messaging.Time, bool) { // that of node 0 grows as well
			if n.zero() {
				n.T[0]++
			}
			return rises(n, at)
		}, true, false, false},
		{[2]messaging.Time{9, 1}, func(n *passer, at messaging.Time) (messaging.Time, bool) { // it falls
			if !n.zero() && n.T[0] >= at {
				n.T[0] = 0
				return 0, false
			}
			return rises(n, at)
		}, true, false, false},
		{[2]messaging.Time{9, 1}, func(n *passer, at messaging.Time) (messaging.Time, bool) { // another is in its place
			if n.zero() {
				return n.T[0], at > n.T[0]
			}
			if len(n.T) == 1 {
				n.T = append(n.T, n.T[0])
			} else {
				n.T = n.T[:1]
			}
			return n.T[0], false
		}, true, false, false},
		{[2]messaging.Time{1, 9}, func(n *passer, at messaging.Time) (messaging.Time, bool) { // from beyond
			sends, _ := rises(n, at)
			return sends, at < n.T[0] && n.zero()
		}, true, false, false},
		{[2]messaging.Time{9, 1}, func(n *passer, at messaging.Time) (messaging.Time, bool) { // once, by much
			if n.zero() {
				return 0, at > n.T[0]
			}
			if !n.Once {
				n.Once, n.T[0] = true, n.T[0]+apart*9/5
			}
			return n.T[0], false
		}, true, false, false},
	} {
		cfg := Config{New: func(start messaging.Start) messaging.Node {
			return &passer{start: start, step: c.step, timer: c.timer, T: []messaging.Time{c.times[start.Self]}}
		}, Nodes: 2, Requests: []int{Unbounded, 0}, Perpetual: c.perpetual, AnyTime: true, Memory: 4 << 20}
		require.NoError(t, cfg.complete())
		assert.Equal(t, c.right, cfg.everyRun(errValue) != nil, "case %d", k)
	}
}

// A keeper hands a token to and fro, and keeps it while it is inside: node 1 whenever its user asks, and its time grows then;
// node 0 only if that has come to its own.
type keeper struct {
	self  messaging.ID
	Phase messaging.Phase
	T     messaging.Time
}

func (n *keeper) Start(out messaging.Out) {
	if n.self == 0 {
		n.Release(out)
	}
}

func (n *keeper) Request(messaging.Out) { n.Phase = messaging.Waiting }

func (n *keeper) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	out.Send(1-n.self, permits{n.T})
}

func (n *keeper) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Phase != messaging.Waiting || n.self == 0 && m.(permits).At < n.T {
		out.Send(from, permits{n.T})
		return
	}
	n.T += messaging.Time(n.self)
	n.Phase = messaging.Inside
	out.Enter()
}

// The user of node 1 need not ask: there is a part of a run in which no time grows.
func TestRanksLastInPart(t *testing.T) {
	c := Config{New: func(start messaging.Start) messaging.Node {
		return &keeper{self: start.Self, T: 9 - 8*messaging.Time(start.Self)}
	}, Nodes: 2, Requests: []int{Unbounded, Unbounded}, Perpetual: true}
	require.NoError(t, c.complete())
	r, err := c.checkBy(true)
	require.NoError(t, err)
	assert.Equal(t, []messaging.ID{0}, r.Starving)
}
