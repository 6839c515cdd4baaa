package play

import "errors"

// openLock opens a run of a lock, whose choices are not made yet.
func openLock(directives []string) (opened, error) {
	return opened{}, errors.New("locks: to do")
}

// mostProcesses is how many processes of a lock a page plays at most.
const mostProcesses = 4

// checkLock checks every schedule of a lock.
func checkLock(directives []string, progress func(doing string, states int)) (Checked, error) {
	return Checked{}, errors.New("locks: to do")
}
