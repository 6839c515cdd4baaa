package play

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opens returns the text with which an algorithm opens.
func opens(a Algorithm, n int) string { return strings.Replace(a.Text, "%d", fmt.Sprint(n), 1) }

// seen is what a view shows, without the numbers of runs that were opened.
func seen(p *Play) View {
	v := p.View(0)
	v.Run.Key, v.Kept, v.Forward, v.Refused, v.Again = 0, 0, "", "", ""
	return v
}

// same requires two views to be the same, and shows the first difference in JSON alone, as views are long.
func same(t *testing.T, want, got View) {
	t.Helper()
	a, err := json.Marshal(want)
	require.NoError(t, err)
	b, err := json.Marshal(got)
	require.NoError(t, err)
	k := 0
	for k < min(len(a), len(b)) && a[k] == b[k] {
		k++
	}
	from := max(0, k-200)
	require.Equal(t, string(a[from:min(len(a), k+200)]), string(b[from:min(len(b), k+200)]))
}

// wander makes n choices at random.
func wander(t *testing.T, p *Play, dice *rand.Rand, n int) {
	t.Helper()
	for range n {
		v := p.View(p.View(0).Total)
		if len(v.Choices) == 0 {
			return
		}
		do := v.Choices[dice.IntN(len(v.Choices))]
		if v.Choices[0].Group == next && dice.IntN(3) > 0 {
			do = v.Choices[0]
		}
		p.Choose(do.Do)
		require.Empty(t, p.View(0).Refused, "%s: %s", do.Do, do.Text)
		require.Equal(t, v.Made+1, p.View(0).Made, do.Text)
	}
}

// TestNamed: the name of an algorithm alone opens it as the page lists it.
func TestNamed(t *testing.T) {
	for _, a := range List().Algorithms {
		if text := opens(a, a.Usual); playable(text) {
			same(t, seen(Open(text)), seen(Open(a.Name)))
		}
	}
}

// TestAll plays each algorithm at random: each choice that is offered can be made, a view is complete, going back shows what was
// before, and the text opens the same.
func TestAll(t *testing.T) {
	for _, a := range List().Algorithms {
		if !playable(opens(a, a.Usual)) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			p, dice := Open(opens(a, a.Usual)), rand.New(rand.NewPCG(1, 1))
			require.Empty(t, p.View(0).Refused)
			assert.Equal(t, a.Name, p.View(0).Run.Algorithm)
			assert.Len(t, p.View(0).Run.Names, a.Usual)
			wander(t, p, dice, 20)
			middle, made := seen(p), p.View(0).Made
			wander(t, p, dice, 20)
			end := seen(p)
			complete(t, reflect.ValueOf(end), "View")
			p.To(made)
			same(t, middle, seen(p))
			p.To(end.Made)
			same(t, end, seen(p))
			text := p.Text()
			again := Open(text)
			assert.Empty(t, again.View(0).Refused)
			same(t, end, seen(again))
			assert.Equal(t, text, again.Text())
		})
	}
}

// complete requires that no slice is nil.
func complete(t *testing.T, v reflect.Value, at string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Slice:
		require.False(t, v.IsNil(), "%s is null in JSON", at)
		for k := range v.Len() {
			complete(t, v.Index(k), fmt.Sprintf("%s[%d]", at, k))
		}
	case reflect.Struct:
		for k := range v.NumField() {
			f := v.Type().Field(k)
			if f.Type.Kind() != reflect.Slice || !strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
				complete(t, v.Field(k), at+"."+f.Name)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			complete(t, v.Elem(), at)
		}
	}
}

func TestListIsComplete(t *testing.T) {
	complete(t, reflect.ValueOf(List()), "Catalog")
	assert.Equal(t, mostText, List().Longest)
	for _, a := range List().Algorithms {
		assert.NotEmpty(t, a.Group, a.Name)
		assert.LessOrEqual(t, a.Least, a.Usual, a.Name)
		assert.LessOrEqual(t, a.Usual, a.Most, a.Name)
	}
}

