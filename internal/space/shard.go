package space

import (
	"math/bits"
	"unsafe"
)

// A shard holds the states of its hashes. In each round it is owned first by the worker
// that steps its states, and then by the worker that adds the states found.
type shard[K key] struct {
	part
	keys   pages[K]
	led    []int32            // the successors of the states of this round
	spans  []span             // by state of this round, if their number varies
	table  []uint32           // open addressing: the number of a state plus one, or 0
	out    [Shards][]found[K] // by shard: the states found in this round
	recent []known[K]

	level     int     // the states from this number on are found in steps from the last level
	first     int     // the first state of this round
	unlearned []int32 // the states of this round whose steps need to be learned
}

// A span is where a shard has the successors of a state, and how many.
type span struct{ first, n int }

// found is a state to which a step leads.
type found[K key] struct {
	k  K
	at uint32 // where the shard of the step has it as a successor, if these are kept
}

// known is a state of the shard, with its number; -1: none.
type known[K key] struct {
	k      K
	number int32
}

const recentSize = 1 << 13

func newShard[K key]() *shard[K] {
	var k K
	s := &shard[K]{part: part{width: len(k)}, recent: make([]known[K], recentSize), table: make([]uint32, 1<<10)}
	for i := range s.recent {
		s.recent[i].number = -1
	}
	return s
}

// lead takes a state to which the next step leads.
func (s *shard[K]) lead(words []uint64) {
	k := K(words)
	t := shardOf(hash(&k))
	s.out[t] = append(s.out[t], found[K]{k, uint32(len(s.led))})
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

// shardOf returns the shard of a hash. Its upper bits are the place in the table.
func shardOf(h uint64) int { return int(h>>40) & (Shards - 1) }

// add returns the number of k, and adds it if it is new.
func (s *shard[K]) add(k *K, h uint64) int32 {
	known, i := s.find(k, h)
	if known >= 0 {
		return known
	}
	n := s.keys.add(*k)
	if s.n = s.keys.n; len(s.words) < len(s.keys.list) {
		page := s.keys.list[len(s.words)]
		s.words = append(s.words, unsafe.Slice(&wordsOf(&page[0])[0], pageSize*s.width))
	}
	s.table[i] = uint32(n) + 1
	if n > len(s.table)/4*3 {
		s.grow()
	}
	return int32(n)
}

// place returns where in the table a state of that hash is, or the first place to look for
// it: its upper bits say so, since the table has any size.
func (s *shard[K]) place(h uint64) int {
	at, _ := bits.Mul64(h, uint64(len(s.table)))
	return int(at)
}

// after returns the next place to look for it.
func (s *shard[K]) after(i int) int {
	if i++; i < len(s.table) {
		return i
	}
	return 0
}

// find returns the number of k, and its place in the table; or -1, and a free place.
func (s *shard[K]) find(k *K, h uint64) (number int32, i int) {
	for i = s.place(h); s.table[i] != 0; i = s.after(i) {
		if n := s.table[i] - 1; *s.keys.at(int(n)) == *k {
			return int32(n), i
		}
	}
	return -1, i
}

// grown returns the next size of a table. If it doubled, half of it would be empty at times.
func grown(size int) int { return size / 2 * 3 }

func (s *shard[K]) grow() {
	s.table = make([]uint32, grown(len(s.table)))
	for n := range s.keys.n {
		i := s.place(hash(s.keys.at(n)))
		for s.table[i] != 0 {
			i = s.after(i)
		}
		s.table[i] = uint32(n) + 1
	}
}

// addAll adds the states that were found for a shard. Most were found just before, by the
// same steps in another order: a small cache of recent states detects them. The others
// are looked up a few at a time, first in the table and then among the keys, to overlap
// cache misses.
func (s *searcher[K]) addAll(t int) {
	const batch = 16
	sh := s.shards[t]
	var unknown [batch]*found[K]
	var hashes [batch]uint64
	for _, from := range s.shards {
		n := 0
		lead := func(f *found[K], number int32) {
			sh.back = sh.back || int(number) < sh.level
			if s.o.Keep {
				from.led[f.at] = int32(id(int(number), t))
			}
		}
		add := func() {
			var touched uint64
			var numbers [batch]uint32
			for j := range n {
				numbers[j] = sh.table[sh.place(hashes[j])]
			}
			for j := range n {
				if numbers[j] != 0 {
					touched += (*sh.keys.at(int(numbers[j] - 1)))[0]
				}
			}
			sink(touched)
			for j, f := range unknown[:n] {
				number := sh.add(&f.k, hashes[j])
				sh.recent[hashes[j]>>20&(recentSize-1)] = known[K]{f.k, number}
				lead(f, number)
			}
			n = 0
		}
		all := from.out[t]
		for i := range all {
			f := &all[i]
			h := hash(&f.k)
			if r := &sh.recent[h>>20&(recentSize-1)]; r.k == f.k && r.number >= 0 {
				lead(f, r.number)
				continue
			}
			unknown[n], hashes[n] = f, h
			if n++; n == batch {
				add()
			}
		}
		add()
	}
}

// keep keeps the successors of the states of the last round.
func (s *searcher[K]) keep(k int) {
	sh := s.shards[k]
	if s.o.Width > 0 {
		for _, to := range sh.led {
			sh.succ.add(to)
		}
		return
	}
	for _, of := range sh.spans {
		sh.rows.add(id(sh.rows.n, k), sh.led[of.first:of.first+of.n])
	}
}

//go:noinline
func sink(uint64) {}

// bytes returns the memory of the states.
func (s *shard[K]) bytes() int64 {
	return s.keys.bytes() + s.succ.bytes() + s.rows.bytes() + 4*int64(len(s.table))
}
