package seam

// An Access is what a process does at a register.
type Access int

const (
	Read      Access = iota
	Write            // Store, Set
	ReadWrite        // CompareAndSwap
	Waking           // a step of waiting or of waking others: no access to the value
)
