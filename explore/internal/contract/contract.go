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
// # The language of protocols
//
// So a protocol is written in a small language: Lock, Unlock, TryLock and LockContext, and every function that they
// reach, by a call or as a value. What is not listed here is refused, by a [Breach] that names it. A lock that needs
// more of Go is checked as it is written by package anylock.
//
//   - Statements: assignments, if, for, switch, break, continue, return and declarations; range over numbers,
//     strings, arrays and slices. No goroutines, channels, defer, goto, type switches and type parameters.
//   - A protocol assigns its own local variables, or parts of them: x, x.f, and x[i] of an array. It writes nothing
//     through a pointer, a slice or a map, takes no address of a local variable, and makes no memory but a table of
//     its own: t := make([]T, n), of numbers, strings and booleans, of which it uses only t[i], len(t) and range t.
//   - A literal that is only called by the function that it is in, or is an argument of package register, may assign
//     the variables of that function. Any other literal, and one given to Process.Absorb, may use those only that are
//     assigned once; the condition of an await those that are not assigned later. From functions that are no
//     protocols, a literal may capture numbers, strings, booleans and functions that are assigned once.
//   - A register is used through its methods: it is not copied, compared or printed. A protocol makes none. It calls
//     what is listed in operations of package register, and in allowed of the standard library: functions of
//     numbers and strings, of packages cmp, errors, fmt, math, math/bits, strconv, and no others.
//   - Functions are called by name; or by a value, if that is a literal, a name, a parameter or a variable. A function
//     in a field is called in tests and programs only, where no other package can set it. Through an interface only
//     methods that are not exported are called, and those of a lock that is part of the lock.
//   - Of package-level variables, a protocol uses errors made by errors.New that are not exported. It compares errors
//     with nil only. It uses no field of the lock that is exported.
//   - A function given to Repeat, to Pure or to an await assigns only variables that are declared in it: a try
//     must not depend on the previous one. A Pure only loads registers; the condition of an await does not access
//     any; a Step awaits nothing.
//   - The entry that is given to Processes.Try or Processes.Context may not run at all. So it assigns no variables of
//     the function around it, and TryLock and LockContext use registers nowhere else. LockContext passes on its
//     own context, and asks it nothing. An entry uses the result of each await.
//
// # Constructors and other functions
//
// What protocols read outside of registers and of their own variables, only constructors write: functions that
// write what they, or other constructors, have made, before anything else has it. A constructor gets such memory by
// make, new and literals, and from other constructors, that is, by their results and, if it is not exported, by
// its arguments; it gives it only to constructors and by its result. It starts no goroutine, and stores nothing
// in a package-level variable. Of what others gave to it, it copies numbers and strings. It may call options,
// after which it writes nothing. An option, a literal that a function returns, may set fields of its argument.
//
// Any other function may read numbers and strings, and copy slices of them. It has no slice, map or pointer by which
// what protocols read could be written. If other packages can call it, it writes no register of a lock, and gives
// none away.
//
// This is decided by the text of all examined functions, and by types; see [memory]: two fields of structs with the
// same field names count as one, and so do the elements of slices of one type. So there is no analysis of aliases.
//
// # Limits
//
// Calls into packages outside of the standard library are followed into their source. A package that has other files
// without the tag doorway_explore is refused.
//
// Not detected are an option that is applied to a lock in use, another lock that is assigned to a lock as a whole, two
// locks that a constructor makes of the same registers, a type that is a lock, too, and writes the registers of this
// one, and a constructor that makes another lock each time. Nor is a loop over plain loads, which a run shows: it does
// not end. Nor is a retry that is written as a loop that awaits and is no [Loop]: it is sound, but may have too many
// histories.
package contract

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
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
	return fmt.Sprintf("%s: %s: %s", b.at(), b.Func, b.What)
}

func (b Breach) at() string { return fmt.Sprintf("%s:%d", filepath.Base(b.File), b.Line) }

// Examine returns the breaches of the contract by locks of the package, in order of file and line, and the loops
// that carry nothing from one round to the next. With names of types, or of methods such as Lock.Unlock, it examines
// only what these reach; otherwise all locks of the package, and all functions that take a *register.Process.
//
// An error means that the source could not be examined, as it does not compile, or has no protocol.
func (s *Source) Examine(typeNames ...string) ([]Breach, []Loop, error) {
	s.examining.Lock()
	defer s.examining.Unlock()
	p := s.program()
	roots, err := p.roots(typeNames)
	if err != nil {
		return nil, nil, fmt.Errorf("contract: %w", err)
	}
	reach := p.reach(roots)
	p.builds()
	p.sealed = true // the source of what no protocol reaches is not needed
	if p.protocol(reach); p.err == nil {
		p.construct(reach)
	}
	if p.err != nil {
		return nil, nil, fmt.Errorf("contract: %w", p.err)
	}
	return p.breaches(), p.rounds(reach, roots), nil
}

// builds reports packages of which programs have another source than the one that is explored.
func (p *program) builds() {
	for path := range p.sources {
		files := p.checked[path].files
		if name := p.fset.File(files[0].FileStart).Name(); !strings.HasSuffix(p.fset.File(files[len(files)-1].FileStart).Name(), "_test.go") {
			if file := p.tagged(filepath.Dir(name)); file != "" {
				what := "is built only with the tag " + hosted + ", or only without it: programs have another lock than the one that is explored"
				p.found[files[0].FileStart] = Breach{file, 1, "package " + files[0].Name.Name, what}
			}
		}
	}
}

// breaches returns the findings, in order.
func (p *program) breaches() (found []Breach) {
	for _, pos := range slices.SortedFunc(maps.Keys(p.found), func(a, b token.Pos) int {
		one, other := p.found[a], p.found[b]
		return cmp.Or(cmp.Compare(one.File, other.File), cmp.Compare(one.Line, other.Line), cmp.Compare(a, b))
	}) {
		found = append(found, p.found[pos])
	}
	return slices.Compact(found) // several on one line may be equal
}
