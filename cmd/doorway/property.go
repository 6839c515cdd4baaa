package main

import (
	"fmt"

	"example.org/doorway/explore"
)

// A property is the verdict on one.
type property struct {
	name     string // in JSON
	words    string
	promised bool
	status   string
	trace    *explore.Trace // a run in which it fails, if there is one to show
	note     string         // what else is to be said
}

// broken reports whether it was promised and fails.
func (p property) broken() bool { return p.promised && p.status == explore.Fails }

// says returns the verdict in words, and whether it was promised if that is known.
func (p property) says(known bool) string {
	text := p.status
	switch {
	case p.status == explore.Unknown:
		text = "not checked"
	case !known:
	case p.status == explore.Fails && !p.promised:
		text += ", not promised"
	case p.status == explore.Holds && !p.promised:
		text += ", though not promised"
	}
	if p.note != "" {
		text += ": " + p.note
	}
	return text
}

// properties returns what was found out about each.
func (f *finding) properties() []property {
	r, claims := f.report, f.lock.claims
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

func (f *finding) property(name, words string, promised bool, v explore.Verdict) property {
	return property{name, words, promised, v.Status, v.Trace, f.whyNot(name, v.Status)}
}

// whyNot says why a property was not checked, if it was not.
func (f *finding) whyNot(name, status string) string {
	switch {
	case status != explore.Unknown:
		return ""
	case f.report.MutualExclusion.Status == explore.Fails:
		return "mutual exclusion is violated"
	case name == "safe_registers" && f.report.GiveUp:
		return "not while processes give up"
	case len(f.report.Unanswered) > 0 && (name == "race_free" || name == "safe_registers") && f.report.Processes <= quick:
		return "needs more memory than -memory allows"
	case name == "race_free" || name == "safe_registers":
		return fmt.Sprintf("needs -everything with more than %d processes", quick)
	}
	return "it fails with fewer processes"
}

// bypasses is whether others bypass a waiter that has completed its doorway no more
// often than promised; without a promise, whether there is a bound at all.
func (f *finding) bypasses() property {
	promised, most := f.lock.claims.Bypasses, f.report.Bypasses
	p := f.property("bypasses", "bypass bound", promised >= 0, explore.Verdict{Status: f.report.FIFO.Status})
	if p.promised {
		p.words = fmt.Sprintf("at most %s", number(promised, "bypass", "bypasses"))
	}
	switch {
	case p.status == explore.Unknown:
		return p
	case most < 0 || p.promised && most > promised:
		p.status = explore.Fails
	default:
		p.status = explore.Holds
	}
	if most < 0 {
		p.note = "any number"
	} else if all := f.report.BypassesByAll; f.report.Processes > 2 && all > 0 {
		p.note = fmt.Sprintf("%d by each other process, %d by all together", most, all)
	} else if most != promised {
		p.note = fmt.Sprint(most)
	}
	return p
}

// growth is whether numbers stay within n. That they do is known of runs in
// which none was cut, or grew.
func (f *finding) growth() property {
	n, largest := uint64(f.report.Processes), f.largest()
	p := f.property("numbers", "numbers up to n", true, explore.Verdict{Status: explore.Unknown})
	switch {
	case f.report.MutualExclusion.Status != explore.Holds:
	case largest > n:
		p.status, p.note = explore.Fails, fmt.Sprintf("one reaches %d", largest)
	case f.report.Cut > 0 && f.numbers >= n:
		p.status, p.note = explore.Fails, fmt.Sprintf("larger than %d", f.numbers)
	case f.report.Cut > 0:
		p.note = fmt.Sprintf("larger ones than %d were not followed", f.numbers)
	default:
		p.status, p.note = explore.Holds, ""
	}
	return p
}

// largest is the largest number that a register holds.
func (f *finding) largest() (most uint64) {
	for _, r := range f.report.Registers {
		most = max(most, f.lock.of.Number(r.Largest, f.report.Processes))
	}
	return most
}
