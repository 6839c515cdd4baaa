package seam

import "sync"

// A Host stands behind the registers instead of the hardware: it receives every
// operation of a protocol and answers those that read. So a checker can run the
// source that goroutines run step by step, on any values.
//
// Its methods are called by the goroutine that runs the protocol, in the order
// of the protocol. A host may abandon a run by a panic of its own, which no
// function of package register recovers.
type Host interface {
	// Do makes an operation and returns its answer; see [Op].
	Do(op Operation) uint64

	// Mark returns a name for this point of the run, to which Again and Passed
	// refer.
	Mark() int

	// Again declares that the protocol goes on as it did at the mark: nothing
	// that was read since will be used.
	Again(mark int)

	// Passed declares that of all that was read since the mark only result will
	// be used.
	Passed(mark int, result uint64)

	// Comes declares which boundary of its protocols a process has reached: that
	// of the number given, among those of a lock, which lot stands for. A lock may
	// be made of others.
	Comes(at Boundary, lot any, process int)

	// Tries reports whether a process that enters by Processes.Try makes its awaits
	// as OpTry. A host that calls TryLock itself may answer them by an abort instead.
	Tries() bool

	// Absorb declares that the caller has aborted: what follows is done in the
	// name of the process, and cannot be aborted.
	Absorb()
}

// A Boundary is between two sections of a protocol.
type Boundary uint8

const (
	AtEntry   Boundary = iota + 1 // of the entry protocol, which begins
	AtWaiting                     // the doorway is over
	AtInside                      // the entry protocol is over
	AtExit                        // of the exit protocol, which begins
)

// An Op is what an operation does, and how it is answered.
type Op uint8

const (
	OpLoad      Op = iota // answered by the value
	OpSet                 // writes Value and wakes no process
	OpStore               // writes Value and wakes all waiters of the register
	OpStoreGate           // writes Value and wakes the first waiter
	OpSwap                // writes Value if the register holds Old; answered by 1 if so, else by 0
	OpAwait               // answered by 1 once Holds is true of the value, by 0 if the process aborts
	OpAwaitGate           // the same at a gate
	OpTest                // answered by 1 if Holds is true of the value, else by 0: one look of a wait for either of two registers
	OpTry                 // answered by 1 if Holds is true of the value, else by 0: an await of a process that does not wait
	OpTestFirst           // the same where such a wait begins a round, and may be aborted: then by 2
	OpBegin               // begins an atomic step, once no other of the same Step is under way
	OpEnd                 // ends it
)

// An Operation is an access to a register, or a wait.
type Operation struct {
	Op         Op
	Word       *Number             // the value of the register
	Value, Old uint64              // see Op
	Holds      func(v uint64) bool // what an await or test asks of the value
	Step       *sync.Mutex         // that of the register.Step which begins or ends
	Other      *Number             // what a wait for either of two registers awaits beside
	OtherHolds func(v uint64) bool // and asks of it
}
