package main

import (
	"fmt"
	"sync"

	"example.org/doorway/register"
)

// partRows are the rows of parts of what an uncontended lock costs beside its twin in C, which does not park.
func (e effort) partRows() []row {
	return []row{
		{"two stores, ns less those of none", goal{}, e.less(func() sync.Locker { return new(storing) }, func() sync.Locker { return nothing{} })},
		{"two stores that check for waiters, ns less those of two that do not", goal{}, e.less(func() sync.Locker { return new(checking) }, func() sync.Locker { return new(storing) })},
		{"checks of a process for misuse, ns less those of none", goal{}, e.less(func() sync.Locker { return &lawful{register.MakeProcesses("figures", 1)} }, func() sync.Locker { return nothing{} })},
	}
}

// Locks of no store, of two, of two that check for waiters, and of what a process checks. A type each: a call of a
// function value would take longer than what is measured.
type (
	nothing  struct{}
	storing  struct{ w register.Word }
	checking struct{ w register.Word }
	lawful   struct{ procs register.Processes }
)

func (nothing) Lock()       {}
func (nothing) Unlock()     {}
func (s *storing) Lock()    { s.w.Set(1) }
func (s *storing) Unlock()  { s.w.Set(0) }
func (c *checking) Lock()   { c.w.Store(1) }
func (c *checking) Unlock() { c.w.Store(0) }
func (l *lawful) Lock()     { l.procs.Entry(0).Inside() }
func (l *lawful) Unlock()   { l.procs.Exit(0) }

// less is alone, with the difference.
func (e effort) less(ours, theirs func() sync.Locker) func() figure {
	return func() figure {
		r, windows := e.compare(ours, theirs)
		return figure{r.Difference, fmt.Sprintf("%.1f less %.1f ns", r.A.Median, r.B.Median), windows}
	}
}
