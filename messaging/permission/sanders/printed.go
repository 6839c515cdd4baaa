package sanders

import "example.org/doorway/messaging"

// NewPrinted returns the algorithm as the slides print it, and it is broken:
// they say so themselves (Reiser 2002, slides 5.25 and 5.26). There is no FAILED,
// INQUIRE and RELINQUISH, and it deadlocks. Two nodes that ask at the same time
// are enough: under the structure of Ricart and Agrawala each has locked itself
// when it is asked by the other, and neither gets the second lock. It panics as
// [New] does.
func NewPrinted(s Structure) messaging.Algorithm { return newAlgorithm(s, true) }
