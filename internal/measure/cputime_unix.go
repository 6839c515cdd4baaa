//go:build unix

package measure

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of the program so far, its own and the system's
// for it.
func cpuTime() (d time.Duration, ok bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
