package bakery

import (
	"context"

	"example.org/doorway/register"
)

// A Simple is the bakery without choosing: it takes its number in one atomic
// step.
//
// Atomic registers do not provide that step. Here a lock does ([register.Step]), so
// a Simple is a lock to study and not one to use: without the assumption it is
// wrong, and the assumption needs a lock already.
//
// Source: D. Sabel, "Das Mutual-Exclusion-Problem bei n Prozessen", LMU München
// 2020, "Bakery-Algorithmus: Einfache Variante".
//
// Shared variables, written by process i alone:
//
//	number[i]  its ticket; 0 while it has none
//
// Process i:
//
//	2  number[i] := 1 + maximum(number), in one atomic step
//	a  if the maximum was not 0, and was number[k], then await number[k] ≠ number[i] - 1
//	3  for j := 1 to n do
//	4    await number[j] = 0 or (number[j], j) ≥ (number[i], i)
//	5  critical section
//	6  number[i] := 0
//
// Properties, given the atomic step: mutual exclusion, deadlock-free,
// starvation-free, and FIFO. If the maximum is one step and the assignment a later
// one, mutual exclusion is violated with n = 2: both processes see the maximum 0;
// the second takes 1 and enters while the number of the first is still 0; then the
// first takes 1 as well, and enters because its pair is the smaller one. Line a
// and the last number are those of [Classic].
type Simple struct {
	procs  register.Processes
	step   register.Step
	number []register.Word
}

// NewSimple returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func NewSimple(n int) *Simple {
	return &Simple{procs: register.MakeProcesses("bakery", n), number: make([]register.Word, n)}
}

// Processes returns n.
func (l *Simple) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *Simple) FIFO() bool { return true }

// Lock runs the entry protocol of process i, 0 <= i < n.
func (l *Simple) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *Simple) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Simple) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *Simple) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Simple) entry(p *register.Process) bool {
	i := p.ID()
	var last ticket
	l.step.Do(func() { // 2
		last = maximum(l.number)
		l.number[i].Set(1 + last.number) // no process awaits that another has one
	})
	number := 1 + last.number
	p.Doorway()
	if !left(p, l.number, last) || !l.served(p, number) {
		l.exit(p) // aborted: leaves no trace
		return false
	}
	return true
}

// served is lines 3 and 4.
func (l *Simple) served(p *register.Process, number uint64) bool {
	i := p.ID()
	for j := range l.number { // 3
		if !l.number[j].Await(p, func(numberj uint64) bool { // 4
			return numberj == 0 || !precedes(numberj, j, number, i)
		}) {
			return false
		}
	}
	return true
}

func (l *Simple) exit(p *register.Process) {
	l.step.Do(func() { l.number[p.ID()].Store(0) }) // 6: not during the step of another process
}
