package graph

import (
	"math/bits"

	"example.org/doorway/internal/space"
)

// A Layout places the parts of a state in its words.
type Layout struct {
	space.Packing
	Registers []space.Field
	locs      []space.Field   // by process: its node
	lines     [][]space.Field // by gate: the processes in line, from 1; 0: none
	gate      []int8          // by register: the index of its line, or -1
	busy      []space.Field   // by register: it is being written; nil: all registers are atomic
	safe      []bool          // by register, if there is busy
	heard     []space.Field   // by process, then by register; nil: no race monitor
}

// NewLayout returns the layout of a state, with the race monitor if requested.
func NewLayout(p Program, races bool) Layout {
	vars, nodes := p.Variables, p.Automata
	y := Layout{gate: make([]int8, len(vars))}
	n := len(nodes)
	for p := range nodes {
		y.locs = append(y.locs, y.Lay(max(1, bits.Len(uint(len(nodes[p])-1)))))
	}
	for r := range vars {
		y.Registers = append(y.Registers, y.Lay(max(1, bits.Len(uint(len(vars[r].Values)-1)))))
	}
	for r := range vars {
		y.gate[r] = -1
		if !vars[r].Gate {
			continue
		}
		y.gate[r] = int8(len(y.lines))
		line := make([]space.Field, n)
		for k := range line {
			line[k] = y.Lay(bits.Len(uint(n)))
		}
		y.lines = append(y.lines, line)
	}
	if races {
		for range n + len(vars) {
			y.heard = append(y.heard, y.Lay(1))
		}
	}
	return y
}

func (y Layout) words() int { return (y.Bits + 63) / 64 }

func (y Layout) check() error {
	if y.Bits > mostBits {
		return &WideError{y.Bits}
	}
	return nil
}
