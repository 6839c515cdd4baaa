package explore

import (
	"errors"
	"fmt"
	"time"

	"example.org/doorway/internal/seam"
)

// patience is for how many seconds a protocol may make no operation.
var patience = 10

// watched runs f, which runs protocols, in a goroutine, and returns why it was
// refused. A protocol that blocks or loops outside of registers keeps that
// goroutine; there is no way to stop it.
func (x *extraction) watched(f func()) error {
	defer seam.Attach(nil)
	done, ended := make(chan error, 1), false
	go func() {
		defer func() {
			switch e := recover().(type) {
			case nil:
				if !ended {
					done <- errors.New("explore: a protocol ended the goroutine that ran it")
					return
				}
				done <- nil
			case refused:
				done <- e.err
			default:
				done <- fmt.Errorf("explore: a protocol panics: %v", e)
			}
		}()
		f()
		ended = true
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last, idle := int64(-1), 0; ; {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		if ops := x.ops.Load(); ops != last {
			last, idle = ops, 0
		} else if idle++; idle == patience {
			return fmt.Errorf("explore: a protocol has touched no register for %d s: it blocks or loops outside of registers", patience)
		}
	}
}
