package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

// A trial is a run that solves a challenge, and one that nearly does.
type trial struct{ name, solution, near, why string }

// trials returns those that are kept beside the challenges.
func trials(t *testing.T) []trial {
	t.Helper()
	data, err := os.ReadFile("../../internal/play/testdata/challenges.txt")
	require.NoError(t, err)
	var all []trial
	for part := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		if lines := strings.Split(part, "\n"); !strings.HasPrefix(part, "#") {
			require.Len(t, lines, 4, part)
			all = append(all, trial{lines[0], lines[1], lines[2], lines[3]})
		}
	}
	return all
}

// Each challenge is solved by its solution, choice by choice with the buttons, and not by a run that is nearly one.
func TestChallenges(t *testing.T) {
	t.Parallel()
	p := first(t)
	tried := map[string]trial{}
	for _, c := range trials(t) {
		tried[c.name] = c
	}
	const solved = `document.querySelector("#goal").dataset.solved`
	for _, c := range ask[play.Catalog](p, map[string]any{"do": "list"}).Challenges {
		try, has := tried[c.Name]
		if !assert.True(t, has, "no solution of %s", c.Name) {
			continue
		}
		p.set("#challenges", c.Name)
		assert.Equal(t, "false", eval[string](p, solved), c.Name)
		p.chooseAll(try.solution)
		assert.Equal(t, "true", eval[string](p, solved), "%s: %s", c.Name, p.text("#goal"))
		p.screenshot("solved " + c.Name)

		p.set("#challenges", c.Name)
		p.chooseAll(try.near)
		assert.Equal(t, "false", eval[string](p, solved), "%s: %s", c.Name, p.text("#goal"))
		assert.Contains(t, p.text("#goal"), try.why, c.Name)
	}
}

// chooseAll makes choices, each by its button.
func (p *tab) chooseAll(run string) {
	p.Helper()
	for do := range strings.SplitSeq(run, ".") {
		if steps := 0; do[0] == 's' {
			_, err := fmt.Sscanf(do, "s%d", &steps)
			require.NoError(p, err)
			p.click("#step", steps)
			continue
		}
		p.choose(do)
	}
}

// Keys alone find a challenge, and solve it.
func TestKeysSolve(t *testing.T) {
	t.Parallel()
	p := first(t)
	list := ask[play.Catalog](p, map[string]any{"do": "list"}).Challenges
	c := trials(t)[0]
	p.tabTo(`e.id === "challenges"`)
	for _, one := range list {
		p.keys(kb.ArrowDown)
		if one.Name == c.name {
			break
		}
	}
	require.Equal(t, c.name, p.view().Goal.Name)
	for do := range strings.SplitSeq(c.solution, ".") {
		p.tabTo(fmt.Sprintf(`e.dataset.do === %s && e.closest("#choices")`, js(do)))
		p.keys(kb.Enter)
	}
	assert.Equal(t, "true", eval[string](p, `document.querySelector("#goal").dataset.solved`))
}

// tabTo presses Tab until the element e that has the focus is the one that is meant.
func (p *tab) tabTo(is string) {
	p.Helper()
	for range 200 {
		if eval[bool](p, `(e => !!(`+is+`))(document.activeElement)`) {
			return
		}
		p.keys(kb.Tab)
	}
	require.FailNow(p, "Tab does not reach it", is)
}
