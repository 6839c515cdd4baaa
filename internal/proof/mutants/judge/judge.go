package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof/mutants"
	"example.org/doorway/mutex"
)

// A Result is the result of judging a lock, or nodes.
type Result mutants.Result

// A Subject is a lock to judge by its claims.
type Subject struct {
	catalog.Algorithm
	Setups []Setup
}

// A Setup is one way to check a lock.
type Setup struct {
	N       int   // the number of processes of the lock
	Come    []int // those of them that take part; nil: all
	Tickets int   // the largest number of a bakery whose numbers grow
	GiveUp  bool  // they may abort
	Memory  bool  // check only safe registers and races
}

func (s Setup) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "n=%d", s.N)
	if s.Come != nil {
		fmt.Fprintf(&b, " %v", s.Come)
	}
	if s.GiveUp {
		b.WriteString(" giving up")
	}
	if s.Memory {
		b.WriteString(" memory")
	}
	return b.String()
}

// Of returns the subject for an algorithm.
func Of(a catalog.Algorithm) Subject { return Subject{a, setups(a)} }

// largest returns the largest value of a register to be explored.
func (s Subject) largest(setup Setup) uint64 {
	n := uint64(setup.N)
	switch {
	case s.Largest != nil:
		return s.Largest(setup.N)
	case s.Value == nil: // a flag, or the name of a process
		return n
	case s.Claims.Numbers == "n":
		return s.Value(n, setup.N)
	default:
		return s.Value(uint64(setup.Tickets), setup.N)
	}
}

// Quick leaves out the last and largest setup, of three processes that may abort, which costs
// more than all others together. It is for a lock that is known to have every claim: that
// lock would have to be explored to the end.
func (s Subject) Quick() Subject {
	s.Setups = slices.DeleteFunc(slices.Clone(s.Setups), func(s Setup) bool { return s.N == 3 && s.GiveUp })
	return s
}

// setups returns the setups for an algorithm, the cheapest first. The packed bakery
// without its second look is correct up to ticket 3, so some go to 4.
func setups(a catalog.Algorithm) []Setup {
	if a.Max == 2 {
		return []Setup{{N: 2}, {N: 2, GiveUp: true}, {N: 2, Memory: true}}
	}
	s := []Setup{
		{N: 1, Tickets: 4},
		{N: 2, Tickets: 4},
		{N: 2, Tickets: 4, GiveUp: true},
		{N: 2, Tickets: 2, Memory: true},
	}
	for _, come := range pairs() {
		s = append(s, Setup{N: 8, Come: come, Tickets: 2})
	}
	return append(s, Setup{N: 3, Tickets: 4}, Setup{N: 3, Tickets: 2, GiveUp: true})
}

// pairs returns pairs of eight processes that take part. An algorithm that is
// unrolled, or climbs a tree, behaves differently with eight processes than with
// three, and eight could not be explored if all took part. So each takes part with
// its neighbour, and with the first of each half.
func pairs() (all [][]int) {
	for j := range 8 {
		for i := range j {
			if i == 0 || i == 4 || j == 4 || i+1 == j {
				all = append(all, []int{i, j})
			}
		}
	}
	return all
}

// Run judges a lock. It stops at the first claim that does not hold.
func Run(s Subject) (r Result) {
	for _, setup := range s.Setups {
		report, err := explore.Check(s.config(setup))
		if err != nil {
			r.refuse(err)
			r.Setup = setup.String()
			return r
		}
		if r.compare(s, setup, report); r.Fails != "" || r.Error != "" {
			r.Setup = setup.String()
			return r
		}
	}
	return r
}

func (s Subject) config(setup Setup) explore.Config {
	lock, processes := func(n int) mutex.Mutex { return s.New(n) }, setup.N
	if setup.Come != nil {
		lock, processes = func(int) mutex.Mutex { return some{only(s.New(setup.N), setup.Come...)} }, len(setup.Come)
	}
	return explore.Config{
		New:       lock,
		Processes: processes,
		Cap:       s.largest(setup),
		GiveUp:    setup.GiveUp,
		Workers:   1,
		Memory:    1 << 30,
		Only:      s.properties(setup),
		// The report on mutants runs where their source is not.
		Unexamined: true,
	}
}

