package play

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ text, kind, verdict string }{
		{"nodes 3; algorithm ricartagrawala; run", going, "No node has asked yet"},
		{"nodes 3; algorithm maekawa; run a0.g0.s3", done, "No node waits any more: 3 messages"},
		{"nodes 3; algorithm ricartagrawala; run a0.k0.s4", done, "S1 has crashed before an entry, and no other node waits: 4 messages"},
		{"nodes 3; algorithm ricartagrawala; stay 1; run a0.a2", going, "S1 and S3 wait; 4 messages are in transit"},
		{"nodes 4; algorithm ricartagrawala; stay 1; run a0.a2.s14", done, "All served: 12 messages, 2(N-1) an entry"},
		{"nodes 4; algorithm ricartagrawala; stay 1; run k3.a0.a2.s9", stuck, "Stuck: S1 waits for S4, S3 waits for S1 and S4; S4 has crashed; nothing is in transit"},
		{"nodes 3; algorithm central; stay 1; run k0.a1.a2.s2", stuck, "Stuck: S2 and S3 wait for S1, which has crashed; nothing is in transit"},
		{"nodes 2; algorithm ricartagrawala; stay 1; run a0.s1.x2", stuck, "Stuck: S1 waits for S2; REPLY(1,S1) to S1 was lost; nothing is in transit"},
		{"nodes 3; algorithm ricartagrawala; stay 1; run a0.x1.s2", stuck, "Stuck: S1 waits for S2; REQUEST(1,S1) to S2 was lost; nothing is in transit"},
		{"nodes 4; algorithm ricartagrawala; stay 1; run a0.s1.k3.a1.s8", stuck, "Stuck: S1 waits for S4, S2 waits for S1 and S4; S4 has crashed; nothing is in transit"},
		{"nodes 3; algorithm suzukikasami; stay 1; run k0.a1.s2", stuck, "Stuck: S2 waits for S1 and S3; S1 has crashed; nothing is in transit"},
		{"nodes 3; algorithm central; run a1.a2.s3", going, "S2 is inside, S3 waits"},
		{"nodes 3; algorithm central; run a1.a2.s3.l1.s2", going, "S3 is inside"},
		{"nodes 3; algorithm tokenring; run", going, "1 timer is set"},
		{"nodes 3; algorithm lamport; stay 1; until 3; run a0.s6", done, "The run ends at 3 T, as its text says; 6 messages, 3(N-1) an entry"},
		{"nodes 3; algorithm bully; at 0 S1 gets HOLD; run s11", done, "Nothing is in transit any more. The result is right: one leader a term; in the end all know the same, live one; 7 messages, claimed: N²-1 if all hold an election"},
	} {
		v := Open(c.text).View(0)
		require.Empty(t, v.Refused, c.text)
		assert.Equal(t, Verdict{c.kind, c.verdict}, v.Verdict, c.text)
	}
}

// TestTwoInside: two copies of a token.
func TestTwoInside(t *testing.T) {
	p := Open("nodes 3; algorithm suzukikasami; run a0.a1.a2.s3.l0")
	copied := p.choice(t, "Q:[S3]) from S1 to S2 is duplicated")
	p.Choose(copied.Do)
	v := p.View(0)
	assert.Equal(t, violated, v.Verdict.Kind)
	assert.Regexp(t, "there are 2 tokens: .* S", v.Verdict.Text)
	assert.Empty(t, v.Choices)
	p.To(v.Made - 1)
	assert.NotEmpty(t, p.View(0).Choices, "one can go back from there")
}

// choice returns the first choice whose text contains that.
func (p *Play) choice(t *testing.T, contains string) Choice {
	t.Helper()
	for _, c := range p.View(0).Choices {
		if strings.Contains(c.Text, contains) {
			return c
		}
	}
	t.Fatalf("no choice %q among %v", contains, p.View(0).Choices)
	return Choice{}
}

