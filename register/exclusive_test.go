package register_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

// A scene is a gate at which processes 0 and 2 wait, and process 1 that has passed it.
type scene struct {
	ps   register.Processes
	gate register.Word
}

func newScene() *scene {
	s := &scene{ps: register.MakeProcesses("test", 3)}
	s.gate.Set(1)
	go s.gate.AwaitExclusive(s.ps.Entry(0), is(0))
	synctest.Wait()
	go func() {
		s.gate.AwaitExclusive(s.ps.Entry(2), is(0))
		s.gate.Store(0)
	}()
	synctest.Wait()
	s.enter()
	return s
}

func (s *scene) enter() { s.ps.Entry(1).Inside() }

func (s *scene) exit() { s.gate.GiveWay(s.ps.Exit(1)) }

func (s *scene) try() bool { return s.ps.Try(1, func(*register.Process) bool { return true }) }

// open lets the first in line pass.
func (s *scene) open() {
	s.gate.Store(0)
	synctest.Wait()
	s.gate.Set(1)
}

// A process that exits may pass the line at a gate until the first in line has been the first for
// long. The time counts anew for the next in line.
func TestGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		s.exit()
		s.enter()
		time.Sleep(time.Millisecond)
		s.open()
		s.exit()
		assert.True(t, s.try(), "Try when process 2 has just become the first")
		time.Sleep(time.Millisecond)
		s.open()
	})
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		for range 3 {
			s.exit()
			s.enter()
		}
		time.Sleep(time.Microsecond)
		s.open()
		time.Sleep(time.Millisecond)
		s.exit()
		assert.False(t, s.try(), "Try when process 2 has long been the first")
		s.open()
		assert.True(t, s.try(), "Try when there is no line")
	})
}

// A process gives way to exclusive waiters only, as others come to no line in which it could stand.
func TestGiveWayToNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, await := range map[string]func(p *register.Process, w *register.Word){
			"Await": func(p *register.Process, w *register.Word) { w.Await(p, is(1)) },
			"AwaitEitherInTurn": func(p *register.Process, w *register.Word) {
				register.AwaitEitherInTurn(p, w, is(1), w, is(1))
				p.Pass()
			},
		} {
			var w register.Word
			ps := register.MakeProcesses("test", 2)
			go await(ps.Entry(1), &w)
			synctest.Wait()
			time.Sleep(time.Millisecond)
			ps.Entry(0).Inside()
			p := ps.Exit(0)
			w.GiveWay(p)
			assert.NotPanics(t, func() { ps.Entry(0) }, name)
			w.Store(1)
			p.Pass()
			synctest.Wait()
		}
	})
}

// A process that exits enters again before the process with the baton until that has had it
// for long, if others are due behind it; then it stands behind them.
func TestStandsBehindThoseThatAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 3)
		var open, unused register.Word
		runs := make(chan struct{}) // while it is open, process 1 has the baton and does not run
		var order []int
		for i := range 2 {
			go func() {
				p := ps.Entry(i + 1)
				register.AwaitEitherInTurn(p, &open, is(1), &unused, is(1))
				<-runs
				order = append(order, i+1)
				p.Pass()
			}()
			synctest.Wait()
		}
		exit := func() { ps.Exit(0).Pass() }
		try := func() bool { return ps.Try(0, func(*register.Process) bool { return true }) }

		ps.Entry(0).Inside()
		open.Store(1)
		exit() // gives process 1 the baton
		synctest.Wait()
		for range 10 {
			ps.Entry(0).Inside()
			exit()
		}
		assert.True(t, try(), "Try when process 1 has just been given the baton")
		time.Sleep(time.Millisecond)
		exit()
		assert.False(t, try(), "Try when process 1 has long had the baton")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, ps.Context(ctx, 0, nil), context.DeadlineExceeded)
		go func() {
			p := ps.Entry(0)
			order = append(order, 0)
			p.Inside()
		}()
		synctest.Wait()
		assert.Empty(t, order, "process 0 enters while others are due")
		close(runs)
		synctest.Wait()
		assert.Equal(t, []int{1, 2, 0}, order)
		exit()
		assert.True(t, try(), "Try when no process has the baton")
	})
}

// A store wakes the exclusive waiter that has waited longest, and no other. If that finds it closed
// again, it keeps its place; if it has left the line, and finds the gate closed again, it comes
// back as the first.
func TestExclusiveWaitersWakeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		ps := register.MakeProcesses("test", n)
		var gate register.Word
		gate.Set(1)
		var passed []int
		for i := range n {
			go func() {
				p := ps.Entry(i)
				for v := range uint64(2) {
					gate.AwaitExclusive(p, is(10+v))
					passed = append(passed, i)
				}
			}()
			synctest.Wait()
		}
		for k := range 2 * n {
			gate.Store(2)
			synctest.Wait()
			gate.Store(10 + uint64(k%2))
			synctest.Wait()
			require.Equal(t, []int{0, 0, 1, 1, 2, 2}[:k+1], passed, "processes that have passed")
		}
	})
}

// A store wakes no process that waits in turn; each that is woken wakes the next when it
// passes the baton on, in the order of arrival.
func TestWaitersWakeInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4
		ps := register.MakeProcesses("test", n+1)
		var a, b register.Word
		var order []int
		next := make(chan struct{})
		for i := range n {
			go func() {
				p := ps.Entry(i)
				register.AwaitEitherInTurn(p, &a, is(1), &b, is(1))
				order = append(order, i)
				<-next
				p.Pass()
			}()
			synctest.Wait()
		}
		p := ps.Entry(n)
		b.Store(1)
		synctest.Wait()
		require.Empty(t, order, "processes woken by the store, before any Pass")
		p.Pass()
		for i := range n {
			synctest.Wait()
			p.Pass() // in vain: another has the baton
			synctest.Wait()
			require.Equal(t, upTo(i), order, "processes woken after %d passes", i+1)
			next <- struct{}{}
		}
	})
}
