package register_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

func TestWaiterIsDurablyBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 3)
		var a, b register.Word
		var gate register.Gate
		gate.Set(1)
		var passed [3]bool
		go func() { passed[0] = a.Await(ps.Entry(0), is(1)) }()
		go func() {
			passed[1] = register.AwaitEither(ps.Entry(1), &a, is(1), &b, is(1))
		}()
		go func() { passed[2] = gate.Await(ps.Entry(2), is(0)) }()
		synctest.Wait() // returns only once all three are durably blocked
		require.Equal(t, [3]bool{}, passed, "before anything was stored")
		a.Store(2)
		b.Store(2)
		gate.Store(2)
		synctest.Wait()
		require.Equal(t, [3]bool{}, passed, "though no condition holds")
		b.Store(1)
		synctest.Wait()
		require.Equal(t, [3]bool{false, true, false}, passed, "after b := 1")
		a.Store(1)
		gate.Store(0)
		synctest.Wait()
		require.Equal(t, [3]bool{true, true, true}, passed, "in the end")
	})
}

// A gate wakes the process that has waited longest, and no other.
func TestGateWakesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 5
		ps := register.MakeProcesses("test", n)
		var gate register.Gate
		gate.Set(1)
		var order []int
		for i := range n {
			go func() {
				gate.Await(ps.Entry(i), is(0))
				order = append(order, i)
			}()
			synctest.Wait()
		}
		for i := range n {
			gate.Store(0)
			synctest.Wait()
			require.Equal(t, upTo(i), order, "processes that have passed after %d stores", i+1)
		}
	})
}

// A process that finds the gate closed again keeps its place at the head of the line.
func TestGateKeepsThePlaceOfWhoComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 2)
		var gate register.Gate
		gate.Set(1)
		var order []int
		for i := range 2 {
			go func() {
				gate.Await(ps.Entry(i), is(0))
				order = append(order, i)
			}()
			synctest.Wait()
		}
		gate.Store(2) // wakes process 0, whose condition does not hold
		synctest.Wait()
		gate.Store(0)
		synctest.Wait()
		assert.Equal(t, upTo(0), order, "processes that have passed")
		gate.Store(0)
		synctest.Wait()
	})
}

// A process that aborts when it has just been woken wakes the next: otherwise no
// process would pass the open gate.
func TestWhoGivesUpAtAGateWakesTheNext(t *testing.T) {
	for range 200 { // chance decides whether it is still in line when the gate opens
		synctest.Test(t, func(t *testing.T) {
			ps := register.MakeProcesses("test", 2)
			var gate register.Gate
			gate.Set(1)
			ctx, cancel := context.WithCancel(t.Context())
			passed := 0
			go func() {
				entry := func(p *register.Process) bool { return gate.Await(p, is(0)) }
				if ps.Context(ctx, 0, entry) == nil {
					passed++
					gate.Store(0) // for the next
				}
			}()
			synctest.Wait()
			go func() {
				gate.Await(ps.Entry(1), is(0))
				passed++
			}()
			synctest.Wait()
			cancel()
			gate.Store(0) // process 0 is still first in line
			synctest.Wait()
			require.NotZero(t, passed, "the gate is open and no process passes")
			gate.Store(0)
		})
	}
}

// A store to a relay wakes no process; each that is woken wakes the next when it
// passes the baton on, in the order of arrival.
func TestRelayWakesOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4
		ps := register.MakeProcesses("test", n+1)
		var a, b register.Relay
		var order []int
		next := make(chan struct{})
		for i := range n {
			go func() {
				p := ps.Entry(i)
				register.AwaitEitherRelay(p, &a, is(1), &b, is(1))
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

// A process that parks again, or aborts, passes the baton on.
func TestBatonIsPassedByWhoGoesNoFurther(t *testing.T) {
	for _, givesUp := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ps := register.MakeProcesses("test", 3)
			var a, b, unused register.Relay
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			passed := false
			go func() {
				_ = ps.Context(ctx, 0, func(p *register.Process) bool {
					register.AwaitEitherRelay(p, &a, is(1), &unused, never)
					entered := register.AwaitEitherRelay(p, &b, is(1), &unused, never)
					p.Pass()
					return entered
				})
			}()
			synctest.Wait()
			go func() {
				register.AwaitEitherRelay(ps.Entry(1), &a, is(1), &unused, never)
				passed = true
			}()
			synctest.Wait()
			p := ps.Entry(2)
			a.Store(1)
			if givesUp {
				cancel()
			}
			p.Pass()
			synctest.Wait()
			assert.True(t, passed, "process 1 is still parked though its condition holds; process 0 aborts: %t", givesUp)
			b.Store(1)
			p.Pass()
		})
	}
}
