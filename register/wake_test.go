package register_test

import (
	"testing"
	"testing/synctest"

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

// A gate wakes the process that has waited longest, and no other. If that finds it closed
// again, it keeps its place.
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
			gate.Store(2)
			synctest.Wait()
			gate.Store(0)
			synctest.Wait()
			require.Equal(t, upTo(i), order, "processes that have passed after %d stores", i+1)
		}
	})
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
