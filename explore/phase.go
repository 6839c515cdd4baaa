package explore

import "slices"

// A phase is the section that a process is in.
type phase uint8

const (
	phaseRemainder phase = iota // no request
	phaseDoorway                // from the first step of the entry
	phaseWaiting                // it has completed its doorway
	phaseInside                 // in the critical section
	phaseExit
	phaseWithdrawing // it gave up, and undoes its writes
	phaseAbsorbed    // its caller gave up, and the entry is completed on its behalf
)

var phaseNames = []string{"remainder", "doorway", "waiting", "inside", "exit", "withdrawing", "absorbed"}

func (p phase) String() string { return phaseNames[p] }

// phaseOf returns the phase with a name; of an unknown name, the remainder section.
func phaseOf(name string) phase { return phase(max(0, slices.Index(phaseNames, name))) }
