// Package automaton describes what one process does: the tree of its local histories, and
// the smallest automaton that is equivalent to it.
package automaton

import (
	"slices"
	"strings"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// The operations of a process in addition to those of package register.
const (
	OpStart hook.Op = 100 + iota // leaves the remainder section
	OpLeave                      // leaves the critical section
	OpPanic                      // the protocol panicked
	OpSleep                      // sleeps in line at a gate
	OpLook                       // was woken there, and checks again
)

// Limits of what is explored.
const (
	MaxProcesses = 8
	MaxValues    = 64   // of a register
	MaxRegisters = 256  // of a lock
	MaxRun       = 1000 // operations of a run
)

// A Local is a local state of a process: the history of its answers, or several
// equivalent histories, and its next operation.
type Local struct {
	Op         hook.Op
	Phase      phase.Phase
	Joined     bool // part of the same atomic step as the operation before
	Over       bool // writes more than the cap
	Sure       bool // of an entry by Lock, which cannot be aborted, or of a process that only enters so
	Reg        int16
	Value      uint8  // the value written, as an index of values
	Operand    uint64 // the value that a compare-and-swap expects, or that a fetch-and-add adds
	Holds      func(uint64) bool
	Other      int16 // the other register awaited; -1: none
	OtherHolds func(uint64) bool
	Site       *Site
	Asked      uint8   // how many values there were when its answers were found
	Stack      int32   // of the operation, if it is in a loop that carries nothing over
	Next       []int32 // by answer: for a load, the index of the value read

	Parent int32
	Depth  int32
	Answer uint64 // that leads here from the parent
}

// The answers of operations, as indices of [Local.Next].
const (
	AnswerDone       = 0 // of a write, or an await whose condition holds
	AnswerFail       = 0 // of a compare-and-swap, or a test
	AnswerTrue       = 1
	AnswerGiveUp     = 1 // of an await
	AnswerTestGiveUp = 2
	AnswerTry        = 1 // of a start: by TryLock
	AnswerNoValue    = 0 // of an await that returns a value, which is aborted or does not wait
	AnswerValue      = 1 // of such an await, the first value of the register; the others follow
	AnswerLock       = 2 // of a start, if callers are mixed: by Lock
)

// A Tree has all local states of one process, the remainder section first. An
// answer leads from a parent to a child; other edges lead to where the protocol
// continues by the contract of package register.
type Tree struct {
	Process int
	Locals  []Local
}

// Path returns the local states from the first to id.
func (t *Tree) Path(id int32) []int32 {
	path := make([]int32, t.Locals[id].Depth+1)
	for d := len(path) - 1; d >= 0; d-- {
		path[d] = id
		id = t.Locals[id].Parent
	}
	return path
}

// Unite has the first stand for all ways to enter that lead to the same, which is by way.
func (t *Tree) Unite(same []int32) {
	next := t.Locals[0].Next
	for way := range next {
		next[way] = next[slices.Index(same, same[way])]
	}
}

// Retries reports whether an answer leads from the local state id back to one on its
// path, other than the remainder section.
func (t *Tree) Retries(id int32) bool {
	return slices.ContainsFunc(t.Locals[id].Next, func(to int32) bool {
		if to <= 0 {
			return false
		}
		at := id
		for t.Locals[at].Depth > t.Locals[to].Depth {
			at = t.Locals[at].Parent
		}
		return at == to
	})
}

// An Access is a step of a schedule with safe registers.
type Access struct {
	Process int
	Value   int // the index of the value that a read during a write returns; -1: it is no such read
}

// Waits reports whether an operation is part of a wait.
func Waits(op hook.Op) bool {
	switch op {
	case hook.OpAwait, hook.OpAwaitExclusive, hook.OpAwaitValue, hook.OpTest, hook.OpTestFirst:
		return true
	}
	return false
}

// A Site is a place in the source.
type Site struct {
	File string
	Line int
	Func string
}

// Path returns the import path of the package of s.
func (s *Site) Path() string {
	slash := strings.LastIndexByte(s.Func, '/') + 1
	name, _, _ := strings.Cut(s.Func[slash:], ".")
	return s.Func[:slash] + name
}
