package nodetest

import (
	"math/bits"
	"slices"
)

// states is a set of states of width words each, in the order of insertion. It stores
// whole states, not hashes, so no two states are confused.
type states struct {
	width  int
	chunks [][]uint32 // the states, each followed by the number of the one that led to it
	count  int
	slots  []uint32 // a hash table: 0, or 1 and the number of a state
}

// chunk is the number of states per allocation.
const chunk = 1 << 12

func newStates(width int) *states { return &states{width: width, slots: make([]uint32, 1<<10)} }

func (s *states) record(k int) []uint32 {
	at := k % chunk * (s.width + 1)
	return s.chunks[k/chunk][at : at+s.width+1]
}

// at returns state k.
func (s *states) at(k int) []uint32 { return s.record(k)[:s.width] }

// from returns the state that first led to state k.
func (s *states) from(k int) int { return int(s.record(k)[s.width]) }

// find returns the number of a state, if it has one.
func (s *states) find(state []uint32) (k int, found bool) {
	_, k, found = s.look(state)
	return k, found
}

// add adds a state to which from leads; it returns its number, and whether it is new.
func (s *states) add(state []uint32, from int) (k int, added bool) {
	slot, k, found := s.look(state)
	if found {
		return k, false
	}
	k = s.count
	if k%chunk == 0 {
		s.chunks = append(s.chunks, make([]uint32, chunk*(s.width+1)))
	}
	s.count++
	r := s.record(k)
	copy(r, state)
	r[s.width] = uint32(from)
	s.slots[slot] = uint32(k) + 1
	if s.count > len(s.slots)/4*3 {
		s.grow()
	}
	return k, true
}

// look returns the slot of a state in the table, or the slot to insert it.
func (s *states) look(state []uint32) (slot, k int, found bool) {
	mask := len(s.slots) - 1
	for slot = int(hash(state)) & mask; s.slots[slot] != 0; slot = (slot + 1) & mask {
		if k = int(s.slots[slot]) - 1; slices.Equal(s.at(k), state) {
			return slot, k, true
		}
	}
	return slot, 0, false
}

func (s *states) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for k := range s.count {
		slot, _, _ := s.look(s.at(k))
		s.slots[slot] = uint32(k) + 1
	}
}

func hash(state []uint32) uint64 {
	h := uint64(len(state))
	for _, w := range state {
		hi, lo := bits.Mul64(h^uint64(w), 0x9e3779b97f4a7c15)
		h = hi ^ lo
	}
	return h
}
