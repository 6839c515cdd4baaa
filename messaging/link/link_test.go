package link_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/suzukikasami"
)

// Say is an input, and the message that passes it on to the other nodes, which emit it as Heard.
// A node emits it itself first.
type Say struct{ Word int }

// Heard is a word of another node.
type Heard struct {
	From messaging.ID
	Word int
}

// Began is emitted by a node that has restarted.
type Began struct{}

type talker struct{ start messaging.Start }

func talk(start messaging.Start) messaging.Node { return &talker{start} }

func (n *talker) Start(out messaging.Out) {
	if n.start.Restarted {
		out.Emit(Began{})
	}
}

func (n *talker) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	said, ok := m.(Say)
	switch {
	case !ok:
		messaging.Refuse("talk", n.start.Self, from, m, "it is not a message of this algorithm")
	case from == n.start.Self:
		out.Emit(said)
		for j := range n.start.Others() {
			out.Send(j, said)
		}
	default:
		out.Emit(Heard{from, said.Word})
	}
}

// say returns inputs by node: as many words, which are numbers from 1 on.
func say(words ...int) (inputs [][]messaging.Message) {
	for i, many := range words {
		inputs = append(inputs, nil)
		for k := range many {
			inputs[i] = append(inputs[i], Say{k + 1})
		}
	}
	return inputs
}

// heard is what is right of talkers: what one incarnation hears of the words of another is a part without a
// gap, in order. In the end, if both are up, it goes up to the last word, and no word was heard by none.
func heard(o messaging.Outcome) error {
	for to := range o.Emitted {
		for from := range o.Emitted {
			if err := heardFrom(o, to, from); from != to && err != nil {
				return err
			}
		}
	}
	return nil
}

func heardFrom(o messaging.Outcome, to, from int) error {
	var said, words []int // by the last incarnation of each
	lives, life, all := map[int]int{}, 0, map[int]bool{}
	for _, v := range o.Emitted[from] {
		switch v := v.(type) {
		case Say:
			said = append(said, v.Word)
			lives[v.Word] = life
		case Began:
			said, life = nil, life+1
		}
	}
	for _, v := range o.Emitted[to] {
		switch v := v.(type) {
		case Heard:
			if int(v.From) != from {
				continue
			}
			if k := len(words); k > 0 && v.Word != words[k-1]+1 && (v.Word <= words[k-1] || lives[v.Word] == lives[words[k-1]]) {
				return fmt.Errorf("node %d hears word %d of node %d after %v", to, v.Word, from, words)
			}
			words = append(words, v.Word)
			all[v.Word] = true
		case Began:
			words = nil
		}
	}
	if !o.Over || o.Down.Has(messaging.ID(to)) || o.Down.Has(messaging.ID(from)) || len(said) == 0 {
		return nil
	}
	last := said[len(said)-1]
	if k := len(words); k > 0 && lives[words[k-1]] == life && words[k-1] != last ||
		slices.ContainsFunc(said, func(word int) bool { return !all[word] }) {
		return fmt.Errorf("node %d has said %v since it began, and node %d has heard %v, in the end %v", from, said, to, slices.Sorted(maps.Keys(all)), words)
	}
	return nil
}

// quick is a link with the shortest timeouts there are: with timers that expire only when nothing else
// can happen, they are no shorter than any other.
var quick = link.Config{Timeout: 1, Tick: 1}

