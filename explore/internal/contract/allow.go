package contract

import (
	"go/ast"
	"go/types"
	"strings"
)

// allowed has, by package of the standard library, the functions that a protocol may
// call. Their results depend only on their arguments, and they write no memory.
var allowed = map[string]string{
	"cmp":    `Compare Less`,
	"errors": `New`,
	"fmt":    `Errorf Sprint Sprintf Sprintln`,
	"math": `Abs Ceil Exp Exp2 Floor Inf IsInf IsNaN Log Log10 Log2 Max Min Mod NaN Pow Round Signbit Sqrt
		Trunc`,
	"math/bits": `Add Add32 Add64 Div Div32 Div64 LeadingZeros LeadingZeros16 LeadingZeros32 LeadingZeros64
		LeadingZeros8 Len Len16 Len32 Len64 Len8 Mul Mul32 Mul64 OnesCount OnesCount16 OnesCount32 OnesCount64
		OnesCount8 Rem Rem32 Rem64 Reverse Reverse16 Reverse32 Reverse64 Reverse8 ReverseBytes ReverseBytes16
		ReverseBytes32 ReverseBytes64 RotateLeft RotateLeft16 RotateLeft32 RotateLeft64 RotateLeft8 Sub Sub32
		Sub64 TrailingZeros TrailingZeros16 TrailingZeros32 TrailingZeros64 TrailingZeros8`,
	"strconv": `Atoi FormatBool FormatInt FormatUint Itoa ParseBool ParseInt ParseUint Quote`,
}

// An effect is what a function does to registers or to the protocol.
type effect uint

const (
	loads   effect = 1 << iota
	stores         // or wakes
	awaits         // awaits a condition
	retries        // calls Repeat or Pure
	steps          // begins an atomic step
	marks          // a phase of the protocol, or an abort
	enters         // runs an entry that may be aborted

	writes     = stores | awaits | steps
	everything = loads | writes | retries | marks | enters
)

// operations has the functions of package register that a protocol may call, and what
// each does to registers or to the protocol.
var operations = byName(map[effect]string{
	loads:          "Word.Load",
	stores:         "Word.Store Word.Set Word.GiveWay Process.Pass",
	loads | stores: "Word.CompareAndSwap Word.Swap Word.FetchAdd",
	awaits: `Word.Await Word.AwaitExclusive Word.AwaitValue register.AwaitEither
		register.AwaitEitherInTurn`,
	retries: "register.Repeat register.Pure",
	steps:   "Step.Do",
	marks:   "Process.Doorway Process.Inside Process.Absorb Processes.Entry Processes.Exit",
	enters:  "Processes.Try Processes.Context",
	0:       "register.AgainIf Process.ID Process.Name Processes.Len",
})

// ofCells has what is of cells.
var ofCells = byName(map[effect]string{
	loads:          "cell.Plain.Load cell.Local.Load",
	stores:         "cell.Local.Store",
	loads | stores: "cell.Plain.CompareAndSwap cell.Plain.Swap cell.Local.CompareAndSwap cell.Local.Swap",
	awaits:         "cell.Local.Await cell.Local.Park",
})

// operation returns what a function of package register, or of cells, does.
func operation(fn *types.Func) (does effect, listed bool) {
	if does, listed = operations[display(fn)]; !listed {
		does, listed = ofCells[display(fn)]
	}
	return does, listed
}

func byName(effects map[effect]string) map[string]effect {
	all := map[string]effect{}
	for does, names := range effects {
		for name := range strings.FieldsSeq(names) {
			all[name] = does
		}
	}
	return all
}

// A promise is the contract of a function that is given to one of package register.
type promise struct {
	clause string
	writes bool   // captured variables
	may    effect // to registers
}

// promises has the functions of package register that take a function, but for Process.Absorb, which
// continues the protocol.
var promises = map[string]promise{
	"register.Repeat":            {"which must carry nothing from one try to the next", false, everything},
	"register.Pure":              {"which must have no effect but its result", false, loads | retries},
	"Word.Await":                 {awaited, false, 0},
	"Word.AwaitValue":            {awaited, false, 0},
	"Word.AwaitExclusive":        {awaited, false, 0},
	"cell.Local.Await":           {awaited, false, 0},
	"cell.Local.Park":            {awaited, false, 0},
	"register.AwaitEither":       {awaited, false, 0},
	"register.AwaitEitherInTurn": {awaited, false, 0},
	"Step.Do":                    {"which is one atomic step and must not wait", true, everything &^ (awaits | steps)},
	"Processes.Try":              {perhaps, false, everything &^ enters},
	"Processes.Context":          {perhaps, false, everything &^ enters},
}

const (
	awaited = "which may only test the value that it is given"
	perhaps = "which may not run at all: use only its result"
)

// builtins are the predeclared functions that a protocol may call.
var builtins = strings.Fields("cap complex imag len max min panic real")

// onRegisters returns what a function of package register does itself. An unknown
// one counts as a mark: a protocol may not call it, nor may a given function.
func onRegisters(fn *types.Func) effect {
	switch {
	case inPackage(fn, mutexes):
		return ofLocks[fn.Name()]
	case !inPackage(fn, registers):
		return 0
	}
	if done, ok := operation(fn); ok {
		return done
	}
	return marks
}

// ofLocks has what the methods of a lock do that is part of another.
var ofLocks = map[string]effect{"Lock": writes, "Unlock": writes, "TryLock": enters, "LockContext": enters}

// does returns the effects of n, including those of the functions that it calls.
func (p *program) does(n ast.Node) effect {
	all := p.itself(n)
	for _, fn := range p.leadsTo(n) {
		all |= p.doing(fn)
	}
	return all
}

// doing returns the effects of a function.
func (p *program) doing(fn *function) effect {
	all, ok := p.effects[fn]
	if !ok {
		for _, f := range p.reached([]*function{fn}, nil) {
			all |= p.itself(f.body)
		}
		p.effects[fn] = all
	}
	return all
}

// itself returns the effects of the functions of package register that n names.
func (p *program) itself(n ast.Node) (all effect) {
	ast.Inspect(n, func(n ast.Node) bool {
		if fn := p.function(n); fn != nil {
			all |= onRegisters(fn)
		}
		return true
	})
	return all
}
