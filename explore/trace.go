package explore

// A Trace is a run of a lock, step by step.
type Trace struct {
	Title     string   `json:"title"` // what it shows
	Processes int      `json:"processes"`
	Registers []string `json:"registers"` // the names of all registers
	Initial   []uint64 `json:"initial"`   // what they hold at first
	Steps     []Step   `json:"steps"`
	Loop      int      `json:"loop"` // the steps from this one on can repeat for ever; -1: there is no loop
	Ends      []Place  `json:"ends"` // where each process is after the last step
}

// A Step is one step of one process: usually one operation.
type Step struct {
	Process  int      `json:"process"`
	Place    Place    `json:"place"`            // of the operation in the source
	Do       string   `json:"do"`               // "write", "read", "await", "swap", "give up"
	Register int      `json:"register"`         // index into Registers; -1: none
	Value    uint64   `json:"value"`            // that was written or read; of a swap that failed, what was found
	Done     bool     `json:"done"`             // of a swap: that it swapped; of an await: that it came true
	Becomes  string   `json:"becomes"`          // the phase of the process after the step
	Holds    []uint64 `json:"holds"`            // what all registers hold after the step
	Atomic   bool     `json:"atomic,omitempty"` // it is one step with the one before
}

// A Place is where a process is in its protocol. Its phase is "remainder";
// "doorway", from the first step of an entry on; "waiting", when the doorway is
// over; "inside" the critical section; "exit"; "withdrawing", when it has given up
// and takes back what it wrote; or "absorbed", when its caller has given up and its
// entry is finished in its name.
type Place struct {
	Phase  string `json:"phase"`
	File   string `json:"file,omitempty"` // base name; of the first operation of the next entry, in the remainder section
	Line   int    `json:"line,omitempty"`
	Source string `json:"source,omitempty"` // the line, trimmed; "" if it could not be read
	Next   string `json:"next,omitempty"`   // what the process would do next, in words
}
