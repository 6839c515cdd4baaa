package sim_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/requests"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// replay reads the text of a run and repeats the run with the nodes of a.
func replay(t *testing.T, text string, a messaging.Algorithm) (*sim.Simulation, error) {
	t.Helper()
	s, err := sim.ReadScenario("run", strings.NewReader(text))
	require.NoError(t, err, text)
	return s.Start(func(sim.Setting) (messaging.Algorithm, error) { return a, nil })
}

func textOf(t *testing.T, r *sim.Simulation) string {
	t.Helper()
	text, err := r.MarshalText()
	require.NoError(t, err)
	return string(text)
}

// A run read from its text has the same events, the same things pending and the same
// report, and its text is the same.
func TestReplay(t *testing.T) {
	replayed := 0
	for seed := range uint64(tier.Fewer(tier.Pick(40, 400))) {
		c := stepConfigs(seed)
		if seed%3 == 2 {
			c.Latency = sim.Uniform(0, 1)
		}
		if seed%2 == 1 {
			c.Pace = slices.Repeat([]time.Duration{sim.T}, c.Nodes)
			c.Pace[0] = sim.T * 3 / 2
		}
		switch c.Load.(type) {
		case sim.HighLoad:
			c.Load = sim.HighLoad{Users: ids(1, 0), Think: sim.Exponential(sim.T)}
		case sim.LowLoad:
			c.Load, c.Entries = sim.LowLoad{Random: true, Gap: sim.Uniform(0, sim.T)}, 5
		}
		c.Except = []sim.Exception{{Kind: "ALARM", Latency: sim.Constant(3 * sim.T)}, {From: ids(1), Ordinal: int(seed % 4), Lose: seed%7 == 0}, {Kind: "PING", To: ids(0), Ordinal: 2, Double: true}}
		if !c.Except[1].Lose {
			c.Except[1].Latency = sim.Uniform(sim.T/2, sim.T)
		}
		r := start(t, c)
		randomly(r, rand.New(rand.NewPCG(seed, 3)), c.Nodes, 60)
		text := textOf(t, r)
		require.NotContains(t, text, "\n")
		again, err := replay(t, text, c.Algorithm)
		require.NoError(t, err, text)
		require.Equal(t, text, textOf(t, again))
		require.Equal(t, eventText(r.Events()), eventText(again.Events()), text)
		require.Equal(t, r.Pending(), again.Pending(), text)
		require.Equal(t, r.Report(), again.Report(), text)
		require.Equal(t, r.Err(), again.Err(), text)
		replayed += len(r.Events())
	}
	t.Log(replayed, "events")
}

// A good prefix survives a bad rest, whatever that is.
func TestBadRest(t *testing.T) {
	c := sim.Config{Algorithm: ricartagrawala.New, Nodes: 3}
	const good = "a0.a2.s5"
	events := func(choices string) (string, error) {
		r, err := replay(t, "nodes 3; algorithm x; run "+choices, c.Algorithm)
		require.NotNil(t, r)
		return eventText(r.Events()), err
	}
	all, err := events(good)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 4))
	for range tier.Pick(150, 500) {
		bad := make([]byte, 1+rnd.IntN(6))
		for k := range bad {
			const letters = "algkrdxywcs0123456789.+-*?\xffé"
			bad[k] = letters[rnd.IntN(len(letters))]
		}
		got, err := events(good + "." + string(bad))
		if err != nil {
			require.Regexp(t, `^run:1: (choice \d+, ".*" at offset \d+|the last choice, c\d+): .`, err.Error())
		}
		require.True(t, strings.HasPrefix(got, all), "%q", bad)
	}
	for _, bad := range []struct{ choices, err string }{
		{good + ".d1", `choice 4, "d1" at offset 9: 1 is not pending; what can happen now is 6, 7`},
		{"a0.a2.d9", `choice 3, "d9" at offset 6: 9 is not pending; what can happen now is 1, 2, 3, 4`},
		{"a0.a0", `choice 2, "a0" at offset 3: S1 is waiting; nodes that can ask now are S2 (a1), S3 (a2)`},
		{"l1", `choice 1, "l1" at offset 0: S2 is idle; no node can leave now`},
		{"k1.k1", `choice 2, "k1" at offset 3: S2 is crashed; nodes that can crash now are S1 (k0), S3 (k2)`},
		{"s1", `choice 1, "s1" at offset 0: nothing is left to do by itself; nothing is pending`},
		{"a0.s9", `choice 2, "s9" at offset 3: after step 4 nothing is left to do by itself; nothing is pending`},
		{"a0.s0", `choice 2, "s0" at offset 3: expected 1 to 1000000 steps`},
		{"a0.s9999999", `choice 2, "s9999999" at offset 3: expected 1 to 1000000 steps`},
		{"a0.", `choice 2, "" at offset 3: expected one of a l g k r d x y w c s, and a number`},
		{"a0..a1", `choice 2, "" at offset 3: expected one of a l g k r d x y w c s, and a number`},
		{"a0.z7", `choice 2, "z7" at offset 3: expected one of a l g k r d x y w c s, and a number`},
		{"a", `choice 1, "a" at offset 0: expected a whole number after a`},
		{"a0.d1+3", `choice 2, "d1+3" at offset 3: expected a whole number after d`},
		{"a0.w1", `choice 2, "w1" at offset 3: expected a whole number after w, and a delay such as +2.5`},
		{"a0.w1+2.5x", `choice 2, "w1+2.5x" at offset 3: expected a time, 0 to 1000000 with at most six digits after the point after +`},
		{"a0.w1+2.5.q", `choice 3, "q" at offset 10: expected one of a l g k r d x y w c s, and a number`},
		{"a0.c1", `the last choice, c1: expected a choice that it is for, found the end`},
		{"a0.c1.d1", `choice 3, "d1" at offset 6: 1 results of Choose are given, and it asks for 0`},
	} {
		_, err := events(bad.choices)
		assert.EqualError(t, err, "run:1: "+bad.err, bad.choices)
	}
	_, err = replay(t, "nodes 3; algorithm x; rules 12345678; run a0.a9", c.Algorithm)
	assert.ErrorContains(t, err, "run:1: expected rules 12345678, but those of x are ")
	_, err = sim.ReadScenario("run", strings.NewReader("version 2; nodes 3; algorithm x; run a0"))
	assert.EqualError(t, err, `run:1: expected version 1, the only one that this program reads, found "2"`)
}

