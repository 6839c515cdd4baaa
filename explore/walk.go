package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/spelling"
)

// A Walk is a run of a lock whose caller decides which process takes the next step. Its steps are those
// that [Check] explores: what a Walk comes to, Check has visited. It is not safe for concurrent use.
type Walk struct {
	replay
	fault   *graph.Fault // of the last step
	past    []moment     // before each step
	pending []Pending    // of now; nil: not known
}

// A moment of a Walk is a state, and how the run came there.
type moment struct {
	state graph.State
	fault *graph.Fault
	steps int
}

// A Pending is what one process of a [Walk] can do next.
type Pending struct {
	Place Place // where it is; Place.Next is its next operation

	// Steps is what it can do, as elements of [Trace.Schedule]: take a step, give up, enter by TryLock or by Lock.
	// Of two ways to enter that are the same it has the first.
	Steps []int

	// Awaits says what it awaits, with what registers hold: "want[0] = 0, and it is 1". It is "" if its
	// next operation does not wait. Registers are those that it awaits, as indices of
	// [Trace.Registers]: one, or either of two, of which each step reads the other one. Holds reports
	// whether a condition holds.
	Awaits    string
	Registers []int
	Holds     bool

	// Until is the condition as the source has it, "wantj == 0", of either of two registers both with "or" between them; ""
	// if the source is not at hand.
	Until string

	// For is the process whose step ends the wait if the others in their entries and exits go on; -1: it can take a step, or no
	// other ends the wait.
	For int

	// Why says why it cannot take a step: "awaits want[0] = 0, and it is 1", or why that
	// would change nothing, as it awaits either of two registers, and no condition holds. Otherwise it is "".
	Why string
}

// Start begins a [Walk] of the lock of a config, whose processes are in their remainder sections. Of the
// config it uses New, Processes, Cap, GiveUp, Mixed, Unexamined, Invariant, Source and Memory. It returns the
// errors of [Check], and like that it first runs the protocols.
func Start(cfg Config) (*Walk, error) {
	if !hook.Hosted {
		return nil, ErrBuild
	}
	c, err := begin(&cfg, true)
	if err != nil {
		return nil, err
	}
	return &Walk{replay: *c.replay(nil)}, nil
}

// Do takes steps, which are elements of [Trace.Schedule]. If one cannot be taken, the error says why, and
// those before it are taken.
func (w *Walk) Do(steps ...int) error {
	for k, slot := range steps {
		if why := w.do(slot); why != "" {
			return fmt.Errorf("explore: step %d, which is %d: %s", k+1, slot, why)
		}
	}
	return nil
}

// do takes a step, or returns why it cannot be taken.
func (w *Walk) do(slot int) (why string) {
	n := w.c.cfg.Processes
	if most := n * w.c.program.Ways; slot < 0 || slot >= most {
		if most > n {
			return fmt.Sprintf("there is no step %d: they are 0 to %d", slot, most-1)
		}
		return fmt.Sprintf("there is no process %d: they are %s", slot, spelling.Enumerate(w.processes()))
	}
	_, outcome, fault := w.now.Step(slot)
	if outcome != 0 {
		return fmt.Sprintf("process %d %s", slot%n, w.hinders(slot, outcome))
	}
	w.past = append(w.past, moment{w.now, w.fault, len(w.trace.Steps)})
	w.step(slot)
	w.fault, w.pending = fault, nil
	return ""
}

func (w *Walk) processes() []int {
	all := make([]int, w.c.cfg.Processes)
	for p := range all {
		all[p] = p
	}
	return all
}

// hinders says why the step of a slot, which has that outcome, cannot be taken.
func (w *Walk) hinders(slot int, outcome space.ID) string {
	n := w.c.cfg.Processes
	p, way := slot%n, slot/n
	var at Pending
	w.awaits(p, &at)
	switch op := w.now.Node(p).Op; {
	case outcome == graph.Capped:
		return w.exceeds(p)
	case way > 0:
		return w.keeps(p, way)
	case op == automaton.OpSleep:
		return "awaits " + at.Awaits + "; it sleeps until a store wakes the first in line"
	case op == automaton.OpPanic:
		return "has panicked"
	case op == hook.OpBegin:
		if q := w.ends(p); q >= 0 {
			return fmt.Sprintf("waits until the atomic step of process %d ends", q)
		}
		return "waits until the atomic step of another process ends"
	}
	return "awaits " + at.Awaits
}

