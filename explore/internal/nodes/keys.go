package nodes

import (
	"fmt"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
)

// mostWords is how many words a state may take.
const mostWords = 16

// states are the space of a graph. Its keys alone have a number of words that the compiler knows.
type states interface {
	Explore(over func() bool) (complete bool, err error)
	Bytes() int64
	Forget()
}

// open opens the space of g, which has the first state.
func (g *graph) open() {
	switch w := g.words; {
	case w == 1:
		open[[1]uint64](g)
	case w == 2:
		open[[2]uint64](g)
	case w == 3:
		open[[3]uint64](g)
	case w == 4:
		open[[4]uint64](g)
	case w <= 6:
		open[[6]uint64](g)
	case w <= 8:
		open[[8]uint64](g)
	default:
		open[[mostWords]uint64](g)
	}
}

func open[K space.Key](g *graph) {
	c, cs := g.c, g.cells
	var root K
	copy(space.Words(&root), g.root)
	s := space.New(root, system[K]{g}, space.Options{
		Workers: c.Workers, Keep: true, Memory: c.Memory, Beside: func() int64 { return cs.bytes },
		Progress: func(states int, bytes int64) {
			if c.Progress == nil {
				return
			}
			defer func() {
				if r := recover(); r != nil {
					panic(history.Breach{Err: fmt.Errorf("explore: NodesConfig.Progress panicked: %v", r)})
				}
			}()
			c.Progress("states", states, bytes)
		},
	})
	g.Graph, g.states = &s.Graph, s
}

// A system is a graph whose states are keys.
type system[K space.Key] struct{ g *graph }

// Steps implements [space.System].
func (s system[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	return s.g.steps(space.Words(k), shard, func(to []uint64) {
		if to == nil {
			out.No(-1)
			return
		}
		var next K
		copy(space.Words(&next), to)
		out.To(&next)
	})
}

// Learn implements [space.Learner].
func (s system[K]) Learn(k *K) { s.g.learn(space.Words(k)) }
