package explore

import (
	"bytes"
	"runtime"
	"unsafe"

	"example.org/doorway/internal/seam"
)

// A lock is explored by one goroutine. Others go on with the hardware, so the registers
// of the lock must not be among those that they use.

// foreign notes that another goroutine uses a register, if it is one of the lock.
func (x *extraction) foreign(of *seam.Number) {
	if name, ok := x.fields[unsafe.Pointer(of)]; ok {
		x.intruded("another goroutine uses register " + name + " while the lock is explored: only the entry and exit protocols may use it")
	}
}

// intruded notes the first misuse by another goroutine, at its line.
func (x *extraction) intruded(what string) {
	if x.intruder.Load() == nil {
		var pcs [siteDepth]uintptr
		s := caller(pcs[:runtime.Callers(3, pcs[:])])
		x.intruder.CompareAndSwap(nil, &LockError{File: s.file, Line: s.line, What: what})
	}
}

// alone ends the calling goroutine if it is not the one that runs the protocols, but was
// started by them. It takes microseconds, and what is examined starts none.
func (x *extraction) alone() {
	if goroutine() != x.goroutine {
		x.intruded("a protocol starts a goroutine that uses registers: a process is explored alone, without other goroutines")
		runtime.Goexit()
	}
}

// goroutine returns the number of the calling goroutine, as text.
func goroutine() string {
	var text [32]byte
	number, _, _ := bytes.Cut(text[len("goroutine "):runtime.Stack(text[:], false)], []byte{' '})
	return string(number)
}
