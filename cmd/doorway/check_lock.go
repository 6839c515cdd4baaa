package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
)

// runLock checks a lock of the catalog.
func (u *checkup) runLock(ctx context.Context, s streams, lock subject) error {
	n := cmp.Or(u.Processes, lock.processes())
	switch {
	case !lock.serves(n):
		return u.mistaken("-n %d: %s is for %d processes", n, lock.Name, lock.max)
	case lock.lock.Value == nil && u.Numbers > 0:
		return u.mistaken("-numbers %d: %s has none", u.Numbers, lock.Name)
	case !watches():
		return handOn(ctx, s, nil, lock.Lacking() != nil)
	case lock.Lacking() != nil:
		return lock.Lacking()
	}
	numbers := cmp.Or(uint64(u.Numbers), lock.numbers(n))
	f, err := explored(ctx, newProgress(s.err), lock, n, numbers, func(c *explore.Config) {
		c.GiveUp, c.Mixed = u.GiveUp, u.Mixed
		u.limit(c)
		c.Unexamined = true // the tests of the library examine its locks; this program may be far from their source
		if u.Everything {
			c.Only = explore.Properties{}
		}
	})
	return u.finish(s, lock, f, err)
}

// limit has a check take no more than the flags allow.
func (u *checkup) limit(c *explore.Config) { c.Workers, c.Memory = u.Workers, int64(u.Memory)<<20 }

// explored checks a lock with up to so many numbers, as the catalog does but for what adapt changes.
func explored(
	ctx context.Context, far *progress, lock subject, n int, numbers uint64, adapt func(*explore.Config),
) (*lockFinding, error) {
	config := proof.Config(lock.lock, catalog.Size{Processes: n, Numbers: numbers})
	config.New = lock.new
	adapt(&config)
	start := time.Now()
	return watch(ctx, far, func(say func(string)) (*lockFinding, error) {
		config.Progress = reporting(say, lock.Name, number(config.Processes, "process", "processes"))
		report, err := explore.Check(config)
		if err != nil {
			return nil, err
		}
		alone, err := registers.Uncontended(lock.new, config.Processes)
		if err != nil {
			return nil, err
		}
		return newLockFinding(lock, numbers, report, alone, time.Since(start)), nil
	})
}

// A lockFinding is what one check of a lock found out, for machines and for people.
type lockFinding struct {
	of     subject
	report *explore.Report
	alone  registers.Accesses
	code   *ownCode // if it is one's own

	Processes      int             `json:"processes"`
	Numbers        uint64          `json:"numbers"` // how far they were followed; 0: there are none
	GiveUp         bool            `json:"give_up"`
	Mixed          bool            `json:"mixed"`
	NotExplored    []string        `json:"not_explored,omitempty"`
	Waits          []explore.Place `json:"doorway_waits,omitempty"`
	DoorwayIsEntry bool            `json:"doorway_is_entry,omitempty"`
	Cut            int             `json:"cut"`
	Writes         int             `json:"uncontended_writes"`
	Reads          int             `json:"uncontended_reads"`
	Registers      []register      `json:"registers"`
	Vetted         bool            `json:"vetted"`
	extent
}

type register struct {
	Name    string `json:"name"`
	Largest uint64 `json:"largest"`
	Writers []int  `json:"writers"`
}

func newLockFinding(of subject, numbers uint64, r *explore.Report, alone registers.Accesses, elapsed time.Duration) *lockFinding {
	f := &lockFinding{
		of: of, report: r, alone: alone,
		Processes: r.Processes, Numbers: numbers, GiveUp: r.GiveUp, Mixed: r.Mixed,
		NotExplored: r.NotExplored, Waits: r.DoorwayWaits, DoorwayIsEntry: r.DoorwayIsEntry,
		extent: extent{
			States: r.States, Transitions: r.Transitions, Depth: r.Depth,
			Bypasses: r.Bypasses, ByAll: r.BypassesByAll, Bytes: r.Bytes, Elapsed: elapsed,
		},
		Cut: r.Cut, Writes: alone.Writes, Reads: alone.Reads, Registers: []register{}, Vetted: r.Vetted,
	}
	for _, v := range r.Registers {
		f.Registers = append(f.Registers, register{v.Name, v.Largest, append([]int{}, v.Writers...)})
	}
	f.Properties = f.properties()
	return f
}

// A verdict is what doorway check says of a lock to machines.
type verdict struct {
	Lock        string         `json:"lock"`
	Source      string         `json:"source"`
	Why         string         `json:"why,omitempty"`
	Violated    bool           `json:"violated"`
	Error       string         `json:"error,omitempty"`
	Trace       *explore.Trace `json:"trace,omitempty"`
	Differences []string       `json:"differences,omitempty"`
	Checks      []*lockFinding `json:"checks"`
}

