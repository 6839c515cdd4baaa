package extract

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"unsafe"

	"example.org/doorway/explore/internal/source"
)

// A lock is explored by one goroutine. Others go on with the hardware, so the registers
// of the lock must not be among those that they use.

// Foreign notes that another goroutine uses a register, if it is one of the lock.
func (x *Extraction) Foreign(of *atomic.Uint64) {
	if name, ok := x.fields[unsafe.Pointer(of)]; ok {
		x.intruded("another goroutine uses register " + name + " while the lock is explored: only the entry and exit protocols may use it")
	}
}

// intruded notes the first misuse by another goroutine, at its line.
func (x *Extraction) intruded(what string) {
	if x.intruder.Load() == nil {
		var pcs [siteDepth]uintptr
		s := caller(pcs[:runtime.Callers(3, pcs[:])])
		x.intruder.CompareAndSwap(nil, &source.Breach{File: s.File, Line: s.Line, What: what})
	}
}

// alone ends the calling goroutine if it is not the one that runs the protocols, but was
// started by them. It takes a microsecond, and what is examined starts none.
func (x *Extraction) alone() {
	if f := outermost(); f != 0 && f == x.outermost {
		return
	}
	if goroutine() != x.goroutine {
		x.intruded("a protocol starts a goroutine that uses registers: a process is explored alone, without other goroutines")
		runtime.Goexit()
	}
}

// outermost returns the entry of the function that the calling goroutine was started with,
// 0 if too many calls are under way to look that far. Only the goroutine that runs the
// protocols was started with a function of this package. To tell it by its number takes
// ten times as long.
func outermost() uintptr {
	var pcs [64]uintptr
	n := runtime.Callers(2, pcs[:])
	if n < 2 || n == len(pcs) {
		return 0
	}
	return runtime.FuncForPC(pcs[n-2] - 1).Entry() // before that is runtime.goexit
}

// goroutine returns the number of the calling goroutine, as text.
func goroutine() string {
	var text [32]byte
	number, _, _ := bytes.Cut(text[len("goroutine "):runtime.Stack(text[:], false)], []byte{' '})
	return string(number)
}
