package explore

import (
	"fmt"
	"strings"
)

// A property is a verdict with its name, as reports and their errors show it.
type property struct {
	name, status string
	note         string // in which runs it holds, or why it is not decided
	must         bool   // Err wants it to hold
	length       string // of the run in which it fails, such as "8 steps"
	run          fmt.Stringer
	scenario     string // the run, of nodes
	kind         error  // of failure, of nodes
}

// line returns the verdict as a line of a report; "" if it is unknown.
func (p *property) line() string {
	switch {
	case p.length != "":
		return line(p.name, "fails, in "+p.length)
	case p.status == Holds:
		return line(p.name, strings.TrimSpace(p.status+" "+p.note))
	case p.status == Undecided:
		return line(p.name, p.status+": "+p.note)
	}
	return ""
}

// line returns a line of a report.
func line(name string, value any) string { return fmt.Sprintf("  %-46s%v\n", name, value) }

// as returns the verdict as a property.
func (v *Verdict) as(name string, must bool) property {
	p := property{name: name, status: v.Status, must: must}
	if v.Trace != nil {
		p.length, p.run = fmt.Sprintf("%d steps", len(v.Trace.Steps)), v.Trace
	}
	return p
}

// properties returns the verdicts of r, in the order in which they are shown.
func (r *Report) properties(also Properties) []property {
	return []property{
		r.MutualExclusion.as("mutual exclusion", true),
		r.Invariant.as("invariant", r.Invariant.Status == Fails),
		r.DeadlockFree.as("deadlock-free", true),
		r.StarvationFree.as("starvation-free", also.StarvationFree),
		r.StarvationFreeDespiteAborts.as("starvation-free despite aborts", false),
		r.FIFO.as("FIFO", also.FIFO || r.DeclaresFIFO),
		r.RaceFree.as("race-free", true),
		r.SafeRegisters.as("tolerates safe registers", also.SafeRegisters),
	}
}

// newReport returns a report for cfg without verdicts.
func newReport(cfg *Config) *Report {
	unknown := Verdict{Status: Unknown}
	return &Report{
		Processes: cfg.Processes, Cap: cfg.Cap, GiveUp: cfg.GiveUp, Mixed: cfg.Mixed,
		MutualExclusion: unknown, Invariant: unknown, DeadlockFree: unknown, StarvationFree: unknown, StarvationFreeDespiteAborts: unknown,
		FIFO: unknown, RaceFree: unknown, SafeRegisters: unknown,
		again: again(*cfg),
	}
}

// Err returns nil if the lock has what every lock promises, and doorway check holds it to:
// mutual exclusion, freedom from deadlock and from data races; FIFO if it declares that, the
// invariant if there is one; and the properties that are set in also. Otherwise it returns an
// error of several lines: each of these that fails, with a run in which it does; those that were
// not checked, because an earlier one failed, Config left them out, or the memory did not suffice;
// and the command that repeats the check. As all verdicts, nil says nothing of numbers above
// Config.Cap.
//
// A nil report has an error, so that cmp.Or(err, report.Err()) is that of a check as a whole.
func (r *Report) Err(also ...Properties) error {
	if r == nil {
		return errNoReport
	}
	all := wanted(r.properties, also)
	for k := range all {
		p := &all[k]
		for _, u := range r.Unanswered {
			if why, ok := strings.CutPrefix(u, p.name+": "); ok {
				p.name += " (" + why + ")"
			}
		}
		if p.name == "FIFO" && p.status == Holds && r.DoorwayIsEntry {
			p.name, p.status = "FIFO (the doorway is the whole entry)", Unknown
		}
	}
	return refuted(all, r.again)
}

// Failures returns a trace for each property that fails. Few locks have all properties, and Err
// wants only some.
func (r *Report) Failures() (all []*Trace) {
	for _, p := range r.properties(Properties{}) {
		if trace, fails := p.run.(*Trace); fails {
			all = append(all, trace)
		}
	}
	return all
}

// String returns the results, a line for each property, without traces.
func (r *Report) String() string {
	var b strings.Builder
	if !r.Vetted {
		b.WriteString("source NOT examined: the verdicts assume that the lock keeps the contract\n")
	}
	fmt.Fprintf(&b, "%d processes, %d states, %d steps between them", r.Processes, r.States, r.Transitions)
	if r.MutualExclusion.Status == Fails {
		b.WriteString(", until mutual exclusion failed")
	}
	b.WriteByte('\n')
	if r.Cut > 0 {
		fmt.Fprintf(&b, "  %d stores above the cap, %d, were not followed\n", r.Cut, r.Cap)
	}
	for _, p := range r.properties(Properties{}) {
		b.WriteString(p.line())
	}
	if r.DeclaresFIFO && r.FIFO.Status == Fails {
		b.WriteString(line("declares", "FIFO, which fails: mutex.Share relies on it"))
	}
	if len(r.NotExplored) > 0 {
		b.WriteString(line("not explored", strings.Join(r.NotExplored, " and ")))
	}
	for _, u := range r.Unanswered {
		b.WriteString(line("not checked", u))
	}
	if r.FIFO.Status == Holds || r.FIFO.Status == Fails {
		b.WriteString(line("bypasses after the doorway, at most", r.bypasses()))
	}
	if r.DoorwayIsEntry {
		b.WriteString(line("the doorway is the whole entry", "FIFO and the bypasses say nothing"))
	}
	if len(r.DoorwayWaits) > 0 {
		b.WriteString(line("the doorway is not wait-free: it waits at", places(r.DoorwayWaits)))
	}
	if r.States > 0 && r.MutualExclusion.Status == Holds && r.Reads != Unbounded {
		b.WriteString(line("uncontended entry and exit, at most", fmt.Sprintf("%d reads, %d writes", r.Reads, r.Writes)))
	}
	return b.String()
}

