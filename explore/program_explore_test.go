//go:build doorway_explore

package explore_test

import (
	"context"
	"encoding/json"

	"example.org/doorway/register"
)

// Random lock programs, locks that run them on package register, and an explorer of their
// states that shares no code with package explore. The tests compare the two.

// Limits of a program.
const (
	Processes = 3
	Registers = 3
	Cap       = 3 // the largest value of a register
	steps     = 2
)

// A lockProgram is a lock: the protocols of each process.
type lockProgram struct {
	GiveUp bool // entries may abort
	Entry  [][]Op
	Try    [][]Op `json:",omitzero"` // the entry of TryLock; nil: as Entry
	Exit   [][]Op
}

// String returns the program with a line for each operation and each part of it that is not
// zero.
func (g *lockProgram) String() string {
	text, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A Kind is the kind of an Op. A process has one variable, v, which is 0 at first, in
// each try of a Repeat, and after it.
type Kind int

// The kinds.
const (
	Load       Kind = iota // v = Reg
	Store                  // Reg = Value
	Set                    // likewise, and wakes no process
	Swap                   // v = Reg, and Reg = Value
	FetchAdd               // v = Reg, and Reg = Reg + Value
	CAS                    // if Reg is Old, Reg = Value and Body, else Else
	Await                  // until Holds is true of Reg; if that is aborted, Body, and then the entry is, unless it forgets
	AwaitValue             // likewise, and v = Reg
	Either                 // as Await, or OtherHolds of Other
	If                     // Body if Holds is true of v, else Else
	Repeat                 // Body, until it ends without Again
	Again                  // the next try
	Atomic                 // Body, as a step of the register.Step Reg
	Doorway

	endTry
	endAtomic
)

var kinds = []string{"Load", "Store", "Set", "Swap", "FetchAdd", "CAS", "Await", "AwaitValue", "Either", "If", "Repeat", "Again", "Atomic", "Doorway"}

func (k Kind) String() string { return kinds[k] }

func (k Kind) waits() bool { return k == Await || k == AwaitValue || k == Either }

// MarshalText implements [encoding.TextMarshaler].
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// An Op is an operation, or a part of a protocol.
type Op struct {
	Kind       Kind
	Reg        int
	Other      int    `json:",omitzero"`
	Old        uint64 `json:",omitzero"`
	Value      Value  `json:",omitzero"`
	Holds      Values `json:",omitzero"`
	OtherHolds Values `json:",omitzero"` // of Other
	Body       []Op   `json:",omitzero"`
	Else       []Op   `json:",omitzero"`
	Forget     bool   `json:",omitzero"` // an abort is forgotten, and the entry continues
}

// A Value is written: a constant up to Cap, V or Next.
type Value uint8

// The values of v.
const (
	V    Value = Cap + 1 + iota // v
	Next                        // v + 1
)

func (x Value) of(v uint64) uint64 {
	if x > Cap {
		return v + uint64(x-V)
	}
	return uint64(x)
}

// Values is a set of values, a bit for each; 0 has only v.
type Values uint8

func (s Values) has(x, v uint64) bool {
	if s == 0 {
		return x == v
	}
	return s>>x&1 == 1
}

// A programLock runs a program.
type programLock struct {
	procs register.Processes
	reg   [Registers]register.Word
	step  [steps]register.Step

	entry, try, exit [][]action // by process
}

// An action is an Op as a lock must have it: a copy, to which nothing but the lock refers.
type action struct {
	kind              Kind
	reg, other        int
	old               uint64
	value             Value
	holds, otherHolds Values
	forget            bool
	body, otherwise   []action
}

func actions(ops []Op) (all []action) {
	for _, o := range ops {
		all = append(all, action{
			kind: o.Kind, reg: o.Reg, other: o.Other, old: o.Old, value: o.Value, holds: o.Holds, otherHolds: o.OtherHolds,
			forget: o.Forget, body: actions(o.Body), otherwise: actions(o.Else),
		})
	}
	return all
}

func protocols(by [][]Op) (all [][]action) {
	for _, ops := range by {
		all = append(all, actions(ops))
	}
	return all
}

// newProgramLock returns a lock that runs g.
func newProgramLock(g *lockProgram) *programLock {
	l := &programLock{procs: register.MakeProcesses("program", len(g.Entry)), entry: protocols(g.Entry), try: protocols(g.Try), exit: protocols(g.Exit)}
	if l.try == nil {
		l.try = l.entry
	}
	return l
}

// Processes returns the number of processes.
func (l *programLock) Processes() int { return l.procs.Len() }

// Lock runs the entry protocol of process i.
func (l *programLock) Lock(i int) {
	p := l.procs.Entry(i)
	l.run(p, l.entry[i], 0)
	p.Inside()
}

// TryLock runs the entry protocol of process i by TryLock.
func (l *programLock) TryLock(i int) bool {
	return l.procs.Try(i, func(p *register.Process) bool {
		o, _ := l.run(p, l.try[i], 0)
		return o == register.Entered
	})
}

// LockContext runs the entry protocol of process i, which ctx may abort.
func (l *programLock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool {
		o, _ := l.run(p, l.entry[i], 0)
		return o == register.Entered
	})
}

