// Package contract examines the source of a lock for what would make its
// exploration worthless.
//
// # The contract
//
// A lock is explored one process at a time: its real Lock and Unlock are run
// alone, on every sequence of values that their reads could return, and what
// comes of it is an automaton that stands for the process from then on. This is
// sound if a process is a function of the values that it has read: the same
// values, the same next operation. And it comes to an end because the source
// says where values can be forgotten: nothing but registers survives a try of
// [example.org/doorway/register.Repeat], nothing but its result a
// [example.org/doorway/register.Pure], and what is awaited is a condition on one
// value, which may be asked as often as one likes. No compiler holds a lock to
// any of this. One that breaks it is explored as another lock than it is, and
// the verdict is about that other one.
//
// # The rules
//
// They hold for the protocol: Lock, Unlock, TryLock and LockContext, and every
// function that can be reached from there, by a call or as a value.
//
//   - A function given to Repeat, to Pure or to an await writes no memory but
//     its own: no variable declared outside of it, and nothing behind a pointer,
//     slice or map that it did not make. Otherwise a try would know of the one
//     before, which has been forgotten. Step.Do is given a stretch of the
//     protocol, and Process.Absorb the rest of it: they may assign.
//   - In a Pure, registers are loaded, and nothing else is done to them; the
//     condition of an await touches none; in a Step nothing is awaited. How often
//     these functions run, and when, is for whoever runs them to choose.
//   - A process keeps what it knows in local variables and in registers. What it
//     writes to a plain field outlives the call, and is no part of the state
//     that is explored. It may read what the constructor wrote there; no rule
//     speaks of constructors, for no protocol reaches them.
//   - No package-level variable is written by a protocol, nor read if anything
//     but its declaration or init writes it, nor has it registers: all locks
//     share it, and the lock that is explored is made several times.
//   - No goroutines, channels, defer, recover, unsafe, ranges over maps; and of
//     the standard library only what depends on its arguments alone: cmp, errors,
//     math, math/bits, slices, strconv, strings, unicode, and what makes strings
//     in fmt. Clocks, chance and other locks are not in the automaton. A context
//     may be handed to Processes.Context, but not asked.
//   - No loop of plain loads: one that only a register ends, and that awaits
//     nothing, has no longest history. One that counts, halves or shortens
//     something ends by itself, whatever it loads.
//
// Memory is followed through assignments, arguments and results, whatever their
// order. So a helper may fill a buffer that the protocol made; but a variable
// that is now such a buffer and now a part of the lock counts as part of the
// lock.
//
// # What is out of sight
//
// Calls into packages outside of the standard library are followed into their
// source. A call of a function value is taken to run what is seen to be assigned
// to it; where that cannot be told, any function of that type whose value is
// taken in the program; and where there is none, it is a breach. So is a call
// through an exported interface, behind which anything may stand; behind one
// that is not exported are the types of its package.
//
// Not seen are: a reference to the lock that is put into the protocol's own
// memory through one pointer and taken out through another; a recursion that
// loads without end; a loop that counts, but not to where it ends. The last two
// only make an exploration give up, which it says. Nor is it seen that a retry
// was written as a loop that does await something: that is sound, and at worst
// has more histories than there is room for.
package contract

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// A Breach is a place in the source that breaks the contract.
type Breach struct {
	File string // its path
	Line int
	Func string // the declared function that it is in
	What string // what is done there, and the rule that it breaks: a clause without a full stop
}

// String returns all there is to say, with the base name of the file.
func (b Breach) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", filepath.Base(b.File), b.Line, b.Func, b.What)
}

// Check examines the locks of one package and returns where they break the
// contract, in order of file and line. The package is that of the Go file name,
// with its test files if this is one of them; or if name is a directory, the
// package in it, without its tests. With names of types, only what their methods
// reach is examined; otherwise all locks of the package are, and all functions
// that take a *register.Process. Build constraints are held against the tag
// doorway_explore and the settings with which the running program was built.
//
// An error says that the source could not be examined: there is no such file
// ([io/fs.ErrNotExist]), it does not compile, it has no protocol, or the go
// command, which knows where imported packages are, was not found
// ([os/exec.ErrNotFound]). Check works from any working directory, and for a
// package of any module; it is safe for concurrent use. It takes a tenth of a
// second if the build cache has what is imported, as it has when the program has
// just been built.
func Check(name string, typeNames ...string) ([]Breach, error) {
	p, err := load(name)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	roots, err := p.roots(typeNames)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	e := &examination{program: p, found: map[finding]string{}, done: map[given]bool{}}
	e.protocol(p.region(roots))
	if p.err != nil {
		return nil, fmt.Errorf("contract: %w", p.err)
	}
	return e.breaches(), nil
}

// breaches returns what was found, in order.
func (e *examination) breaches() []Breach {
	places := make([]finding, 0, len(e.found))
	for f := range e.found {
		places = append(places, f)
	}
	slices.SortFunc(places, func(a, b finding) int {
		at, bt := e.fset.Position(a.pos), e.fset.Position(b.pos)
		return cmp.Or(cmp.Compare(at.Filename, bt.Filename), cmp.Compare(at.Offset, bt.Offset), cmp.Compare(a.rule, b.rule))
	})
	var found []Breach
	for _, f := range places {
		at := e.fset.Position(f.pos)
		found = append(found, Breach{File: at.Filename, Line: at.Line, Func: f.in, What: e.found[f]})
	}
	return slices.Compact(found) // several on one line may read the same
}
