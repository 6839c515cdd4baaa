package explore

import "slices"

// A phase is the section that a process is in.
type phase uint8

const (
	phaseRemainder phase = iota // it does not want to enter
	phaseDoorway                // it wants to, and its doorway is not over
	phaseWaiting                // its doorway is over
	phaseInside                 // its critical section
	phaseExit
	phaseWithdrawing // it gave up, and takes back what it wrote
	phaseAbsorbed    // its caller gave up, and its entry is finished in its name
)

var phaseNames = []string{"remainder", "doorway", "waiting", "inside", "exit", "withdrawing", "absorbed"}

func (p phase) String() string { return phaseNames[p] }

// phaseOf returns the phase that a trace names; of another name, the remainder section.
func phaseOf(name string) phase { return phase(max(0, slices.Index(phaseNames, name))) }