// Each message is delivered once, and in order, whatever is lost, duplicated and reordered. A node that
// restarts is a new one, whichever it is, and whatever was in transit. To a node that a detector has
// found to be down nothing is sent again, and nodes come to rest, but once it is up, as when the detector was wrong, all arrives.
func TestExplored(t *testing.T) {
	lossy := explore.NodesConfig{Losses: 2, Duplicates: 1}
	once := explore.NodesConfig{Losses: 1, Duplicates: 1, Crashes: 1, Restarts: 1}
	twice := explore.NodesConfig{Losses: 1, Duplicates: 1, Crashes: 2, Restarts: 2}
	type size struct {
		explore.NodesConfig
		words []int
	}
	all := tier.Pick(
		[]size{{lossy, []int{2, 1}}, {once, []int{2, 0}}, {once, []int{1, 1}}},
		[]size{
			{lossy, []int{4, 0}},
			{lossy, []int{3, 1}},
			{lossy, []int{2, 2}},
			{once, []int{3, 0}},
			{once, []int{2, 1}},
			{twice, []int{2, 0}},
			{twice, []int{1, 1}},
		})
	down := size{explore.NodesConfig{Crashes: 1, Detected: true, Losses: 1}, []int{2, 1}}
	told := size{explore.NodesConfig{Crashes: 1, Restarts: 1, Detected: true, Losses: 1}, []int{1, 1}}
	again := size{explore.NodesConfig{Crashes: 2, Restarts: 2, CrashOf: []messaging.ID{1}, Detected: true, Losses: 1}, []int{1, 0}}
	wrong := size{explore.NodesConfig{Suspicions: 1}, []int{2, 0}}
	for _, c := range append(all, down, told, again, wrong) {
		c.New, c.Nodes, c.Inputs, c.Results = link.Over(talk, quick), 2, say(c.words...), heard
		c.Unordered, c.Memory = true, 6<<30
		r, err := explore.CheckNodes(c.NodesConfig)
		require.NoError(t, err)
		assert.NoError(t, r.Err(), "%v words", c.words)
		t.Logf("%v words, %d restarts: %v", c.words, c.Restarts, r)
	}
}

// The same if acknowledgements wait for longer than a tick.
func TestDelayExplored(t *testing.T) {
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: link.Over(talk, link.Config{Timeout: 2, Tick: 1, Delay: 2}), Nodes: 2, Inputs: say(2, 1), Results: heard,
		Losses: 1, Duplicates: 1, Unordered: true, Memory: 6 << 30,
	})
	require.NoError(t, err)
	assert.NoError(t, r.Err())
	t.Log(r)
}

// Over the link, algorithms are right in every schedule of two nodes, also those that need FIFO links.
func TestComposed(t *testing.T) {
	for k, p := range []messaging.Protocol{central.Protocol, lamport.Protocol, ricartagrawala.Protocol, suzukikasami.Protocol} {
		if k > 1 && !tier.Full {
			continue
		}
		rounds := 2
		if p.Name == lamport.Protocol.Name {
			rounds = 1
		}
		over := link.Of(p, quick)
		a, err := over.New(2)
		require.NoError(t, err)
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: a, Nodes: 2, Rounds: tier.Pick(1, rounds), Invariant: over.Invariant,
			Losses: tier.Pick(1, 2), Duplicates: 1, Unordered: true, Memory: 4 << 30,
		})
		require.NoError(t, err)
		assert.NoError(t, r.Err(), p.Name)
		t.Logf("%s: %v", p.Name, r)
	}
}

// A node that says more than its buffer holds emits Full, and what the other hears is the beginning of what
// it has said.
func TestFullExplored(t *testing.T) {
	outcomes := map[int]bool{}
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: link.Over(talk, link.Config{Timeout: 1, Buffer: 2}), Nodes: 2, Inputs: say(4, 0), Losses: 1, Unordered: true, Memory: 4 << 30,
		Results: func(o messaging.Outcome) error {
			full := slices.Contains(o.Emitted[0], any(link.Full{To: 1}))
			for k, v := range o.Emitted[1] {
				if v != (Heard{0, k + 1}) {
					return fmt.Errorf("%v is heard as the %dth", v, k+1)
				}
			}
			if heard := len(o.Emitted[1]); o.Over {
				outcomes[heard] = true
				if full != (heard < 4) {
					return fmt.Errorf("%d words are heard, and that the buffer is full was said: %t", heard, full)
				}
			}
			return nil
		},
	})
	require.NoError(t, err)
	assert.NoError(t, r.Err())
	assert.Equal(t, map[int]bool{2: true, 3: true, 4: true}, outcomes)
}
