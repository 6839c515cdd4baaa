package graph

import (
	"math/bits"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/space"
)

// A Field is the place of a part of the state in a key.
type Field struct {
	Word  uint8
	Shift uint8
	Mask  uint64
}

func get[K space.Key](k *K, f Field) uint64 { return (*k)[f.Word] >> f.Shift & f.Mask }

func set[K space.Key](k *K, f Field, v uint64) {
	(*k)[f.Word] = (*k)[f.Word]&^(f.Mask<<f.Shift) | v<<f.Shift
}

// A Layout places the parts of a state in a key.
type Layout struct {
	Registers []Field
	locs      []Field      // by process: its node
	lines     [][]Field    // by gate: the processes in line, from 1; 0: none
	gate      []int8       // by register: the index of its line, or -1
	heard     []Field      // by process, then by register; nil: no race monitor
	baton     *batonFields // nil: it is not part of the state
	Bits      int
}

// lay packs fields of the given widths one after the other.
func (y *Layout) lay(width int) Field {
	if y.Bits%64+width > 64 {
		y.Bits += 64 - y.Bits%64
	}
	f := Field{uint8(y.Bits / 64), uint8(y.Bits % 64), 1<<width - 1}
	y.Bits += width
	return f
}

// NewLayout returns the layout of a state, with the race monitor if requested.
func NewLayout(p Program, races bool) Layout {
	vars, nodes := p.Variables, p.Automata
	y := Layout{gate: make([]int8, len(vars))}
	n := len(nodes)
	for p := range nodes {
		y.locs = append(y.locs, y.lay(max(1, bits.Len(uint(len(nodes[p])-1)))))
	}
	for r := range vars {
		y.Registers = append(y.Registers, y.lay(max(1, bits.Len(uint(len(vars[r].Values)-1)))))
	}
	for r := range vars {
		y.gate[r] = -1
		if !vars[r].Gate {
			continue
		}
		y.gate[r] = int8(len(y.lines))
		line := make([]Field, n)
		for k := range line {
			line[k] = y.lay(bits.Len(uint(n)))
		}
		y.lines = append(y.lines, line)
	}
	if slices.ContainsFunc(nodes, func(auto []automaton.Node) bool {
		return slices.ContainsFunc(auto, func(n automaton.Node) bool { return n.Op == seam.OpStand })
	}) {
		y.baton = y.layBaton(n)
	}
	if races {
		for range n + len(vars) {
			y.heard = append(y.heard, y.lay(1))
		}
	}
	return y
}