// What scenarios cannot say is no text.
func TestInexpressible(t *testing.T) {
	for field, change := range map[string]func(c *sim.Config){
		"1 to 10000":  func(c *sim.Config) { c.Load, c.Until = sim.LowLoad{}, 3*sim.T },
		"GiveUpAfter": func(c *sim.Config) { c.GiveUpAfter = sim.Constant(sim.T) },
		"a time, ":    func(c *sim.Config) { c.Patience = 2_000_000 * sim.T },
		"Name":        func(c *sim.Config) { c.Name = "two words" },
		"Except":      func(c *sim.Config) { c.Except = []sim.Exception{{From: ids(0, 1), Lose: true}} },
		"whole numb":  func(c *sim.Config) { c.Nodes = 1001 },
	} {
		c := sim.Config{Algorithm: lamport.New, Nodes: 3}
		change(&c)
		_, err := start(t, c).MarshalText()
		assert.ErrorContains(t, err, field)
	}
}

// The rules are those of the algorithm: another algorithm, another size and another holder
// have others, and the same one has the same on every machine.
func TestRules(t *testing.T) {
	rules := map[string]string{}
	for name, c := range map[string]sim.Config{
		"lamport 3":        {Algorithm: lamport.New, Nodes: 3},
		"lamport 4":        {Algorithm: lamport.New, Nodes: 4},
		"ricartagrawala 3": {Algorithm: ricartagrawala.New, Nodes: 3},
		"fault-tolerant 3": {Algorithm: ricartagrawala.NewFaultTolerant(), Nodes: 3},
		"fair 3":           {Algorithm: fair, Nodes: 3},
		"fair 3, holder 1": {Algorithm: fair, Nodes: 3, Holder: 1},
		"newest first 3":   {Algorithm: newestFirst, Nodes: 3},
		"no lock":          {Algorithm: func(messaging.Start) messaging.Node { return new(counter) }, Nodes: 3},
		"no other lock":    {Algorithm: func(messaging.Start) messaging.Node { return &counter{Step: 2} }, Nodes: 3},
	} {
		_, text, _ := strings.Cut(textOf(t, start(t, c)), "rules ")
		require.Len(t, text, len("12345678; run"), name)
		for other, has := range rules {
			assert.NotEqual(t, text, has, "%s and %s", name, other)
		}
		rules[name] = text
	}
}

