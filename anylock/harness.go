package anylock

// harness is what the goroutines run, beside the lock.
const harness = `package harness

import "sync"

var (
	lock    sync.Locker
	guarded int
)

func rest()

func Use(rounds int) {
	for rounds != 0 {
		rest()
		lock.Lock()
		guarded = 1
		lock.Unlock()
		if rounds > 0 {
			rounds--
		}
	}
}
`
