//go:build doorway_explore

package play

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/lamportfast"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// TestLockRefused: a text that is wrong is refused with one sentence, and what stands before the mistake is played.
func TestLockRefused(t *testing.T) {
	for _, c := range []struct {
		text, why, again string
		made             int
	}{
		{"processes 9; lock lamportfast", "the run has 9 processes, and a page plays lamportfast with 1 to 4", "", 0},
		{"processes 3; lock peterson", "the run has 3 processes, and a page plays peterson with 1 to 2", "", 0},
		{"processes 1; lock peterson", "the lock has 2 processes, want 1", "", 0},
		{"processes 2", "the text of the run names no lock", "", 0},
		{"processes 2; lock x", `there is no lock "x"`, "", 0},
		{"processes 2; lock bakery; cap 0", "cap 0: want a number from 1 to 65536", "", 0},
		{"processes 2; lock bakery; cap -1", "cap -1: want a number from 1 to 65536", "", 0},
		{"processes 3; lock bakery; cap 65536", "this lock has too many states for a page: take fewer processes, or a smaller cap", "", 0},
		{"processes 2; lock peterson; loss 0.5", `"loss 0.5" is no directive of a lock: they are processes, lock, cap, give up and run`, "", 0},
		{
			"version 1; processes 2; lock peterson; rules 00000000; run 0.0.1",
			"this run was made with other rules of peterson than those that the page has", "processes 2; lock peterson; run 0.0.1", 0,
		},
		{"version 2; processes 2; lock peterson; run 0.0.1", "this run is of version 2, and the page plays version 1", "processes 2; lock peterson; run 0.0.1", 0},
		{"processes 2; lock peterson; run 0.0.1.7", "choice 4, 7, cannot be made: there is no process 7: they are 0 and 1", "", 3},
		{"processes 2; lock peterson; run 0.a1", "choice 2, a1, cannot be made: a1 is no step: a step of a lock is the number of a process", "", 1},
		{"processes 2; lock peterson; give up; run 0.2", "choice 2, 2, cannot be made: P0 awaits nothing, and cannot give up", "", 1},
		{"processes 2; lock tournament; run 0.0.0.1.1.1.1.1.1.1", "", "", 10},
		{
			"processes 2; lock bakery-simple; cap 1; run 0.0.0.0.0.0.0.1.1.1.1",
			"choice 11, 1, cannot be made: P1 would write a value above the cap, 1, to number[1]", "", 10,
		},
	} {
		v := Open(c.text).View(0)
		assert.Equal(t, []any{c.why, c.again, c.made}, []any{v.Refused, v.Again, v.Made}, c.text)
		if c.again != "" {
			assert.Equal(t, 3, Open(c.again).View(0).Made)
		}
	}
}

// TestLockShown: what a process awaits, for whom, and what the last step has done.
func TestLockShown(t *testing.T) {
	source, err := os.ReadFile("../../peterson/peterson.go")
	require.NoError(t, err)
	defer Sources(nil) // without, a browser would have none
	Sources(map[string]string{"example.org/doorway/peterson/peterson.go": string(source)})
	p := Open("processes 2; lock peterson; run 0.0.0.1.1.1.1")
	v := p.View(0)
	assert.Equal(t, Verdict{going, "P0 is inside; P1 waits for P0, which is inside"}, v.Verdict)
	assert.Equal(t, []Block{{1, "P1 awaits turn = 0, and it is 1, or want[0] = 0, and it is 1", "wantj == 0 or turn != uint64(i)"}}, v.Blocked)
	assert.Equal(t, []Wait{{1, 0, "awaits turn = 0, and it is 1, or want[0] = 0, and it is 1: P0 wrote want[0] last", ""}}, v.Waits)
	assert.Equal(t, []Choice{{Do: "0", Text: "P0: want[0] := 0", Group: next, Member: 0}}, v.Choices)
	assert.Equal(t, "0", v.Next)
	assert.Equal(t, []string{"P0 reads 0 from want[1], and enters", "P1 writes want[1] := 1"}, []string{v.Events[2].Text, v.Events[3].Text})
	assert.Equal(t, "P1 awaits want[0], finds 1, and waits", v.Events[6].Text)
	p.Choose("0")
	v = p.View(v.Total)
	assert.Equal(t, []Register{{"want[0]", "0", true, 0}, {"turn", "1", false, 1}, {"want[1]", "1", false, 1}}, v.Registers)
	assert.Equal(t, "1", v.Next)
	assert.Equal(t, Verdict{going, "Each process can take a step"}, v.Verdict)
}

// TestLockUntil: a step that ends a wait says which condition held.
func TestLockUntil(t *testing.T) {
	source, err := os.ReadFile("../../bakery/simple.go")
	require.NoError(t, err)
	defer Sources(nil)
	Sources(map[string]string{"example.org/doorway/bakery/simple.go": string(source)})
	v := Open("processes 2; lock bakery-simple; run 0.0.0.0.0").View(0)
	assert.Equal(t, "P0 awaits number[0], finds 1, and goes on, as numberj == 0 || !precedes(numberj, j, number, i)", v.Events[len(v.Events)-1].Text)
}

// TestLockWaits: for whom a process waits that is the last to have written what it awaits, or that cannot begin a step.
func TestLockWaits(t *testing.T) {
	v := Open("processes 2; lock bakery-simple; run 0.1.0").View(0)
	assert.Equal(t, []Wait{{1, 0, "waits until the atomic step of P0 ends", ""}}, v.Waits)
	for _, a := range []string{"mcs", "graunkethakkar"} {
		for n := 2; n <= 3; n++ {
			p := Open(fmt.Sprintf("processes %d; lock %s", n, a))
			for v = p.View(0); len(v.Blocked) == 0; v = p.View(0) {
				p.Choose(v.Next)
			}
			assert.Equal(t, []Wait{{1, 0, v.Waits[0].Why, ""}}, v.Waits)
		}
	}
}

