// Package space visits every state of a system, breadth first, and answers questions
// about its runs: shortest paths, and the strongly connected components in which a run
// can stay forever.
//
// A state is a few words; what they mean is up to the [System]. Two workers visit the
// states. Results do not depend on how many there are, nor on the machine: the states have
// the same names, and take the same memory.
package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// A Key is a state, packed into words.
type Key interface {
	[1]uint64 | [2]uint64 | [3]uint64 | [4]uint64 | [6]uint64 | [8]uint64 | [16]uint64
}

// A System has states, and steps between them.
type System[K Key] interface {
	// Steps tells out each step from state k: by To where it leads, or by No that it
	// leads nowhere. Their order and number depend only on k. It is called by several
	// goroutines at the same time, each with another shard, a number below [Shards], and
	// must not write anything else that they share. If that does not suffice, a Learner
	// returns false, and it is called again after Learn.
	Steps(k *K, shard int, out *Steps[K]) bool
}

// A Learner is a System that prepares the steps from some states.
type Learner[K Key] interface {
	// Learn prepares the steps from k. Nothing else is called at the same time, and the
	// order of these calls does not depend on the machine.
	Learn(k *K)
}

// Options of a Space.
type Options struct {
	Workers  int                           // 1 or 2
	Width    int                           // the number of steps from each state, of a system that has nothing to learn; 0: it varies
	Keep     bool                          // keep the successors of each state, as [Components] needs them
	Limit    int                           // the number of states from which the exploration ends; 0: no limit
	Memory   int64                         // the limit in bytes; see [ErrMemory]
	Beside   func() int64                  // if not nil, the bytes that the system takes itself, which count too
	Progress func(states int, bytes int64) // if not nil, called about once a second, and at the end
}

// An ID is the name of a state of a Space. A negative ID is none: what the system gave No.
type ID int32

const (
	split = 1 // an ID is the number of a state in its shard, shifted by split, and the shard

	// Shards is into how many parts the states are divided, by their hashes. It does not
	// depend on the number of workers.
	Shards = 1 << split
)

func id(number, shard int) ID { return ID(number<<split + shard) }

func (i ID) shard() int  { return int(i) & (Shards - 1) }
func (i ID) number() int { return int(i) >> split }

// A Space is the states of a system that can be reached from its root. Only what finds them knows
// how wide they are: what is found is a [Graph].
type Space[K Key] struct {
	Graph

	system System[K]
	shards [Shards]*shard[K]
	next   time.Time // when progress is reported again
}

// ErrMemory is what the error of an exploration wraps that would take more memory than
// its limit.
var ErrMemory = errors.New("the states exceed the memory limit")

// A MemoryError is an ErrMemory with its figures.
type MemoryError struct {
	Limit  int64  // bytes
	States int    // found so far
	Pile   string // what one of them has many of; "": nothing
}

func (e *MemoryError) Error() string {
	states, limit := fmt.Sprintf("%d states exceed", e.States), "less than 1 KiB"
	if e.States == 1 {
		states = "1 state exceeds"
	}
	switch {
	case e.Limit >= 1<<20:
		limit = fmt.Sprintf("%d MiB", e.Limit>>20)
	case e.Limit >= 1<<10:
		limit = fmt.Sprintf("%d KiB", e.Limit>>10)
	}
	return fmt.Sprintf("%s the memory limit of %s%s", states, limit, e.Pile)
}

func (e *MemoryError) Unwrap() error { return ErrMemory }

// New returns a space that has the root only.
func New[K Key](root K, system System[K], o Options) *Space[K] {
	s := &Space[K]{Graph: Graph{o: o}, system: system}
	s.look = s.lookFrom
	for k := range s.shards {
		s.shards[k] = newShard[K]()
		s.parts[k] = &s.shards[k].part
	}
	h := hash(&root)
	at := shardOf(h)
	s.Root = id(int(s.shards[at].add(&root, h)), at)
	return s
}

