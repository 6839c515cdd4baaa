package explore

import (
	"math/bits"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/seam"
)

// A key is a state of all processes and registers, packed into bits.
type key interface{ [1]uint64 | [2]uint64 }

// A field is the place of a part of the state in a key.
type field struct {
	word  uint8
	shift uint8
	mask  uint64
}

func get[K key](k *K, f field) uint64 { return (*k)[f.word] >> f.shift & f.mask }

func set[K key](k *K, f field, v uint64) {
	(*k)[f.word] = (*k)[f.word]&^(f.mask<<f.shift) | v<<f.shift
}

// A layout places the parts of a state in a key.
type layout struct {
	regs  []field
	locs  []field      // by process: its node
	lines [][]field    // by gate: the processes in line, from 1; 0: none
	gate  []int8       // by register: the index of its line, or -1
	heard []field      // by process, then by register; nil: no race monitor
	baton *batonFields // nil: it is not part of the state
	bits  int
}

// lay packs fields of the given widths one after the other.
func (y *layout) lay(width int) field {
	if y.bits%64+width > 64 {
		y.bits += 64 - y.bits%64
	}
	f := field{uint8(y.bits / 64), uint8(y.bits % 64), 1<<width - 1}
	y.bits += width
	return f
}

// newLayout returns the layout of a state, with the race monitor if requested.
func newLayout(vars []automaton.Variable, nodes [][]automaton.Node, races bool) layout {
	y := layout{gate: make([]int8, len(vars))}
	n := len(nodes)
	for p := range nodes {
		y.locs = append(y.locs, y.lay(max(1, bits.Len(uint(len(nodes[p])-1)))))
	}
	for r := range vars {
		y.regs = append(y.regs, y.lay(max(1, bits.Len(uint(len(vars[r].Values)-1)))))
	}
	for r := range vars {
		y.gate[r] = -1
		if !vars[r].Gate {
			continue
		}
		y.gate[r] = int8(len(y.lines))
		line := make([]field, n)
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
