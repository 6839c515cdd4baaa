package interleave

import (
	"bytes"
	"hash/maphash"
)

// A set of byte strings, numbered from 0 in the order of their addition. It takes
// half the time and memory of a map.
type set struct {
	seed  maphash.Seed
	all   []byte  // one after the other
	ends  []int   // where each ends
	table []int32 // 1 more than the number of a string, at or after the place that its hash says; 0: free
}

func newSet() *set { return &set{seed: maphash.MakeSeed(), table: make([]int32, 1<<10)} }

// at returns string i, which must not be written to.
func (s *set) at(i int) []byte {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.all[from:s.ends[i]]
}

// add adds a string, and returns false if it was in the set already.
func (s *set) add(b []byte) bool {
	slot := s.slot(b)
	if s.table[slot] != 0 {
		return false
	}
	s.all = append(s.all, b...)
	s.ends = append(s.ends, len(s.all))
	s.table[slot] = int32(len(s.ends))
	if 2*len(s.ends) > len(s.table) {
		s.table = make([]int32, 4*len(s.table))
		for i := range s.ends {
			s.table[s.slot(s.at(i))] = int32(i) + 1
		}
	}
	return true
}

// slot returns the place of b in the table, or where it is to go.
func (s *set) slot(b []byte) int {
	mask := len(s.table) - 1
	i := int(maphash.Bytes(s.seed, b)) & mask
	for s.table[i] != 0 && !bytes.Equal(s.at(int(s.table[i])-1), b) {
		i = (i + 1) & mask
	}
	return i
}
