package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/replay"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
	"example.org/doorway/internal/spelling"
)

// A Walk is a run of a lock whose caller decides which process takes the next step. Its steps are those
// that [Check] explores: what a Walk comes to, Check has visited. It is not safe for concurrent use.
type Walk struct {
	c       *checking
	at      *replay.Replay
	now     moment
	past    []moment // before each step
	steps   []Step
	pending []Pending // of now; nil: not known
}

// A moment of a Walk is a state, and how the run came there.
type moment struct {
	state  graph.State
	fault  *graph.Fault // of the last step
	replay replay.Moment
	steps  int
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
	w := &Walk{c: c, at: replay.Of(c.x, nil)}
	w.now = moment{state: graph.First(c.program), replay: w.at.Now()}
	return w, nil
}

// Do takes steps, which are elements of [Trace.Schedule]. If one cannot be taken, the error says why, and
// those before it are taken.
func (w *Walk) Do(steps ...int) error {
	for k, slot := range steps {
		if why := w.step(slot); why != "" {
			return fmt.Errorf("explore: step %d, which is %d: %s", k+1, slot, why)
		}
	}
	return nil
}

// step takes a step, or returns why it cannot be taken.
func (w *Walk) step(slot int) (why string) {
	n := w.c.cfg.Processes
	if most := n * w.c.program.Ways; slot < 0 || slot >= most {
		if most > n {
			return fmt.Sprintf("there is no step %d: they are 0 to %d", slot, most-1)
		}
		return fmt.Sprintf("there is no process %d: they are %s", slot, spelling.Enumerate(w.processes()))
	}
	to, outcome, fault := w.now.state.Step(slot)
	if outcome != 0 {
		return fmt.Sprintf("process %d %s", slot%n, w.hinders(slot, outcome))
	}
	w.past = append(w.past, w.now)
	w.at.Step(slot)
	for _, s := range w.at.Steps(len(w.steps)) {
		w.steps = append(w.steps, shownStep(s))
	}
	w.now, w.pending = moment{to, fault, w.at.Now(), len(w.steps)}, nil
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
	switch op := w.now.state.Node(p).Op; {
	case outcome == graph.Capped:
		return w.at.Exceeds(p)
	case way > 0:
		return w.at.Keeps(p, way)
	case op == automaton.OpSleep:
		return "awaits " + w.at.Awaits(p).Text + "; it sleeps until a store wakes the first in line"
	case op == automaton.OpPanic:
		return "has panicked"
	case op == hook.OpBegin:
		if q := w.ends(p); q >= 0 {
			return fmt.Sprintf("waits until the atomic step of process %d ends", q)
		}
		return "waits until the atomic step of another process ends"
	}
	return "awaits " + w.at.Awaits(p).Text
}

// Undo takes back the last n steps. If fewer were taken it returns an error, and the run is as before.
func (w *Walk) Undo(n int) error {
	to := len(w.past) - n
	if n < 0 || to < 0 {
		return fmt.Errorf("explore: %d steps cannot be taken back: want 0 to %d", n, len(w.past))
	}
	if n > 0 {
		w.now, w.past, w.pending = w.past[to], w.past[:to], nil
		w.at.Back(w.now.replay)
		w.steps = slices.Clip(w.steps[:w.now.steps]) // a Trace may have those behind
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
	next.Place, next.For = Place(w.at.Place(p)), -1
	for slot := p; slot < n*w.c.program.Ways; slot += n {
		if _, outcome, _ := w.now.state.Step(slot); outcome == 0 {
			next.Steps = append(next.Steps, slot)
		} else if slot == p {
			next.Why = w.hinders(slot, outcome)
			if outcome == graph.Blocked {
				next.For = w.ends(p)
			}
		}
	}
	if a := w.at.Awaits(p); a != nil {
		next.Awaits, next.Registers, next.Holds, next.Until = a.Text, a.Registers, a.Holds, a.Until
		if len(a.Registers) > 1 && !a.Holds {
			next.Why = "awaits " + a.Text
		}
	}
	return next
}

// patience is after how many steps of others a process is taken to wait for none of them.
const patience = 256

// ends returns the process whose step ends the wait of process p, if the others that are in their entries and exits go on in
// turn; -1: none does.
func (w *Walk) ends(p int) int {
	n, state := w.c.cfg.Processes, w.now.state
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
	end := *w.at.End("")
	end.Steps = nil
	t := shown(&end)
	t.Steps, t.Schedule = slices.Clip(w.steps), slices.Clone(t.Schedule)
	if err := w.Err(); err != nil {
		t.Title = err.Error()
	}
	return t
}

// Err returns what is wrong after the last step: mutual exclusion or Config.Invariant is
// violated, a process has panicked, a Set has made true what a process awaits, or no process in its entry or
// exit section can take a step that changes anything, unless it gives up. Otherwise it returns nil.
func (w *Walk) Err() error {
	if f := cmp.Or(w.now.state.Fault(), w.now.fault); f != nil {
		return errors.New(w.c.says(f))
	}
	if w.c.cfg.Invariant != nil {
		if why, err := w.c.violation(w.at); cmp.Or(err, why) != nil {
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
		switch w.now.state.Node(p).Phase {
		case phase.Remainder:
		case phase.Inside:
			return false
		default:
			if _, outcome, _ := w.now.state.Step(p); next.Why == "" || outcome == graph.Capped {
				return false
			}
			is = true
		}
	}
	return is
}
