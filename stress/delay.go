package stress

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// delaying is held by the Run whose delays are installed: the program has only one
// hook.
var delaying sync.Mutex

// A delay suspends processes at random.
type delay struct {
	probability float64
	seed        uint64
	drawn       atomic.Uint64
}

// begin makes d suspend processes before accesses to registers, once no other delay
// does. It fails, and installs nothing, if this build does not intercept accesses.
func (d *delay) begin() bool {
	delaying.Lock()
	if !hook.Intercept(func(hook.Access, *atomic.Uint64) { d.access() }) {
		delaying.Unlock()
		return false
	}
	return true
}

func (d *delay) end() {
	hook.Intercept(nil)
	delaying.Unlock()
}

// access sometimes delays the calling goroutine before an access to a register.
//
// Delays are mostly yields, and few in a row, because a yield allows another
// goroutine to make the next accesses and costs no more than they do. A sleep lasts
// for hundreds of yields, by which time the others wait for the sleeper: it finds
// fewer faults, but different ones.
func (d *delay) access() {
	v := d.draw()
	if float64(v>>11)/(1<<53) >= d.probability {
		return
	}
	// The low bits, which are independent of whether there is a delay.
	switch kind, long := v&255, v>>8&7+1; {
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

// linger delays the calling goroutine in its critical or its remainder section, to
// give the others time.
func (d *delay) linger() { yield(d.draw() & 15) }

// draw returns the next of a sequence of random numbers (Steele, Lea and Flood
// 2014, SplitMix64). A hook does not know which goroutine calls it, so there is
// one sequence for all; drawing must not synchronize them.
func (d *delay) draw() uint64 {
	var n uint64
	unsynchronized(func() { n = d.drawn.Add(1) })
	z := d.seed + n*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func yield(n uint64) {
	for range n {
		runtime.Gosched()
	}
}

// spin keeps the processor for about n iterations.
func spin(n uint64) {
	for range n {
		pause()
	}
}

//go:noinline
func pause() {}
