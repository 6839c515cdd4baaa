//go:build doorway_explore

package explore

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/internal/space"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// CheckUnexamined checks a lock without examining its source.
func CheckUnexamined(cfg Config) (*Report, error) {
	c, err := begin(&cfg, false)
	if err != nil {
		return nil, err
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.report, nil
}

// A maximal lock computes a maximum, and so has many histories.
type maximal struct {
	procs            register.Processes
	choosing, number [2]register.Word
}

func (l *maximal) Processes() int { return 2 }
func (l *maximal) Unlock(i int)   { l.number[l.procs.Exit(i).ID()].Store(0) }

func (l *maximal) Lock(i int) {
	p, j := l.procs.Entry(i), 1-i
	l.choosing[i].Store(1)
	mine := min(3, 1+l.number[j].Load())
	l.number[i].Store(mine)
	l.choosing[i].Store(0)
	p.Doorway()
	l.choosing[j].Await(p, func(v uint64) bool { return v == 0 })
	l.number[j].Await(p, func(v uint64) bool { return v == 0 || v > mine || v == mine && j > i })
	p.Inside()
}

// The minimal automaton is equivalent to all histories, and a state of two words to a state of
// one: the states of all histories differ only in number.
func TestRepresentations(t *testing.T) {
	cfg := Config{
		New: func(int) mutex.Mutex { return &maximal{procs: register.MakeProcesses("maximal", 2)} }, Processes: 2,
		Only: Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true, SafeRegisters: true},
	}
	begun, err := begin(&cfg, false)
	require.NoError(t, err)
	var states []int
	var verdicts []string
	for _, which := range []string{"all histories", "minimal", "wide"} {
		c := &checking{cfg: &cfg, x: begun.x, report: newReport(&cfg), program: graph.Program{Variables: begun.x.Variables, Ways: 1}}
		for _, tree := range begun.x.Trees {
			nodes := automaton.Minimal(tree, begun.x.Variables)
			if which == "all histories" {
				nodes = automaton.Freeze(tree, begun.x.Variables)
			}
			automaton.Fuse(nodes)
			c.program.Automata = append(c.program.Automata, automaton.AtGates(nodes))
		}
		if which == "wide" {
			y := graph.NewLayout(c.program, false)
			y.Registers[0] = graph.Field{Word: 1, Shift: 3, Mask: y.Registers[0].Mask}
			err = runOn[[2]uint64](c, y)
		} else {
			err = c.run()
		}
		require.NoError(t, err, which)
		r := c.report
		states = append(states, r.States)
		verdicts = append(verdicts, fmt.Sprint(
			r.MutualExclusion.Status, r.DeadlockFree.Status, r.StarvationFree.Status, r.FIFO.Status, r.SafeRegisters.Status, r.Bypasses,
		))
	}
	assert.Equal(t, []string{verdicts[1], verdicts[1], verdicts[1]}, verdicts)
	assert.Greater(t, states[0], states[1], "of all histories")
	assert.Equal(t, states[1], states[2], "of two words")
}

// A property that takes too much memory does not lose the verdicts on others.
func TestUnanswered(t *testing.T) {
	c := &checking{report: &Report{States: 7}}
	require.NoError(t, c.unanswered("this", &space.MemoryError{Limit: 1 << 30, States: 5}))
	assert.Len(t, c.report.Unanswered, 1)
	assert.Error(t, c.unanswered("this", errors.New("else")), "an error is forgotten")
}