// bypasses returns the bounds of one other process and of all, which are the same if
// there is only one.
func (r *Report) bypasses() string {
	if r.Processes == 2 || r.Bypasses == r.BypassesByAll && r.Bypasses <= 0 {
		return bound(r.Bypasses)
	}
	return fmt.Sprintf("%s by one other, %s by all others", bound(r.Bypasses), bound(r.BypassesByAll))
}

// places lists files with lines.
func places(all []Place) string {
	var is []string
	for _, p := range all {
		is = append(is, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	return strings.Join(is, ", ")
}

func bound(n int) string {
	if n == Unbounded {
		return "any number"
	}
	return fmt.Sprint(n)
}

// The statuses of a property.
const (
	Unknown = "unknown" // it was not checked
	Holds   = "holds"
	Fails   = "fails"

	// Undecided is the status of freedom from starvation if it does not fail and nodes request a
	// bounded number of times: then in no run do others enter again and again while one waits.
	Undecided = "not decided"
)

// A Verdict reports whether a property holds for every run, with a counterexample
// if it fails.
type Verdict struct {
	Status string `json:"status"`          // [Unknown], [Holds] or [Fails]
	Trace  *Trace `json:"trace,omitempty"` // a run in which it fails; a shortest one, unless it ends in a loop or deadlock
}

// fails returns the verdict that t shows.
func fails(t *Trace) Verdict { return Verdict{Fails, t} }

// A Report is the result of a check.
type Report struct {
	Processes int    `json:"processes"`
	Cap       uint64 `json:"cap,omitempty"` // of register values; 0: none
	GiveUp    bool   `json:"give_up,omitempty"`
	Mixed     bool   `json:"mixed,omitempty"`

	// NotExplored has the names of the methods of the lock that were not explored: Lock
	// with GiveUp, unless Mixed is set; without GiveUp, TryLock and LockContext.
	NotExplored []string `json:"not_explored,omitempty"`

	// DeclaresFIFO reports whether the lock declares that it is FIFO (see
	// [mutex.Mutex]). [mutex.Share] relies on that, so FIFO must hold. It is an error if
	// such a lock has a doorway that is the whole entry.
	DeclaresFIFO bool `json:"declares_fifo,omitempty"`

	States      int `json:"states"`      // reachable states of all processes and registers together
	Transitions int `json:"transitions"` // steps between them
	Cut         int `json:"cut"`         // stores above Cap, which were not followed
	Depth       int `json:"depth"`       // steps to the most distant state

	MutualExclusion             Verdict `json:"mutual_exclusion"`
	Invariant                   Verdict `json:"invariant"`                      // what [Config.Invariant] says holds in every state
	DeadlockFree                Verdict `json:"deadlock_free"`                  // neither deadlock nor livelock
	StarvationFree              Verdict `json:"starvation_free"`                // under weak fairness, in runs with finitely many aborts
	StarvationFreeDespiteAborts Verdict `json:"starvation_free_despite_aborts"` // under weak fairness, in all runs; only with GiveUp
	FIFO                        Verdict `json:"fifo"`                           // a process that completes its doorway before another begins its own enters first
	RaceFree                    Verdict `json:"race_free"`                      // guarded data is free of races
	SafeRegisters               Verdict `json:"safe_registers"`                 // mutual exclusion holds with safe registers

	// Bypasses is the bypass bound: how many times one process may enter after
	// another has completed its doorway and waits. BypassesByAll is how many times
	// all others together may. An entry counts if the step that leads into the
	// critical section is taken while the other waits: that of a process that was
	// inside before does not. -1: no bound, or more than 254.
	Bypasses      int `json:"bypasses"`
	BypassesByAll int `json:"bypasses_by_all"`

	// DoorwayWaits has the places where a process may stay in its doorway: an await
	// there, or the end of a try of register.Repeat. FIFO and the bypasses protect a
	// process only after that. Empty: the doorway is wait-free.
	DoorwayWaits []Place `json:"doorway_waits,omitempty"`

	// DoorwayIsEntry reports whether the doorway is the whole entry, as if Doorway is
	// called at its end. Then no process ever waits after its doorway: FIFO and the
	// bypasses say nothing.
	DoorwayIsEntry bool `json:"doorway_is_entry,omitempty"`

	// Reads and Writes bound the accesses of an uncontended entry and exit; -1 if
	// there is no bound. A read-modify-write counts as both.
	Reads  int `json:"reads"`
	Writes int `json:"writes"`

	// Registers describes each register, in the order of their names.
	Registers []struct {
		Name    string `json:"name"`
		Largest uint64 `json:"largest"` // largest value in any reachable state
		Writers []int  `json:"writers"` // the processes that write it
	} `json:"registers"`

	// Unanswered has an entry for each property without a verdict, with the reason:
	// its states are too many or too large.
	Unanswered []string `json:"unanswered,omitempty"`

	// Bytes is the peak memory of the states.
	Bytes int64 `json:"bytes"`

	// Vetted reports whether the source was examined for breaches of the contract. It
	// is false only with [Config.Unexamined].
	Vetted bool `json:"vetted"`

	again string // the command that repeats the check; "" if it has no flags for it
}