func newVerdict(lock subject, checks ...*lockFinding) verdict {
	return verdict{
		Lock: lock.Name, Source: lock.Source, Why: lock.why(), Checks: checks,
		Violated: slices.ContainsFunc(checks, func(f *lockFinding) bool { return len(broken(f.Properties)) > 0 }),
	}
}

func (f *lockFinding) result(limit int) result {
	r := f.extent.result(newVerdict(f.of, f), f.text(limit), func(p property) shownRun {
		p.Trace.Lock = f.of.Name
		return shownRun{p.Trace.Title, "\n" + p.Trace.String(), func() (drawable, error) { return p.Trace, nil }}
	})
	r.shown, r.replay, r.noReplay = min(1, r.shown), f.replay(), "no schedule ends with two processes inside, or in a deadlock"
	return r
}

// text returns what was explored and how far, the verdicts, and what the lock costs, in a table at most as wide as limit.
func (f *lockFinding) text(limit int) string {
	t := table{limit: limit}
	f.addExplored(&t)
	t.add()
	ended := ""
	if f.excludesNot() {
		ended = "mutual exclusion is violated"
	}
	f.addVerdicts(&t, ended)
	f.addCosts(&t)
	return t.concluded(f.conclusion(f.of, "lock", f.runs()), f.of.why())
}

// excludesNot reports whether mutual exclusion fails, which ends the check.
func (f *lockFinding) excludesNot() bool { return f.report.MutualExclusion.Status == explore.Fails }

