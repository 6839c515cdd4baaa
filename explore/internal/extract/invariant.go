package extract

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/mutex"
)

// An inspector is the hook.Host of Config.Invariant, and of the goroutines that it
// starts: they may only load registers.
type inspector struct {
	hook.Aloof
	x *Extraction
}

// Do loads a register, or refuses the operation.
func (i *inspector) Do(op hook.Operation) uint64 {
	if op.Op == hook.OpLoad {
		return op.Word.Load()
	}
	of := "a register"
	if r, ok := i.x.of[op.Word]; ok {
		of = "register " + i.x.Variables[r].Name
	}
	i.refuse("Config.Invariant writes or awaits " + of + ": it may only load registers")
	return 0
}

// refuse notes the first misuse, and ends the calling goroutine.
func (i *inspector) refuse(what string) {
	i.x.intruded(what)
	runtime.Goexit()
}

func (i *inspector) Comes(hook.Boundary, any, int) {
	i.refuse("Config.Invariant calls an entry or exit protocol: it may only load registers")
}

func (i *inspector) Foreign(of *atomic.Uint64) { i.x.Foreign(of) }

// Violates calls Config.Invariant on the lock whose registers hold the values given, and
// returns the violation.
func (x *Extraction) Violates(invariant func(mutex.Mutex, []string) error, holds func(register int) uint64, phases []string) (err error) {
	x.Ops.Add(1)
	for r := range x.Variables {
		if w := x.Variables[r].Word; w != nil {
			w.Store(holds(r))
		}
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the invariant panics: %v", e)
		}
	}()
	if err = invariant(x.Lock, phases); err != nil {
		err = fmt.Errorf("the invariant fails: %w", err)
	}
	return err
}

// Inspect runs f, which calls Config.Invariant.
func (x *Extraction) Inspect(f func()) error {
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	err := x.Watched(func() {
		hook.Attach(&inspector{x: x})
		f()
	})
	if wrote := x.intruder.Load(); wrote != nil {
		return wrote
	}
	if err != nil {
		return errors.New("explore: Config.Invariant does not return: it must not wait, nor end its goroutine")
	}
	return nil
}