func TestWaits(t *testing.T) {
	p := Open("nodes 3; algorithm ricartagrawala; stay 1; run a0")
	assert.Equal(t, []Wait{{0, 1, "REQUEST(1,S1) to S2 is in transit", ""}, {0, 2, "REQUEST(1,S1) to S3 is in transit", ""}}, p.View(0).Waits)
	p.Choose("d1")
	assert.Equal(t, "REQUEST(1,S1) to S2 has an answer, which is in transit", p.View(0).Waits[0].Why)
	p.Choose("d3")
	assert.Equal(t, []Wait{{0, 2, "REQUEST(1,S1) to S3 is in transit", ""}}, p.View(0).Waits, "S2 has answered")
	p.Choose("x2")
	assert.Equal(t, []Wait{{0, 2, "REQUEST(1,S1) to S3 was lost", "REQUEST(1,S1) to S3"}}, p.View(0).Waits)
	p.Choose("a1.s1")
	for _, w := range p.View(0).Waits {
		assert.NotContains(t, w.Why, "REPLY", "for an answer nothing has to come back")
	}
	p.To(1)
	assert.Len(t, p.View(0).Waits, 2)

	crossing := Open("nodes 2; algorithm ricartagrawala; stay 1; run a0.a1.s2").View(0)
	assert.Equal(t, []Wait{{0, 1, "REQUEST(1,S1) to S2 has an answer, which is in transit", ""}, {1, 0, "REQUEST(1,S2) to S1 has no answer", ""}}, crossing.Waits,
		"what was sent before it had arrived is no answer")
}

// TestChoices offers what can be done, each once, what happens by itself first.
func TestChoices(t *testing.T) {
	p := Open("nodes 2; algorithm lamport; run a0")
	assert.Equal(t, []Choice{
		{"s1", "REQUEST(1,S1) from S1 arrives at S2", next, 1, 1},
		{"g0", "S1 gives up", user, 0, 0},
		{"a1", "S2 asks", user, 1, 0},
		{"x1", "REQUEST(1,S1) from S1 to S2 is lost", fault, 1, 1},
		{"y1", "REQUEST(1,S1) from S1 to S2 is duplicated", fault, 1, 1},
		{"w1+1", "REQUEST(1,S1) from S1 to S2 is delayed by 1 T", fault, 1, 1},
		{"k0", "S1 crashes", fault, 0, 0},
		{"k1", "S2 crashes", fault, 1, 0},
	}, p.View(0).Choices)
	p.Choose("g0")
	v := p.View(0)
	require.Len(t, v.Blocked, 1)
	assert.Equal(t, Block{Member: 1, Why: "RELEASE((1,S1),(2,S1)) from S1 to S2 is behind REQUEST(1,S1): the link is FIFO"}, v.Blocked[0])
	assert.Equal(t, 1, v.Transit[1].Behind)
	p.Choose("k1")
	assert.Equal(t, "REQUEST(1,S1) is lost, as S2 has crashed", p.View(0).Choices[0].Text)
	assert.Equal(t, "S2 starts again", p.choice(t, "starts again").Text)
	asks := Open("nodes 2; algorithm lamport; at 0 S1 requests; at 1 S1 gives up")
	for range 2 {
		said := map[string]int{}
		for _, c := range asks.View(0).Choices {
			said[c.Text]++
		}
		assert.Equal(t, 1, said[asks.View(0).Choices[0].Text], "%v", said)
		asks.Choose("s1")
	}
}

// TestLowLoad: a node asks when nothing is pending, until all entries are made.
func TestLowLoad(t *testing.T) {
	p := Open("nodes 3; algorithm central; low load 2 entries; run")
	for len(p.View(0).Choices) > 0 && p.View(0).Choices[0].Group == next {
		p.Choose(p.View(0).Choices[0].Do)
		require.Empty(t, p.View(0).Refused)
	}
	assert.Equal(t, 2, p.View(0).Costs.Entries)
	assert.Equal(t, done, p.View(0).Verdict.Kind)
}

// TestInputs are those of users, of a system.
func TestInputs(t *testing.T) {
	p := Open("nodes 3; algorithm changroberts")
	c := p.choice(t, "S3 gets HOLD from its user")
	assert.Equal(t, user, c.Group)
	p.Choose(c.Do)
	assert.Equal(t, "S3 gets HOLD from its user", p.View(0).Events[0].Text)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}, {2, 0}}, p.View(0).Run.Links)
}

