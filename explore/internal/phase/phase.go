// Package phase names the sections of a lock that a process can be in.
package phase

import "slices"

// A Phase is the section that a process is in.
type Phase uint8

const (
	Remainder Phase = iota // no request
	Doorway                // from the first step of the entry
	Waiting                // it has completed its doorway
	Inside                 // in the critical section
	Exit
	Withdrawing // it gave up, and undoes its writes
	Absorbed    // its caller gave up, and the entry is completed on its behalf
)

var names = []string{"remainder", "doorway", "waiting", "inside", "exit", "withdrawing", "absorbed"}

func (p Phase) String() string { return names[p] }

// Of returns the phase with a name; of an unknown name, the remainder section.
func Of(name string) Phase { return Phase(max(0, slices.Index(names, name))) }
