package main

import (
	"fmt"

	"example.org/doorway/explore"
	"example.org/doorway/internal/proof"
)

// A property is the verdict on one.
type property struct {
	Name     string `json:"name"`
	words    string
	Promised bool           `json:"promised"`
	Status   string         `json:"status"`
	Runs     string         `json:"runs,omitempty"` // of nodes: in which it holds
	Note     string         `json:"note,omitempty"` // what else is to be said
	Trace    *explore.Trace `json:"trace,omitempty"`
	History  *history       `json:"history,omitempty"`
}

// A history is a run of nodes in which a property fails: an [explore.History].
type history struct {
	Title    string   `json:"title"`
	Events   []string `json:"events"`
	Length   int      `json:"-"`
	Loop     int      `json:"loop"`
	Scenario string   `json:"scenario,omitempty"`
}

// newProperty returns a verdict on nodes, or on goroutines.
func newProperty(name, words string, promised bool, v explore.NodesVerdict) property {
	of := property{Name: name, words: words, Promised: promised, Status: v.Status, Note: v.Note, History: (*history)(v.History)}
	if v.Status == explore.Holds {
		of.Runs, of.Note = v.Note, ""
	}
	return of
}

// broken returns the promises that fail.
func broken(all []property) (some []property) {
	for _, p := range all {
		if p.Promised && p.Status == explore.Fails {
			some = append(some, p)
		}
	}
	return some
}

func words(all []property) []string {
	words := make([]string, len(all))
	for k, p := range all {
		words[k] = p.words
	}
	return words
}

// says returns the verdict in words, and whether it was promised if that is known.
func (p property) says(known bool) string {
	text := p.Status
	switch {
	case p.Status == explore.Unknown:
		text = "not checked"
	case p.Runs != "":
		text += " " + p.Runs
	case !known:
	case p.Status == explore.Fails && !p.Promised:
		text += ", not promised"
	case p.Status == explore.Holds && !p.Promised:
		text += ", though not promised"
	}
	if p.Note != "" {
		text += ": " + p.Note
	}
	return text
}

// properties returns what the report says about each.
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
	return property{Name: name, words: words, Promised: promised, Status: v.Status, Note: f.whyNot(name, v.Status), Trace: v.Trace}
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
func (f *finding) growth() property {
	n, largest := uint64(f.report.Processes), proof.Largest(f.lock.lock, f.report)
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
