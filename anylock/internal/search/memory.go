package search

import (
	"encoding/binary"
	"slices"

	"example.org/doorway/anylock/internal/machine"
)

// size is how many words of memory have a number together.
const size = machine.Block

// A piece is so many words: those from size times a number on.
type piece struct {
	number int32
	words  [size]uint64
}

// A memory is that of all states. One is the numbers of its pieces, in four bytes each, and that of the rest; and it has a
// number itself. Numbers begin with 1.
type memory struct {
	component // of memories
	pieces    []*piece
	known     map[piece]uint32
	rest      component
	buf       []byte
}

func newMemory() memory {
	return memory{component: newComponent(), known: map[piece]uint32{}, rest: newComponent()}
}

// words copies the words of a memory.
func (y *memory) words(number uint32, to []uint64) {
	all := y.all[number-1]
	for k := range len(to) / size {
		copy(to[k*size:], y.pieces[binary.LittleEndian.Uint32(all[4*k:])-1].words[:])
	}
}

// load makes words that are those of one memory those of another; from is 0 if they are those of none.
func (y *memory) load(from, number uint32, words []uint64) {
	if from == 0 {
		y.words(number, words)
		return
	}
	a, b := y.all[from-1], y.all[number-1]
	for k := range len(words) / size {
		if n := binary.LittleEndian.Uint32(b[4*k:]); n != binary.LittleEndian.Uint32(a[4*k:]) {
			copy(words[k*size:], y.pieces[n-1].words[:])
		}
	}
}

// others returns the rest of a memory.
func (y *memory) others(number uint32) []byte {
	all := y.all[number-1]
	return y.rest.all[binary.LittleEndian.Uint32(all[len(all)-4:])-1]
}

// plain reports whether there is no rest.
func (y *memory) plain(number uint32) bool { return len(y.others(number)) == 0 }

// change returns the number of the memory with these words, as number does. It differs from another in some pieces at most; buf
// is for its bytes.
func (y *memory) change(of uint32, words []uint64, pieces []int, buf *[]byte, learn bool) (number uint32, ok bool) {
	b := append((*buf)[:0], y.all[of-1]...)
	*buf = b
	for _, k := range pieces {
		n, ok := y.piece(k, words, learn)
		if !ok {
			return 0, false
		}
		binary.LittleEndian.PutUint32(b[4*k:], n)
	}
	return y.number(b, learn)
}

func (y *memory) piece(k int, words []uint64, learn bool) (n uint32, ok bool) {
	p := piece{number: int32(k)}
	copy(p.words[:], words[k*size:])
	n, ok = y.known[p]
	if !ok && learn {
		kept := p
		y.pieces = append(y.pieces, &kept)
		n = uint32(len(y.pieces))
		y.known[p] = n
		y.bytes += 3 * 8 * size
	}
	return n, ok || learn
}

// add returns the number of a memory with these words, and that rest; of is one of which most of the words are; 0: none.
func (y *memory) add(of uint32, words []uint64, rest []byte) uint32 {
	b := y.buf[:0]
	if of != 0 {
		b = append(b, y.all[of-1]...)
	}
	for k := range len(words) / size {
		if of != 0 && *(*[size]uint64)(words[k*size:]) == y.pieces[binary.LittleEndian.Uint32(b[4*k:])-1].words {
			continue
		}
		n, _ := y.piece(k, words, true)
		if of == 0 {
			b = binary.LittleEndian.AppendUint32(b, n)
		} else {
			binary.LittleEndian.PutUint32(b[4*k:], n)
		}
	}
	if of != 0 {
		b = b[:len(b)-4]
	}
	n, _ := y.rest.number(rest, true)
	b = binary.LittleEndian.AppendUint32(b, n)
	y.buf = b
	n, _ = y.number(b, true)
	return n
}

// A component is one part of states: what is written down of it, by number.
type component struct {
	numbers map[string]uint32
	all     [][]byte
	bytes   int64
}

func newComponent() component { return component{numbers: map[string]uint32{}} }

// number returns the number of what is written down. If learn, it gets one if it has none; else ok reports whether it has.
func (c *component) number(b []byte, learn bool) (n uint32, ok bool) {
	n, ok = c.numbers[string(b)]
	if !ok && learn {
		c.all = append(c.all, slices.Clone(b))
		n = uint32(len(c.all))
		c.numbers[string(b)] = n
		c.bytes += 2*int64(len(b)) + 100
	}
	return n, ok || learn
}