func (f *lockFinding) addExplored(t *table) {
	r := f.report
	t.add("lock", f.of.String())
	t.add("checked", fmt.Sprintf("every interleaving of %s%s", number(r.Processes, "process", "processes"), f.aborts()))
	if f.Numbers > 0 {
		t.add("numbers", f.bound())
	}
	if f.excludesNot() {
		t.add("states", spelling.Thousands(r.States)+" until mutual exclusion failed")
	} else {
		f.addStates(t, "step", "steps")
	}
	if !r.Vetted {
		t.add("source", "NOT examined: the verdicts assume that the lock keeps the contract")
	}
	if r.DoorwayIsEntry {
		t.add("doorway", "the whole entry: FIFO and the bypass bound say nothing")
	}
	if n := len(r.DoorwayWaits); n > 0 {
		all := make([]string, n)
		for k, p := range r.DoorwayWaits {
			all[k] = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		t.add("doorway", fmt.Sprintf("not wait-free, it waits at %s: FIFO counts from its end", spelling.Enumerate(all)))
	}
	if methods := spelling.Enumerate(r.NotExplored); r.GiveUp && methods != "" {
		t.add("not explored", methods+": check it without -give-up, or with -mixed")
	} else if methods != "" {
		t.add("not explored", methods+": check them with -give-up")
	}
	f.addTook(t)
}

func (f *lockFinding) aborts() string {
	switch {
	case f.report.Mixed:
		return ", each of which enters by Lock, TryLock or LockContext, and then may give up at any await"
	case f.report.GiveUp:
		return ", which may give up at any await"
	case f.of.kind == leaving:
		return ", none of which gives up: it fails with -give-up"
	}
	return ""
}

// bound says how far numbers were followed, and what that means for verdicts.
func (f *lockFinding) bound() string {
	text := fmt.Sprintf("up to %d", f.Numbers)
	switch {
	case f.excludesNot():
		return text
	case f.report.Cut == 0:
		return text + "; none was larger"
	}
	return fmt.Sprintf("%s; %s of larger ones not followed: verdicts hold up to there", text, number(f.report.Cut, "store", "stores"))
}

func (f *lockFinding) addCosts(t *table) {
	known := f.alone.Writes >= 0
	if !known && f.report.MutualExclusion.Status != explore.Holds {
		return
	}
	t.add()
	if known {
		t.add("uncontended", fmt.Sprintf("%s, %s", number(f.alone.Writes, "write", "writes"), number(f.alone.Reads, "read", "reads")))
	} else {
		t.add("uncontended", "any number of reads and writes")
	}
	if len(f.Registers) == 0 {
		t.add("registers", fmt.Sprint(f.alone.Registers))
		return
	}
	t.add("registers", fmt.Sprintf("%d: %s", len(f.Registers), spelling.Enumerate(f.values())))
}

// values returns how large the values of the registers are, those of an array together.
func (f *lockFinding) values() (all []string) {
	for array := f.Registers; len(array) > 0; {
		n, largest := 0, uint64(0)
		for n < len(array) && base(array[n].Name) == base(array[0].Name) {
			largest = max(largest, array[n].Largest)
			n++
		}
		name := array[0].Name
		if n > 1 {
			name += "…" + strings.TrimPrefix(array[n-1].Name, base(name))
		}
		all = append(all, fmt.Sprintf("%s ≤ %d", name, largest))
		array = array[n:]
	}
	return all
}

// base is the name of a register before its index.
func base(register string) string {
	name, _, _ := strings.Cut(register, "[")
	return name
}

// runs says in which runs a lock that breaks no promise keeps them.
func (f *lockFinding) runs() string {
	text := "run of " + number(f.report.Processes, "process", "processes")
	if f.of.kind == leaving && !f.report.GiveUp {
		text += " in which no process gives up"
	}
	if f.report.Cut > 0 {
		text += fmt.Sprintf(" with numbers up to %d", f.Numbers)
	}
	if slices.ContainsFunc(f.Properties, func(p property) bool { return p.Promised && p.Status == explore.Unknown }) {
		text += ", as far as was checked"
	}
	return text
}

// properties returns what the report says about each.
func (f *lockFinding) properties() []property {
	r, claims := f.report, f.of.claims
	all := []property{
		f.property("mutual_exclusion", "mutual exclusion", true, r.MutualExclusion),
		f.property("deadlock_free", "deadlock-free", true, r.DeadlockFree),
		f.property("starvation_free", "starvation-free", claims.StarvationFree, r.StarvationFree),
	}
	if r.GiveUp {
		all = append(all, f.property("starvation_free_despite_aborts", "starvation-free despite aborts", false, r.StarvationFreeDespiteAborts))
	}
	all = append(all,
		f.property("fifo", "FIFO", claims.FIFO || r.DeclaresFIFO, r.FIFO),
		f.bypasses(),
		f.property("race_free", "race-free", true, r.RaceFree),
		f.property("safe_registers", "tolerates safe registers", claims.SafeRegisters, r.SafeRegisters),
	)
	if claims.Numbers == "n" {
		all = append(all, f.growth())
	}
	return all
}

func (f *lockFinding) property(name, words string, promised bool, v explore.Verdict) property {
	p := property{Name: name, words: words, compared: f.of.kind != foreign, Promised: promised, Status: v.Status, Trace: v.Trace}
	if p.Status == explore.Unknown {
		p.Note = f.whyNot(p)
	}
	return p
}

// whyNot says why a property was not checked.
func (f *lockFinding) whyNot(p property) string {
	tooLarge := slices.ContainsFunc(f.report.Unanswered, func(why string) bool { return strings.HasPrefix(why, p.words+":") })
	switch {
	case f.excludesNot():
		return "mutual exclusion is violated"
	case p.Name == "safe_registers" && f.report.GiveUp:
		return "not while processes give up"
	case tooLarge:
		return "needs more memory than -memory allows"
	case p.Name == "race_free" || p.Name == "safe_registers":
		return fmt.Sprintf("needs -everything with more than %d processes", quick)
	}
	return "it fails with fewer processes"
}

// bypasses is whether others bypass a waiter that has completed its doorway no more
// often than promised; without a promise, whether there is a bound at all.
func (f *lockFinding) bypasses() property {
	promised, most := f.of.claims.Bypasses, f.report.Bypasses
	p := f.property("bypasses", "bypass bound", promised >= 0, explore.Verdict{Status: f.report.FIFO.Status})
	if p.Promised {
		p.words = fmt.Sprintf("at most %s", number(promised, "bypass", "bypasses"))
	}
	switch {
	case p.Status == explore.Unknown:
		return p
	case most < 0 || p.Promised && most > promised:
		p.Status = explore.Fails
	default:
		p.Status = explore.Holds
	}
	if most < 0 {
		p.Note = "any number"
	} else if all := f.report.BypassesByAll; f.report.Processes > 2 && all > 0 {
		p.Note = fmt.Sprintf("%d by each other process, %d by all together", most, all)
	} else if most != promised {
		p.Note = fmt.Sprint(most)
	}
	return p
}

// growth is whether numbers stay within n. That they do is known of runs in
// which none was cut, or grew.
func (f *lockFinding) growth() property {
	n, largest := uint64(f.report.Processes), proof.Largest(f.of.lock, f.report)
	p := f.property("numbers", "numbers up to n", true, explore.Verdict{Status: explore.Unknown})
	switch {
	case f.report.MutualExclusion.Status != explore.Holds:
	case largest > n:
		p.Status, p.Note = explore.Fails, fmt.Sprintf("one reaches %d", largest)
	case f.report.Cut > 0 && f.Numbers >= n:
		p.Status, p.Note = explore.Fails, fmt.Sprintf("larger than %d", f.Numbers)
	case f.report.Cut > 0:
		p.Note = fmt.Sprintf("larger ones than %d were not followed", f.Numbers)
	default:
		p.Status, p.Note = explore.Holds, ""
	}
	return p
}
