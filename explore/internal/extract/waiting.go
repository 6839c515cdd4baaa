package extract

import (
	"reflect"
	"sync/atomic"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/memory/hook"
)

// A process that is woken in turn has the baton, and a store to what others await in turn
// makes them due. They sleep until it passes the baton on by Process.Pass. So if a process
// waits in turn, the last thing that every exit does, and every entry that is aborted, is to
// call Pass. Then no wake-up is lost, as package register shows: an await is a step that is
// enabled while its condition holds, and the graph needs no baton.

// passes notes whether the last store or await in turn is behind the last call of Pass, and what awaits.
func (r *run) passes(at hook.Boundary, lot any) {
	switch at {
	case hook.AtEntry, hook.AtExit:
		r.awaits = wait{}
	case hook.AtAwait:
		r.awaits = wait{lot: lot}
	case hook.AtAwaitInTurn:
		r.awaits = wait{"AwaitEitherInTurn", lot}
		r.passed, r.x.turns = false, true
	case hook.AtPass:
		r.passed = true
	}
}

// handsOn notes a method that ends without a call of Pass.
func (r *run) handsOn(method string) {
	if r.passed || r.x.keeps != nil {
		return
	}
	d, _ := source.Declared(reflect.ValueOf(r.x.Lock), method)
	r.x.keeps = breach(&automaton.Site{File: d.File, Line: d.Line},
		"%s of process %d ends without calling Process.Pass after its last store: those that wait in AwaitEitherInTurn may sleep forever", method, r.t.Process)
}

// A wait is how processes await a register.
type wait struct {
	way string
	lot any // stands for the lock whose processes they are
}

// alike refuses a register that processes await in two ways, or as processes of two locks, of which
// a store can serve one.
func (r *run) alike(op hook.Operation) {
	now := r.awaits
	switch {
	case !automaton.Waits(op.Op):
		return
	case op.Op == hook.OpAwaitExclusive:
		now.way = "Word.AwaitExclusive"
	case now.way == "":
		now.way = "Word.Await or AwaitEither"
	}
	for _, word := range []*atomic.Uint64{op.Word, op.Other} {
		switch was := r.x.waits[word]; {
		case word == nil:
		case was == wait{}:
			r.x.waits[word] = now
		case was.way != now.way:
			panic(refused{r.x.broken("process %d awaits by %s a register that is also awaited by %s: stores can wake for one of them", r.t.Process, now.way, was.way)})
		case was.lot != now.lot:
			panic(refused{r.x.broken("process %d awaits a register with the handle of one register.Processes that is also awaited with that of another: stores can wake for one of them", r.t.Process)})
		}
	}
}