// TestLockViolated: what was violated once stays so.
func TestLockViolated(t *testing.T) {
	if !catalog.Variants {
		t.Skip("this build has no wrong variants")
	}
	p := Open("processes 2; lock bakery/late-number; cap 4; run 0.0.0.1.1.1.1.1.1.0.0.0.0")
	assert.Equal(t, Verdict{violated, "P0 and P1 were inside at the same time, after step 12"}, p.View(0).Verdict)
	p.To(12)
	assert.Equal(t, Verdict{violated, "P0 and P1 are inside at the same time"}, p.View(0).Verdict)
	p.To(11)
	assert.Equal(t, going, p.View(0).Verdict.Kind)
}

// TestLockChecked: what the catalog claims of each lock holds, each wrong one fails, and its counterexample opens at its end.
func TestLockChecked(t *testing.T) {
	for _, a := range List().Algorithms {
		if a.Kind != "lock" || a.Name == "bakery/maxpos" { // that takes 3 processes, and seconds
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			c := Check(opens(a, a.Usual), silent)
			require.Empty(t, c.Error)
			of, _ := catalog.Find(a.Name)
			found := 0
			for _, p := range c.Verdicts {
				if p.Status != explore.Fails {
					continue
				}
				found++
				if p.Text == "" {
					assert.Equal(t, "tolerates safe registers", p.Name)
					continue
				}
				v := Open(p.Text).View(0)
				assert.Empty(t, v.Refused, "%s: %s", p.Name, p.Text)
				assert.Positive(t, v.Made)
				assert.True(t, p.Name != "mutual exclusion" || v.Verdict.Kind == violated, "%v", v.Verdict)
				assert.True(t, p.Name != "deadlock-free" || v.Verdict.Kind == stuck || strings.HasPrefix(p.Note, "livelock"), "%s: %v", p.Note, v.Verdict)
				assert.True(t, of.Broken != nil || strings.Contains(p.Note, "not promised"), "%v", p)
			}
			switch {
			case of.Broken == nil:
			case a.Name == "bakery-blackwhite/withdraw":
				assert.Contains(t, c.Covers, "stores above it were not followed")
			default:
				assert.Positive(t, found)
			}
		})
	}
}

// TestLockOfOnesOwn is played, and refused if it makes nodes.
func TestLockOfOnesOwn(t *testing.T) {
	defer func() { owns = nil }()
	require.NoError(t, Add("mine.New", func(n int) mutex.Mutex { return lamportfast.New(n) }))
	require.NoError(t, Add("mine.NewPair", peterson.New))
	p := Open("processes 3; lock mine.New; run 0.1.2")
	assert.Empty(t, p.View(0).Refused)
	assert.Equal(t, p.Text(), Open(p.Text()).Text())
	assert.Equal(t, explore.Holds, property(t, Check("processes 2; lock mine.NewPair", silent), "FIFO").Status)
	require.NoError(t, Add("mine.NewBakery", bakery.NewSimple))
	assert.Contains(t, Open("processes 2; lock mine.NewBakery").Text(), "; cap 8;", "its numbers grow")
	assert.Contains(t, Check("processes 2; lock mine.NewBakery", silent).Covers, "no register exceeds 8")
	require.NoError(t, Add("mine.NewNodes", ricartagrawala.New))
	assert.Equal(t, "mine.NewNodes makes nodes: its text begins with nodes, not processes", Open("processes 2; lock mine.NewNodes").View(0).Refused)
}

// TestLockThatPanics: a check says what the constructor says.
func TestLockThatPanics(t *testing.T) {
	defer func() { owns = nil }()
	require.NoError(t, Add("mine.Many", func(int) mutex.Mutex { panic("want 100 processes or more") }))
	const text = "processes 2; lock mine.Many"
	assert.Contains(t, Open(text).View(0).Refused, "want 100 processes or more")
	assert.Contains(t, Check(text, silent).Error, "want 100 processes or more")
}

// TestLockSource has the files in which processes are.
func TestLockSource(t *testing.T) {
	defer Sources(nil)
	const path = "example.org/doorway/peterson/peterson.go"
	Sources(map[string]string{path: "package peterson\n", "example.org/doorway/mcs/mcs.go": "package mcs\n"})
	v := Open("processes 2; lock peterson").View(0)
	assert.Equal(t, []File{{path, "package peterson\n"}}, v.Run.Files)
	assert.Equal(t, path, v.Members[0].Path)
}

// TestShortest: no run of fewer choices than that of a check lets two in, counted without the states of the check.
func TestShortest(t *testing.T) {
	for _, name := range []string{"peterson/turn-first", "bakery/late-number"} {
		text := "processes 2; lock " + name
		p := property(t, Check(text, silent), "mutual exclusion")
		require.Positive(t, p.Shortest)
		found := Open(p.Text).View(0)
		assert.Equal(t, p.Shortest, found.Made, name)
		assert.Equal(t, Open(text).View(0).Run.Checks, found.Run.Checks, name)
		assert.False(t, letsTwoIn(Open(text), p.Shortest-1), name)
		assert.True(t, letsTwoIn(Open(text), p.Shortest), name)
	}
}

// letsTwoIn reports whether a run does that goes on by at most so many choices.
func letsTwoIn(p *Play, more int) bool {
	v := p.View(0)
	if v.Verdict.Kind == violated || more == 0 {
		return v.Verdict.Kind == violated
	}
	for _, c := range v.Choices {
		if p.Choose(c.Do); letsTwoIn(p, more-1) {
			return true
		}
		p.To(v.Made)
	}
	return false
}
