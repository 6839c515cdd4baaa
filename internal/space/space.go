// Package space visits every state of a system, breadth first, and answers questions
// about its runs: shortest paths, and the strongly connected components in which a run
// can stay forever.
//
// A state is a few words; what they mean is up to the [System]. Two workers visit the
// states. Results do not depend on how many there are, nor on the machine: the states have
// the same names, and take the same memory.
package space

import (
	"context"
	"errors"
	"fmt"
)

// A System has states, and steps between them. It neither changes nor keeps a state k.
type System interface {
	// Steps tells out each step from state k: by To where it leads, or by No that it
	// leads nowhere. Their order and number depend only on k. It is called by several
	// goroutines at the same time, each with another shard, a number below [Shards], and
	// must not write anything else that they share. If that does not suffice, a Learner
	// returns false, and it is called again after Learn.
	Steps(k []uint64, shard int, out *Steps) bool
}

// A Learner is a System that prepares the steps from some states.
type Learner interface {
	// Learn prepares the steps from k. Nothing else is called at the same time, and the
	// order of these calls does not depend on the machine.
	Learn(k []uint64)
}

// Options of a Space.
type Options struct {
	Workers  int                           // 1 or 2
	Width    int                           // the number of steps from each state, of a system that has nothing to learn; 0: it varies
	Keep     bool                          // keep the successors of each state, as [Subgraph.Components] needs them
	Limit    int                           // the number of states from which the exploration ends; 0: no limit
	Memory   int64                         // the limit in bytes; see [ErrMemory]
	Beside   func() int64                  // if not nil, the bytes that the system takes itself, which count too
	Progress func(states int, bytes int64) // if not nil, called about once a second, and at the end
	Context  context.Context               // if not nil, its error ends the exploration
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

// MostWords is how many words a state may have.
const MostWords = 16

// A Space is the states of a system that can be reached from its root.
type Space struct {
	*Graph
	search
}

// New returns a space that has the root only, of at most [MostWords] words.
func New(root []uint64, system System, o Options) *Space {
	switch n := len(root); {
	case n <= 1:
		return start[[1]uint64](root, system, o)
	case n <= 2:
		return start[[2]uint64](root, system, o)
	case n <= 3:
		return start[[3]uint64](root, system, o)
	case n <= 4:
		return start[[4]uint64](root, system, o)
	case n <= 6:
		return start[[6]uint64](root, system, o)
	case n <= 8:
		return start[[8]uint64](root, system, o)
	}
	return start[[MostWords]uint64](root, system, o)
}

// A search finds states. It alone knows their width when it is compiled.
type search interface {
	// Explore finds all states, level by level, and calls over after each level: if that
	// returns true, the exploration ends. Complete reports whether all states have been
	// found. The error is that of the memory limit.
	Explore(over func() bool) (complete bool, err error)

	// Bytes returns the memory that the states take, and what is beside them.
	Bytes() int64

	// Find returns the name of state k, and reports whether it has been found.
	Find(k []uint64) (ID, bool)

	// Forget frees the tables that Explore and Find need.
	Forget()
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

// Steps takes the steps from one state.
type Steps struct {
	to   func(k []uint64) // takes where a step leads
	led  *[]int32         // of each step 0 if it leads somewhere, or the code of No; nil: not kept
	n    int              // steps
	lead int              // of which lead somewhere
}

// To tells that the next step leads to state k, which has the words of the one from which it leads.
func (o *Steps) To(k []uint64) {
	o.to(k)
	o.lead++
	o.add(0)
}

// No tells that the next step leads nowhere, with a negative code that says why.
func (o *Steps) No(code ID) { o.add(int32(code)) }

func (o *Steps) add(code int32) {
	o.n++
	if o.led != nil {
		*o.led = append(*o.led, code)
	}
}
