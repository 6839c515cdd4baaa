package explore

import "unsafe"

// A shard holds the states of its hashes. In each round it is owned first by the
// worker that steps its states, and then by the worker that adds the states found.
type shard[K key] struct {
	keys   pages[K]
	succ   pages[int32] // slots for each state; see blocked
	table  []uint32     // open addressing: the number of a state plus one, or 0
	out    [][]found[K] // by shard: the states found in this round
	recent []known[K]

	transitions, cut int
	entered          uint8    // a bit for each process that has entered
	written          []uint64 // by register: a bit for each value written
	wrong            wrong
}

// found is a state that a step has found.
type found[K key] struct {
	k    K
	from int32 // number in its shard
	slot int32
}

// known is a state in the shard, with its number; -1: none.
type known[K key] struct {
	k  K
	id int32
}

const recentSize = 1 << 13

// newShard returns a shard without states.
func newShard[K key](registers int) *shard[K] {
	s := &shard[K]{
		recent: make([]known[K], recentSize), table: make([]uint32, 1<<10), out: make([][]found[K], shards), written: make([]uint64, registers),
	}
	for i := range s.recent {
		s.recent[i].id = -1
	}
	return s
}

// hash is a mixing function over the words of k (D. Lea, as in SplitMix64).
func hash[K key](k *K) uint64 {
	var h uint64
	for i := range len(*k) {
		h = (h ^ (*k)[i]) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// add returns the number of k in s, and adds it if it is new.
func (s *shard[K]) add(k *K, h uint64) int32 {
	mask := uint64(len(s.table) - 1)
	i := h & mask
	for s.table[i] != 0 {
		if id := s.table[i] - 1; *s.keys.at(int(id)) == *k {
			return int32(id)
		}
		i = (i + 1) & mask
	}
	id := s.keys.add(*k)
	s.table[i] = uint32(id) + 1
	if id > len(s.table)*3/4 {
		s.grow()
	}
	return int32(id)
}

// find returns the number of k in s, or -1.
func (s *shard[K]) find(k *K, h uint64) int32 {
	mask := uint64(len(s.table) - 1)
	for i := h & mask; s.table[i] != 0; i = (i + 1) & mask {
		if id := s.table[i] - 1; *s.keys.at(int(id)) == *k {
			return int32(id)
		}
	}
	return -1
}

func (s *shard[K]) grow() {
	s.table = make([]uint32, 2*len(s.table))
	mask := uint64(len(s.table) - 1)
	for id := range s.keys.n {
		i := hash(s.keys.at(id)) & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = uint32(id) + 1
	}
}

func (s *shard[K]) size() int64 { return s.keys.bytes() + s.succ.bytes() + 4*int64(len(s.table)) }

// pages is a slice that grows without copying.
type pages[T any] struct {
	list [][]T
	n    int
}

const (
	pageBits = 14
	pageSize = 1 << pageBits
)

func (p *pages[T]) at(i int) *T { return &p.list[i>>pageBits][i&(pageSize-1)] }

func (p *pages[T]) add(v T) int {
	if p.n>>pageBits == len(p.list) {
		p.list = append(p.list, make([]T, pageSize))
	}
	*p.at(p.n) = v
	p.n++
	return p.n - 1
}

func (p *pages[T]) bytes() int64 {
	var v T
	return int64(len(p.list)) * pageSize * int64(unsafe.Sizeof(v))
}
