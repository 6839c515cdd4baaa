package system

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// A table numbers encoded states in the order in which they are added.
type table struct {
	pages [][]byte // each state behind its length
	at    []place  // by number
	index []uint32 // open addressing: a number plus one, or 0
	seed  maphash.Seed
}

// A place is where a state is: its page, and where it begins there.
type place struct{ page, from uint32 }

const pageSize = 1 << 16

func newTable() table {
	return table{index: make([]uint32, 1<<10), seed: maphash.MakeSeed()}
}

// code returns the encoding of a state.
func (t *table) code(number int) []byte {
	p := t.at[number]
	page := t.pages[p.page][p.from:]
	length, n := binary.Uvarint(page)
	return page[n : n+int(length)]
}

// number returns the number of an encoded state, and adds it if it is new.
func (t *table) number(code []byte) int {
	i := t.slot(code)
	if t.index[i] != 0 {
		return int(t.index[i] - 1)
	}
	number := len(t.at)
	t.add(code)
	t.index[i] = uint32(number) + 1
	if number > len(t.index)/4*3 {
		t.index = make([]uint32, 2*len(t.index))
		for k := range t.at {
			t.index[t.slot(t.code(k))] = uint32(k) + 1
		}
	}
	return number
}

// slot returns where the number of an encoded state is in the index, or belongs.
func (t *table) slot(code []byte) uint64 {
	mask := uint64(len(t.index) - 1)
	i := maphash.Bytes(t.seed, code) & mask
	for t.index[i] != 0 && !bytes.Equal(t.code(int(t.index[i]-1)), code) {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) add(code []byte) {
	last, length := len(t.pages)-1, binary.MaxVarintLen64+len(code)
	if last < 0 || len(t.pages[last])+length > cap(t.pages[last]) {
		t.pages = append(t.pages, make([]byte, 0, max(pageSize, length)))
		last++
	}
	page := t.pages[last]
	t.at = append(t.at, place{uint32(last), uint32(len(page))})
	t.pages[last] = append(binary.AppendUvarint(page, uint64(len(code))), code...)
}

// bytes returns the memory of the table, and of its index while it doubles.
func (t *table) bytes() int64 {
	n := 8*int64(cap(t.at)) + 12*int64(len(t.index))
	if full := len(t.pages) - 1; full >= 0 {
		n += int64(full)*pageSize + int64(cap(t.pages[full])) // longer states have longer pages, and are few
	}
	return n
}
