// Package trace shows a run of a lock: as a table, or as a picture.
package trace

// A Trace is a run of a lock, step by step.
type Trace struct {
	Title     string // what it shows
	Lock      string // whose run it is; "": not known
	Processes int
	Registers []string // the names of all registers
	Initial   []uint64 // their initial values
	Steps     []Step
	Loop      int     // the steps from this one on can repeat forever; -1: no loop
	Ends      []Place // where each process is after the last step
	Overtakes []int   // of a run that is not FIFO: the process that enters first, and the one that it overtakes
	Schedule  []int   // the run as a schedule; empty if registers are only safe
}

// A Step is one step of one process: usually one operation.
type Step struct {
	Process  int
	Place    Place    // of the operation in the source
	Do       string   // what it does; see [Trace.words]
	Register int      // index into Registers; -1: none
	Value    uint64   // written or read; of a failed compare-and-swap, the value found
	Done     bool     // whether a compare-and-swap succeeded, or the condition of an await held
	Becomes  string   // the phase of the process after the step
	Holds    []uint64 // the values of all registers after the step
	Atomic   bool     // part of the same atomic step as the one before
}

// A Place is where a process is in its protocol.
type Place struct {
	Phase  string
	File   string // base name; of the first operation of the next entry, in the remainder section
	Path   string // of the package, and File
	Line   int
	Source string // the line, trimmed; "" if it could not be read
	Next   string // the next operation, in words
}
