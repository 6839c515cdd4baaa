package space

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// A key is a state of a width that the compiler knows.
type key interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64 | [6]uint64 | [8]uint64 | [MostWords]uint64
}

// wordsOf returns the words of k, in place.
func wordsOf[K key](k *K) []uint64 { return unsafe.Slice((*uint64)(unsafe.Pointer(k)), len(*k)) }

// A searcher is a search of states of one width.
type searcher[K key] struct {
	Graph

	system System
	shards [Shards]*shard[K]
	next   time.Time // when progress is reported again
}

func start[K key](words []uint64, system System, o Options) *Space {
	var root K
	copy(wordsOf(&root), words)
	s := &searcher[K]{Graph: Graph{o: o}, system: system}
	s.look = s.lookFrom
	for k := range s.shards {
		s.shards[k] = newShard[K]()
		s.parts[k] = &s.shards[k].part
	}
	h := hash(&root)
	at := shardOf(h)
	s.Root = id(int(s.shards[at].add(&root, h)), at)
	return &Space{&s.Graph, s}
}

func (s *searcher[K]) Explore(over func() bool) (complete bool, err error) {
	const block = 1 << 11 // states that a shard steps in a round
	var done [Shards]int
	if s.o.Progress != nil {
		defer func() { s.o.Progress(s.States(), s.Bytes()) }()
	}
	for {
		var ends [Shards]int
		more := false
		for k, sh := range s.shards {
			ends[k], sh.level = sh.keys.n, sh.keys.n
			more = more || done[k] < ends[k]
		}
		if !more {
			return true, nil
		}
		s.levels = append(s.levels, ends)
		for more {
			s.each(func(k int) { s.stepAll(k, done[k], min(done[k]+block, ends[k])) })
			s.learn()
			more = false
			for k := range done {
				done[k] = min(done[k]+block, ends[k])
				more = more || done[k] < ends[k]
			}
			if err := s.report(); err != nil {
				return false, err
			}
			s.each(s.addAll)
			if s.o.Keep {
				s.each(s.keep)
			}
			if s.o.Limit > 0 && s.States() > s.o.Limit {
				return false, nil
			}
		}
		if over() {
			return false, nil
		}
	}
}

// each calls f for every shard, in parallel if there are workers.
func (s *searcher[K]) each(f func(shard int)) {
	if s.o.Workers < 2 {
		for k := range s.shards {
			f(k)
		}
		return
	}
	var wg sync.WaitGroup
	for k := range s.shards {
		wg.Go(func() { f(k) })
	}
	wg.Wait()
}

// report enforces the memory limit, also while a table grows, and reports progress, unless the context is done.
func (s *searcher[K]) report() error {
	if s.o.Context != nil && s.o.Context.Err() != nil {
		return s.o.Context.Err()
	}
	bytes, nameless := s.Bytes(), false
	for t, sh := range s.shards {
		nameless = nameless || sh.keys.n > math.MaxInt32>>split-1<<20 || uint64(sh.rows.data.n) > math.MaxUint32-1<<24
		most := sh.keys.n
		for _, from := range s.shards {
			most += len(from.out[t])
		}
		for size := len(sh.table); most > size/4*3; {
			size = grown(size)
			bytes += 4 * int64(size)
		}
		bytes += sh.keys.more(most)
		if len(sh.led) > 0 { // which are yet to be kept
			bytes += 4*int64(len(sh.led)+len(sh.spans)) + 5*pageSize
		}
	}
	if s.o.Memory > 0 && bytes > s.o.Memory {
		return &MemoryError{Limit: s.o.Memory, States: s.States()}
	}
	if nameless {
		return fmt.Errorf("%w: %d states, and more have no names", ErrMemory, s.States())
	}
	if s.o.Progress != nil && time.Now().After(s.next) {
		if !s.next.IsZero() {
			s.o.Progress(s.States(), bytes)
		}
		s.next = time.Now().Add(time.Second)
	}
	return nil
}

// steps returns what takes the steps from the states of a shard.
func (s *searcher[K]) steps(sh *shard[K]) Steps {
	out := Steps{to: sh.lead}
	if s.o.Keep {
		out.led = &sh.led
	}
	return out
}

// stepAll takes the steps from the states lo to hi of a shard.
func (s *searcher[K]) stepAll(k, lo, hi int) {
	sh := s.shards[k]
	for t := range sh.out {
		sh.out[t] = sh.out[t][:0]
	}
	sh.led, sh.spans = sh.led[:0], sh.spans[:0]
	if s.o.Keep && s.o.Width == 0 {
		sh.spans = slices.Grow(sh.spans, hi-lo)[:hi-lo]
	}
	sh.first, sh.unlearned = lo, sh.unlearned[:0]
	out := s.steps(sh)
	for i := lo; i < hi; i++ {
		if !s.step(k, i, &out) {
			sh.unlearned = append(sh.unlearned, int32(i))
		}
	}
}

// step takes the steps from state i of a shard.
func (s *searcher[K]) step(k, i int, out *Steps) bool {
	sh := s.shards[k]
	var before [Shards]int
	for t := range before {
		before[t] = len(sh.out[t])
	}
	kept := len(sh.led)
	out.n, out.lead = 0, 0
	if !s.system.Steps(wordsOf(sh.keys.at(i)), k, out) {
		for t, n := range before {
			sh.out[t] = sh.out[t][:n]
		}
		sh.led = sh.led[:kept]
		return false
	}
	if s.o.Keep && s.o.Width == 0 {
		sh.spans[i-sh.first] = span{kept, out.n}
	}
	sh.transitions += out.lead
	return true
}

// learn takes the steps for which the system has to learn something.
func (s *searcher[K]) learn() {
	for k, sh := range s.shards {
		out := s.steps(sh)
		for _, i := range sh.unlearned {
			s.system.(Learner).Learn(wordsOf(sh.keys.at(int(i))))
			if !s.step(k, int(i), &out) {
				panic("space: a system has not learned the steps of a state")
			}
		}
	}
}

func (s *searcher[K]) Find(words []uint64) (ID, bool) {
	k := K(words)
	h := hash(&k)
	at := shardOf(h)
	number, _ := s.shards[at].find(&k, h)
	return id(int(number), at), number >= 0
}

// lookFrom is Row of a space that does not keep successors.
func (s *searcher[K]) lookFrom(i ID, row []ID) []ID {
	var codes []int32
	var states []K
	out := Steps{led: &codes, to: func(k []uint64) { states = append(states, K(k)) }}
	if k := s.Words(i); !s.system.Steps(k, 0, &out) {
		codes, states = codes[:0], states[:0]
		s.system.(Learner).Learn(k)
		s.system.Steps(k, 0, &out)
	}
	for _, code := range codes {
		to := ID(code)
		if code == 0 {
			known := false
			if to, known = s.Find(wordsOf(&states[0])); !known {
				to = Unfound
			}
			states = states[1:]
		}
		row = append(row, to)
	}
	return row
}

func (s *searcher[K]) Bytes() (n int64) {
	if s.o.Beside != nil {
		n = s.o.Beside()
	}
	for _, sh := range s.shards {
		n += sh.bytes()
	}
	return n
}

func (s *searcher[K]) Forget() {
	for _, sh := range s.shards {
		sh.table, sh.recent, sh.led, sh.spans = nil, nil, nil, nil
		clear(sh.out[:])
	}
}
