package explore

// A Trace is a run of a lock, step by step.
type Trace struct {
	Title     string   `json:"title"` // what it shows
	Processes int      `json:"processes"`
	Registers []string `json:"registers"` // the names of all registers
	Initial   []uint64 `json:"initial"`   // their initial values
	Steps     []Step   `json:"steps"`
	Loop      int      `json:"loop"` // the steps from this one on can repeat forever; -1: no loop
	Ends      []Place  `json:"ends"` // where each process is after the last step

	// Overtakes has, in a run that is not FIFO, the process that enters first, and the
	// one that it overtakes.
	Overtakes []int `json:"overtakes,omitempty"`

	// Schedule is the run as [Config.Schedule]; empty if registers are only safe.
	Schedule []int `json:"schedule,omitempty"`
}

// A Step is one step of one process: usually one operation.
type Step struct {
	Process  int      `json:"process"`
	Place    Place    `json:"place"`            // of the operation in the source
	Do       string   `json:"do"`               // "write", "read", "await", "compare-and-swap", "swap", "fetch-and-add", "give up", "make due", "pass", "wake"
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
	Line   int    `json:"line,omitempty"`
	Source string `json:"source,omitempty"` // the line, trimmed; "" if it could not be read
	Next   string `json:"next,omitempty"`   // the next operation, in words
}
