package stress

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// delaying is held by the Run whose delays are installed: the program has only one
// hook.
var delaying sync.Mutex

// beginDelays suspends processes at random, with that probability, before accesses to registers, once no other Run
// does, until end is called. It fails, and installs nothing, if this build does not intercept accesses.
func beginDelays(probability float64) (end func(), ok bool) {
	delaying.Lock()
	if !hook.Intercept(func(hook.Access, *atomic.Uint64) { delay(probability) }) {
		delaying.Unlock()
		return nil, false
	}
	return func() {
		hook.Intercept(nil)
		delaying.Unlock()
	}, true
}

// delay sometimes delays the calling goroutine before an access to a register.
//
// Delays are mostly yields, and few in a row, because a yield allows another
// goroutine to make the next accesses and costs no more than they do. A sleep lasts
// for hundreds of yields, by which time the others wait for the sleeper: it finds
// fewer faults, but different ones.
//
// The random numbers are those of the runtime. A source of our own would order the goroutines that draw from it.
func delay(probability float64) {
	if rand.Float64() >= probability {
		return
	}
	switch kind, long := rand.IntN(256), 1+rand.IntN(8); {
	case kind < 224:
		yield(long)
	case kind < 250:
		spin(long * 128)
	case kind < 255:
		yield(long * 16)
	default:
		time.Sleep(time.Duration(long) * 32 * time.Microsecond)
	}
}

func yield(n int) {
	for range n {
		runtime.Gosched()
	}
}

// spin keeps the processor for about n iterations.
func spin(n int) {
	for range n {
		pause()
	}
}

//go:noinline
func pause() {}
