// Package program tests package explore: it has random lock programs, locks that run
// them on package register, and an explorer of their states that shares no code with
// explore. The tests compare the two.
package program

import (
	"fmt"
	"strings"
)

// Limits of a program.
const (
	Processes = 3
	Registers = 3
	Cap       = 3 // the largest value of a register
	steps     = 2
)

// A Program is a lock: the protocols of each process.
type Program struct {
	GiveUp bool // entries may abort
	Entry  [][]Op
	Try    [][]Op // the entry of TryLock; nil: as Entry
	Exit   [][]Op
}

// A Kind is the kind of an Op. A process has one variable, v, which is 0 at first, in
// each try of a Repeat, and after it.
type Kind int

// The kinds.
const (
	Load     Kind = iota // v = Reg
	Store                // Reg = Value
	Set                  // likewise, and wakes no process
	Swap                 // v = Reg, and Reg = Value
	FetchAdd             // v = Reg, and Reg = Reg + Value
	CAS                  // if Reg is Old, Reg = Value and Body, else Else
	Await                // until Holds is true of Reg; if that is aborted, Body, and then the entry is, unless it forgets
	Either               // likewise, or OtherHolds of Other
	If                   // Body if Holds is true of v, else Else
	Repeat               // Body, until it ends without Again
	Again                // the next try
	Atomic               // Body, as a step of the register.Step Reg
	Doorway

	endTry
	endAtomic
)

var kinds = []string{"Load", "Store", "Set", "Swap", "FetchAdd", "CAS", "Await", "Either", "If", "Repeat", "Again", "Atomic", "Doorway"}

func (k Kind) String() string { return kinds[k] }

// An Op is an operation, or a part of a protocol.
type Op struct {
	Kind              Kind
	Reg, Other        int
	Old               uint64
	Value             Value
	Holds, OtherHolds Values
	Body, Else        []Op
	Forget            bool // an abort is forgotten, and the entry continues
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

func (x Value) String() string {
	if x > Cap {
		return [...]string{"v", "v+1"}[x-V]
	}
	return fmt.Sprint(uint64(x))
}

// Values is a set of values, a bit for each; 0 has only v.
type Values uint8

func (s Values) has(x, v uint64) bool {
	if s == 0 {
		return x == v
	}
	return s>>x&1 == 1
}

func (s Values) String() string {
	if s == 0 {
		return "{v}"
	}
	var all []string
	for x := range Cap + 1 {
		if s>>x&1 == 1 {
			all = append(all, fmt.Sprint(x))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// String returns the program in the notation of Go.
func (g *Program) String() string {
	var b strings.Builder
	show := func(name string, of [][]Op) {
		for i, ops := range of {
			fmt.Fprintf(&b, "func %s of process %d {\n", name, i)
			write(&b, "\t", ops)
			b.WriteString("}\n")
		}
	}
	if g.GiveUp {
		b.WriteString("// may abort\n")
	}
	show("entry", g.Entry)
	show("entry by TryLock", g.Try)
	show("exit", g.Exit)
	return b.String()
}

func write(b *strings.Builder, indent string, ops []Op) {
	line := func(format string, args ...any) { fmt.Fprintf(b, indent+format+"\n", args...) }
	block := func(ops []Op) { write(b, indent+"\t", ops) }
	for _, o := range ops {
		switch o.Kind {
		case Load:
			line("v = r%d.Load()", o.Reg)
		case Store:
			line("r%d.Store(%v)", o.Reg, o.Value)
		case Set:
			line("r%d.Set(%v)", o.Reg, o.Value)
		case Swap:
			line("v = r%d.Swap(%v)", o.Reg, o.Value)
		case FetchAdd:
			line("v = r%d.FetchAdd(%v)", o.Reg, o.Value)
		case CAS, If:
			if o.Kind == CAS {
				line("if r%d.CompareAndSwap(%d, %v) {", o.Reg, o.Old, o.Value)
			} else {
				line("if v in %v {", o.Holds)
			}
			block(o.Body)
			if len(o.Else) > 0 {
				line("} else {")
				block(o.Else)
			}
			line("}")
		case Await, Either:
			if o.Kind == Await {
				line("if !r%d.Await(%v) {", o.Reg, o.Holds)
			} else {
				line("if !AwaitEither(r%d, %v, r%d, %v) {", o.Reg, o.Holds, o.Other, o.OtherHolds)
			}
			block(o.Body)
			if !o.Forget {
				line("\treturn false")
			}
			line("}")
		case Repeat:
			line("Repeat { // v = 0")
			block(o.Body)
			line("} // v = 0")
		case Again:
			line("Again")
		case Atomic:
			line("step%d.Do {", o.Reg)
			block(o.Body)
			line("}")
		case Doorway:
			line("Doorway()")
		}
	}
}
