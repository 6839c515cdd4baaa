package extract

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// patience is how many seconds a protocol may go without an operation: fewer in a browser, whose page stands still
// meanwhile, and where no other program takes the processor from the protocol.
var patience = 10

func init() {
	if runtime.GOOS == "js" {
		patience = 2
	}
}

// Watched runs f, which runs protocols, in a goroutine, and returns the reason if
// a protocol is rejected. A protocol that blocks or loops outside of registers
// leaks that goroutine: it cannot be stopped.
func (x *Extraction) Watched(f func()) error {
	defer hook.Attach(nil)
	done, ended := make(chan error, 1), false
	go func() {
		defer func() {
			switch e := recover().(type) {
			case nil:
				if !ended {
					done <- errors.New("explore: a protocol calls runtime.Goexit")
					return
				}
				done <- nil
			case refused:
				done <- e.err
			default:
				done <- fmt.Errorf("explore: a protocol panics: %v", e)
			}
		}()
		hook.Seat()
		x.goroutine, x.outermost = goroutine(), outermost()
		f()
		ended = true
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last, idle := int64(-1), 0; ; {
		select {
		case err := <-done:
			if e := x.intruder.Load(); e != nil {
				return e
			}
			return err
		case <-tick.C:
		}
		if e := x.intruder.Load(); e != nil {
			return e
		}
		if ops := x.Ops.Load(); ops != last {
			last, idle = ops, 0
		} else if idle++; idle == patience {
			return fmt.Errorf("explore: a protocol of %T blocks or loops outside of registers: it has made no operation for %d s", x.Lock, patience)
		}
	}
}
