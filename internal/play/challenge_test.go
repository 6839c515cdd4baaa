package play

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A trial is what testdata/challenges.txt has of a challenge.
type trial struct{ name, solution, near, why string }

func trials(t *testing.T) (all []trial) {
	t.Helper()
	text, err := os.ReadFile("testdata/challenges.txt")
	require.NoError(t, err)
	for _, part := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] {
		lines := strings.Split(part, "\n")
		require.Len(t, lines, 4, part)
		all = append(all, trial{lines[0], lines[1], lines[2], lines[3]})
	}
	return all
}

// played returns a challenge after some choices, and how many there are.
func playedTo(t *testing.T, o Opening, choices string) (p *Play, made int) {
	t.Helper()
	p = Open(o.Text + " " + choices)
	v := p.View(0)
	require.Empty(t, v.Refused, "%s %s", o.Text, choices)
	return p, v.Made
}

// A solution solves its challenge at its end and not before; a near miss is refused.
func TestChallenges(t *testing.T) {
	solutions := map[string]trial{}
	for _, s := range trials(t) {
		solutions[s.name] = s
	}
	for _, o := range List().Challenges {
		t.Run(o.Name, func(t *testing.T) {
			if !playable(o.Text) {
				t.Skip("this build does not explore locks")
			}
			s, has := solutions[o.Name]
			require.True(t, has, "%s has no solution in testdata/challenges.txt", o.Name)
			p, made := playedTo(t, o, s.solution)
			for n := made; n >= 0; n-- {
				p.To(n)
				g := p.View(0).Goal
				assert.Equal(t, n == made, g.Solved, "after %d choices: %s", n, g.Why)
				assert.Regexp(t, `^[A-Z].*\.$`, g.Why)
			}
			p.To(made)
			goesOn := p.View(0).Choices
			for _, c := range goesOn[:min(1, len(goesOn))] {
				p.Choose(c.Do)
				g := p.View(0).Goal
				assert.True(t, g.Solved, "it stays solved: %s", g.Why)
				assert.Equal(t, fmt.Sprintf("After choice %d.", made), g.Why)
				assert.Equal(t, *g, *Open(p.Text()).View(0).Goal)
			}
			p, _ = playedTo(t, o, s.near)
			g := p.View(0).Goal
			assert.False(t, g.Solved)
			assert.Equal(t, s.why, g.Why)
		})
	}
}

// playable reports whether this build plays a text: without the tag doorway_explore it plays no locks.
func playable(text string) bool {
	return !strings.Contains(text, "; lock ") || Open(text).View(0).Run.Kind == "lock"
}

// A challenge is about its algorithm, number of members and limits.
func TestOtherRuns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			"challenge one-loss; version 1; nodes 2; algorithm ricartagrawala; run a0.x1",
			"This challenge is about another run: nodes 3; algorithm ricartagrawala.",
		},
		{
			"challenge one-loss; version 1; nodes 3; algorithm ricartagrawala; lose REPLY; run a0.s2",
			"This challenge is about another run: nodes 3; algorithm ricartagrawala.",
		},
		{
			"challenge one-loss; version 1; nodes 3; algorithm ricartagrawala; run a0.x1.k2",
			"Not allowed in this challenge: a node crashes.",
		},
		{
			"challenge crash-holder; version 1; nodes 3; algorithm suzukikasami; run a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.a0.l0.k0.a1.s2",
			"At most 40 choices are allowed, and these are 42.",
		},
	} {
		v := Open(c.text).View(0)
		require.Empty(t, v.Refused)
		assert.False(t, v.Goal.Solved)
		assert.Equal(t, c.want, v.Goal.Why)
	}
}
