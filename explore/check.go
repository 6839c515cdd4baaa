package explore

import (
	"errors"
	"fmt"

	"example.org/doorway/mutex"
)

// A Config says what is to be checked.
type Config struct {
	// New makes a free lock for n processes. It is called several times, and
	// must make equal locks for equal n.
	New func(n int) mutex.Mutex

	// Processes is how many processes there are, from 1 to 8.
	Processes int

	// Cap is the largest value that a register may hold. A store of more is a
	// cut: the run is followed no further there, and the verdicts hold up to
	// it. 0: no cap, which asks for a lock whose values do not grow.
	Cap uint64

	// GiveUp has processes give up at any await, as TryLock and LockContext
	// may. The lock must be a [mutex.Abortable].
	GiveUp bool

	// Workers is how many processors are used, 1 or 2; 0: two if there are two.
	Workers int

	// Memory is how many bytes the exploration may take; 0: 4 GiB.
	Memory int64

	// Progress, if not nil, is called about once a second with what has been
	// explored.
	Progress func(Progress)

	// Only restricts the check to what is named; 0 is everything.
	Only Property
}

// A Property is something to be checked; several are or-ed together.
type Property uint

const (
	Exclusion  Property = 1 << iota // never two processes inside
	Deadlock                        // somebody always gets in, if nobody stays inside: free from deadlock and livelock
	Starvation                      // everybody who wants to gets in
	Order                           // the most overtakings after the doorway, and first come, first served
	Races                           // data that the lock guards is free from races, under Go's memory model
	Safe                            // registers that a single process writes need only be safe
)

// Everything is all properties.
const Everything = Exclusion | Deadlock | Starvation | Order | Races | Safe

// Progress is how far an exploration has come.
type Progress struct {
	Doing  string // what is being done, in a few words
	States int    // how many states have been found
	Bytes  int64  // how much memory they take
}

// A Status is what is known of a property.
type Status int

const (
	Unknown Status = iota // it was not checked
	Holds
	Fails
)

func (s Status) String() string { return [...]string{"unknown", "holds", "fails"}[s] }

// A Verdict says whether a property holds of every run, and if not, shows one
// of which it does not.
type Verdict struct {
	Status Status `json:"status"`
	Trace  *Trace `json:"trace,omitempty"` // a shortest run in which it fails
}

// Unbounded is a number without a bound.
const Unbounded = -1

// A Report is what was found out about a lock.
type Report struct {
	Processes int    `json:"processes"`
	Cap       uint64 `json:"cap,omitempty"` // of register values; 0: none
	GiveUp    bool   `json:"giveUp,omitempty"`

	States      int `json:"states"`      // reachable states of all processes and registers together
	Transitions int `json:"transitions"` // steps between them
	Cut         int `json:"cut"`         // stores above Cap, that were not followed
	Depth       int `json:"depth"`       // steps to the state that is furthest away

	Exclusion  Verdict `json:"exclusion"`
	Deadlock   Verdict `json:"deadlock"`   // freedom from it, and from livelock
	Starvation Verdict `json:"starvation"` // freedom from it, under weak fairness
	FIFO       Verdict `json:"fifo"`       // who ended the doorway before another began enters before it
	Races      Verdict `json:"races"`      // freedom of the guarded data from them
	Safe       Verdict `json:"safe"`       // exclusion, with safe registers

	// Overtaking is the most times that one process enters while another waits
	// whose doorway was over before, or Unbounded.
	Overtaking int `json:"overtaking"`

	// Reads and Writes are the most accesses that an entry and exit make while
	// all others stay away. A swap counts as both.
	Reads  int `json:"reads"`
	Writes int `json:"writes"`

	Registers []Register `json:"registers"` // in the order of their names

	// Vetted says whether the source was found and examined for breaches of
	// the contract of [register.Repeat] and [register.Pure].
	Vetted bool `json:"vetted"`
}

// A Register is what was found out about one register.
type Register struct {
	Name    string `json:"name"`
	Largest uint64 `json:"largest"` // value that it holds in any reachable state
	Writers []int  `json:"writers"` // processes that write it
}

// ErrBuild is returned where the program was built without the tag explore.
var ErrBuild = errors.New("explore: this program was built without the tag explore, with which registers can be explored: go test -tags explore")

// A MemoryError says that an exploration was given up because it took all the
// memory that it was allowed. Nothing is known of the property.
type MemoryError struct {
	Limit  int64 // bytes
	States int   // that had been found
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("explore: %d states take more than the %d MiB allowed: no verdict", e.States, e.Limit>>20)
}
