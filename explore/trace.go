package explore

import (
	"io"

	"example.org/doorway/explore/internal/trace"
)

// A Trace is a run of a lock, step by step.
type Trace struct {
	Title     string   `json:"title"`          // what it shows
	Lock      string   `json:"lock,omitempty"` // its name, which a picture shows; [Check], which does not know it, leaves it out
	Processes int      `json:"processes"`
	Registers []string `json:"registers"` // the names of all registers
	Initial   []uint64 `json:"initial"`   // their initial values
	Steps     []Step   `json:"steps"`
	Loop      int      `json:"loop"` // the steps from this one on can repeat forever; -1: no loop
	Ends      []Place  `json:"ends"` // where each process is after the last step

	// Overtakes has, in a run that is not FIFO, the process that enters first, and the
	// one that it overtakes.
	Overtakes []int `json:"overtakes,omitempty"`

	// Schedule is the run as [Walk.Do] takes it; empty if registers are only safe. An element is the process
	// that takes a step, plus Processes where it gives up or enters by TryLock, plus twice
	// Processes where it enters by Lock although callers are Mixed.
	Schedule []int `json:"schedule,omitempty"`
}

// A Step is one step of one process: usually one operation.
type Step struct {
	Process  int      `json:"process"`
	Place    Place    `json:"place"`            // of the operation in the source
	Do       string   `json:"do"`               // "write", "read", "await", "compare-and-swap", "swap", "fetch-and-add", "give up"
	Register int      `json:"register"`         // index into Registers; -1: none
	Value    uint64   `json:"value"`            // written or read; of a failed compare-and-swap, the value found
	Done     bool     `json:"done"`             // whether a compare-and-swap succeeded, or the condition of an await held
	Becomes  string   `json:"becomes"`          // the phase of the process after the step
	Holds    []uint64 `json:"holds"`            // the values of all registers after the step
	Atomic   bool     `json:"atomic,omitempty"` // part of the same atomic step as the one before
}

// A Place is where a process is in its protocol. Its phase is "remainder";
// "doorway", from the first step of an entry on; "waiting", when the doorway is
// complete; "inside" the critical section; "exit"; "withdrawing", when it has given
// up and undoes its writes; or "absorbed", when its caller has given up and the
// entry is completed on its behalf.
type Place struct {
	Phase  string `json:"phase"`
	File   string `json:"file,omitempty"` // base name; of the first operation of the next entry, in the remainder section
	Path   string `json:"path,omitempty"` // the import path of the package, a slash, and File
	Line   int    `json:"line,omitempty"`
	Source string `json:"source,omitempty"` // the line, trimmed; "" if it could not be read
	Next   string `json:"next,omitempty"`   // the next operation, in words
}

// String returns t as text of several lines: its title; the schedule, a line for
// each operation, with a column for each process if they fit; and the final state
// of each process and register.
func (t *Trace) String() string { return t.internal().String() }

// WriteSVG draws t: for each process a lane with its steps, tinted by phase, or beside
// the lanes all steps, if they take too much room; at the right, a column for each
// register that is used; below, the final state of each process and the lines of the
// source. Processes that are in the critical section at the same time are framed, and
// have a badge; so have a process that enters first and the one that it overtakes.
// Steps that can repeat forever have a bracket. The picture is self-contained, deterministic, and follows the reader's
// light or dark color scheme. WriteSVG returns the error of w.
func (t *Trace) WriteSVG(w io.Writer) error { return t.internal().WriteSVG(w) }

// internal returns t as the package takes it that shows it.
func (t *Trace) internal() *trace.Trace {
	all := &trace.Trace{
		Title: t.Title, Lock: t.Lock, Processes: t.Processes, Registers: t.Registers, Initial: t.Initial,
		Loop: t.Loop, Overtakes: t.Overtakes, Schedule: t.Schedule,
	}
	for _, s := range t.Steps {
		all.Steps = append(all.Steps, trace.Step{
			Process: s.Process, Place: trace.Place(s.Place), Do: s.Do, Register: s.Register,
			Value: s.Value, Done: s.Done, Becomes: s.Becomes, Holds: s.Holds, Atomic: s.Atomic,
		})
	}
	for _, p := range t.Ends {
		all.Ends = append(all.Ends, trace.Place(p))
	}
	return all
}