func (s Subject) properties(setup Setup) explore.Properties {
	if setup.Memory {
		return explore.Properties{RaceFree: true, SafeRegisters: s.Claims.SafeRegisters}
	}
	p := explore.Properties{MutualExclusion: true, DeadlockFree: true}
	if !setup.GiveUp { // starvation and bypasses are not claimed beside processes that abort
		p.StarvationFree, p.FIFO = s.Claims.StarvationFree, s.Claims.FIFO
	}
	return p
}

// compare compares a report with the claims.
func (r *Result) compare(s Subject, setup Setup, report *explore.Report) {
	asked := s.properties(setup)
	for _, c := range []struct {
		name  string
		asked bool
		v     explore.Verdict
	}{
		{"mutual exclusion", asked.MutualExclusion, report.MutualExclusion},
		{"deadlock-free", asked.DeadlockFree, report.DeadlockFree},
		{"starvation-free", asked.StarvationFree, report.StarvationFree},
		{"FIFO", asked.FIFO, report.FIFO},
		{"race-free", asked.RaceFree, report.RaceFree},
		{"tolerates safe registers", asked.SafeRegisters, report.SafeRegisters},
	} {
		switch {
		case !c.asked:
		case c.v.Status == explore.Fails:
			r.Fails = c.name
			r.show(c.v.Trace)
			return
		case c.v.Status == explore.Unknown:
			r.Error = "no verdict on " + c.name
			return
		}
	}
	most := s.Claims.Bypasses
	switch {
	case report.Cut > 0 && s.Claims.Numbers != "unbounded":
		r.Fails, r.Detail = "bounded numbers", fmt.Sprintf("%d stores of more than %d", report.Cut, report.Cap)
	case asked.FIFO && most >= 0 && (report.Bypasses > most || report.Bypasses < 0):
		r.Fails, r.Detail = "bypass bound", fmt.Sprintf("%d times, claimed is %d", report.Bypasses, most)
	case setup.Memory || s.Claims.Reads.Of == nil:
	case report.Reads > s.Claims.Reads.Of(setup.N) || report.Writes > s.Claims.Writes.Of(setup.N):
		r.Fails = "accesses alone"
		r.Detail = fmt.Sprintf("%d writes and %d reads, claimed are %d and %d",
			report.Writes, report.Reads, s.Claims.Writes.Of(setup.N), s.Claims.Reads.Of(setup.N))
	}
}

// refuse records that the checker has rejected the lock: because it violates the rules
// for every lock, or for a reason that is not the lock's.
func (r *Result) refuse(err error) {
	var bad *explore.LockError
	if !errors.As(err, &bad) {
		r.Error = err.Error()
		return
	}
	r.show(bad.Trace)
	r.Fails, r.Detail = "what a lock must keep to", err.Error()
}

// show notes the steps of a run in which something fails; there may be none.
func (r *Result) show(t *explore.Trace) {
	if t != nil {
		r.Steps = len(t.Steps)
	}
}

// some is a lock for those of its processes that take part, which are numbered from 0
// here. The others stay in their remainder sections forever.
//
// The checker examines the source of the lock, and would reject calls through an
// interface. Promoted methods have no source.
type some struct{ *part }

type part struct {
	mutex.Abortable
	come []comer
}

// A comer is the number of a process that takes part: a struct, since others may write a number in a slice.
type comer struct{ i int }

func only(of mutex.Abortable, come ...int) *part {
	p := &part{Abortable: of}
	for _, i := range come {
		p.come = append(p.come, comer{i})
	}
	return p
}

func (p *part) Processes() int { return len(p.come) }
func (p *part) Lock(i int)     { p.Abortable.Lock(p.come[i].i) }
func (p *part) Unlock(i int)   { p.Abortable.Unlock(p.come[i].i) }

func (p *part) TryLock(i int) bool { return p.Abortable.TryLock(p.come[i].i) }

func (p *part) LockContext(ctx context.Context, i int) error {
	return p.Abortable.LockContext(ctx, p.come[i].i)
}
