// Package program tests package explore: it has random lock programs, locks that run
// them on package register, and an explorer of their states that shares no code with
// explore. The tests compare the two.
package program

import "encoding/json"

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
	Try    [][]Op `json:",omitzero"` // the entry of TryLock; nil: as Entry
	Exit   [][]Op
}

// String returns the program with a line for each operation and each part of it that is not
// zero.
func (g *Program) String() string {
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
