package hook

import (
	"sync"
	"sync/atomic"
)

// A Host implements the registers instead of the hardware: it receives every
// operation of a protocol and answers those that read. So a checker can run the
// same source as goroutines do step by step, on any values.
//
// Its methods are called by the goroutine that runs the protocol, in program order.
// Foreign is called by all other goroutines. A host may abandon a run by a panic of its own, which no function of package
// register recovers.
type Host interface {
	// Do performs an operation and returns its answer; see [Op].
	Do(op Operation) uint64

	// Mark returns a name for this point of the run, to which Again and Passed
	// refer.
	Mark() int

	// Again declares that the protocol continues as it did at the mark: nothing
	// read since will be used.
	Again(mark int)

	// Passed declares that only result, of everything read since the mark, will be
	// used.
	Passed(mark int, result any)

	// Comes declares which boundary of its protocols the process has reached, or what
	// it does between two of them: that of the number given, among those of a lock, which lot stands for. A lock may
	// be made of others.
	Comes(at Boundary, lot any, process int)

	// Tries reports whether a process that enters by Processes.Try makes its awaits
	// as OpTry. A host that calls TryLock itself may answer them by an abort instead.
	Tries() bool

	// Skips reports whether the entry of Processes.Try or Processes.Context does not run, as while an
	// earlier one is being absorbed, or where the context is done.
	Skips() bool

	// Absorb declares that the caller has aborted: what follows is done on behalf of
	// the process, and cannot be aborted.
	Absorb()

	// Foreign declares that a goroutine other than the one that runs the protocols
	// accesses a register, which it does as without a host. It is called by that
	// goroutine, and must be safe for concurrent use.
	Foreign(of *atomic.Uint64)
}

// Aloof is embedded in a Host that only answers operations: it declares nothing, and
// takes no notice of what is declared.
type Aloof struct{}

// Mark is that of Host, as are the others.
func (Aloof) Mark() int { return 0 }

// Again is that of Host.
func (Aloof) Again(int) {}

// Passed is that of Host.
func (Aloof) Passed(int, any) {}

// Comes is that of Host.
func (Aloof) Comes(Boundary, any, int) {}

// Tries is that of Host.
func (Aloof) Tries() bool { return true }

// Skips is that of Host.
func (Aloof) Skips() bool { return false }

// Absorb is that of Host.
func (Aloof) Absorb() {}

// Foreign is that of Host.
func (Aloof) Foreign(*atomic.Uint64) {}

// A Boundary is between two sections of a protocol.
type Boundary uint8

const (
	AtEntry       Boundary = iota + 1 // of the entry protocol, which begins
	AtWaiting                         // the doorway is over
	AtInside                          // the entry protocol is over
	AtExit                            // of the exit protocol, which begins
	AtAwait                           // no boundary: the process waits
	AtAwaitInTurn                     // no boundary: it waits, to be woken in turn
	AtPass                            // no boundary: it passes the baton on
	AtAbsorb                          // no boundary: it aborts, and its entry will be absorbed
	AtGiveWay                         // no boundary: it gives way to exclusive waiters
)

// An Op is the kind of an operation, which determines its answer.
type Op uint8

const (
	OpLoad           Op = iota // answered by the value
	OpSet                      // writes Value and wakes no process
	OpStore                    // writes Value and wakes the waiters of the register: if they are exclusive, the first
	OpCompareAndSwap           // writes Value if the register holds Old; answered by 1 if so, else by 0
	OpSwap                     // writes Value; answered by the value before
	OpFetchAdd                 // adds Value; answered by the value before
	OpAwait                    // answered by 1 once Holds is true of the value, by 0 if the process aborts
	OpAwaitExclusive           // the same, as an exclusive waiter
	OpAwaitValue               // the same, which stores the value in Found
	OpTest                     // answered by 1 if Holds is true of the value, else by 0: one read in an await of either of two registers
	OpTry                      // answered by 1 if Holds is true of the value, else by 0: an await of a process that does not wait
	OpTryValue                 // the same, which stores the value in Found if it is answered by 1
	OpTestFirst                // the same for the first read of a round of such an await, which may abort: then by 2
	OpBegin                    // begins an atomic step, once no other of the same Step is in progress
	OpEnd                      // ends it
)

// An Operation is an access to a register, or a wait.
type Operation struct {
	Op         Op
	Word       *atomic.Uint64      // the value of the register
	Value, Old uint64              // see Op
	Holds      func(v uint64) bool // the condition of an await or test
	Step       *sync.Mutex         // the mutex of the register.Step that begins or ends
	Found      *uint64             // where the value of an OpAwaitValue or OpTryValue is stored
	Other      *atomic.Uint64      // the other register in an await of either of two
	OtherHolds func(v uint64) bool // and its condition
}