// The bytes of runs are the same on every machine, and in a browser: .ci/run has this test
// on 32 bits and under js/wasm.
func TestReplayBytes(t *testing.T) {
	h, all := sha256.New(), ""
	for seed := range uint64(60) {
		c := stepConfigs(seed)
		r := start(t, c)
		randomly(r, rand.New(rand.NewPCG(seed, 5)), c.Nodes, 60)
		for _, p := range r.Pending() {
			_, _ = fmt.Fprintln(h, p.Number, int64(p.Due))
		}
		events := eventText(r.Events())
		_, _ = fmt.Fprintf(h, "%s\n%s\n", events, sim.Failure(r.Err()))
		all += events
	}
	assert.Equal(t, "3b3cd01df98fa223", fmt.Sprintf("%x", h.Sum(nil))[:16])
	for _, what := range []string{"gives up", "is lost", "is duplicated", "crashes", "starts again", "learns of", "emits", "timer", "enters"} {
		assert.Contains(t, all, what)
	}
}

// A counter is no lock: it counts the beats of its timer.
type counter struct{ Step, Beats int }

func (n *counter) Start(out messaging.Out) { out.After(sim.T, Alarm{n.Step}) }

func (n *counter) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	n.Beats += 1 + m.(Alarm).Number
	n.Start(out)
}

// Nodes that are no locks are stepped too; they cannot ask.
func TestNoLock(t *testing.T) {
	r := start(t, sim.Config{Algorithm: func(messaging.Start) messaging.Node { return new(counter) }, Nodes: 2})
	assert.EqualError(t, r.Do("s3.a0"), `sim: choice 2, "a0" at offset 3: S1 is idle; no node can ask now`)
	assert.Equal(t, "2", r.Node(0).Fields[1].Value)
	_, err := sim.Start(sim.Config{Algorithm: func(messaging.Start) messaging.Node { return new(counter) }, Nodes: 2, Load: sim.HighLoad{}, Entries: 1})
	assert.EqualError(t, err, "sim: Config.Load has node 0 ask, a *sim_test.counter: it is no Exclusion")
}

// Results of Choose are dropped if the choice that follows is wrong: the text of the run can be read.
func TestResultsOfWrongChoices(t *testing.T) {
	for _, text := range []string{"c1", "c1.q", "c1.s0", "c1.a9", "c1.d7"} {
		r := start(t, sim.Config{Algorithm: lamport.New, Nodes: 2})
		require.Error(t, r.Do(text))
		assert.Regexp(t, "; run$", textOf(t, r), text)
	}
}

func TestText(t *testing.T) {
	type (
		Request  struct{ Of messaging.Stamp }
		Locked   struct{ Of, By messaging.Stamp }
		Release  struct{}
		Transfer struct {
			To      messaging.Stamp
			Next    messaging.ID
			Version int
			Urgent  bool
		}
		Privilege struct {
			LN    []uint64
			Queue []messaging.ID
			Seen  messaging.Set
			Q     requests.Queue
		}
		inner  struct{ A, B int }
		Outer  struct{ In inner }
		Number int
	)
	s := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	for _, tt := range []struct {
		m    messaging.Message
		kind string
		text string
	}{
		{Request{s(1, 1)}, "REQUEST", "REQUEST(1,S2)"},
		{&Request{s(1, 1)}, "REQUEST", "REQUEST(1,S2)"},
		{Request{}, "REQUEST", "REQUEST(-)"},
		{Locked{s(3, 0), s(0, 0)}, "LOCKED", "LOCKED((3,S1),-)"},
		{Release{}, "RELEASE", "RELEASE"},
		{Transfer{s(2, 4), 11, 7, true}, "TRANSFER", "TRANSFER((2,S5),S12,Version:7,Urgent:true)"},
		{Transfer{s(2, 4), -1, 0, false}, "TRANSFER", "TRANSFER((2,S5),-,Version:0,Urgent:false)"},
		{
			Privilege{[]uint64{0, 1}, ids(2, 0), messaging.SetOf(1, 64), requests.Queue{s(1, 0), s(1, 1)}},
			"PRIVILEGE", "PRIVILEGE(LN:[0 1],Queue:[S3 S1],Seen:{S2 S65},Q:[(1,S1) (1,S2)])",
		},
		{Outer{inner{1, 2}}, "OUTER", "OUTER(In:{A:1,B:2})"},
		{Number(4), "NUMBER", "4"},
		{messaging.ID(4), "ID", "S5"},
		{s(4, 4), "STAMP", "(4,S5)"},
		{(*Release)(nil), "RELEASE", "<nil>"},
		{nil, "<NIL>", "nil"},
	} {
		assert.Equal(t, tt.kind, messaging.Kind(tt.m), "%#v", tt.m)
		var line strings.Builder
		sim.Trace(&line)(messaging.Event{Action: "emitted", Message: tt.m})
		assert.Equal(t, "0       S1 emits "+tt.text+"\n", line.String(), "%#v", tt.m)
	}
}
