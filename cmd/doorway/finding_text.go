package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
)

// text returns what was explored and how far, the verdicts, and what the lock
// costs, in a table at most as wide as limit.
func (f *finding) text(limit int) string {
	t := table{limit: limit}
	f.addExplored(&t)
	t.add()
	f.addVerdicts(&t)
	f.addCosts(&t)
	return t.concluded(f.conclusion(), f.lock.why())
}

func (f *finding) addExplored(t *table) {
	r := f.report
	t.add("lock", fmt.Sprintf("%s (%s)", f.lock.Name, f.lock.Source))
	t.add("checked", fmt.Sprintf("every interleaving of %s%s", number(r.Processes, "process", "processes"), f.aborts()))
	if f.Numbers > 0 {
		t.add("numbers", f.bound())
	}
	if r.MutualExclusion.Status == explore.Fails {
		t.add("states", proof.Thousands(r.States)+" until mutual exclusion failed")
	} else {
		t.add("states", fmt.Sprintf("%s, the farthest %s from the start; %s between them",
			proof.Thousands(r.States), number(r.Depth, "step", "steps"), number(r.Transitions, "step", "steps")))
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
	t.add("took", fmt.Sprintf("%v, %d MiB", f.Elapsed.Round(10*time.Millisecond), (r.Bytes+1<<20-1)>>20))
}

// addVerdicts adds a row for each property, and a single one for what was not
// looked at because mutual exclusion fails.
func (f *finding) addVerdicts(t *table) {
	for k, p := range f.Properties {
		if k > 0 && f.report.MutualExclusion.Status == explore.Fails {
			t.add("all others", "not checked: mutual exclusion is violated")
			return
		}
		t.add(p.words, p.says(f.lock.kind != foreign))
	}
}

func (f *finding) aborts() string {
	switch {
	case f.report.Mixed:
		return ", each of which enters by Lock, TryLock or LockContext, and then may give up at any await"
	case f.report.GiveUp:
		return ", which may give up at any await"
	case f.lock.kind == leaving:
		return ", none of which gives up: it fails with -give-up"
	}
	return ""
}

// bound says how far numbers were followed, and what that means for verdicts.
func (f *finding) bound() string {
	text := fmt.Sprintf("up to %d", f.Numbers)
	switch {
	case f.report.MutualExclusion.Status == explore.Fails:
		return text
	case f.report.Cut == 0:
		return text + "; none was larger"
	}
	return fmt.Sprintf("%s; %s of larger ones not followed: verdicts hold up to there", text, number(f.report.Cut, "store", "stores"))
}

func (f *finding) addCosts(t *table) {
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
	if len(f.report.Registers) == 0 {
		t.add("registers", fmt.Sprint(f.alone.Registers))
		return
	}
	t.add("registers", fmt.Sprintf("%d: %s", len(f.report.Registers), spelling.Enumerate(f.registers())))
}

// registers returns how large the values of the registers are, those of an
// array together.
func (f *finding) registers() (all []string) {
	for array := f.report.Registers; len(array) > 0; {
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

// conclusion reports whether the lock keeps its promise, as far as was explored.
func (f *finding) conclusion() string {
	whose := "its"
	if f.lock.kind == foreign {
		whose = "every lock's"
	}
	if broken := broken(f.Properties); len(broken) > 0 {
		return fmt.Sprintf("%s breaks %s promise of %s.", f.lock.Name, whose, spelling.Enumerate(words(broken)))
	}
	text := fmt.Sprintf("%s keeps %s promise in every run of %s", f.lock.Name, whose, number(f.report.Processes, "process", "processes"))
	if f.lock.kind == leaving && !f.report.GiveUp {
		text += " in which no process gives up"
	}
	if f.report.Cut > 0 {
		text += fmt.Sprintf(" with numbers up to %d", f.Numbers)
	}
	if slices.ContainsFunc(f.Properties, func(p property) bool { return p.Promised && p.Status == explore.Unknown }) {
		text += ", as far as was checked"
	}
	return text + "."
}

// number is how many there are, with their name.
func number(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return proof.Thousands(n) + " " + more
}