// Undo takes back the last n steps. If fewer were taken it returns an error, and the run is as before.
func (w *Walk) Undo(n int) error {
	to := len(w.past) - n
	if n < 0 || to < 0 {
		return fmt.Errorf("explore: %d steps cannot be taken back: want 0 to %d", n, len(w.past))
	}
	if n > 0 {
		before := w.past[to]
		w.now, w.fault, w.past, w.pending = before.state, before.fault, w.past[:to], nil
		w.trace.Steps = slices.Clip(w.trace.Steps[:before.steps]) // a Trace may have those behind
		w.trace.Schedule = slices.Clip(w.trace.Schedule[:to])
	}
	return nil
}

// Pending returns what each process can do next. The caller must not change it.
func (w *Walk) Pending() []Pending {
	if w.pending == nil {
		for p := range w.c.cfg.Processes {
			w.pending = append(w.pending, w.pendingOf(p))
		}
	}
	return w.pending
}

// pendingOf returns what process p can do next.
func (w *Walk) pendingOf(p int) (next Pending) {
	n := w.c.cfg.Processes
	next.Place, next.For = w.place(p), -1
	for slot := p; slot < n*w.c.program.Ways; slot += n {
		if _, outcome, _ := w.now.Step(slot); outcome == 0 {
			next.Steps = append(next.Steps, slot)
		} else if slot == p {
			next.Why = w.hinders(slot, outcome)
			if outcome == graph.Blocked {
				next.For = w.ends(p)
			}
		}
	}
	w.awaits(p, &next)
	if len(next.Registers) > 1 && !next.Holds {
		next.Why = "awaits " + next.Awaits
	}
	return next
}

// patience is after how many steps of others a process is taken to wait for none of them.
const patience = 256

// ends returns the process whose step ends the wait of process p, if the others that are in their entries and exits go on in
// turn; -1: none does.
func (w *Walk) ends(p int) int {
	n, state := w.c.cfg.Processes, w.now
	for k := range patience {
		q := k % n
		if q == p || state.Node(q).Phase == phase.Remainder {
			continue
		}
		to, outcome, _ := state.Step(q)
		if outcome != 0 {
			continue
		}
		state = to
		if _, outcome, _ := state.Step(p); outcome == 0 {
			return q
		}
	}
	return -1
}

// Trace returns the run so far. Its title says what is wrong at the end, as [Walk.Err]; "": nothing. The
// caller must not change it.
func (w *Walk) Trace() *Trace {
	t := *w.end("")
	t.Steps, t.Schedule = slices.Clip(t.Steps), slices.Clip(t.Schedule)
	if err := w.Err(); err != nil {
		t.Title = err.Error()
	}
	return &t
}

// Err returns what is wrong after the last step: mutual exclusion or Config.Invariant is
// violated, a process has panicked, a Set has made true what a process awaits, or no process in its entry or
// exit section can take a step that changes anything, unless it gives up. Otherwise it returns nil.
func (w *Walk) Err() error {
	if f := cmp.Or(w.now.Fault(), w.fault); f != nil {
		return errors.New(w.c.says(f))
	}
	if w.c.cfg.Invariant != nil {
		if why, err := w.c.violation(&w.replay); cmp.Or(err, why) != nil {
			return cmp.Or(err, why)
		}
	}
	if w.deadlocked() {
		return errors.New(deadlocked)
	}
	return nil
}

const deadlocked = "deadlock: no process in its entry or exit section can take a step"

// deadlocked reports whether processes are in their entry or exit sections, and none can go on.
func (w *Walk) deadlocked() (is bool) {
	for p, next := range w.Pending() {
		switch w.now.Node(p).Phase {
		case phase.Remainder:
		case phase.Inside:
			return false
		default:
			if _, outcome, _ := w.now.Step(p); next.Why == "" || outcome == graph.Capped {
				return false
			}
			is = true
		}
	}
	return is
}