func TestCosts(t *testing.T) {
	p := Open("nodes 3; algorithm maekawa; stay 1; run a0.a1.s99")
	c := p.View(0).Costs
	assert.Equal(t, 2, c.Entries)
	assert.Equal(t, "3(K-1) at low load, 3..5(K-1) at high load", c.Claim)
	assert.Equal(t, "3 an entry at low load, 3 to 5 at high load if all nodes enter equally often", c.Claimed)
	for text, want := range map[string][]string{
		"nodes 3; algorithm central":        {"3 a client", "2 an entry if all nodes enter equally often"},
		"nodes 3; algorithm ricartagrawala": {"2(N-1)", "4 an entry"},
		"nodes 3; algorithm naimitrehel":    {"0..N", "0 to 3 an entry"},
		"nodes 4; algorithm changroberts":   {"3N-1 if all hold an election", "11 messages"},
	} {
		c := Open(text).View(0).Costs
		assert.Equal(t, want, []string{c.Claim, c.Claimed})
	}
	sum := 0
	for _, k := range c.Kinds {
		sum += k.Sent
	}
	assert.Equal(t, c.Messages, sum)
	assert.Equal(t, rounded(float64(c.Messages)/2), c.PerEntry)
}

func TestShape(t *testing.T) {
	run := func(text string) Run { return Open(text).View(0).Run }
	assert.Empty(t, run("nodes 3; algorithm lamport").Links, "all are linked")
	assert.Equal(t, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}}, run("nodes 5; algorithm raymond").Links)
	assert.Equal(t, 0.0, run("nodes 5; algorithm raymond").Points[0].Y, "the root is at the top")
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}}, run("nodes 3; algorithm raymond; topology line").Links)
	assert.Equal(t, [][2]int{{0, 2}, {1, 0}, {2, 1}}, run("nodes 3; algorithm ring; set S1 = S3; set S3 = S2; set S2 = S1").Links)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, run("nodes 4; algorithm tokenring").Links)
	assert.Equal(t, [][]int{{0, 1}, {1, 2}, {0, 2}}, run("nodes 3; algorithm maekawa").Quorums)
	assert.Equal(t, [][]int{{0}, {0}, {0}}, run("nodes 3; algorithm maekawa; set S1 = S1; set S2 = S1; set S3 = S1").Quorums)
	assert.Equal(t, []int{0, 1, 2, 3}, run("nodes 13; algorithm maekawa; sets reiser-13").Quorums[0])
}

// TestPhases has that of a node after each event, and marks what the last choice has changed.
func TestPhases(t *testing.T) {
	for text, want := range map[string]string{
		"nodes 2; algorithm central; stay 1; run a1.s3":         "waiting waiting idle idle waiting inside idle idle",
		"nodes 2; algorithm suzukikasami; stay 1; run a1.g1.s2": "",
		"nodes 2; algorithm lamport; stay 1; run a0.g0.k0.r0":   "",
	} {
		p := Open(text)
		v := p.View(0)
		var all []string
		last := map[int]string{}
		for _, e := range v.Events {
			all = append(all, e.Phase)
			last[e.Member] = e.Phase
		}
		if want != "" {
			assert.Equal(t, want, strings.Join(all, " "))
		}
		for i, phase := range last {
			assert.Equal(t, v.Members[i].Phase, phase, text)
		}
	}
	p := Open("nodes 2; algorithm central; stay 1; run a1.s1")
	for _, m := range p.View(0).Members {
		for _, f := range m.Fields {
			assert.Equal(t, m.Name == "S1" && f.Changed, f.Changed, "%s.%s", m.Name, f.Name)
		}
	}
}

// TestClaims: a formula stands for what was counted, if it is the same.
func TestClaims(t *testing.T) {
	served := func(text string) string { return Open(text).View(0).Verdict.Text }
	assert.Equal(t, "All served: 3 messages, 3(K-1) an entry", served("nodes 3; algorithm maekawa; stay 1; run a0.s4"))
	assert.Equal(t, "All served: 0 messages, 0 or 2E+d an entry", served("nodes 1; algorithm echo; stay 1; run a0.s1"))
	assert.Equal(t, "All served: 2 messages, 2 an entry, claimed: 2d at low load, 4(N-1)/N at high load", served("nodes 3; algorithm raymond; stay 1; run a1.s3"))
}

// TestScenarios: each file opens, and what happens next by itself can happen until nothing does.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../examples/scenarios/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p := Open(string(text))
		if strings.Contains(p.View(0).Refused, "wrong on purpose") {
			continue // this build does not have the algorithm
		}
		for v := p.View(0); v.Refused == "" && v.Made < 1000 && len(v.Choices) > 0 && v.Choices[0].Group == next; v = p.View(v.Total) {
			p.Choose(v.Choices[0].Do)
		}
		v := p.View(0)
		assert.Empty(t, v.Refused, file)
		assert.Positive(t, v.Made, file)
		if v.Made < 1000 {
			assert.NotEqual(t, going, v.Verdict.Kind, "%s: %s", file, v.Verdict.Text)
		}
	}
}