// Unlock runs the exit protocol of process i.
func (l *programLock) Unlock(i int) { l.run(l.procs.Exit(i), l.exit[i], 0) }

// run runs ops, and returns Entered at their end; and v.
func (l *programLock) run(p *register.Process, ops []action, v uint64) (register.Outcome, uint64) {
	for _, a := range ops {
		now, outcome, ended := v, register.Entered, true
		holds := func(x uint64) bool { return a.holds.has(x, now) }
		branch := func(yes bool) {
			if yes {
				outcome, v = l.run(p, a.body, v)
			} else {
				outcome, v = l.run(p, a.otherwise, v)
			}
		}
		switch a.kind {
		default:
			v = l.access(a, v)
		case CAS:
			branch(l.reg[a.reg].CompareAndSwap(a.old, a.value.of(v)))
		case If:
			branch(holds(v))
		case Await:
			ended = l.reg[a.reg].Await(p, holds)
		case AwaitValue:
			var found uint64
			if found, ended = l.reg[a.reg].AwaitValue(p, holds); ended {
				v = found
			}
		case Either:
			second := func(x uint64) bool { return a.otherHolds.has(x, now) }
			ended = register.AwaitEither(p, &l.reg[a.reg], holds, &l.reg[a.other], second)
		case Repeat:
			v = 0
			if !register.Repeat(func() register.Outcome {
				outcome, _ := l.run(p, a.body, 0)
				return outcome
			}) {
				outcome = register.GaveUp
			}
		case Again:
			outcome = register.Again
		case Atomic:
			l.step[a.reg].Do(func() {
				for _, a := range a.body {
					v = l.access(a, v)
				}
			})
		case Doorway:
			p.Doorway()
		}
		if !ended {
			if outcome, v = l.run(p, a.body, v); outcome == register.Entered && !a.forget {
				outcome = register.GaveUp
			}
		}
		if outcome != register.Entered {
			return outcome, v
		}
	}
	return register.Entered, v
}

// access makes an operation that does not wait, and returns v.
func (l *programLock) access(a action, v uint64) uint64 {
	switch r := &l.reg[a.reg]; a.kind {
	case Load:
		return r.Load()
	case Store:
		r.Store(a.value.of(v))
	case Set:
		r.Set(a.value.of(v))
	case Swap:
		return r.Swap(a.value.of(v))
	case FetchAdd:
		return r.FetchAdd(a.value.of(v))
	case If:
		then := a.otherwise
		if a.holds.has(v, v) {
			then = a.body
		}
		for _, a := range then {
			v = l.access(a, v)
		}
	}
	return v
}
