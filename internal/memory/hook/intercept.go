package hook

// An Access is a kind of access to a register.
type Access int

const (
	Read      Access = iota
	Write            // Store, Set
	ReadWrite        // CompareAndSwap, Swap, FetchAdd
	Waking           // a step of waiting or waking, not an access to the value
)