// TestKept: what was taken back is made again until another choice is made.
func TestKept(t *testing.T) {
	p := Open("nodes 3; algorithm ricartagrawala")
	p.Choose("a0.a2.s3")
	p.To(2)
	assert.Equal(t, []int{2, 3}, []int{p.View(0).Made, p.View(0).Kept})
	assert.Equal(t, p.kept[2], p.View(0).Forward)
	p.Choose("s1")
	assert.Equal(t, []int{3, 2}, []int{p.View(0).Made, p.View(0).Kept}, "the same choice")
	p.To(5)
	assert.Equal(t, []int{5, 0}, []int{p.View(0).Made, p.View(0).Kept})
	assert.Empty(t, p.View(0).Forward)
	p.To(1)
	p.Choose("a1")
	assert.Equal(t, []int{2, 0}, []int{p.View(0).Made, p.View(0).Kept}, "another")
	p.To(99)
	p.To(-1)
	assert.Equal(t, []int{0, 2}, []int{p.View(0).Made, p.View(0).Kept})
}

// moment is how long any text may take to open: a tenth of a second on a quiet machine, and far more on one that is not, in WebAssembly.
const moment = 10 * time.Second

// TestRefused: one sentence says what is wrong, and what stands before it is played.
func TestRefused(t *testing.T) {
	const three = "version 1; nodes 3; algorithm maekawa; stay 1; "
	for _, c := range []struct {
		text, refused string
		nodes, made   int
	}{
		{three + "run a0.a2.d99.s4", "choice 3, d99, cannot be made: 99 is not pending; what can happen now is 1, 2", 3, 2},
		{three + "run a0.a2.s", "choice 3, s, cannot be made: expected a whole number after s", 3, 2},
		{three + "run a0.l0", "choice 2, l0, cannot be made: S1 is waiting; no node can leave now", 3, 1},
		{three + "run a0.c1", "choice 2, c1, cannot be made: the last choice, c1: expected a choice that it is for, found the end", 3, 1},
		{three + "latency many; run a0", `"latency many": expected a kind of message, two nodes such as S1->S2, or a duration such as 1.5, 1..3 or exp(2), 0 to 1000000 with at most six digits after the point, found "many"`, 3, 0},
		{"nodes 4; algorithm maekawa; run a0." + strings.Repeat("k0.r0.", 6000), "", 4, 0},
		{"version 1; nod", `"nod" is no directive: did you mean low?`, 3, 0},
		{"__proto__", `"__proto__" is no directive, such as nodes 3`, 3, 0},
		{"\x00", `"\x00" is no directive, such as nodes 3`, 3, 0},
		{"nodes 3; algorithm maekava; run a0", `"algorithm maekava": no algorithm "maekava": did you mean maekawa?`, 3, 0},
		{"nodes 1000; algorithm ricartagrawala; run s1000000", "the run has 1000 nodes, and a page plays at most 31", 3, 0},
		{"nodes 3; algorithm tokenring; run s1000000", "the run has more than 10000 choices, the most that a page plays", 3, 0},
		{strings.Repeat("x", 1<<17), "the text of the run has 131072 bytes, and a page plays at most 65536", 3, 0},
		{strings.Repeat("nodes 3;", 1000), "the text of the run has more than 400 directives, the most that a page plays", 3, 0},
		{"", "", 3, 0},
	} {
		start := time.Now()
		p := Open(c.text)
		v := p.View(0)
		assert.Less(t, time.Since(start), moment, c.text[:min(99, len(c.text))])
		if c.refused != "" {
			assert.Equal(t, c.refused, v.Refused)
			assert.Equal(t, c.made, v.Made, c.text[:min(99, len(c.text))])
		}
		assert.Len(t, v.Members, c.nodes)
		assert.NotContains(t, v.Refused, "\n")
	}
}

// TestOutdated: a run of other rules, or another version, is not played, but can be.
func TestOutdated(t *testing.T) {
	for _, c := range [][2]string{
		{"version 1; nodes 3; algorithm maekawa; stay 1; rules 12345678; run a0.s2", "this run was made with other rules of maekawa than those that the page has"},
		{"version 2; nodes 3; algorithm maekawa; stay 1; rules 12345678; run a0.s2", "this run is of version 2, and the page plays version 1"},
	} {
		v := Open(c[0]).View(0)
		assert.Equal(t, c[1], v.Refused)
		assert.Zero(t, v.Made)
		assert.Equal(t, "nodes 3; algorithm maekawa; stay 1; run a0.s2", strings.TrimPrefix(v.Again, "version 1; "))
		assert.Equal(t, 3, Open(v.Again).View(0).Made)
	}
}

