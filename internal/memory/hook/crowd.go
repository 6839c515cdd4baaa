package hook

import "runtime"

// Crowd returns how many goroutines must wait for a lock that is made now before those
// that come park at once. In a smaller number they yield once first, since one that has
// yielded often can enter when it runs again, which saves a park and a wake-up. In a
// crowd that is in vain: the processors work at different places of the order, so a
// goroutine that has yielded runs again long before its turn, and parks after all. On a
// single processor goroutines run in the order in which they yield, so there is no crowd.
//
// The number is stable: few goroutines never reach it, and many stay above it.
func Crowd() uint64 {
	if runtime.GOMAXPROCS(0) == 1 {
		return 1<<63 - 1
	}
	return 128
}
