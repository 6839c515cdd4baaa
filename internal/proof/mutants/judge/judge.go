package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof/mutants"
	"example.org/doorway/mutex"
)

// A Result is the result of judging a lock, or nodes.
type Result mutants.Result

// A Setup is one way to check a lock.
type Setup struct {
	N       int   // the number of processes of the lock
	Come    []int // those of them that take part; nil: all
	Tickets int   // the largest number of a bakery whose numbers grow
	GiveUp  bool  // they may abort
	Memory  bool  // check only safe registers and races
}

func (s Setup) String() string {
	text := fmt.Sprintf("n=%d", s.N)
	if s.Come != nil {
		text += fmt.Sprintf(" %v", s.Come)
	}
	if s.GiveUp {
		text += " giving up"
	}
	if s.Memory {
		text += " memory"
	}
	return text
}

// Setups returns the setups for an algorithm, the cheapest first. The packed bakery
// without its second look is correct up to ticket 3, so some go to 4.
func Setups(a catalog.Algorithm) []Setup {
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

// Quick leaves out the last and largest setup, of three processes that may abort, which costs
// more than all others together. It is for a lock that is known to have every claim: that
// lock would have to be explored to the end.
func Quick(all []Setup) []Setup {
	return slices.DeleteFunc(all, func(s Setup) bool { return s.N == 3 && s.GiveUp })
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

// Run judges a lock by its claims. It stops at the first that does not hold.
func Run(a catalog.Algorithm, setups []Setup) (r Result) {
	for _, s := range setups {
		report, err := explore.Check(s.config(a))
		if err != nil {
			r.refuse(err)
		} else {
			r.compare(a.Claims, s, report)
		}
		if r.Fails != "" || r.Error != "" {
			r.Setup = s.String()
			return r
		}
	}
	return r
}

func (s Setup) config(a catalog.Algorithm) explore.Config {
	lock, processes := func(n int) mutex.Mutex { return a.New(n) }, s.N
	if s.Come != nil {
		lock, processes = func(int) mutex.Mutex { return some{only(a.New(s.N), s.Come...)} }, len(s.Come)
	}
	return explore.Config{
		New:       lock,
		Processes: processes,
		Cap:       s.largest(a),
		GiveUp:    s.GiveUp,
		Workers:   1,
		Memory:    1 << 30,
		Only:      s.properties(a.Claims),
		// The report on mutants runs where their source is not.
		Unexamined: true,
	}
}

// largest returns the largest value of a register to be explored.
func (s Setup) largest(a catalog.Algorithm) uint64 {
	n := uint64(s.N)
	switch {
	case a.Largest != nil:
		return a.Largest(s.N)
	case a.Value == nil: // a flag, or the name of a process
		return n
	case a.Claims.Numbers == "n":
		return a.Value(n, s.N)
	default:
		return a.Value(uint64(s.Tickets), s.N)
	}
}

func (s Setup) properties(c catalog.Claims) explore.Properties {
	if s.Memory {
		return explore.Properties{RaceFree: true, SafeRegisters: c.SafeRegisters}
	}
	p := explore.Properties{MutualExclusion: true, DeadlockFree: true}
	if !s.GiveUp { // starvation and bypasses are not claimed beside processes that abort
		p.StarvationFree, p.FIFO = c.StarvationFree, c.FIFO
	}
	return p
}

// compare compares a report with the claims.
func (r *Result) compare(claims catalog.Claims, s Setup, report *explore.Report) {
	asked := s.properties(claims)
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
			r.fails(c.name, "", c.v.Trace)
			return
		case c.v.Status == explore.Unknown:
			r.Error = "no verdict on " + c.name
			return
		}
	}
	switch most := claims.Bypasses; {
	case report.Cut > 0 && claims.Numbers != "unbounded":
		r.fails("bounded numbers", fmt.Sprintf("%d stores of more than %d", report.Cut, report.Cap), nil)
	case asked.FIFO && most >= 0 && (report.Bypasses > most || report.Bypasses < 0):
		r.fails("bypass bound", fmt.Sprintf("%d times, claimed is %d", report.Bypasses, most), nil)
	case s.Memory || claims.Reads.Of == nil:
	case report.Reads > claims.Reads.Of(s.N) || report.Writes > claims.Writes.Of(s.N):
		r.fails("accesses alone", fmt.Sprintf("%d writes and %d reads, claimed are %d and %d",
			report.Writes, report.Reads, claims.Writes.Of(s.N), claims.Reads.Of(s.N)), nil)
	}
}

// refuse records that the checker has rejected the lock: because it violates the rules
// for every lock, or for a reason that is not the lock's.
func (r *Result) refuse(err error) {
	if bad := (*explore.LockError)(nil); errors.As(err, &bad) {
		r.fails("what a lock must keep to", err.Error(), bad.Trace)
		return
	}
	r.Error = err.Error()
}

// fails records what fails, how, and in how many steps if there is a run.
func (r *Result) fails(what, how string, run *explore.Trace) {
	r.Fails, r.Detail = what, how
	if run != nil {
		r.Steps = len(run.Steps)
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
