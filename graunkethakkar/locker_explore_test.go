//go:build doorway_explore

package graunkethakkar

import (
	"fmt"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/tier"
	"example.org/doorway/register"
)

// A crowd is what the goroutines of a scenario share.
type crowd struct {
	q       *queue
	used    [atFirst]seam.Flag // by a goroutine that has taken the number
	members [4]struct {        // each belongs to one goroutine
		i       int
		entered bool
	}
}

// In any interleaving, at most one goroutine is inside a Locker, and no number is given to
// two of them, though each aborts wherever it would wait, and the numbers of those that
// have left word are used again. At first one is inside.
func TestLockerInterleavings(t *testing.T) {
	for _, c := range []struct {
		name        string
		rounds      []int // of each of the goroutines that come
		others      func(m *crowd, holder int) []interleave.Thread
		preemptions int // see interleave.Scenario
		full        bool
	}{
		{name: "it leaves", rounds: []int{1, 1}, others: exits},
		{name: "it leaves, and one comes twice", rounds: []int{2, 1}, others: exits, full: true},
		{name: "another, which waits, aborts", rounds: []int{2, 1}, others: aborts, full: true},
		{name: "another has left word, and it has left", rounds: []int{1, 1, 1}, others: haveLeft, preemptions: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.full {
				tier.NeedsFull(t, "has millions of states")
			}
			m := &crowd{q: newQueue()}
			threads := c.others(m, m.joined())
			for k, rounds := range c.rounds {
				threads = append(threads, interleave.Thread{Name: fmt.Sprintf("goroutine %d", k), Run: func(r *interleave.Run) {
					for round := range rounds {
						r.Forget(round)
						m.user(r, k)
					}
				}})
			}
			interleave.Check(t, interleave.Scenario{
				World: m, Threads: threads, Limit: 1e7, Preemptions: c.preemptions, Attach: seam.ScheduleUnlessZero[*interleave.Run],
				Mute: []string{"(*crowd).take", "(*crowd).try", "(*crowd).over", "(*Table[...]).Give", "(*Word).Store", "(*Lock).remove"},
			})
		})
	}
}

// exits has the holder leave its critical section.
func exits(m *crowd, holder int) []interleave.Thread {
	return []interleave.Thread{{Name: "holder", Run: func(*interleave.Run) { m.exit(holder) }}}
}

// aborts has another process, which waits behind the holder, abort.
func aborts(m *crowd, _ int) []interleave.Thread {
	i := m.joined()
	return []interleave.Thread{{Name: "leaver", Run: func(*interleave.Run) { m.q.giveUp(i) }}}
}

// haveLeft has another process leave word, and be the last in the queue, and then the
// holder leave its critical section.
func haveLeft(m *crowd, holder int) []interleave.Thread {
	i, behind := m.joined(), m.joined()
	m.q.giveUp(i)
	m.q.giveUp(behind)
	m.exit(holder)
	return nil
}

func (m *crowd) exit(holder int) {
	m.q.exit(m.q.cells.At(holder).procs.Entry(0))
	m.q.cells.Give(holder)
}

// joined returns the number of a process that has joined the queue. The first is inside.
func (m *crowd) joined() int {
	i := m.q.cells.Take()
	m.q.cells.At(i).procs.Try(0, func(p *register.Process) bool { m.q.entry(p); return false })
	return i
}

// user is goroutine k, which enters, or aborts instead of waiting.
func (m *crowd) user(r *interleave.Run, k int) {
	m.take(k)
	m.try(k)
	if m.members[k].entered {
		r.Critical()
	}
	m.over(k)
}

func (m *crowd) take(k int) {
	i := m.q.cells.Take()
	if !m.used[i].CompareAndSwap(false, true) {
		panic(fmt.Sprintf("two goroutines have number %d", i))
	}
	m.members[k].i = i
}

func (m *crowd) try(k int) {
	m.members[k].entered = m.q.cells.At(m.members[k].i).procs.Try(0, m.q.entry)
}

func (m *crowd) over(k int) {
	i := m.members[k].i
	m.used[i].Store(false)
	if procs := &m.q.cells.At(i).procs; m.members[k].entered {
		m.q.exit(procs.Exit(0))
		m.q.cells.Give(i)
	} else {
		m.q.giveUp(i)
	}
}
