package stress

import "sync/atomic"

// An order counts bypasses: for every entry, the calls that were made after its own
// call and entered before it.
type order struct {
	calls atomic.Uint64 // number of calls, which is the number of the latest
	_     [56]byte
	waits []wait // by goroutine

	excludes func(i, j int) bool // Config.Excludes: calls of others are not bypassed
}

// A wait is a call that has not entered: its number, and the number of later calls
// that have entered; 0: there is none. The two are in one word, so that a bypass of
// a call that has just aborted is not counted for the next one. A goroutine that
// enters reads those of all goroutines, eight to a cache line.
type wait struct{ v atomic.Uint64 }

const (
	passedBits = 20                // the count sticks at its largest value
	mostPassed = 1<<passedBits - 1 // leaving 44 bits: 20 days of ten million calls a second
)

// call draws the number of a call of goroutine k. Publishing it after the draw
// leaves a gap in which a bypass goes unseen; publishing a guess before the draw
// would count what did not happen.
func (o *order) call(k int) (number uint64) {
	number = o.calls.Add(1)
	o.waits[k].v.Store(number << passedBits)
	return number
}

// enter records that the call of goroutine k, of that number, has entered, and
// returns the number of later calls that entered before it.
func (o *order) enter(k int, number uint64) (passed uint64) {
	passed = o.leave(k)
	for j := range o.waits {
		if o.excludes == nil || o.excludes(k, j) {
			o.waits[j].pass(number)
		}
	}
	return passed
}

// leave records that the call of goroutine k no longer waits: it has entered or
// aborted.
func (o *order) leave(k int) (passed uint64) {
	return o.waits[k].v.Swap(0) & mostPassed
}

// pass counts a call of that number, which has entered, if it bypassed w.
func (w *wait) pass(number uint64) {
	for {
		v := w.v.Load()
		if v == 0 || v>>passedBits >= number || v&mostPassed == mostPassed {
			return
		}
		if w.v.CompareAndSwap(v, v+1) {
			return
		}
	}
}