// FuzzOpen opens any text without a panic, in a moment.
func FuzzOpen(f *testing.F) {
	for _, a := range List().Algorithms {
		f.Add(opens(a, 3))
	}
	for _, text := range []string{
		"version 1; nodes 3; algorithm ricartagrawala; rules 5f3a9c21; run a0.a2.s5.w3+2.5.x4.y5.k0.r0.c1.d7",
		"nodes 31; algorithm echo; high load 10000 entries; run s10000",
		"nodes 13; algorithm maekawa; sets reiser-13; at 0 S1 asks\nat 0 S2 asks and gives up at 4 # a comment\nlatency REQUEST S1->S2 #2 30\n----\nS1 asks",
		"nodes 5; algorithm tokenring; perpetual; until 50; run s99",
		"nodes 31; algorithm total; run s10000",
		"processes 2; lock bakery/late-number; run 0.1.0",
		"nodes 3; algorithm x" + strings.Repeat(" xx #1", 10_000), // ordinals, which begin no comment
		"challenge x; nodes 3", "opening", "run", ";;;", "nodes", "\x00", "nodes 3; algorithm maekawa; run ....", "nodes 3; algorithm maekawa; run s0.s-1.w+.+.c",
		"nodes 2; algorithm lamport; pace S1 0.000001; seed 18446744073709551615; loss 1; duplication 1; run a0.s99",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		p := Open(text)
		v := p.View(0)
		took := time.Since(start)
		assert.Less(t, took, moment, text)
		complete(t, reflect.ValueOf(v), "View")
		_, err := json.Marshal(v)
		require.NoError(t, err)
	})
}

// FuzzChoose makes any choices: those that can be made are in the text, which opens the same, and going back and on
// again shows the same.
func FuzzChoose(f *testing.F) {
	for _, text := range []string{
		"a0.a1.a2.s9", "a0.k0.r0.a0.s5.k1", "a0.a1.d1.d2.x3.y4.w5+0.5.s2.g1.l0", "s1.s1.s1.d1.d2.d3", "c1.a0.c0.c1.s1", "a0.w1+9.w1+1.s2", "y1.y1.a0.y1.y2.s9",
		"a0.w1+.5", "a9", "d0", "w1", "s0", "..", "a0..a1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, run := range []string{"nodes 3; algorithm maekawa", "nodes 2; algorithm lamport; unordered", "nodes 3; algorithm bully", "nodes 3; algorithm recovery-central"} {
			p := Open(run)
			p.Choose(text)
			end := seen(p)
			again := Open(p.Text())
			require.Empty(t, again.View(0).Refused)
			same(t, end, seen(again))
			p.To(end.Made / 2)
			p.To(end.Made)
			same(t, end, seen(p))
		}
	})
}

// A sentence is short, whatever it is about.
func TestSentence(t *testing.T) {
	for _, text := range []string{
		"nodes 3; algorithm nobody",
		"nodes 3; algorithm " + strings.Repeat("<script>", 1000),
		"nodes 3; algorithm " + strings.Repeat("ü", 1000),
		"nodes 3; algorithm ricartagrawala; run a0." + strings.Repeat("z", 1000),
		"processes 2; lock " + strings.Repeat("nobody", 1000),
		"challenge " + strings.Repeat("nobody", 1000),
	} {
		refused := Open(text).View(0).Refused
		assert.NotEmpty(t, refused, "%.40s", text)
		assert.Less(t, len(refused), 500, "%.40s", text)
		assert.True(t, utf8.ValidString(refused), "%.40s", text)
		assert.Regexp(t, "cannot be made: expected|no algorithm|no lock|no challenge", refused)
	}
}

// TestFull: at a limit, a run says so and offers no choice, and one is refused with nothing changed.
func TestFull(t *testing.T) {
	p := Open("nodes 7; algorithm tokenring; run s5320")
	for p.View(0).Next != "" {
		require.Empty(t, p.View(0).Refused)
		p.Choose(p.View(0).Next)
	}
	before := p.View(0)
	assert.GreaterOrEqual(t, before.Total, mostEvents)
	assert.Empty(t, before.Choices)
	assert.Regexp(t, "^the run has 1[0-9]+ events, the most that a page plays: go back first$", before.Refused)
	p.Choose("s1")
	same(t, before, p.View(0))
	p.To(before.Made - 1)
	assert.NotEmpty(t, p.View(0).Next, "one can go back from there")
}
