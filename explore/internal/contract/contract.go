// Package contract checks the source of a lock for anything that would make its
// exploration unsound.
//
// # The contract
//
// A lock is explored one process at a time: its real Lock and Unlock run alone, on
// every sequence of values that their reads could return. The result is an
// automaton, which represents the process from then on. This is sound if a process
// is a function of the values that it has read: the same values, the same next
// operation. It terminates because the source marks where values can be forgotten:
// only registers survive a try of [example.org/doorway/register.Repeat], or a round of a [Loop], only its
// result survives a [example.org/doorway/register.Pure], and an await tests a
// condition on one value, any number of times. No compiler enforces this. A lock
// that breaks the contract is explored as a different lock, and the verdict is
// about that one.
//
// # The rules
//
// The rules apply to the protocol: Lock, Unlock, TryLock and LockContext, and every
// function reachable from them, by a call or as a value.
//
//   - A function given to Repeat, to Pure or to an await writes only its own
//     memory: no variable declared outside of it, and nothing behind a pointer,
//     slice or map that it did not make. Otherwise a try would depend on the
//     previous one, which has been forgotten. The functions given to Step.Do and
//     Process.Absorb are parts of the protocol: they may assign.
//   - A Pure only loads registers; the condition of an await does not access any; a
//     Step awaits nothing. The callee chooses when and how often these functions
//     run.
//   - An entry that may be aborted, one given to Processes.Try or Processes.Context,
//     uses the result of each await. Where a lock is never aborted, the results may be
//     ignored.
//   - A process keeps its state in local variables and in registers. It writes no other memory than
//     its own: variables of the protocol, and what they refer to, if the protocol made it.
//   - What it reads elsewhere, such as a field, only a constructor may write: a function that writes
//     memory that it made itself. It may not be written by an exported function, by a method, by a
//     literal that captured it, by a goroutine, or by a function that is not examined; nor be a field
//     that other packages can set.
//   - A protocol writes no package-level variable; it reads one only if nothing but its declaration or
//     init writes it; and none holds registers: all locks share it, and the explored lock is made
//     several times.
//   - A function that may return a function has no literal with captured variables that may change.
//   - A register is used only through its methods: it is not copied, assigned, compared or printed, nor
//     is anything that contains it. A protocol makes none.
//   - No goroutines, channels, defer, recover, unsafe, print, println, or ranges over maps or functions.
//     Of package register, a protocol may call what is listed in operations; of the standard library,
//     what is listed in allowed: functions of their arguments, of packages cmp, errors, fmt, math,
//     math/bits, slices, strconv, strings, unicode, unicode/utf8, and no others. If one writes memory, such as
//     slices.Sort, that is the protocol's own. Those of fmt and errors run methods: so they take
//     only numbers, strings and booleans of types without methods, and errors that the protocol made or
//     that are variables, if the examined source has no type of error. A context goes to Processes.Context.
//   - A function value that is called is a literal or the name of a function: so is all that is assigned
//     to the variable, parameter or field, by examined source, and its address is not taken. A method
//     that is called through an interface is not exported, so that its package declares it.
//   - No loop over plain loads: if only a register ends it, and it awaits nothing, it has no longest
//     history. Each round of a loop that loads moves a counter towards a bound, whatever it loads.
//
// Whether memory is a protocol's own is decided for variables, and for fields and types of what is stored
// elsewhere, wherever that is: see ownership. What is not known to be its own is not.
//
// # Limits
//
// Calls into packages outside of the standard library are followed into their source.
//
// Not detected is a write to what the protocol reads by who gave it to the constructor, as a slice or an
// interface; nor by an option that is applied to a lock in use. Nor are detected: an infinite recursion
// that loads; a counter that never reaches its bound. They only make an exploration end with an error. Nor
// is a retry detected that is written as a loop that awaits and is no [Loop]: it is sound, but may have too
// many histories.
package contract

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// A Breach is a place in the source that breaks the contract.
type Breach struct {
	File string // its path
	Line int
	Func string // the declared function that it is in
	What string // what the function does there, and the rule that it breaks, without a full stop
}

// String returns all fields in one line, with the base name of the file.
func (b Breach) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", filepath.Base(b.File), b.Line, b.Func, b.What)
}

// Check examines the locks of one package and returns their breaches of the
// contract, in order of file and line. The package is that of the Go file name,
// with its test files if name is one of them; or if name is a directory, the
// package in it, without tests. With names of types, or of methods such as Lock.Unlock,
// Check examines only what these reach; otherwise all locks of the package, and all functions that take a
// *register.Process. Build constraints are evaluated with the tag doorway_explore
// and the settings of the running program.
//
// An error means that the source could not be examined: the file does not exist
// ([io/fs.ErrNotExist]), it does not compile, it has no protocol, or the go
// command, which locates imported packages, was not found ([os/exec.ErrNotFound]).
// Check works from any working directory, for a package of any module, and is safe
// for concurrent use. It takes a tenth of a second if the build cache has the
// imported packages, as it has when the program has just been built.
func Check(name string, typeNames ...string) ([]Breach, error) {
	s, err := Read(name)
	if err != nil {
		return nil, err
	}
	breaches, _, err := s.Examine(typeNames...)
	return breaches, err
}

// Examine examines what Check does, and returns the loops too that carry nothing from
// one round to the next.
func (s *Source) Examine(typeNames ...string) ([]Breach, []Loop, error) {
	s.examining.Lock()
	defer s.examining.Unlock()
	p := s.program()
	roots, err := p.roots(typeNames)
	if err != nil {
		return nil, nil, fmt.Errorf("contract: %w", err)
	}
	o := &ownership{program: p, set: p.reached(roots, nil)}
	o.settle(func(fn *function) bool { return slices.Contains(roots, fn) || p.unseen(fn) })
	p.sealed = true // the source of what no protocol reaches is not needed
	p.protocol(o)
	loops := p.rounds(o.set, roots)
	if p.err != nil {
		return nil, nil, fmt.Errorf("contract: %w", p.err)
	}
	return p.breaches(), loops, nil
}

// breaches returns the findings, in order.
func (p *program) breaches() []Breach {
	places := slices.SortedFunc(maps.Keys(p.found), func(a, b finding) int {
		at, bt := p.fset.Position(a.pos), p.fset.Position(b.pos)
		return cmp.Or(cmp.Compare(at.Filename, bt.Filename), cmp.Compare(at.Offset, bt.Offset), cmp.Compare(a.rule, b.rule))
	})
	var found []Breach
	for _, f := range places {
		at := p.fset.Position(f.pos)
		found = append(found, Breach{File: at.Filename, Line: at.Line, Func: f.in, What: p.found[f]})
	}
	return slices.Compact(found) // several on one line may be equal
}
