package register_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/register"
)

// failures are the ways in which a user's protocol can end without returning.
var failures = map[string]func(){
	"panic":  func() { panic("a bug of the user") },
	"Goexit": runtime.Goexit,
}

// alone calls f in a goroutine of its own, and recovers a panic.
func alone(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() { _ = recover() }()
		f()
	}()
	<-over
}

// After a failed entry, the process waits again without aborting. The rest of an entry runs
// once, even if the entry fails after Absorb.
func TestEntryThatFailsLeavesNothingBehind(t *testing.T) {
	for name, fail := range failures {
		for _, try := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/try=%t", name, try), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ps := register.MakeProcesses("test", 1)
					var w register.Word
					rests := 0
					ctx, cancel := context.WithCancel(t.Context())
					run := func(entry func(*register.Process) bool) {
						if try {
							ps.Try(0, entry)
						} else {
							_ = ps.Context(ctx, 0, entry)
						}
					}
					alone(func() { run(func(*register.Process) bool { fail(); return true }) })
					alone(func() {
						run(func(p *register.Process) bool {
							p.Absorb(func() { rests++ })
							fail()
							return false
						})
					})
					ps.Entry(0) // waits for the rest
					run(func(*register.Process) bool { return false })
					ps.Entry(0)
					assert.Equal(t, 1, rests)
					cancel()
					entered := false
					go func() {
						p := ps.Entry(0) // nor is it inside
						entered = w.Await(p, is(1))
					}()
					synctest.Wait()
					w.Store(1)
					synctest.Wait()
					assert.True(t, entered, "it did not wait until the condition held")
				})
			})
		}
	}
}

// If a condition panics after its process was woken, the process wakes the next,
// whichever call it made; and if an entry fails that has the baton.
func TestFailureLosesNoWakeUp(t *testing.T) {
	for name, fail := range failures {
		for _, c := range []struct{ inTurn, giveUp, entered bool }{
			{}, {inTurn: true}, {giveUp: true}, {inTurn: true, giveUp: true}, {inTurn: true, giveUp: true, entered: true},
		} {
			t.Run(fmt.Sprintf("%s/%+v", name, c), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ps := register.MakeProcesses("test", 3)
					var g register.Word
					var r, other register.Word
					await := func(p *register.Process, holds func(uint64) bool) bool {
						if c.inTurn {
							return register.AwaitEitherInTurn(p, &r, holds, &other, never)
						}
						return g.AwaitExclusive(p, holds)
					}
					go alone(func() {
						entry := func(p *register.Process) bool {
							await(p, func(v uint64) bool {
								if v == 1 && !c.entered {
									fail()
								}
								return v == 1
							})
							fail()
							return false
						}
						if c.giveUp {
							_ = ps.Context(t.Context(), 0, entry)
						} else {
							entry(ps.Entry(0))
						}
					})
					synctest.Wait()
					passed := false
					go func() { passed = await(ps.Entry(1), is(1)) }()
					synctest.Wait()
					g.Store(1) // wakes process 0
					r.Store(1)
					ps.Entry(2).Pass()
					synctest.Wait()
					assert.True(t, passed, "process 1 is still parked though its condition holds")
				})
			})
		}
	}
}