// Explore finds all states, level by level, and calls over after each level: if that
// returns true, the exploration ends. Complete reports whether all states have been
// found. The error is that of the memory limit.
func (s *Space[K]) Explore(over func() bool) (complete bool, err error) {
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
func (s *Space[K]) each(f func(shard int)) {
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

// report enforces the memory limit, also while a table grows, and reports progress.
func (s *Space[K]) report() error {
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

// stepAll takes the steps from the states lo to hi of a shard.
func (s *Space[K]) stepAll(k, lo, hi int) {
	sh := s.shards[k]
	for t := range sh.out {
		sh.out[t] = sh.out[t][:0]
	}
	sh.led, sh.spans = sh.led[:0], sh.spans[:0]
	if s.o.Keep && s.o.Width == 0 {
		sh.spans = slices.Grow(sh.spans, hi-lo)[:hi-lo]
	}
	sh.first, sh.unlearned = lo, sh.unlearned[:0]
	out := Steps[K]{sh: sh, keep: s.o.Keep}
	for i := lo; i < hi; i++ {
		if !s.step(k, i, &out) {
			sh.unlearned = append(sh.unlearned, int32(i))
		}
	}
}

// step takes the steps from state i of a shard.
func (s *Space[K]) step(k, i int, out *Steps[K]) bool {
	sh := s.shards[k]
	var before [Shards]int
	for t := range before {
		before[t] = len(sh.out[t])
	}
	kept := len(sh.led)
	out.from, out.first, out.n, out.led = *sh.keys.at(i), kept, 0, 0
	if !s.system.Steps(&out.from, k, out) {
		for t, n := range before {
			sh.out[t] = sh.out[t][:n]
		}
		sh.led = sh.led[:kept]
		return false
	}
	if s.o.Keep && s.o.Width == 0 {
		sh.spans[i-sh.first] = span{kept, out.n}
	}
	sh.transitions += out.led
	return true
}

// learn takes the steps for which the system has to learn something.
func (s *Space[K]) learn() {
	for k, sh := range s.shards {
		out := Steps[K]{sh: sh, keep: s.o.Keep}
		for _, i := range sh.unlearned {
			key := *sh.keys.at(int(i))
			s.system.(Learner[K]).Learn(&key)
			if !s.step(k, int(i), &out) {
				panic("space: a system has not learned the steps of a state")
			}
		}
	}
}

// Find returns the name of state k, and reports whether it has been found.
func (s *Space[K]) Find(k *K) (ID, bool) {
	h := hash(k)
	at := shardOf(h)
	number, _ := s.shards[at].find(k, h)
	return id(int(number), at), number >= 0
}

// lookFrom is Row of a space that does not keep successors.
func (s *Space[K]) lookFrom(i ID, row []ID) []ID {
	var out Steps[K]
	key := *s.Key(i)
	if !s.system.Steps(&key, 0, &out) {
		out.looked, out.codes = out.looked[:0], out.codes[:0]
		s.system.(Learner[K]).Learn(&key)
		s.system.Steps(&key, 0, &out)
	}
	for j, code := range out.codes {
		if code == 0 {
			to, known := s.Find(&out.looked[j])
			if code = to; !known {
				code = Unfound
			}
		}
		row = append(row, code)
	}
	return row
}

// Bytes returns the memory that the states take, and what is beside them.
func (s *Space[K]) Bytes() (n int64) {
	if s.o.Beside != nil {
		n = s.o.Beside()
	}
	for _, sh := range s.shards {
		n += sh.bytes()
	}
	return n
}

// Key returns the state with a name.
func (s *Space[K]) Key(i ID) *K { return s.shards[i.shard()].keys.at(i.number()) }

// Forget frees the tables that Explore and Find need.
func (s *Space[K]) Forget() {
	for _, sh := range s.shards {
		sh.table, sh.recent, sh.led, sh.spans = nil, nil, nil, nil
		clear(sh.out[:])
	}
}
